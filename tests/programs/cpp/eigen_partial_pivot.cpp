// needs: eigen
/* Eigen's LU decomposition with row exchanges of a matrix whose size is known at run time only. */
#include <Eigen/LU>

#include "cpp_check.h"

static double partial(const double *x) {
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(x, 3, 3);
  Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(x + 9, 3);
  Eigen::PartialPivLU<Eigen::MatrixXd> lu(a);
  return lu.solve(b).dot(b) + lu.determinant();
}
ADAPTERS(partial)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5};
  CHECK_BOTH(partial, x);
  return check_done();
}
