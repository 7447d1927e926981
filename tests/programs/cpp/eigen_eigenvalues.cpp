// needs: eigen
/* Eigen's eigenvalues of symmetric matrices: by formula for three rows, by iterations for four. */
#include <Eigen/Eigenvalues>

#include "cpp_check.h"

static double direct(const double *x) {
  Eigen::Matrix3d a = Eigen::Map<const Eigen::Matrix3d>(x);
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> s;
  s.computeDirect(a + a.transpose(), Eigen::EigenvaluesOnly);
  return s.eigenvalues()(0) * 2.0 + s.eigenvalues()(1) * s.eigenvalues()(2);
}
ADAPTERS(direct)

static double iterated(const double *x) {
  Eigen::Matrix3d a = Eigen::Map<const Eigen::Matrix3d>(x);
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> s(a + a.transpose());
  Eigen::Vector3d v = s.eigenvectors().col(0);
  return s.eigenvalues().dot(Eigen::Vector3d(1.0, 2.0, 3.0)) + v(0) * v(1);
}
ADAPTERS(iterated)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9};
  CHECK_BOTH(direct, x);
  CHECK_BOTH(iterated, x);
  return check_done();
}
