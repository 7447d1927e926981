/* Struct arguments by pointer: doubles, integers and an embedded array; a struct shadow accumulates. */
#include "check.h"

struct model {
  int count;
  double scale;
  double weight[4];
  long steps;
  double offset;
};

static double evaluate(const struct model *m, double t) {
  double s = m->offset;
  for (long k = 0; k < m->steps; k++)
    for (int i = 0; i < m->count; i++) s = s * 0.9 + m->scale * sin(m->weight[i] * t + s);
  return s;
}

static void update(struct model *m, int rounds) {
  for (int r = 0; r < rounds; r++) {
    m->scale *= m->offset;
    for (int i = 0; i < m->count; i++) m->weight[i] += m->scale * m->weight[(i + 1) % m->count];
    m->offset = cos(m->weight[0]);
  }
}

static double both(struct model *m, double t) {
  update(m, 2);
  return evaluate(m, t) * m->scale;
}

/* scale, weight[4], offset, t */
static struct model unpack(const double *x) {
  struct model m = {4, x[0], {x[1], x[2], x[3], x[4]}, 3, x[5]};
  return m;
}
static double pack(const struct model *m, double *g) {
  g[0] = m->scale;
  for (int i = 0; i < 4; i++) g[1 + i] = m->weight[i];
  return g[5] = m->offset;
}

#define CASE(fn)                                                                            \
  static double fn##_objective(const double *x) {                                           \
    struct model m = unpack(x);                                                             \
    return fn(&m, x[6]);                                                                    \
  }                                                                                         \
  static void fn##_gradient(const double *x, double *g) {                                   \
    struct model m = unpack(x), d = {0};                                                    \
    g[6] = __enzyme_autodiff((void *)fn, enzyme_dup, &m, &d, enzyme_out, x[6]);             \
    pack(&d, g);                                                                            \
  }                                                                                         \
  static double fn##_tangent(const double *x, const double *v) {                            \
    struct model m = unpack(x), d = unpack(v);                                              \
    return __enzyme_fwddiff((void *)fn, enzyme_dup, &m, &d, enzyme_dup, x[6], v[6]);        \
  }

CASE(evaluate)
CASE(both)

int main(void) {
  double x[7] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1, -0.7};
  CHECK(evaluate_objective, evaluate_gradient, evaluate_tangent, x);
  CHECK(both_objective, both_gradient, both_tangent, x);
  return check_done();
}
