/* Products of complex numbers: butterflies whose twiddle factors are as far apart as the caller says, forward and backward,
 * or in one place; factors that are active, that are overwritten, that are the product itself; numbers that meet the next
 * iteration's; conjugates, squares, chains of products; no round, one, and odd numbers of them. */
#include "check.h"

#define N 24

/* (a, b) := (a + w b, a - w b) for each k; a and b may overlap. */
static NOINLINE void butterflies(double *a, double *b, const double *w, int n, int step) {
  for (int k = 0; k < n; k++) {
    double *p = a + 2 * k, *q = b + 2 * k;
    const double *c = w + 2L * k * step;
    double re = q[0] * c[0] - q[1] * c[1], im = q[0] * c[1] + q[1] * c[0];
    q[0] = p[0] - re;
    q[1] = p[1] - im;
    p[0] += re;
    p[1] += im;
  }
}
/* a := conj(w) a, in places that are apart themselves. */
static NOINLINE void turned(double *a, const double *w, int n, int step) {
  for (int k = 0; k < n; k++) {
    double *p = a + 2L * k * step;
    const double *c = w + 2L * k * step;
    double re = p[0] * c[0] + p[1] * c[1], im = p[1] * c[0] - p[0] * c[1];
    p[0] = re;
    p[1] = im;
  }
}
/* Each number times the one before: iterations hang on one another. */
static NOINLINE void chained(double *a, int n, int step) {
  for (int k = 1; k < n; k++) {
    double *p = a + 2L * k * step;
    const double *c = a + 2L * (k - 1) * step;
    double re = p[0] * c[0] - p[1] * c[1], im = p[0] * c[1] + p[1] * c[0];
    p[0] = 0.3 * re + 0.1;
    p[1] = 0.3 * im;
  }
}
/* Squares, and products that are products' factors. */
static NOINLINE double powers(const double *a, int n, int step, int times) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    double x = a[2L * k * step], y = a[2L * k * step + 1], re = x, im = y;
    for (int t = 0; t < times; t++) {
      double u = re * re - im * im, v = re * im + im * re;
      re = 0.2 * (u * x - v * y) + x;
      im = 0.2 * (u * y + v * x) + y;
    }
    s += re * re + 2 * im + re * im;
  }
  return s;
}

static double all(const double *x) {
  double s = 0;
  for (int n = 0; n <= 3; n++) {
    for (int step = -1; step <= 2; step++) {
      double u[N], w[N];
      for (int i = 0; i < N; i++) u[i] = x[i], w[i] = x[N - 1 - i] * 0.7;
      butterflies(u, u + 2 * n, w + 8, n, step);
      butterflies(u + 8, u + 10, w + 8, n, step);     /* b[k] is a[k + 1] */
      butterflies(u + 10, u + 8, w + 8, n, step);     /* and the other way round */
      butterflies(u + 12, u + 12 + 2 * n, u + 8, n, step > 0 ? 0 : step); /* factors out of the same array */
      if (step) turned(u + 8, w + 8, n, step), chained(w + 8, n, step);
      butterflies(u, u + 6, w + 8, n, step);          /* factors that have changed */
      for (int i = 0; i < N; i++) s += (1 + 0.1 * i) * u[i] * u[i] + w[i];
      s += powers(u, n, step > 0 ? step : 1, step + 1);
    }
  }
  return s;
}
DERIVED(all)

/* The whole transform, in place, by itself. */
static double transform(const double *x) {
  double u[16], w[8] = {1, 0, 0.70710678118654752, -0.70710678118654752, 0, -1, -0.70710678118654752, -0.70710678118654752};
  double s = 0;
  memcpy(u, x, sizeof u);
  for (int half = 1; half < 8; half *= 2)
    for (int start = 0; start < 8; start += 2 * half) butterflies(u + 2 * start, u + 2 * (start + half), w, half, 4 / half);
  for (int i = 0; i < 16; i++) s += (1 + i % 3) * u[i] * u[i] * u[i];
  return s;
}
DERIVED(transform)
static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(transform, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.4 + 0.03 * ((i * 7) % 12) - 0.5 * (i % 3 == 1);
  CHECK_DERIVED(all, x);
  CHECK_DERIVED(transform, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
