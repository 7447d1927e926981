// needs: eigen
/* Eigen, a number times a matrix of fixed size: an expression is a struct of the number and a pointer to the matrix, and
 * optimisers load both at once, as two numbers. */
#include <Eigen/Core>

#include "cpp_check.h"

static double kronecker(const double *x) {
  Eigen::Matrix2d a = Eigen::Map<const Eigen::Matrix2d>(x);
  Eigen::Matrix4d k;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) k.block<2, 2>(2 * i, 2 * j) = a(i, j) * a;
  return k.norm() + (a.replicate<2, 2>() * k).sum();
}
ADAPTERS(kronecker)

template <typename T> static double mixed(const double *x) {
  Eigen::Matrix<T, 4, 1> p(x[0], x[1], x[2], x[3]), q(x[1], x[3], x[2], x[0]), sum;
  T d = p.dot(q), s = T(0.3), t = T(0.7);
  if (d < T(0)) s = -s;
  sum = s * p + (t * d) * q;
  for (int i = 0; i < 3; i++) sum += (i % 2 ? p : q) * sum(i);
  return sum.squaredNorm();
}
static void mixed_reverse(const double *x, double *g) { __enzyme_autodiff((void *)mixed<double>, enzyme_dup, x, g); }
static double mixed_forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)mixed<double>, enzyme_dup, x, v);
}
static void single_reverse(const double *x, double *g) { __enzyme_autodiff((void *)mixed<float>, enzyme_dup, x, g); }
static double single_forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)mixed<float>, enzyme_dup, x, v);
}

int main(void) {
  const double x[] = {0.7, -1.1, 0.9, 0.4};
  CHECK_BOTH(kronecker, x);
  CHECK(mixed<double>, mixed_reverse, mixed_forward, x);
  CHECK_SINGLE(mixed<double>, single_reverse, single_forward, x);
  return check_done();
}
