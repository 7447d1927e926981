/* What a function does between the objects that one pointer leads it to: numbers of one go to another, by name, by block
 * copy, in what it calls; pointers of one are put into another. Seen from outside, all of that is behind one parameter. */
#include "check.h"

enum { N = 3 };

/* Numbers, through an array of pointers. */
static NOINLINE void add(double **p, int n) {
  for (int i = 0; i < n; i++) p[1][i] += p[0][i] * p[0][i];
}
static double added(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, g[N] = {0}, *p[2] = {k, g};
  add(p, N);
  return g[0] + 2 * g[1] - g[2];
}
DERIVED(added)

static NOINLINE void copy(double **p, int n) { memcpy(p[1], p[0], n * sizeof(double)); }
static NOINLINE void copy_twice(double **p, int n) {
  copy(p, n);
  copy(p + 1, n);
}
static double copied(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, a[N] = {0}, b[N] = {0}, *p[3] = {k, a, b};
  copy_twice(p, N);
  return b[0] * a[1] + b[2] * b[2];
}
DERIVED(copied)

/* Through a struct that the function has from another one: places in a frame, as a tape has them. */
struct frame {
  double **where, *kept;
};
static NOINLINE struct frame *collect(const double *x, double *g) {
  struct frame *f = malloc(sizeof *f);
  f->where = malloc(sizeof(double *) * N);
  f->kept = malloc(sizeof(double) * N);
  for (int i = 0; i < N; i++) f->where[i] = g + i, f->kept[i] = x[i];
  return f;
}
static NOINLINE void hand_out(struct frame *f, double seed) {
  for (int i = 0; i < N; i++) *f->where[i] += seed * f->kept[i] * f->kept[i];
  free(f->where), free(f->kept), free(f);
}
static NOINLINE void both(const double *x, double *g, double seed) { hand_out(collect(x, g), seed); }
static double framed(const double *x) {
  double g[N] = {0};
  both(x, g, x[1]);
  return g[0] + 2 * g[1] - g[2];
}
DERIVED(framed)

/* Through a global. */
static double *places[2];
static NOINLINE void between(int n) {
  for (int i = 0; i < n; i++) places[1][i] = sin(places[0][i]);
}
static double by_global(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, z[N] = {0};
  places[0] = k, places[1] = z;
  between(N);
  return z[0] * z[1] + z[2];
}
DERIVED(by_global)

/* Pointers. */
struct node {
  double *v;
  int n;
};
static NOINLINE void pass_on(struct node **p, int n) {
  for (int i = 1; i < n; i++) p[i]->v = p[i - 1]->v;
}
static double passed(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, z[N] = {0};
  struct node a = {k, N}, b = {z, N}, c = {z, N}, *p[3] = {&a, &b, &c};
  pass_on(p, 3);
  return c.v[0] * c.v[0] + b.v[1] * c.v[2];
}
DERIVED(passed)

static NOINLINE void lift(void **p, int n) {
  for (int i = 1; i < n; i++) p[i] = ((struct node *)p[i - 1])->v;
}
static double lifted(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, *q;
  struct node a = {k, N};
  void *p[2] = {&a, 0};
  lift(p, 2);
  q = p[1];
  return q[0] * q[1] + q[2] * q[2];
}
DERIVED(lifted)

static NOINLINE void copy_nodes(struct node **p, int n) {
  for (int i = 1; i < n; i++) memcpy(p[i], p[i - 1], sizeof(struct node));
}
static double nodes(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, z[N] = {0};
  struct node a = {k, N}, b = {z, N}, *p[2] = {&a, &b};
  copy_nodes(p, 2);
  return b.v[0] * b.v[1] * b.v[2];
}
DERIVED(nodes)

static NOINLINE void deep(double ***p, int n) {
  for (int i = 1; i < n; i++) p[i][0] = p[i - 1][0];
}
static NOINLINE void deeper(double ***p, int n) { deep(p, n); }
static double deepest(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, z[N] = {0}, *a[1] = {k}, *b[1] = {z}, **p[2] = {a, b};
  deeper(p, 2);
  return b[0][0] * b[0][1] + b[0][2] * b[0][2];
}
DERIVED(deepest)

static struct node *listed[2];
static NOINLINE void relink(void) { listed[1]->v = listed[0]->v; }
static double relinked(const double *x) {
  double k[N] = {x[0], x[1], x[2]}, z[N] = {0};
  struct node a = {k, N}, b = {z, N};
  listed[0] = &a, listed[1] = &b;
  relink();
  return b.v[0] * b.v[1] - b.v[2];
}
DERIVED(relinked)

int main(void) {
  double a[N] = {0.7, 1.1, -0.4}, b[N] = {-0.3, 0.6, 1.9};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(added); EACH(copied); EACH(framed); EACH(by_global); EACH(passed); EACH(lifted); EACH(nodes); EACH(deepest);
  EACH(relinked);
  return check_done();
}
