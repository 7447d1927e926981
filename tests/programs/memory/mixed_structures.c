/* Structures and pointers that lead to active memory and to constant memory: the program finds out which, as it runs.
 */
#include "check.h"

static const double table[4] = {1.5, -2, 0.5, 3};
static double input[4] = {0.3, 0.9, -0.4, 1.2};

/* x is active, c is constant */
#define MIXED(f)                                                                                                       \
  static double f##_objective(const double *x) { return f(x, input, 3); }                                              \
  static void f##_gradient(const double *x, double *d) {                                                               \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, input, enzyme_const, 3);                              \
  }                                                                                                                    \
  static double f##_tangent(const double *x, const double *v) {                                                        \
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, input, enzyme_const, 3);                        \
  }

static double either(const double *x, const double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    const double *p = (i & 1) ? x : c;
    s += p[i] * p[i] * x[0];
  }
  return s;
}
MIXED(either)

static NOINLINE double rows_sum(const double **r, int k, int n) {
  double s = 0;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < n; j++) s += r[i][j] * r[(i + 1) % k][j];
  return s;
}
static double rows(const double *x, const double *c, int n) {
  double own[3];
  for (int j = 0; j < n; j++) own[j] = j + 0.5;
  const double *r[5] = {x, c, table, own, x};
  return rows_sum(r, 5, n);
}
MIXED(rows)

struct list_node {
  const double *v;
  struct list_node *next;
  double k;
};
static NOINLINE double list_walk(const struct list_node *n) {
  double s = 1;
  for (; n; n = n->next) s += s * n->v[0] * n->k + n->v[1] * n->v[0];
  return s;
}
static double list(const double *x, const double *c, int n) {
  struct list_node a = {x, 0, 1.5}, b = {c, &a, x[1]}, d = {x + 1, &b, 2};
  return list_walk(&d);
}
MIXED(list)

struct borrowed_model {
  const double *w;
  const double *in;
  double *out;
  int n;
};
static NOINLINE void borrowed_init(struct borrowed_model *m, const double *x, const double *c, double *out, int n) {
  m->w = x;
  m->in = c;
  m->out = out;
  m->n = n;
}
static NOINLINE double borrowed_layer(const struct borrowed_model *m, int k) {
  double s = 0;
  for (int i = 0; i < m->n; i++) {
    m->out[i] = m->w[i] * m->in[(i + k) % m->n] + m->out[i];
    s += m->out[i] * m->out[i];
  }
  return s;
}
static double borrowed(const double *x, const double *c, int n) {
  double out[4] = {0};
  struct borrowed_model m, q;
  borrowed_init(&m, x, c, out, n);
  q = m;
  double s = 0;
  for (int k = 0; k < 3; k++) s += borrowed_layer(&q, k);
  q.w = c;
  s += borrowed_layer(&q, 1) * x[0];
  return s;
}
MIXED(borrowed)

static NOINLINE const double *returned_pick(const double *a, const double *b, int k) { return k % 2 ? a : b; }
static double returned(const double *x, const double *c, int n) {
  double s = 0;
  for (int k = 0; k < 4; k++) {
    const double *p = returned_pick(x, k < 2 ? c : table, k);
    s += p[k % n] * x[k % n];
  }
  return s;
}
MIXED(returned)

static double pingpong(const double *x, const double *c, int n) {
  double a[3], s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i];
  const double *from = c;
  double *to = a;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < n; i++) to[i] = from[(i + 1) % n] * to[i] + x[i];
    from = to;
  }
  for (int i = 0; i < n; i++) s += to[i] + from[i];
  return s;
}
MIXED(pingpong)

static double clears(const double *x, double *c, int n) {
  double a[3] = {1, 2, 3}, s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i];
  for (int i = 0; i < n; i++) {
    double *p = (i & 1) ? a : c;
    s += p[i] * x[i];
    p[i] = 1;
    s += p[i] * a[i];
  }
  c[1] = 0.9;
  c[0] = 0.3;
  c[2] = -0.4;
  return s;
}
MIXED(clears)

struct nulls_opt {
  const double *w, *prior, *mask;
};
static NOINLINE double nulls_use(const struct nulls_opt *o, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += o->w[i] * o->w[i] * (o->mask ? o->mask[i] : 1) + (o->prior ? o->prior[i] * o->w[i] : 0);
  return s;
}
static double nulls(const double *x, const double *c, int n) {
  struct nulls_opt o = {x, c, 0}, q = {x, 0, table};
  return nulls_use(&o, n) * nulls_use(&q, n);
}
MIXED(nulls)

static const double *current, *other;
static NOINLINE double global_read(int i) { return current[i] * other[i]; }
static double global(const double *x, const double *c, int n) {
  double s = 0;
  current = x;
  other = c;
  for (int i = 0; i < n; i++) s += global_read(i);
  current = c;
  other = x;
  for (int i = 0; i < n; i++) s += global_read(i) * x[i];
  return s;
}
MIXED(global)

struct copies_part {
  const double *p;
  double k;
};
static NOINLINE double copies_eval(const struct copies_part *ps, int m, int n) {
  double s = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) s += ps[i].p[j] * ps[i].k * ps[i].k;
  return s;
}
static double copies(const double *x, const double *c, int n) {
  struct copies_part a[3] = {{x, 1}, {c, 2}, {table, 0}};
  a[2].k = x[2];
  struct copies_part *b = malloc(sizeof a);
  memcpy(b, a, sizeof a);
  b[1].k = x[0] * 2;
  struct copies_part t = b[0];
  b[0] = b[1];
  b[1] = t;
  double s = copies_eval(b, 3, n);
  free(b);
  return s;
}
MIXED(copies)

struct tree_node {
  const double *v;
  struct tree_node *l, *r;
};
static NOINLINE double tree_walk(const struct tree_node *t, int depth) {
  return t ? t->v[0] * (1 + tree_walk(t->l, depth + 1)) + tree_walk(t->r, depth + 1) * t->v[0] * depth : 0.5;
}
static NOINLINE struct tree_node *grow(const double **v, int n) {
  if (n <= 0) return 0;
  struct tree_node *t = malloc(sizeof *t);
  t->v = v[n % 4];
  t->l = grow(v, n / 2);
  t->r = grow(v, n - 2);
  return t;
}
static NOINLINE void cut(struct tree_node *t) {
  if (t) {
    cut(t->l);
    cut(t->r);
    free(t);
  }
}
static double tree(const double *x, const double *c, int n) {
  const double *v[4] = {x, c, x + 1, table};
  struct tree_node *t = grow(v, 6);
  double s = tree_walk(t, 1);
  cut(t);
  return s;
}
MIXED(tree)

struct callbacks_context {
  const double *a, *b;
};
typedef double (*callback)(const struct callbacks_context *, int);
static double prod(const struct callbacks_context *c, int i) { return c->a[i] * c->b[i]; }
static double quad(const struct callbacks_context *c, int i) { return c->a[i] * c->a[i] * c->b[i]; }
static callback ops[2] = {prod, quad};
static volatile int zero;
static NOINLINE double each(callback f, const struct callbacks_context *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += f(c, i);
  return s;
}
static double callbacks(const double *x, const double *c, int n) {
  struct callbacks_context p = {x, c}, q = {c, x};
  return each(ops[zero], &p, n) * each(ops[1 - zero], &q, n);
}
MIXED(callbacks)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK(either_objective, either_gradient, either_tangent, x);
  CHECK(rows_objective, rows_gradient, rows_tangent, x);
  CHECK(list_objective, list_gradient, list_tangent, x);
  CHECK(borrowed_objective, borrowed_gradient, borrowed_tangent, x);
  CHECK(returned_objective, returned_gradient, returned_tangent, x);
  CHECK(pingpong_objective, pingpong_gradient, pingpong_tangent, x);
  CHECK(clears_objective, clears_gradient, clears_tangent, x);
  CHECK(nulls_objective, nulls_gradient, nulls_tangent, x);
  CHECK(global_objective, global_gradient, global_tangent, x);
  CHECK(copies_objective, copies_gradient, copies_tangent, x);
  CHECK(tree_objective, tree_gradient, tree_tangent, x);
  CHECK(callbacks_objective, callbacks_gradient, callbacks_tangent, x);
  check_value("constant memory", input[0] + input[1] + input[2] + input[3] + table[0], 0.3 + 0.9 - 0.4 + 1.2 + 1.5,
              1e-15);
  return check_done();
}
