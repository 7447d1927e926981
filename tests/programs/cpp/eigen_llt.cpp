// needs: eigen
/* Eigen's Cholesky decompositions, with and without square roots, and what is solved by them. */
#include <Eigen/Cholesky>

#include "cpp_check.h"

static Eigen::MatrixXd definite(const double *x) {
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(x, 3, 3);
  return a * a.transpose() + Eigen::MatrixXd::Identity(3, 3);
}

static double by_llt(const double *x) {
  Eigen::MatrixXd a = definite(x);
  Eigen::LLT<Eigen::MatrixXd> llt(a);
  Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(x + 9, 3);
  Eigen::VectorXd s = llt.solve(b);
  Eigen::MatrixXd l = llt.matrixL();
  return s.dot(b) + 2.0 * l.diagonal().array().log().sum();
}
ADAPTERS(by_llt)

static double by_ldlt(const double *x) {
  Eigen::LDLT<Eigen::MatrixXd> ldlt(definite(x));
  Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(x + 9, 3);
  return ldlt.solve(b).dot(b) + ldlt.vectorD().sum();
}
ADAPTERS(by_ldlt)

static double fixed(const double *x) {
  Eigen::Map<const Eigen::Matrix3d> r(x);
  Eigen::Matrix3d a = r * r.transpose() + Eigen::Matrix3d::Identity();
  Eigen::Vector3d b(x[9], x[10], x[11]);
  return a.llt().solve(b).squaredNorm();
}
ADAPTERS(fixed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5};
  CHECK_BOTH(by_llt, x);
  CHECK_BOTH(by_ldlt, x);
  CHECK_BOTH(fixed, x);
  return check_done();
}
