/* Objects by hand: structs with function pointers and data, operations reached through a table, shadows built alike. */
#include "check.h"

struct node;
typedef struct {
  double (*value)(const struct node *, double);
  void (*step)(struct node *, double);
} ops;
struct node {
  const ops *vt;
  double a, b;
  struct node *next;
};

static NOINLINE double line_value(const struct node *n, double t) { return n->a + n->b * t; }
static NOINLINE void line_step(struct node *n, double t) { n->a += n->b * t; }
static NOINLINE double wave_value(const struct node *n, double t) { return n->a * sin(n->b * t); }
static NOINLINE void wave_step(struct node *n, double t) {
  n->b = n->b * (1 + 0.1 * t);
  n->a -= n->b * n->a;
}
static const ops line_ops = {line_value, line_step}, wave_ops = {wave_value, wave_step};

static NOINLINE double walk(struct node *first, double t) {
  double s = 0;
  for (int k = 0; k < 3; k++)
    for (struct node *n = first; n; n = n->next) {
      n->vt->step(n, t);
      s += n->vt->value(n, t + k);
    }
  return s;
}

static void chain(struct node *n, const double *x) {
  for (int i = 0; i < 3; i++) {
    n[i].vt = i == 1 ? &wave_ops : &line_ops;
    n[i].a = x[2 * i];
    n[i].b = x[2 * i + 1];
    n[i].next = i < 2 ? &n[i + 1] : 0;
  }
}

static double objective(const double *x) {
  struct node n[3];
  chain(n, x);
  return walk(n, x[6]);
}
static double inside(const double *x) {
  struct node *n = malloc(3 * sizeof *n);
  chain(n, x);
  double r = walk(n, x[6]);
  free(n);
  return r;
}

/* The shadow is a list of the same shape, with zeros for numbers. */
static void reverse(const double *x, double *g) {
  struct node n[3], d[3];
  double zeros[7] = {0};
  chain(n, x);
  chain(d, zeros);
  g[6] += __enzyme_autodiff((void *)walk, enzyme_dup, n, d, enzyme_out, x[6]);
  for (int i = 0; i < 3; i++) {
    g[2 * i] += d[i].a;
    g[2 * i + 1] += d[i].b;
  }
}
static double forward(const double *x, const double *v) {
  struct node n[3], d[3];
  chain(n, x);
  chain(d, v);
  return __enzyme_fwddiff((void *)walk, enzyme_dup, n, d, enzyme_dup, x[6], v[6]);
}
/* A shadow without pointers to functions is as good: they are never looked at. */
static void reverse_without(const double *x, double *g) {
  struct node n[3], d[3];
  double zeros[7] = {0};
  chain(n, x);
  chain(d, zeros);
  for (int i = 0; i < 3; i++) d[i].vt = 0;
  g[6] += __enzyme_autodiff((void *)walk, enzyme_dup, n, d, enzyme_out, x[6]);
  for (int i = 0; i < 3; i++) {
    g[2 * i] += d[i].a;
    g[2 * i + 1] += d[i].b;
  }
}
static void reverse_inside(const double *x, double *g) { __enzyme_autodiff((void *)inside, enzyme_dup, x, g); }
static double forward_inside(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)inside, enzyme_dup, x, v);
}

int main(void) {
  double x[7] = {0.3, -0.7, 1.2, 0.4, 0.9, -1.1, 0.5};
  CHECK(objective, reverse, forward, x);
  CHECK(objective, reverse_without, forward, x);
  CHECK(inside, reverse_inside, forward_inside, x);
  return check_done();
}
