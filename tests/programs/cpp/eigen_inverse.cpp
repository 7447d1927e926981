// needs: eigen
/* Eigen, determinants and inverses of fixed sizes, which are closed formulas, and by LU for larger ones. */
#include <Eigen/LU>

#include "cpp_check.h"

static double small(const double *x) {
  Eigen::Map<const Eigen::Matrix2d> a(x);
  Eigen::Map<const Eigen::Matrix3d> b(x + 4);
  return a.inverse().sum() * b.determinant() + b.inverse().norm() - a.determinant();
}
ADAPTERS(small)

static double four(const double *x) {
  Eigen::Map<const Eigen::Matrix4d> a(x);
  return a.inverse().squaredNorm() + a.determinant();
}
ADAPTERS(four)

static double dynamic(const double *x) {
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(x, 4, 4);
  return (a.inverse() * a.transpose()).trace() + a.determinant();
}
ADAPTERS(dynamic)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5, 0.2, -0.4, 1.6, -1.3};
  const double thirteen[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5, 0.2};
  CHECK_BOTH(small, thirteen);
  CHECK_BOTH(four, x);
  CHECK_BOTH(dynamic, x);
  return check_done();
}
