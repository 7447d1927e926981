/* Arrays that are kept because they are overwritten: read in rows of any length, none too, at steps, backwards, as
   float and double in one, with NaN and infinities beside numbers. */
#include "check.h"

#define N 12
#define ROUNDS 3

static NOINLINE void rows(double *u, float *narrow, double *sum, int n) {
  for (int r = 0; r < ROUNDS; r++) {
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) u[j] += 0.1 * u[j] * u[i];       /* lengths n - 1 down to 0 */
      for (int j = n - 1; j >= i; j -= 2) *sum += u[j] * u[j];         /* backwards, every other one */
    }
    for (int i = 0; i < n; i++) narrow[i] = (float)(0.25 * u[i]);
    for (int i = 0; i < n; i++) *sum += narrow[i] * narrow[i] * (r + 1);
    for (int i = 0; i + 1 < n; i++) u[i] = u[i] * u[i + 1];            /* overlapping: read and written */
  }
}

static double objective(const double *x) {
  double u[N], sum = 0;
  float narrow[N];
  memcpy(u, x, sizeof u);
  rows(u, narrow, &sum, 0);
  rows(u, narrow, &sum, 1);
  rows(u, narrow, &sum, N / 2);
  return sum;
}

static double exact_objective(const double *x) { /* without floats, for the differences */
  double u[N], sum = 0;
  memcpy(u, x, sizeof u);
  for (int r = 0; r < ROUNDS; r++) {
    for (int i = 0; i < N; i++) {
      for (int j = i + 1; j < N; j++) u[j] += 0.1 * u[j] * u[i];
      for (int j = N - 1; j >= i; j -= 2) sum += u[j] * u[j];
    }
    for (int i = 0; i + 1 < N; i++) u[i] = u[i] * u[i + 1];
  }
  return sum;
}

#ifndef REFERENCE
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)objective, enzyme_dup, x, g); }
#endif
static void exact_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)exact_objective, enzyme_dup, x, g);
}
static double exact_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)exact_objective, enzyme_dup, x, v);
}

/* What is kept may be NaN or infinite: numbers beside it come back as they were, and so does an infinity. */
static double chosen(const double *x, const double *weights) {
  double u[N], sum = 0;
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++) {
    double value = u[i];
    u[i] = 0;
    if (weights[i] != 0) sum += weights[i] * value * value;
  }
  return sum + u[0];
}

static double of_squares(const double *x) { /* the product of its gradient with a direction: derivatives of both sweeps */
  double g[N] = {0}, sum = 0;
#ifdef REFERENCE
  for (int i = 0; i < N; i++) {
    double e[N] = {0}, error;
    e[i] = 1;
    g[i] = check_difference(exact_objective, x, e, N, 1e-3, &error);
  }
#else
  __enzyme_autodiff((void *)exact_objective, enzyme_dup, x, g);
#endif
  for (int i = 0; i < N; i++) sum += g[i] * (1 + 0.2 * i);
  return sum;
}
static void of_squares_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)of_squares, enzyme_dup, x, g);
}
static double of_squares_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)of_squares, enzyme_dup, x, v);
}

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.3 + 0.05 * i - 0.1 * (i % 3);
  CHECK(exact_objective, exact_gradient, exact_tangent, x);
#ifndef REFERENCE
  CHECK(of_squares, of_squares_gradient, of_squares_tangent, x);
  double g[N] = {0}, step = 1e-2;
  gradient(x, g);
  for (int i = 0; i < N; i++) { /* floats are coarse: wide steps */
    double above[N], below[N];
    memcpy(above, x, sizeof x);
    memcpy(below, x, sizeof x);
    above[i] += step;
    below[i] -= step;
    check_close("with floats", i, g[i], (objective(above) - objective(below)) / (2 * step), 2e-3);
  }
  double odd[N], weights[N], h[N] = {0}, none[N] = {0};
  for (int i = 0; i < N; i++) {
    odd[i] = i % 4 == 1 ? NAN : i % 4 == 3 ? -INFINITY : 0.5 + i;
    weights[i] = i % 2 ? 0 : 1.5;
  }
  odd[2] = -0.0;
  __enzyme_autodiff((void *)chosen, enzyme_dup, odd, h, enzyme_const, weights);
  for (int i = 0; i < N; i += 2) check_close("chosen", i, h[i], 3 * odd[i], 1e-12);
  odd[4] = INFINITY;
  memcpy(h, none, sizeof h);
  __enzyme_autodiff((void *)chosen, enzyme_dup, odd, h, enzyme_const, weights);
  check_close("infinite", 4, h[4] == INFINITY, 1, 0);
#else
  check_close("nothing", 0, 0, 0, 0);
#endif
  return check_done();
}
