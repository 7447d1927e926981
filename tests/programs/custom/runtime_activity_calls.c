/* Runtime activity through calls, heap memory, frees of blocks that have no shadow, pointers to functions, and lists whose
 * nodes are partly inactive. */
#include "check.h"

extern int enzyme_runtime_activity;

struct node {
  double *value;
  struct node *next;
};
typedef double (*reader)(const double *);

static NOINLINE double first(const double *p) { return p[0]; }
static NOINLINE double square(const double *p) { return p[0] * p[0] + frexp(p[0], &(int){0}); }
reader readers[2] = {first, square};

static NOINLINE void scale(double *p, double by) { *p *= by; }
static NOINLINE double walk(struct node *n, double x) {
  double s = 0;
  for (int i = 0; n; n = n->next, i++) {
    s += readers[i & 1](n->value) * x;
    if (i != 1) scale(n->value, 0.5 + i);
    s += *n->value;
  }
  return s;
}
static NOINLINE double release(double *block, double x) {
  double r = block[0] * x;
  free(block);
  return r;
}

static double objective(const double *x) {
  double a = x[0], b = 2, c = x[1];
  struct node n[3] = {{&a, n + 1}, {&b, n + 2}, {&c, 0}};
  return walk(n, x[2]);
}
static double released(const double *x) {
  double *block = malloc(sizeof *block);
  *block = 3;
  return release(block, x[0]);
}

static void reverse(const double *x, double *g) {
  double a = x[0], b = 2, c = x[1], da = 0, dc = 0;
  struct node n[3] = {{&a, n + 1}, {&b, n + 2}, {&c, 0}}, d[3] = {{&da, d + 1}, {&b, d + 2}, {&dc, 0}};
  g[2] += __enzyme_autodiff((void *)walk, enzyme_runtime_activity, enzyme_dup, n, d, enzyme_out, x[2]);
  g[0] += da;
  g[1] += dc;
}
static double forward(const double *x, const double *v) {
  double a = x[0], b = 2, c = x[1], da = v[0], dc = v[1];
  struct node n[3] = {{&a, n + 1}, {&b, n + 2}, {&c, 0}}, d[3] = {{&da, d + 1}, {&b, d + 2}, {&dc, 0}};
  return __enzyme_fwddiff((void *)walk, enzyme_runtime_activity, enzyme_dup, n, d, enzyme_dup, x[2], v[2]);
}
static void reverse_released(const double *x, double *g) {
  double *block = malloc(sizeof *block);
  *block = 3;
  g[0] += __enzyme_autodiff((void *)release, enzyme_runtime_activity, enzyme_dup, block, block, enzyme_out, x[0]);
}
static double forward_released(const double *x, const double *v) {
  double *block = malloc(sizeof *block);
  *block = 3;
  return __enzyme_fwddiff((void *)release, enzyme_runtime_activity, enzyme_dup, block, block, enzyme_dup, x[0], v[0]);
}

int main(void) {
  double x[3] = {0.3, -0.7, 1.2};
  CHECK(objective, reverse, forward, x);
  CHECK(released, reverse_released, forward_released, x);
  return check_done();
}
