// needs: eigen
// flags: -DEIGEN_DONT_VECTORIZE
/* Eigen, dynamic sizes: sums, coefficient-wise operations, matrix-vector products. */
#include <Eigen/Core>

#include "cpp_check.h"

static double summed(const double *x) {
  Eigen::VectorXd v(4);
  for (int i = 0; i < 4; i++) v(i) = x[i];
  Eigen::MatrixXd m = v * v.transpose();
  Eigen::VectorXd w = m.lazyProduct(v) + v.cwiseProduct(v);
  return w.sum() * v.squaredNorm() + m.trace();
}
ADAPTERS(summed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(summed, x);
  return check_done();
}
