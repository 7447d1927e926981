// needs: eigen
/* Eigen's LU decomposition with exchanges of rows and columns, of a matrix of fixed size: a solution and the
 * determinant, out of an object in which permutations lie behind the matrix. */
#include <Eigen/LU>

#include "cpp_check.h"

static double full(const double *x) {
  Eigen::FullPivLU<Eigen::Matrix3d> lu(Eigen::Map<const Eigen::Matrix3d>{x});
  Eigen::Vector3d y = lu.solve(Eigen::Vector3d(x[0], x[5], x[1]));
  return y.squaredNorm() + lu.determinant();
}
ADAPTERS(full)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9};
  CHECK_BOTH(full, x);
  return check_done();
}
