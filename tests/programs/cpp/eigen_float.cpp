// needs: eigen
/* Eigen on floats: packets of four, and the vectorised functions that floats have. The objective in double is what the
 * derivatives of the code in float are compared with. */
#include <Eigen/Core>

#include "cpp_check.h"

template <typename T> static double products(const double *x) {
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> a(4, 4);
  for (int i = 0; i < 16; i++) a(i / 4, i % 4) = (T)x[i];
  Eigen::Matrix<T, Eigen::Dynamic, 1> v = a.col(1) - a.row(2).transpose();
  Eigen::Matrix<T, Eigen::Dynamic, 1> w = a * v;
  return w.dot(v) + (a * a).trace() + a.norm();
}

template <typename T> static double functions(const double *x) {
  Eigen::Array<T, Eigen::Dynamic, 1> a(8);
  for (int i = 0; i < 8; i++) a(i) = (T)x[i];
  return (a.exp() + (a.abs() + T(1)).log() + a.tanh() * a.max(T(0.25))).sum() + (a.abs() + T(1)).rsqrt().sum();
}

#define FLOATS(objective)                                                                             \
  static void objective##_reverse(const double *x, double *g) {                                       \
    __enzyme_autodiff((void *)objective<float>, enzyme_dup, x, g);                                    \
  }                                                                                                   \
  static double objective##_forward(const double *x, const double *v) {                               \
    return __enzyme_fwddiff((void *)objective<float>, enzyme_dup, x, v);                              \
  }
FLOATS(products)
FLOATS(functions)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5, 0.2, -0.4, 1.6, -1.3};
  CHECK_SINGLE(products<double>, products_reverse, products_forward, x);
  CHECK_SINGLE(functions<double>, functions_reverse, functions_forward, x);
  return check_done();
}
