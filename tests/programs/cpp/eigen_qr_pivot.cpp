// needs: eigen
/* Eigen's QR decomposition with column exchanges: a least-squares solution and its residual. */
#include <Eigen/QR>

#include "cpp_check.h"

static double dynamic(const double *x) {
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(x, 4, 2);
  Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(x + 8, 4);
  Eigen::VectorXd s = a.colPivHouseholderQr().solve(b);
  return (a * s - b).squaredNorm() + s.sum();
}
ADAPTERS(dynamic)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5};
  CHECK_BOTH(dynamic, x);
  return check_done();
}
