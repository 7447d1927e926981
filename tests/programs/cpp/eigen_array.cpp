// needs: eigen
/* Eigen, coefficient-wise functions on arrays: exp, log, square roots, powers, absolute values, largest and smallest,
 * selection. The vectorised exponential and logarithm take numbers apart by their bits. */
#include <Eigen/Core>

#include "cpp_check.h"

static double functions(const double *x) {
  Eigen::ArrayXd a = Eigen::Map<const Eigen::ArrayXd>(x, 7);
  Eigen::ArrayXd b = a.exp() + (a.abs() + 1.0).log() + a.square() * (2.0 + a.sin()).sqrt();
  return b.sum() + (a.abs() + 0.5).inverse().prod() + (a * a + 1.0).pow(1.5).sum();
}
ADAPTERS(functions)

static double chosen(const double *x) {
  Eigen::ArrayXd a = Eigen::Map<const Eigen::ArrayXd>(x, 7);
  Eigen::ArrayXd b = a.max(0.25) * a.min(1.0) + (a > 0.5).select(a.cube(), 3.0 * a);
  return b.sum() * b.maxCoeff() - a.minCoeff() * a.abs().maxCoeff();
}
ADAPTERS(chosen)

static double fixed(const double *x) {
  Eigen::Array4d a = Eigen::Map<const Eigen::Array4d>(x);
  return a.exp().sum() * a.abs().log().sum() + (a.sign() * a).sqrt().sum();
}
ADAPTERS(fixed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, 0.3, 0.8, -0.6};
  const double y[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(functions, x);
  CHECK_BOTH(chosen, x);
  CHECK_BOTH(fixed, y);
  return check_done();
}
