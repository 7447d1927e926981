// needs: eigen
/* Eigen, parts of matrices read and written: blocks, rows, columns, diagonals, segments, transposed, maps with strides,
 * references as parameters, matrices returned by value. */
#include <Eigen/Core>

#include "cpp_check.h"

static __attribute__((noinline)) double norm_of(const Eigen::Ref<const Eigen::MatrixXd> &m) { return m.squaredNorm(); }

static __attribute__((noinline)) void scale(Eigen::Ref<Eigen::VectorXd> v, double by) { v *= by; }

static __attribute__((noinline)) Eigen::MatrixXd outer(const Eigen::VectorXd &v) { return v * v.transpose(); }

static double parts(const double *x) {
  Eigen::MatrixXd m = Eigen::Map<const Eigen::MatrixXd>(x, 4, 4);
  m.block(0, 1, 2, 2) += m.bottomLeftCorner(2, 2).transpose();
  m.row(3) *= m(0, 0);
  m.col(1).swap(m.col(2));
  m.diagonal().array() += 1.5;
  scale(m.col(0), m(2, 2));
  return norm_of(m.topRows(3)) + m.rowwise().sum().prod() + m.colwise().norm().sum();
}
ADAPTERS(parts)

static double returned(const double *x) {
  Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<2>>(x, 5);
  Eigen::MatrixXd m = outer(v.head(3) + v.tail(3));
  m.triangularView<Eigen::StrictlyUpper>().setZero();
  Eigen::MatrixXd n = outer(v.segment(1, 3)).transpose();
  return (m + n).sum() * v.reverse()(0) + norm_of(n);
}
ADAPTERS(returned)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5, 0.2, -0.4, 1.6, -1.3};
  CHECK_BOTH(parts, x);
  CHECK_BOTH(returned, x);
  return check_done();
}
