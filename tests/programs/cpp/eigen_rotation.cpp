// needs: eigen
/* Eigen's rotations: quaternions, an axis with an angle, rotation matrices, interpolation. */
#include <Eigen/Geometry>

#include "cpp_check.h"

static double turned(const double *x) {
  Eigen::Quaterniond q(x[0], x[1], x[2], x[3]);
  q.normalize();
  Eigen::Vector3d v(x[4], x[5], x[6]);
  Eigen::Vector3d w = q * v;
  Eigen::Quaterniond p = q * q.conjugate().inverse();
  return w.dot(Eigen::Vector3d(1.0, 2.0, 3.0)) + p.w() + (q.toRotationMatrix() * w)(1);
}
ADAPTERS(turned)

static double axis(const double *x) {
  Eigen::Vector3d k(x[0], x[1], x[2]);
  Eigen::AngleAxisd turn(x[3], k.normalized());
  Eigen::Vector3d v(x[4], x[5], x[6]);
  Eigen::Matrix3d r = turn.toRotationMatrix();
  return (turn * v).dot(k) * 0.5 + (r * v).sum() + Eigen::Quaterniond(turn).x();
}
ADAPTERS(axis)

static double moved(const double *x) {
  Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
  t.rotate(Eigen::AngleAxisd(x[0], Eigen::Vector3d::UnitZ()));
  t.translate(Eigen::Vector3d(x[1], x[2], x[3]));
  Eigen::Vector3d v(x[4], x[5], x[6]);
  return (t * v).squaredNorm() + (t.inverse() * v)(0);
}
ADAPTERS(moved)

int main(void) {
  const double x[] = {0.7, -0.4, 0.3, 0.8, -0.6, 1.3, 0.9};
  CHECK_BOTH(turned, x);
  CHECK_BOTH(axis, x);
  CHECK_BOTH(moved, x);
  return check_done();
}
