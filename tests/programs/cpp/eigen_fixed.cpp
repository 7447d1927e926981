// needs: eigen
// flags: -DEIGEN_DONT_VECTORIZE
/* Eigen, fixed sizes: products, transposes, norms, blocks. */
#include <Eigen/Core>

#include "cpp_check.h"

static double products(const double *x) {
  Eigen::Matrix2d a;
  a << x[0], x[1], x[2], x[3];
  Eigen::Vector2d v(x[1], x[2]);
  Eigen::Vector2d w = a * v + 2.0 * v;
  return w.dot(a.transpose() * w) + a.norm();
}
ADAPTERS(products)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(products, x);
  return check_done();
}
