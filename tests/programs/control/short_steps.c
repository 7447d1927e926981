/* Time steps of systems of any size whose loops read neighbours of what was just written, or begin one later each time:
   sizes from none to well past where versions of their derivatives part, no step, one and some, and a size that the steps
   themselves do not know. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 24

static double ring(const double *restrict x, int n, int steps) { /* neighbours in a ring, ends apart */
  double y[N + 2] = {0}, z[N + 2] = {0}, s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int t = 0; t < steps; t++) {
    if (n > 1) z[0] = (y[1] - y[n - 1]) * y[0], z[n - 1] = (y[0] - y[n - 2]) * y[n - 1];
    for (int i = 1; i < n - 1; i++) z[i] = (y[i + 1] - y[i - 1]) * y[i] - 0.3 * z[i];
    for (int i = 0; i < n; i++) y[i] += 0.05 * z[i];
  }
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.1 * i);
  return s;
}
static double in_place(const double *restrict x, int n, int steps) { /* one array, read ahead of what is written */
  double y[N + 2] = {0}, s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n - 2; i++) y[i] = 0.6 * y[i] + 0.3 * y[i + 1] * y[i + 2];
  for (int i = 0; i < n; i++) s += y[i] * (1 + y[i]);
  return s;
}
static double attracted(const double *restrict x, int n, int steps) { /* pairs, in two dimensions */
  double q[2 * N] = {0}, v[2 * N] = {0}, s = 0;
  for (int i = 0; i < 2 * n; i++) q[i] = x[i % N] + 0.2 * i;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        double a = q[2 * j] - q[2 * i], b = q[2 * j + 1] - q[2 * i + 1], pull = 0.1 / sqrt(0.4 + a * a + b * b);
        v[2 * i] += pull * a, v[2 * i + 1] += pull * b;
        v[2 * j] -= pull * a, v[2 * j + 1] -= pull * b;
      }
    for (int i = 0; i < 2 * n; i++) q[i] += 0.1 * v[i];
  }
  for (int i = 0; i < 2 * n; i++) s += q[i] * q[i] * (i & 1 ? 0.5 : 1.0);
  return s;
}
static double through(const double *x, int n, int steps, double *y, double *z) { /* y and z may be one array */
  double s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++) z[i] = 0.9 * y[i] + 0.2 * y[i - 1] * y[i];
    for (int i = 0; i + 1 < n; i++) y[i] = z[i + 1] - 0.5 * z[i] * z[i];
  }
  for (int i = 0; i < n; i++) s += y[i] * z[i];
  return s;
}
static double f(const double *x) {
  static const int sizes[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, N};
  double s = 0, y[N + 1] = {0}, z[N + 1] = {0};
  for (int k = 0; k < COUNT(sizes); k++) {
    int n = sizes[k], steps = k % 4;
    s += ring(x, n, steps) + in_place(x, n, steps + 1) + attracted(x, n > 12 ? 12 : n, steps);
    memset(y, 0, sizeof y);
    memset(z, 0, sizeof z);
    s += through(x, n, steps, y, z);
    if (n > 0) s += through(x, n, 2, y, y);
  }
  return s;
}
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v); }

/* Each by itself as well, where sizes are parameters of what is differentiated. */
static int size;
static double ring_of(const double *x) { return ring(x, size, 5); }
static void ring_gradient(const double *x, double *g) { __enzyme_autodiff((void *)ring, enzyme_dup, x, g, size, 5); }
static double attracted_of(const double *x) { return attracted(x, size, 3); }
static void attracted_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)attracted, enzyme_dup, x, g, size, 3);
}

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.3 + 0.4 * sin(3.0 * i);
  CHECK(f, gradient, tangent, x);
  for (size = 1; size <= N / 2; size++) {
    CHECK(ring_of, ring_gradient, 0, x);
    CHECK(attracted_of, attracted_gradient, 0, x);
  }
  size = N;
  CHECK(ring_of, ring_gradient, 0, x);
  return check_done();
}
