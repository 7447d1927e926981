// needs: eigen
/* Eigen's LU decomposition with row exchanges, solution and determinant of one object: behind the matrix of fixed size
 * lie arrays of integers, and loops over columns step over the matrix alone. */
#include <Eigen/LU>

#include "cpp_check.h"

static double both(const double *x) {
  Eigen::Matrix3d a = Eigen::Map<const Eigen::Matrix3d>(x);
  Eigen::Vector3d v = Eigen::Map<const Eigen::Vector3d>(x + 8);
  Eigen::PartialPivLU<Eigen::Matrix3d> lu(a);
  return lu.solve(v).squaredNorm() + lu.determinant();
}
ADAPTERS(both)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7};
  CHECK_BOTH(both, x);
  return check_done();
}
