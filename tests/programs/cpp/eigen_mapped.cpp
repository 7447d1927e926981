// needs: eigen
// flags: -DEIGEN_DONT_VECTORIZE
/* Eigen maps over the caller's memory: the shadow is an array like any other. */
#include <Eigen/Core>

#include "cpp_check.h"

static double mapped(const double *x) {
  Eigen::Map<const Eigen::Matrix<double, 2, 2>> a(x);
  Eigen::Map<const Eigen::Vector2d> v(x + 1);
  return (a * v).squaredNorm() + a.array().square().sum() * v.maxCoeff();
}
ADAPTERS(mapped)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(mapped, x);
  return check_done();
}
