/* Functions computed with fewer bits: single precision, formats of any size, through calls, loops and memory. */
// reference: none (nothing answers these calls without the engine)
#include "check.h"

template <typename T> T *__enzyme_truncate_op_func(T *, int, int);
template <typename T> T *__enzyme_truncate_op_func(T *, int, int, int);
template <typename T> T *__enzyme_truncate_mem_func(T *, int, int);
extern "C" double __enzyme_truncate_mem_value(double, int, int), __enzyme_expand_mem_value(double, int, int);

static double product(double x, double y) { return x * y; }
static double cube(double x) { return x * x * x; }
static double short_cube(double x) { return __enzyme_truncate_op_func(cube, 64, 5, 6)(x); }
NOINLINE static double squares(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s = s > 100 ? s / 3 : s + x[i] * x[i];
  return s;
}
static double norm(const double *x, int n) { return sqrt(squares(x, n)) + (double)n; }
/* The same in single precision; volatile: nothing is fused. */
static float norm_of(const float *x, int n) {
  volatile float s = 0, p;
  for (int i = 0; i < n; i++) {
    p = x[i] * x[i];
    s = s > 100 ? s / 3 : s + p;
  }
  return sqrtf(s) + (float)n;
}
/* A table, when optimised. */
static double chosen(int k) {
  switch (k) {
    case 0:
    case 1: return 0.1;
    case 2: return 0.2;
    case 3: return 0.7;
    default: return 0.3;
  }
}
static void fill(double *y) { y[0] = 0.1, y[1] = y[0] * 3; }

/* The nearest number with 8 bits of exponent and 7 of mantissa, from the bits of a float. */
static double shortened(uint32_t bits) {
  float near;
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  memcpy(&near, &bits, 4);
  return near;
}

int main() {
  double x[3] = {1.1, 20.2, 3.3}, y[2];
  float single[3] = {1.1f, 20.2f, 3.3f};
  check_value("single precision", __enzyme_truncate_op_func(norm, 64, 32)(x, 3), norm_of(single, 3), 1.2e-7);
  check_value("one product", __enzyme_truncate_op_func(product, 64, 32)(0.1, 0.3), 0.1f * 0.3f, 0);
  check_value("half", __enzyme_truncate_op_func(product, 64, 16)(2049, 1), 2048, 0);
  int wrong = 0;
  for (uint32_t i = 0; i < 40000; i++) {
    uint32_t bits = (i * 107357u + (i % 3 == 0 ? 0x8000u : 0)) & (i % 8 ? 0x7fffffffu : 0x00ffffffu);
    float value;
    memcpy(&value, &bits, 4);
    if (bits < 0x7f800000u) wrong += __enzyme_truncate_op_func(product, 64, 8, 7)(value, 1) != shortened(bits);
  }
  check_value("8 bits of exponent, 7 of mantissa", wrong, 0, 0);
  check_value("too large", __enzyme_truncate_op_func(product, 64, 5, 9)(65536, -1) == -INFINITY, 1, 0);
  check_value("no number", isnan(__enzyme_truncate_op_func(product, 64, 5, 9)(NAN, 1)), 1, 0);
  check_value("small", __enzyme_truncate_op_func(product, 64, 3, 2)(-0.15, 1), -0.125, 0);
  check_value("all bits", __enzyme_truncate_op_func(product, 64, 11, 52)(0.1, 0.3), 0.1 * 0.3, 0);
  __enzyme_truncate_op_func(fill, 64, 32)(y);
  check_value("a constant in memory, operations only", y[0], 0.1, 0);
  __enzyme_truncate_mem_func(fill, 64, 32)(y);
  check_value("a constant in memory", __enzyme_expand_mem_value(y[0], 64, 32), 0.1f, 0);
  check_value("computed from it", y[1], 0.1f * 3, 0);
  for (int k = 0; k < 5; k++)
    check_value("a constant chosen", __enzyme_truncate_mem_func(chosen, 64, 32)(k), (float)chosen(k), 0);
  check_value("a value", __enzyme_truncate_mem_value(x[0], 64, 32), 1.1f, 0);
  check_value("reverse", __enzyme_autodiff<double>((void *)short_cube, 1.7), 3 * 1.7 * 1.7, 0.03);
  check_value("forward", __enzyme_fwddiff<double>((void *)short_cube, 1.7, 1.0), 3 * 1.7 * 1.7, 0.03);
  check_value("itself", __enzyme_autodiff<double>((void *)__enzyme_truncate_op_func(cube, 64, 32), 1.7), 8.67, 1e-6);
  return check_done();
}
