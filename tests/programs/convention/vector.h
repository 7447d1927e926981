/* Derivatives of several lanes against as many derivatives of one lane.
 *
 * A program defines `REAL subject(REAL *x, int n)`, which may change x, for INPUTS numbers. Its derivative of one lane is
 * held against differences, then each lane of the derivatives of WIDTH_A and WIDTH_B lanes against that of one lane.
 */
#ifndef ENZYME_PROGRAM_VECTOR_H
#define ENZYME_PROGRAM_VECTOR_H

#include "check.h"

#ifndef REAL
#define REAL double
#endif
#ifndef CLOSE
#define CLOSE 1e-12
#endif
#ifndef INPUTS
#define INPUTS 8
#endif
#ifndef WIDTH_A
#define WIDTH_A 2
#endif
#ifndef WIDTH_B
#define WIDTH_B 4
#endif

extern int enzyme_width;

#define VECTOR_JOIN_(a, b) a##b
#define VECTOR_JOIN(a, b) VECTOR_JOIN_(a, b)
#define LANES_1(d) d[0]
#define LANES_2(d) d[0], d[1]
#define LANES_3(d) LANES_2(d), d[2]
#define LANES_4(d) LANES_3(d), d[3]
#define LANES_5(d) LANES_4(d), d[4]
#define LANES_8(d) LANES_5(d), d[5], d[6], d[7]

struct lanes_a {
  REAL t[WIDTH_A];
};
struct lanes_b {
  REAL t[WIDTH_B];
};
#ifdef __cplusplus
#define VECTOR_FWDDIFF_ONE __enzyme_fwddiff<REAL>
#define VECTOR_AUTODIFF_ONE __enzyme_autodiff<REAL>
#define VECTOR_FWDDIFF_A __enzyme_fwddiff<struct lanes_a>
#define VECTOR_FWDDIFF_B __enzyme_fwddiff<struct lanes_b>
#else
extern REAL __enzyme_fwddiff_one(void *, ...);
extern void __enzyme_autodiff_one(void *, ...);
extern struct lanes_a __enzyme_fwddiff_a(void *, ...);
extern struct lanes_b __enzyme_fwddiff_b(void *, ...);
#define VECTOR_FWDDIFF_ONE __enzyme_fwddiff_one
#define VECTOR_AUTODIFF_ONE __enzyme_autodiff_one
#define VECTOR_FWDDIFF_A __enzyme_fwddiff_a
#define VECTOR_FWDDIFF_B __enzyme_fwddiff_b
#endif

static REAL subject(REAL *x, int n);

static void vector_start(REAL *u, const double *x) {
  for (int i = 0; i < INPUTS; i++) u[i] = (REAL)x[i];
}
static double vector_weight(int lane, int i) { return cos(1.0 + 0.9 * i + 2.1 * lane); }

/* What subject returns and what it leaves in x, as one number. */
static double objective(const double *x) {
  REAL u[INPUTS];
  vector_start(u, x);
  double s = (double)subject(u, INPUTS);
  for (int i = 0; i < INPUTS; i++) s += vector_weight(0, i) * (double)u[i];
  return s;
}
static void objective_gradient(const double *x, double *g) {
  REAL u[INPUTS], d[INPUTS];
  vector_start(u, x);
  for (int i = 0; i < INPUTS; i++) d[i] = (REAL)vector_weight(0, i);
  VECTOR_AUTODIFF_ONE((void *)subject, enzyme_dup, u, d, enzyme_const, INPUTS);
  for (int i = 0; i < INPUTS; i++) g[i] += (double)d[i];
}
static double objective_tangent(const double *x, const double *v) {
  REAL u[INPUTS], d[INPUTS];
  vector_start(u, x);
  for (int i = 0; i < INPUTS; i++) d[i] = (REAL)v[i];
  double s = (double)VECTOR_FWDDIFF_ONE((void *)subject, enzyme_dup, u, d, enzyme_const, INPUTS);
  for (int i = 0; i < INPUTS; i++) s += vector_weight(0, i) * (double)d[i];
  return s;
}

static NOINLINE void vector_same(const char *what, int lane, double got, double expected) {
  check_close(what, lane, got, expected, CLOSE * (fabs(expected) + 1));
}

#define VECTOR_WIDTH(W, lanes_struct, FWDDIFF)                                                                      \
  {                                                                                                                 \
    REAL u[INPUTS], d[W][INPUTS], one[INPUTS];                                                                      \
    vector_start(u, x);                                                                                             \
    for (int lane = 0; lane < W; lane++)                                                                            \
      for (int i = 0; i < INPUTS; i++) d[lane][i] = (REAL)vector_weight(lane, i);                                   \
    VECTOR_AUTODIFF_ONE((void *)subject, enzyme_width, W, enzyme_dup, u, VECTOR_JOIN(LANES_, W)(d), enzyme_const,   \
                        INPUTS);                                                                                    \
    for (int lane = 0; lane < W; lane++) {                                                                          \
      vector_start(u, x);                                                                                           \
      for (int i = 0; i < INPUTS; i++) one[i] = (REAL)vector_weight(lane, i);                                       \
      VECTOR_AUTODIFF_ONE((void *)subject, enzyme_dup, u, one, enzyme_const, INPUTS);                               \
      for (int i = 0; i < INPUTS; i++) vector_same("reverse, lane", lane, (double)d[lane][i], (double)one[i]);      \
    }                                                                                                               \
    vector_start(u, x);                                                                                             \
    for (int lane = 0; lane < W; lane++)                                                                            \
      for (int i = 0; i < INPUTS; i++) d[lane][i] = (REAL)vector_weight(lane, i);                                   \
    lanes_struct r =                                                                                                \
        FWDDIFF((void *)subject, enzyme_width, W, enzyme_dup, u, VECTOR_JOIN(LANES_, W)(d), enzyme_const, INPUTS);  \
    for (int lane = 0; lane < W; lane++) {                                                                          \
      vector_start(u, x);                                                                                           \
      for (int i = 0; i < INPUTS; i++) one[i] = (REAL)vector_weight(lane, i);                                       \
      REAL t = VECTOR_FWDDIFF_ONE((void *)subject, enzyme_dup, u, one, enzyme_const, INPUTS);                       \
      vector_same("forward, result of lane", lane, (double)r.t[lane], (double)t);                                   \
      for (int i = 0; i < INPUTS; i++) vector_same("forward, lane", lane, (double)d[lane][i], (double)one[i]);      \
    }                                                                                                               \
  }

static void vector_lanes(const double *x) {
  VECTOR_WIDTH(WIDTH_A, struct lanes_a, VECTOR_FWDDIFF_A)
  VECTOR_WIDTH(WIDTH_B, struct lanes_b, VECTOR_FWDDIFF_B)
}

#ifdef SINGLE /* too coarse for differences */
#define VECTOR_CHECK(...) ((void)0)
#else
#define VECTOR_CHECK CHECK
#endif

int main(void) {
  double x[INPUTS];
  for (int i = 0; i < INPUTS; i++) x[i] = 0.55 + 0.11 * ((i * 5) % INPUTS);
  VECTOR_CHECK(objective, objective_gradient, objective_tangent, x);
  CHECK_ENGINE(vector_lanes(x));
  return check_done();
}

#endif
