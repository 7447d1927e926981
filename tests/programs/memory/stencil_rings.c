/* Loops that choose where a neighbour is, in the forward sweep: on rings of every length around a vector's, where the
 * comparison holds first, last, in the middle, twice, or nowhere (and where nothing is that could be loaded then), up and
 * down, in 32 and 64 bits that wrap, and where what is loaded is also written. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 32
#define MOST 80

static void spread(const double *x, double *u, int n) {
  for (int i = 0; i < n; i++) u[i] = sin(x[i % N] * (1 + 0.01 * i)) + 0.1 * x[(i / 3) % N];
}
static double finish(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * sin(y[i]) * (1 + 0.01 * (i % 17));
  return s / (n + 1);
}

static NOINLINE void turn(int n, const double *restrict u, double *restrict v) {
  for (int i = 0; i < n; i++) {
    int before = i == 0 ? n - 1 : i - 1, behind = i == n - 1 ? 0 : i + 1;
    v[i] = u[before] * u[behind] - u[i] * u[before] * 0.3;
  }
}
static NOINLINE void turn_down(long n, const double *restrict u, double *restrict v) {
  for (long i = n - 1; i >= 0; i--) v[i] = u[i != 0 ? i - 1 : n - 1] * u[i] + u[i + 1 == n ? 0 : i + 1];
}
static double rings(const double *x) {
  double u[MOST], v[MOST], w[MOST], total = 0;
  for (int n = 1; n < MOST; n += n < 20 ? 1 : 13) {
    spread(x, u, n);
    turn(n, u, v), turn_down(n, v, w), turn(n, w, v);
    total += finish(v, n);
  }
  return total;
}
DERIVED(rings)

/* The place where the choice is another one need not be an iteration's; what would be loaded there need not exist. */
static NOINLINE void chosen(long from, long to, long at, long other, const double *restrict u, double *restrict v) {
  for (long i = from; i < to; i++) v[i] = u[i == at ? other : i + 1] * u[i];
}
static NOINLINE void chosen_narrow(unsigned n, unsigned at, unsigned by, long other, const double *restrict u,
                                   double *restrict v) {
  for (unsigned i = 0; i < n; i++) v[i] = u[i + by == at ? other : (long)i] * u[i] + v[i] * 0.1;
}
static NOINLINE void twice(int n, int a, int b, const double *restrict u, double *restrict v) {
  for (int i = 0; i < n; i++) v[i] = u[i == a ? 3 : i == b ? 5 : i + 1] * u[i == b ? 0 : i] + u[i == a ? i : 7];
}
static double places(const double *x) {
  static const long far = 1L << 40;
  const long at[] = {0, 1, 39, 40, 41, 20, -1, far, 79}, other[] = {39, 0, 3, far, -far, 20, far, far, 0};
  double u[MOST + 1], v[MOST + 1], w[MOST + 1], total = 0;
  spread(x, u, MOST + 1);
  for (int k = 0; k < COUNT(at); k++) {
    for (int i = 0; i <= MOST; i++) v[i] = w[i] = 0.5 * u[i];
    chosen(0, 40, at[k], other[k], u, v);
    chosen(20, k % 2 ? 21 : 40, k % 2 ? 20 : at[k] < 20 ? far : at[k], k % 2 ? 2 : other[k], v, w);
    chosen(30, 30, 30, far, u, w);
    chosen_narrow(40, 5, 4294967286u, 2, w, v);          /* wraps: holds in iteration 15 */
    chosen_narrow(40, 4294967290u, 4294967280u, 1, v, w); /* holds in iteration 10 */
    chosen_narrow(40, 50, 4294967295u, far, w, v);        /* holds nowhere */
    twice(MOST, (int)(at[k] & 127), k * 9, v, w);
    total += finish(v, MOST) + finish(w, MOST);
  }
  return total;
}
DERIVED(places)

/* What is loaded may be written in between: in place, by one and the same pointer, or in rows that meet. */
static NOINLINE void in_place(int n, double *u, const double *v) {
  for (int i = 0; i < n; i++) u[i] = 0.5 * u[i == n - 1 ? 0 : i + 1] * v[i == 0 ? n - 1 : i - 1] + 0.2 * u[i];
}
static double mixed(const double *x) {
  double u[MOST], v[MOST];
  spread(x, u, MOST), spread(x, v, MOST);
  for (int i = 0; i < MOST; i++) v[i] *= x[(i * 5) % N];
  for (int step = 0; step < 3; step++) {
    in_place(40, u, v);
    in_place(40, v, v);
    in_place(40, v + 5, v);
    in_place(30, u, u + 29);
  }
  return finish(u, MOST) + finish(v, MOST);
}
DERIVED(mixed)

/* A torus of two fields with a branch in each row, and sums by row. */
static NOINLINE void react(int n, double gate, const double *restrict s, double *restrict d, double *restrict sums) {
  const double *u = s, *v = s + n * n;
  for (int i = 0; i < n; i++) {
    int above = (i == 0 ? n - 1 : i - 1) * n, here = i * n, below = (i == n - 1 ? 0 : i + 1) * n;
    for (int j = 0; j < n; j++) {
      int left = j == 0 ? n - 1 : j - 1, right = j == n - 1 ? 0 : j + 1;
      double a = u[here + j], b = v[here + j];
      double of_u = u[above + j] + u[below + j] + u[here + left] * u[here + right] - 4 * a;
      double of_v = v[above + j] + v[below + j] + v[here + left] + v[here + right] - 4 * b;
      d[here + j] = 0.1 * of_u + a * a * b + (gate > 0 && (j - 2) * (j - 2) < i ? 0.3 : 0.0);
      d[n * n + here + j] = 0.1 * of_v - a * a * b;
    }
    sums[i] = d[here] * d[here + n - 1];
  }
}
static double torus(const double *x) {
  double total = 0;
  for (int n = 1; n < 14; n += 1 + n / 9) {
    double *s = malloc(sizeof *s * 2 * n * n), *d = malloc(sizeof *d * 2 * n * n), sums[14];
    spread(x, s, 2 * n * n);
    for (int step = 0; step < 3; step++) {
      react(n, step - 0.5, s, d, sums);
      for (int i = 0; i < 2 * n * n; i++) s[i] += 0.05 * d[i];
      total += finish(sums, n);
    }
    total += finish(s, 2 * n * n);
    free(s), free(d);
  }
  return total;
}
DERIVED(torus)

static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(rings, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.5 + 0.01 * ((i * 7) % 31);
  CHECK_DERIVED(rings, x);
  CHECK_DERIVED(places, x);
  CHECK_DERIVED(mixed, x);
  CHECK_DERIVED(torus, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
