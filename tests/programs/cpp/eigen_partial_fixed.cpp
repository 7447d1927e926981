// needs: eigen
/* Eigen's LU decomposition with row exchanges of a matrix of fixed size, with vector instructions: numbers, row
 * numbers and a flag in one object. */
#include <Eigen/LU>

#include "cpp_check.h"

static double four(const double *x) {
  Eigen::Map<const Eigen::Matrix4d> a(x);
  Eigen::Vector4d b(x[0], x[5], x[1], 1.0);
  Eigen::PartialPivLU<Eigen::Matrix4d> lu(a);
  Eigen::Vector4d y = lu.solve(b);
  return y.squaredNorm() + lu.determinant();
}
ADAPTERS(four)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5, 0.2, -0.4, 1.6, -1.3};
  CHECK_BOTH(four, x);
  return check_done();
}
