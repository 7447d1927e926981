// needs: eigen
// flags: -DEIGEN_DONT_VECTORIZE
/* Eigen's LU decomposition with row exchanges: matrix, permutation and transpositions lie in one object, and steps
 * through each of them stay there. */
#include <Eigen/Dense>

#include "cpp_check.h"

static double solved(const double *x) {
  Eigen::Matrix3d a = Eigen::Map<const Eigen::Matrix3d>(x);
  Eigen::Vector3d b(x[9], x[10], x[11]);
  Eigen::Vector3d s = a.partialPivLu().solve(b);
  return s.dot(b) + a.norm();
}
ADAPTERS(solved)

static double determinant(const double *x) {
  Eigen::Matrix2d a;
  a << x[0], x[1], x[2], x[3];
  return a.partialPivLu().determinant() * x[4];
}
ADAPTERS(determinant)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5};
  CHECK_BOTH(solved, x);
  CHECK_BOTH(determinant, x);
  return check_done();
}
