/* long double in structs beside doubles and floats, in arrays, and through calls. */
#include "check.h"

struct state { double t; float f; long double x, v[2]; };

static NOINLINE long double force(const struct state *s, long double k) { return -k * s->x + sinl(s->v[0]) * s->f; }
static NOINLINE void step(struct state *s, long double k) {
  long double a = force(s, k);
  s->v[1] = s->v[0];
  s->v[0] += a * 0.1L;
  s->x += s->v[0] * 0.1L;
  s->t += (double)s->x * 0.5;
}
static double run(const double *p) {
  struct state s;
  memset(&s, 0, sizeof s);
  s.x = p[0];
  s.v[0] = p[1];
  s.f = 0.5f;
  long double e = 0;
  for (int i = 0; i < 4; i++) {
    step(&s, p[2]);
    e += s.x * s.v[1] + s.t;
  }
  return (double)e;
}
DERIVED(run)
static double mixed(const double *p) {
  long double a[3] = {p[0], p[1], p[2]}, *q = a;
  long double s = 1;
  for (int i = 0; i < 3; i++) { s = s * q[i] + (1 + p[i]); q[i] = s / (1 + q[i] * q[i]); }
  return (double)(s * a[0] + sqrtl(fabsl(a[1])) + powl(fabsl(a[2]), 1.5L) + fmal(a[0], a[1], a[2]));
}
DERIVED(mixed)

int main(void) {
  double a[] = {0.7, 1.1, 0.4}, b[] = {-0.3, 0.6, 1.9};
  CHECK_DERIVED(run, a);
  CHECK_DERIVED(run, b);
  CHECK_FULL(mixed, mixed_gradient, 0, mixed_tangent, a, 3, 1e-5, 1e-6);
  CHECK_FULL(mixed, mixed_gradient, 0, mixed_tangent, b, 3, 1e-5, 1e-6);
  return check_done();
}
