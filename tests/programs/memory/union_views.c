/* Unions: a vector seen by name and by index, one field at a time as double or as bits, floats packed in an integer. */
#include "check.h"

union vec {
  struct { double x, y, z; };
  double v[3];
};
union word {
  double d;
  uint64_t u;
  float f[2];
};
struct tagged {
  int tag;
  union { double d; int i; } u;
};

static double by_name(const double *x) {
  union vec a = {{x[0], x[1], x[2]}};
  double s = 0;
  for (int i = 0; i < 3; i++) a.v[i] *= a.v[(i + 1) % 3];
  s += a.x * a.y + a.z;
  a.y = s;
  for (int i = 0; i < 3; i++) s += a.v[i] * a.v[i];
  return s;
}

static NOINLINE double value(const struct tagged *t) { return t->tag == 0 ? t->u.d * t->u.d : t->u.i * 0.5; }
static double tags(const double *x) {
  struct tagged t[3];
  t[0].tag = 0, t[0].u.d = x[0] * x[1];
  t[1].tag = 1, t[1].u.i = 7;
  t[2].tag = 0, t[2].u.d = x[2];
  double s = 0;
  for (int i = 0; i < 3; i++) s += value(&t[i]) * x[1];
  t[1].tag = 0, t[1].u.d = s;
  return s + value(&t[1]);
}

static double bits(const double *x) {
  union word w = {x[0]};
  w.u ^= 1ull << 63;
  double s = w.d * x[1];
  w.d = x[1] * x[2];
  w.u &= ~(1ull << 63);
  s += w.d * x[0];
  uint64_t kept;
  memcpy(&kept, &x[2], 8);
  double back;
  memcpy(&back, &kept, 8);
  int negative = (int)(kept >> 63);
  return s + back * back * (negative ? 2 : 3);
}

DERIVED(by_name)
DERIVED(tags)
DERIVED(bits)

int main(void) {
  double x[3] = {0.625, -0.4375, 0.8125};
  CHECK_DERIVED(by_name, x);
  double g[3] = {0}, v[3] = {0.3, -0.2, 0.9};
  /* s = x1 (u^2 + 3.5 + x2^2), u = x0 x1; f = s + s^2 */
  double u = x[0] * x[1], q = u * u + 3.5 + x[2] * x[2], s = x[1] * q, d = 1 + 2 * s;
  double e[3] = {d * x[1] * 2 * u * x[1], d * (q + x[1] * 2 * u * x[0]), d * x[1] * 2 * x[2]};
#ifndef REFERENCE
  tags_gradient(x, g);
  for (int i = 0; i < 3; i++) check_value("tags", g[i], e[i], 1e-6);
  check_value("tags forward", tags_tangent(x, v), e[0] * v[0] + e[1] * v[1] + e[2] * v[2], 1e-6);
#endif
  CHECK_DERIVED(bits, x);
  return check_done();
}
