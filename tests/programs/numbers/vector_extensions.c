/* Vectors of GCC's and Clang's extensions: arithmetic, splats, single lanes, memory, calls, loops. */
#include "check.h"

typedef double v4 __attribute__((ext_vector_type(4)));
typedef double g2 __attribute__((vector_size(16)));
typedef double v3 __attribute__((ext_vector_type(3)));

static NOINLINE v4 twist(v4 a, v4 b) { return a * b.wzyx - b / (a * a + 1.0); }
static double arithmetic(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]}, b = {p[3], 0.5, p[1], p[0]};
  v4 c = twist(a, b) + 2.0 * a;
  c.xz = c.yw * c.xz;
  return c.x + 2 * c.y - c.z * c.w;
}
DERIVED(arithmetic)
static double gcc_vectors(const double *p) {
  g2 s = {1, 2};
  for (int i = 0; i < 4; i++) {
    g2 x = {p[i], p[3 - i]};
    s = s * x + (g2){0.5, p[0]};
    s[i & 1] += x[0] * x[1];
  }
  return s[0] * s[1];
}
DERIVED(gcc_vectors)
static double three(const double *p) {
  v3 a = {p[0], p[1], p[2]}, b = a.zxy * p[3];
  v3 cross = a.yzx * b.zxy - a.zxy * b.yzx;
  v3 many[3];
  for (int i = 0; i < 3; i++) many[i] = cross * (double)(i + 1) + a;
  return many[0].x * many[1].y + many[2].z;
}
DERIVED(three)
static double memory(const double *p) {
  double flat[8];
  v4 a, *q = (v4 *)__builtin_alloca_with_align(sizeof(v4) * 2, 256);
  memcpy(&a, p, sizeof a);
  q[0] = a * a;
  q[1] = -q[0] + a;
  memcpy(flat, q, sizeof flat);
  double s = 0;
  for (int i = 0; i < 8; i++) s += flat[i] * (i + 1) * flat[7 - i];
  return s;
}
DERIVED(memory)

int main(void) {
  double a[] = {0.7, 1.1, 0.4, -0.6}, b[] = {-0.3, 0.6, 1.9, 0.8};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(arithmetic); EACH(gcc_vectors); EACH(three); EACH(memory);
  return check_done();
}
