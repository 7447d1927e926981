// needs: eigen
/* Eigen, vectors and matrices of the plane and of space: cross and dot products, norms, normalising, with packets. */
#include <Eigen/Core>
#include <Eigen/Geometry>

#include "cpp_check.h"

static double crossed(const double *x) {
  Eigen::Vector3d a(x[0], x[1], x[2]), b(x[3], x[4], x[5]);
  Eigen::Vector3d c = a.cross(b) + 0.5 * a;
  return c.normalized().dot(a - b) + c.norm() * a.squaredNorm() - (-b).sum();
}
ADAPTERS(crossed)

static double algebra(const double *x) {
  Eigen::Map<const Eigen::Matrix3d> m(x);
  Eigen::Vector3d v(x[9], x[10], x[11]);
  Eigen::Matrix3d p = m * m.transpose() + v * v.transpose();
  Eigen::Vector3d w = p * v - m.transpose() * v;
  return w.dot(v) + p.trace() + (m * w).prod() + p.diagonal().sum();
}
ADAPTERS(algebra)

static double four(const double *x) {
  Eigen::Map<const Eigen::Matrix4d> m(x);
  Eigen::Vector4d v = m.col(0) - m.row(1).transpose();
  v.normalize();
  return (m * v).dot(v) + m.block<2, 2>(1, 1).sum() * m.topRows<2>().norm();
}
ADAPTERS(four)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5, 0.2, -0.4, 1.6, -1.3};
  const double six[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8};
  const double twelve[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5};
  CHECK_BOTH(crossed, six);
  CHECK_BOTH(algebra, twelve);
  CHECK_BOTH(four, x);
  return check_done();
}
