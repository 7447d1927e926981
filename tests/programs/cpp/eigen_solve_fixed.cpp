// needs: eigen
/* Eigen, solutions of 3x3 systems by Cholesky with and without a diagonal. */
#include <Eigen/Dense>

#include "cpp_check.h"

static double symmetric(const double *x) {
  Eigen::Matrix3d a = Eigen::Map<const Eigen::Matrix3d>(x);
  Eigen::Matrix3d s = a * a.transpose() + Eigen::Matrix3d::Identity();
  Eigen::Vector3d b(x[0], x[4], x[8]);
  return s.ldlt().solve(b).squaredNorm() + s.llt().solve(b).sum();
}
ADAPTERS(symmetric)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9};
  CHECK_BOTH(symmetric, x);
  return check_done();
}
