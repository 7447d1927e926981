// reference: none (every function here asks for derivatives)
// heavy: derivatives of derivatives
/* Small derivatives in the loops of what is differentiated once more: with memory of their own, for shadows that are
 * used again in the next iteration, called in two places, in a function that calls itself, in loops that do not run. */
#include "second.h"
static NOINLINE double potential(const double *q, const double *w) {
  double part[2]; /* written and read again: one per call */
  part[0] = q[0] - *w;
  part[1] = part[0] * q[1];
  part[0] = sqrt(1 + part[1] * part[1]) + part[0] * part[0];
  return 1 / part[0] + 0.1 * q[1] * q[0];
}
static void push(const double *q, const double *w, double *out) {
  __enzyme_autodiff((void *)potential, enzyme_dup, q, out, enzyme_const, w);
}
static double along(const double *q, const double *v, const double *w) {
  return __enzyme_fwddiff((void *)potential, enzyme_dup, q, v, enzyme_const, w);
}
/* The shadow is not cleared: each step adds to what the steps before it left. */
static double summed(const double *x) {
  double q[2] = {x[0], x[1]}, g[2] = {0, 0};
  for (int i = 0; i < (int)(6 + x[2]); i++) {
    push(q, x + 2, g);
    q[0] += 0.1 * g[0];
    q[1] -= 0.1 * g[1] * q[0];
  }
  return q[0] * q[1] + g[0];
}
SECOND(summed, 3)
/* Until something is reached, with both modes inside; the shadow lies where the point does in the next step. */
static double reached(const double *x) {
  double q[4] = {x[0], x[1], 0, 0}, s = 0;
  for (int i = 0; s < 2.5 && i < 9; i++) {
    double *now = q + 2 * (i % 2), *next = q + 2 * ((i + 1) % 2);
    next[0] = now[0];
    next[1] = 0.5;
    push(now, x + 2, next);
    s += along(now, next, x + 2) + 0.5;
    s *= s > 1 ? along(next, now, x + 1) : 1.0;
  }
  return s * q[0] + q[3];
}
SECOND(reached, 3)
static double again(const double *q, const double *w, int depth) {
  double g[2] = {0, 0};
  push(q, w, g);
  return depth ? g[0] * again(g, w, depth - 1) + g[1] : g[0] + g[1];
}
static double recursive(const double *x) { return again(x, x + 2, 2); }
SECOND(recursive, 3)
static double kept(const double *x) { /* on the heap, one per round; the first round has none */
  double s = x[0];
  for (int n = 0; n < 4; n++) {
    double *g = calloc(2 * n + 1, sizeof *g);
    for (int i = 0; i < n; i++) push(x, x + 2, g + 2 * i);
    for (int i = 0; i < n; i++) s += g[2 * i] * g[2 * i + 1] * s;
    free(g);
  }
  return s;
}
SECOND(kept, 3)
int main(void) {
  double a[] = {0.7, 1.2, 0.4}, b[] = {-0.3, 0.9, 1.6}, none[] = {0.8, -0.5, -5.9};
  SECOND_CHECK(summed, a, 3);
  SECOND_CHECK(summed, b, 3);
  SECOND_CHECK(summed, none, 3);
  SECOND_CHECK(reached, a, 3);
  SECOND_CHECK(reached, b, 3);
  SECOND_CHECK(recursive, a, 3);
  SECOND_CHECK(recursive, b, 3);
  SECOND_CHECK(kept, a, 3);
  SECOND_CHECK(kept, b, 3);
  return check_done();
}
