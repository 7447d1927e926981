/* A ring buffer addressed modulo its size, in a struct with its own cursor. */
#include "check.h"

struct ring {
  double slot[4];
  int head;
};

static void push(struct ring *r, double value) {
  r->slot[r->head & 3] = value;
  r->head++;
}
static double peek(const struct ring *r, int back) { return r->slot[(r->head - 1 - back) & 3]; }

static double filter(const double *x, int n) {
  struct ring r = {{0.1, 0.2, 0.3, 0.4}, 0};
  double s = 0;
  for (int i = 0; i < n; i++) {
    double y = x[i] + 0.5 * peek(&r, 0) * peek(&r, 2) - 0.25 * peek(&r, 3);
    push(&r, y);
    s += y * y;
  }
  return s + peek(&r, 1);
}

static double objective(const double *x) { return filter(x, 10); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)filter, x, g, 10); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)filter, enzyme_dup, x, v, 10);
}

int main(void) {
  double x[10] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3, 0.9, -0.1, 0.4, 0.7};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
