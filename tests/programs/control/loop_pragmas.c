// flags: -Wno-unknown-pragmas -Wno-enzyme-loop
/* Loops that are asked to keep a tape, to run iterations again, or to leave them out of the forward sweep: where that can
 * be done, where it cannot, and one inside another. The numbers are the same. */
#include "check.h"
#include <enzyme/utils>

#define N 6

static double scratch(const double *x) {
  double s = 0.3, w[N];
  ENZYME_LOOP_RECOMPUTE
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) w[j] = x[j] * x[i] + sin(x[j]);
    for (int j = 0; j < N; j++) s += w[j] * w[j] * x[j];
  }
  return s;
}

static double left_out(const double *x) {
  double s = 0, w[N];
#pragma enzyme loop fuse
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) w[j] = x[j] * x[i];
    ENZYME_LOOP_KEEP
    for (int j = 0; j < N; j++) {
      w[j] = exp(w[j] * 0.3);
      s += w[j] * x[j];
    }
  }
  return s;
}

static double inner(const double *x) { /* the inner loop is asked; the outer one could do it too */
  double s = 0, w[N], q[4];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) w[j] = x[j] * x[i];
#pragma enzyme loop recompute // of each j
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < 4; k++) q[k] = w[j] * x[k];
      for (int k = 0; k < 4; k++) s += cos(q[k]) * q[k];
    }
  }
  return s;
}

static double carried(const double *x) { /* each iteration needs the one before it */
  double s = x[0], y[N];
  for (int i = 0; i < N; i++) y[i] = x[i];
  ENZYME_LOOP_FUSE
  for (int i = 0; i < 5; i++) {
    ENZYME_LOOP_RECOMPUTE
    for (int j = 1; j < N; j++) y[j] = sin(y[j] * y[j - 1] + s);
    s = s * 0.5 + y[N - 1] * y[i];
  }
  return s;
}

static double kept(const double *x) {
  double s = x[1], w[3];
  int i = 0;
#pragma enzyme loop keep
  while (i < N) {
    ENZYME_LOOP_FUSE
    do {
      w[i % 3] = s * x[i];
      s = s * 0.6 + sin(w[i % 3]);
    } while (++i % 3);
    if (s > 50) break;
  }
  return s;
}

DERIVED(scratch)
DERIVED(left_out)
DERIVED(inner)
DERIVED(carried)
DERIVED(kept)

int main(void) {
  double x[N] = {0.4, -0.3, 0.9, 0.7, -0.5, 0.2};
  CHECK_DERIVED(scratch, x);
  CHECK_DERIVED(left_out, x);
  CHECK_DERIVED(inner, x);
  CHECK_DERIVED(carried, x);
  CHECK_DERIVED(kept, x);
  return check_done();
}
