// needs: eigen
/* Eigen, systems with triangular matrices: both triangles, a unit diagonal, in place. */
#include <Eigen/Core>

#include "cpp_check.h"

static double triangular(const double *x) {
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(x, 3, 3) + 3.0 * Eigen::MatrixXd::Identity(3, 3);
  Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(x + 9, 3);
  Eigen::VectorXd s = a.triangularView<Eigen::Lower>().solve(b);
  Eigen::VectorXd t = a.triangularView<Eigen::UnitUpper>().solve(s);
  a.transpose().triangularView<Eigen::Upper>().solveInPlace(t);
  return s.dot(t) + t.sum();
}
ADAPTERS(triangular)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5};
  CHECK_BOTH(triangular, x);
  return check_done();
}
