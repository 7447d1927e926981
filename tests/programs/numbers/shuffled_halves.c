/* Doubles moved by shuffles of 32-bit and 8-bit lanes, as code for x86 does it, and floats by those of 8 bits. */
#include "check.h"

typedef double two __attribute__((vector_size(16)));
typedef float four __attribute__((vector_size(16)));
typedef int32_t words __attribute__((vector_size(16)));
typedef int8_t bytes __attribute__((vector_size(16)));

static NOINLINE two low_twice(two v) {
  words w = (words)v;
  return (two)__builtin_shufflevector(w, w, 0, 1, 0, 1);
}
static NOINLINE two crossed(two a, two b) {
  words u = (words)a, v = (words)b;
  return (two)__builtin_shufflevector(u, v, 6, 7, 0, 1);
}
static NOINLINE four turned(four v) {
  bytes b = (bytes)v;
  return (four)__builtin_shufflevector(b, b, 12, 13, 14, 15, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7);
}
static double f(const double *x) {
  two a = {x[0], x[1]}, b = {x[2], x[0] * x[1]};
  two c = low_twice(a) * b + crossed(a, b) * a;
  four v = {(float)x[0], (float)x[1], (float)x[2], 1};
  four w = turned(v) * v;
  return c[0] * c[1] + w[0] + 2 * w[1] * w[2] + w[3];
}
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_FULL(f, f_gradient, 0, f_tangent, x, 3, 1e-2, 1e-5);
  return check_done();
}
