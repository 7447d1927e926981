/* Time steps of one to four components, and of none and more, whose number is known when the program runs: states that
 * steps overwrite, arrays that may be one and the same, steps that are left early, triangles, loops of other lengths
 * beside them. */
// skip-levels: 1, 3 (what is looked at here is the same at level 2)
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 6

int sizes[] = {1, 2, 3, 4, 0, 5, N}; /* read when the program runs */
int apart[] = {N, 0, 1, N, 2, 0, N};

#define ALL(i) for (int i = 0; i < n; i++)

/* w has the state at the front and scratch somewhere: apart, in the same place, or across it. The derivative is that of
 * the steps themselves, so that their number of components is a parameter of it. */
#define EACH(name, ...) \
  static NOINLINE double name##_of(const double *x, double *y, double *z, int n, int steps) { \
    ALL(i) y[i] = 0.3 * x[i] * (1 + 0.01 * i); \
    double s = 0; \
    for (int t = 0; t < steps; t++) { \
      __VA_ARGS__ \
    } \
    ALL(i) s += (y[i] * y[i] + z[i]) * (1 + 0.1 * i); \
    return s; \
  } \
  static double name(const double *x) { \
    double s = 0; \
    for (int k = 0; k < COUNT(sizes); k++) \
      for (int steps = 0; steps < 12; steps = 2 * steps + 1) { \
        double w[2 * N]; \
        for (int i = 0; i < 2 * N; i++) w[i] = 0.1 + 0.05 * i; \
        s += name##_of(x, w, w + apart[k], sizes[k], steps) * (1 + k); \
        for (int i = 0; i < 2 * N; i++) s += w[i] * (0.3 - 0.02 * i); \
      } \
    return s; \
  } \
  static void name##_gradient(const double *x, double *dx) { \
    for (int k = 0; k < COUNT(sizes); k++) \
      for (int steps = 0; steps < 12; steps = 2 * steps + 1) { \
        double w[2 * N], dw[2 * N], own[N] = {0}; \
        for (int i = 0; i < 2 * N; i++) w[i] = 0.1 + 0.05 * i, dw[i] = (0.3 - 0.02 * i) / (1 + k); \
        __enzyme_autodiff((void *)name##_of, enzyme_dup, x, own, enzyme_dup, w, dw, enzyme_dup, w + apart[k], \
                          dw + apart[k], enzyme_const, sizes[k], enzyme_const, steps); \
        for (int i = 0; i < N; i++) dx[i] += own[i] * (1 + k); \
      } \
  } \
  static double name##_tangent(const double *x, const double *v) { \
    return __enzyme_fwddiff((void *)name, enzyme_dup, x, v); \
  }

EACH(by_rows, {
  ALL(i) {
    double sum = 0;
    ALL(j) sum += x[(i + j) % N] * y[j];
    z[i] = sum;
  }
  ALL(i) y[i] = 0.5 * y[i] + 0.1 * z[i];
})
EACH(by_columns, {
  ALL(i) z[i] = 0.1 * i;
  ALL(j) ALL(i) z[i] += x[(i + 2 * j) % N] * y[j] * y[j];
  ALL(i) y[i] -= 0.2 * z[i];
})
EACH(triangle, {
  ALL(i) for (int j = 0; j < i; j++) y[i] += 0.1 * x[j] * y[j] * y[i];
  ALL(i) z[i] = y[n - 1 - i] * x[i];
})
EACH(until_far, {
  ALL(i) z[i] = y[i] * x[i];
  ALL(i) y[i] += 0.2 * z[i];
  if (y[0] > 0.2) break;
})
EACH(in_place, {
  for (int i = 1; i < n; i++) y[i] = 0.5 * y[i - 1] * x[i] + y[i];
  for (int i = 0; i + 1 < n; i++) y[i] = y[i + 1] * y[i];
  ALL(i) z[i] += y[i] * x[0];
})
EACH(some_steps, {
  if (t % 3) ALL(i) z[i] = y[i] * y[i] * x[i];
  else ALL(i) z[i] = x[i];
  ALL(i) y[i] = z[i] * y[i] + 0.1;
})
EACH(beside, {
  for (int k = 0; k < 3; k++) z[0] += 0.1 * y[0] * x[k];
  ALL(i) y[i] *= z[0];
})

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.1 * i - 0.02 * i * i;
  CHECK_DERIVED(by_rows, x);
  CHECK_DERIVED(by_columns, x);
  CHECK_DERIVED(triangle, x);
  CHECK_DERIVED(until_far, x);
  CHECK_DERIVED(in_place, x);
  CHECK_DERIVED(some_steps, x);
  CHECK_DERIVED(beside, x);
  return check_done();
}
