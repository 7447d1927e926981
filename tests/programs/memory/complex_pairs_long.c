/* Loops over complex numbers that are long enough for two iterations at once: four to nine of them, upwards and downwards;
 * rows apart, side by side, on one another, one number or half a number away from each other; factors far apart, in the same
 * array, overwritten later; numbers that each iteration clears or writes twice. */
#include "check.h"

#define N 48

/* Numbers that are not active. */
static const double roots[] = {
    0.9, 0.881, 0.256, -0.592, -1.025, -0.8, -0.242, 0.232, 0.532, 0.747,
    0.763, 0.335, -0.446, -1.039, -0.958, -0.307, 0.368, 0.686, 0.702, 0.585,
    0.276, -0.315, -0.922, -1.031, -0.457, 0.374, 0.854, 0.796, 0.466, 0.108,
    -0.3, -0.759, -0.964, -0.578, 0.255, 0.925, 0.962, 0.482, -0.059, -0.421,
};

/* (a, b) := (a + w b, a - w b) for each k; a and b may overlap. */
static NOINLINE void butterflies(double *a, double *b, const double *w, int n, int step) {
  for (int k = 0; k < n; k++) {
    double *p = a + 2 * k, *q = b + 2 * k;
    const double *c = w + 2L * k * step;
    double re = q[0] * c[0] - q[1] * c[1], im = q[0] * c[1] + q[1] * c[0];
    q[0] = 0.7 * (p[0] - re);
    q[1] = 0.7 * (p[1] - im);
    p[0] = 0.7 * (p[0] + re);
    p[1] = 0.7 * (p[1] + im);
  }
}
/* The same from the last to the first. */
static NOINLINE void downwards(double *a, double *b, const double *w, int n, int step) {
  for (int k = n - 1; k >= 0; k--) {
    double *p = a + 2 * k, *q = b + 2 * k;
    const double *c = w + 2L * k * step;
    double re = q[0] * c[0] + q[1] * c[1], im = q[1] * c[0] - q[0] * c[1];
    q[0] = 0.7 * (p[0] - re);
    q[1] = 0.7 * (p[1] - im);
    p[0] = 0.7 * (p[0] + re);
    p[1] = 0.7 * (p[1] + im);
  }
}
/* b := w a, a := 0, and b once more. */
static NOINLINE void moved(double *a, double *b, const double *w, int n, int step) {
  for (int k = 0; k < n; k++) {
    double *p = a + 2 * k, *q = b + 2 * k;
    const double *c = w + 2L * k * step;
    double re = p[0] * c[0] - p[1] * c[1], im = p[0] * c[1] + p[1] * c[0];
    q[0] = re;
    q[1] = im;
    p[0] = 0;
    p[1] = 0;
    q[0] += 0.5 * re;
    q[1] += 0.5 * im;
  }
}

/* Number by number of iterations and distance by distance: a function that calls itself is no loop around the loops. */
static double from(const double *x, int n, int away) {
  double u[N], w[N], s = 0;
  int step = n % 3;
  for (int i = 0; i < N; i++) u[i] = x[i], w[i] = x[N - 1 - i] * 0.7;
  butterflies(u, u + 2 * n, roots, n, step);
  butterflies(u + 8, u + 8 + away, roots, n, step);
  downwards(u + 10, u + 10 + away, roots, n, step);
  downwards(u + 2 * n, u, roots + 1, n, 2);
  butterflies(u + 4, u + 6 + 2 * n, u + 24 + away, n, step > 0);  /* factors out of the same array, some overwritten */
  moved(u + 6, u + 8 + away, roots + 2, n, step);
  moved(w + 4, u + 9, w, n, step);  /* what is cleared is a factor */
  for (int i = 0; i < N; i++) s += (1 + 0.1 * i) * u[i] * u[i] + w[i];
  if (away < 3) return s + from(x, n, away + 1);
  return n < 9 ? s + from(x, n + 1, -3) : s;
}
static double all(const double *x) { return from(x, 4, -3); }
DERIVED(all)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.4 + 0.03 * ((i * 7) % 12) - 0.5 * (i % 3 == 1);
  CHECK_DERIVED(all, x);
  return check_done();
}
