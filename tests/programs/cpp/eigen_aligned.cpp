// needs: eigen
/* Eigen's objects in containers and on the heap, by allocators of their own: aligned blocks that are shadowed as such. */
#include <Eigen/Core>
#include <Eigen/StdVector>
#include <memory>
#include <vector>

#include "cpp_check.h"

struct Body {
  Eigen::Vector4d place;
  double mass;
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

static double bodies(const double *x) {
  std::vector<Eigen::Vector4d, Eigen::aligned_allocator<Eigen::Vector4d>> places;
  for (int i = 0; i < 3; i++) places.push_back(Eigen::Vector4d(x[i], x[i + 1], x[i + 2], x[i] * x[i + 1]));
  std::unique_ptr<Body> body(new Body);
  body->place = places[0] - places[2];
  body->mass = x[4] * x[4];
  double sum = 0;
  for (const Eigen::Vector4d &p : places) sum += body->mass * p.dot(body->place) / (1.0 + p.squaredNorm());
  return sum;
}
ADAPTERS(bodies)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, 1.3};
  CHECK_BOTH(bodies, x);
  return check_done();
}
