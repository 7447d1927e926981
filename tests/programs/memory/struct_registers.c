/* Small structs passed and returned in registers: two doubles, floats in pairs, a double and an int, nested. */
#include "check.h"

struct dd { double a, b; };
struct ff { float a, b; };
struct ffff { float a, b, c, d; };
struct di { double a; int n; };
struct id { int n; double a; };
struct fi { float a; int n; };
struct dp { double a; double *p; };
struct fd { float f; double d; };
struct three { double v[3]; };
struct nested { struct ff f; struct fi g; };

static NOINLINE struct dd add(struct dd x, struct dd y) { return (struct dd){x.a + y.b, x.b * y.a}; }
static NOINLINE struct ff pair(struct ff x, float k) { return (struct ff){x.b * k, x.a + k}; }
static NOINLINE struct ffff four(struct ffff x) { return (struct ffff){x.d * x.a, x.c, x.b * 2, x.a}; }
static NOINLINE struct di count(struct di x) { return (struct di){x.a * x.n, x.n + 1}; }
static NOINLINE struct id reversed(struct id x) { return (struct id){x.n + 2, x.a * x.a * x.n}; }
static NOINLINE struct fi small(struct fi x) { return (struct fi){x.a * x.a + x.n, x.n * 2}; }
static NOINLINE struct dp pointer(struct dp x, int i) { return (struct dp){x.a * x.p[i], x.p + i}; }
static NOINLINE struct fd mixed(struct fd x) { return (struct fd){(float)x.d * x.f, x.d + x.f}; }
static NOINLINE struct three cross(struct three a, struct three b) {
  return (struct three){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                         a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}
static NOINLINE struct nested deep(struct nested x) { return (struct nested){{x.f.b, x.g.a * x.f.a}, {x.f.a, x.g.n + 1}}; }

static double f_dd(const double *x) {
  struct dd p = {x[0], x[1]}, q = {x[2], x[0]};
  for (int i = 0; i < 3; i++) p = add(p, q), q = add(q, p);
  return p.a * q.b + p.b;
}
static double f_di(const double *x) {
  struct di p = {x[0], 2};
  struct id q = {1, x[1]};
  for (int i = 0; i < 2; i++) p = count(p), q = reversed(q);
  return p.a * q.a + p.n * x[2] + q.n;
}
static double f_dp(const double *x) {
  double t[4] = {x[0], x[1] * x[0], x[2], x[0] * x[2]};
  struct dp p = {x[1], t};
  p = pointer(p, 1);
  p = pointer(p, 2);
  p.p[0] *= p.a;
  p = pointer(p, 0);
  return p.a * t[3] + p.p[-1];
}
static double f_three(const double *x) {
  struct three a = {{x[0], x[1], x[2]}}, b = {{x[1], 2, x[0]}};
  for (int i = 0; i < 2; i++) b = cross(a, b), a.v[i] += b.v[0];
  return b.v[0] * b.v[1] + b.v[2] * a.v[0];
}
static double f_single(const double *x) {
  struct ff p = {(float)x[0], (float)x[1]};
  struct ffff q = {(float)x[0], (float)x[1], (float)x[2], 0.5f};
  struct fi r = {(float)x[2], 1};
  struct fd m = {(float)x[1], x[0]};
  struct nested d = {p, r};
  for (int i = 0; i < 2; i++) p = pair(p, q.a), q = four(q), r = small(r), m = mixed(m), d = deep(d);
  return p.a * p.b + q.a * q.b + q.c * q.d + r.a * r.n + m.f * m.d + d.f.a * d.f.b + d.g.a * d.g.n;
}

DERIVED(f_dd)
DERIVED(f_di)
DERIVED(f_dp)
DERIVED(f_three)
DERIVED(f_single)

static double s_objective(const double *x) { /* the same in double precision would be another function: a wide step */
  return f_single(x);
}

int main(void) {
  double x[3] = {0.6, -0.45, 0.8};
  CHECK_DERIVED(f_dd, x);
  CHECK_DERIVED(f_di, x);
  CHECK_DERIVED(f_dp, x);
  CHECK_DERIVED(f_three, x);
  double g[3] = {0}, v[3] = {0.3, -0.2, 0.9}, slope, error;
  CHECK_ENGINE(f_single_gradient(x, g));
  slope = (s_objective((double[]){x[0] + 1e-2 * v[0], x[1] + 1e-2 * v[1], x[2] + 1e-2 * v[2]}) -
           s_objective((double[]){x[0] - 1e-2 * v[0], x[1] - 1e-2 * v[1], x[2] - 1e-2 * v[2]})) / 2e-2;
  CHECK_ENGINE(check_value("single", g[0] * v[0] + g[1] * v[1] + g[2] * v[2], slope, 3e-3));
  CHECK_ENGINE(check_value("single forward", f_single_tangent(x, v), slope, 3e-3));
  return check_done();
}
