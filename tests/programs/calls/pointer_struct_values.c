/* Functions through pointers that take and return structs by value: in registers, byval and sret, with pointers in them. */
#include "check.h"

typedef struct {
  double x, y;
} pair;
typedef struct {
  double m[5];
} big;

static NOINLINE pair turn(pair p, double t) { return (pair){p.x * cos(t) - p.y * sin(t), p.x * sin(t) + p.y * cos(t)}; }
static NOINLINE pair stretch(pair p, double t) { return (pair){p.x * t, p.y / t}; }
static NOINLINE big shift(big b, double t) {
  for (int i = 0; i < 5; i++) b.m[i] = b.m[i] * t + i;
  return b;
}
static NOINLINE big mix(big b, double t) {
  big r = b;
  for (int i = 0; i < 5; i++) r.m[i] = b.m[(i + 1) % 5] + t * b.m[i] * b.m[i];
  return r;
}
pair (*moves[2])(pair, double) = {turn, stretch};
big (*changes[2])(big, double) = {shift, mix};

static NOINLINE double f(const double *x) {
  pair p = {x[0], x[1]};
  big b = {{x[0], x[1], x[2], x[3], x[0] * x[1]}};
  double s = 0;
  for (int i = 0; i < 5; i++) {
    p = moves[i & 1](p, x[2] + 0.3 * i);
    b = changes[(i + 1) & 1](b, x[3] + p.x);
    s += p.x * p.y + b.m[i];
  }
  return s;
}

typedef struct {
  int rows, columns;
  double *d;
} matrix;
struct model {
  matrix (*step)(const struct model *, matrix, double);
  double rate;
};
static matrix grow(const struct model *m, matrix a, double t) {
  matrix r = {a.rows, a.columns, malloc(sizeof(double) * a.rows * a.columns)};
  for (int i = 0; i < a.rows * a.columns; i++) r.d[i] = a.d[i] * m->rate + t;
  return r;
}
static matrix decay(const struct model *m, matrix a, double t) {
  matrix r = {a.columns, a.rows, malloc(sizeof(double) * a.rows * a.columns)};
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < a.columns; j++) r.d[j * a.rows + i] = a.d[i * a.columns + j] * exp(-m->rate * t);
  return r;
}
static const struct model models[] = {{grow, 0}, {decay, 0}};
static double run(struct model m, int which, const double *x) {
  matrix a = {2, 3, malloc(6 * sizeof(double))};
  for (int i = 0; i < 6; i++) a.d[i] = x[i % 4] * (i + 1);
  for (int t = 0; t < 4; t++) {
    m.step = models[(t + which) & 1].step;
    matrix next = m.step(&m, a, x[t]);
    free(a.d);
    a = next;
  }
  double s = a.d[0] * a.d[1] + a.d[5] * a.rows;
  free(a.d);
  return s;
}
static double matrices(const double *x) {
  struct model m = models[0];
  m.rate = x[2];
  return run(m, 0, x) + run(m, 1, x);
}
DERIVED(matrices)

static double objective(const double *x) { return f(x); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v); }

int main(void) {
  double x[4] = {0.3, -0.7, 1.2, 0.4};
  CHECK(objective, reverse, forward, x);
  CHECK_DERIVED(matrices, x);
  return check_done();
}
