/* Two loops whose iterations are run again in the reverse sweep, where the second reads the scratch that the first has
   filled: the forward sweep may leave out neither's work that the other still needs. */
#include "check.h"

#define M 9
#define AGAIN __attribute__((annotate("enzyme_loops=recompute")))
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")

AGAIN static double next_reads(const double *x) {
  double s[M], r = 0;
  for (int i = 0; i < M; i++) {
    double t = 0;
    ROLLED for (int j = 0; j < M; j++) t += sin(x[i] * (j + 1)) * x[j];
    s[i] = t;
  }
  for (int i = 0; i < M; i++) {
    double t = 0;
    ROLLED for (int j = 0; j < M; j++) t += s[i] * s[j] * cos(x[j] + s[j]);
    r += t * t;
  }
  return r;
}

/* Both fill a second array, which a third loop reads; the one before it is read again in between. */
AGAIN static double three(const double *x) {
  double s[M], w[M], r = 0;
  for (int i = 0; i < M; i++) {
    double t = 1;
    ROLLED for (int j = 0; j < M; j++) t += exp(0.1 * x[i] * x[j]);
    s[i] = t * 0.1;
  }
  for (int i = 0; i < M; i++) {
    double t = 0;
    ROLLED for (int j = 0; j < M; j++) t += s[(i + j) % M] * s[j] * x[j];
    w[i] = t;
  }
  for (int i = 0; i < M; i++) {
    double t = 0;
    ROLLED for (int j = 0; j < M; j++) t += sin(w[i] * x[j]) * s[i];
    r += t * t;
  }
  return r;
}

static double tangent_next(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)next_reads, enzyme_dup, x, v);
}
static void gradient_next(const double *x, double *g) { __enzyme_autodiff((void *)next_reads, x, g); }
static double tangent_three(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)three, enzyme_dup, x, v);
}
static void gradient_three(const double *x, double *g) { __enzyme_autodiff((void *)three, x, g); }

int main(void) {
  double x[M];
  for (int i = 0; i < M; i++) x[i] = 0.1 * i + 0.3;
  CHECK(next_reads, gradient_next, tangent_next, x);
  CHECK(three, gradient_three, tangent_three, x);
  return check_done();
}
