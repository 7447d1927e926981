/* Functions through pointers that take and return structs by value: in registers, byval and sret. */
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
static double objective(const double *x) { return f(x); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v); }

int main(void) {
  double x[4] = {0.3, -0.7, 1.2, 0.4};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
