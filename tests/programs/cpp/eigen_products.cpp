// needs: eigen
/* Eigen, products of matrices whose sizes are known at run time only: those small enough for plain loops and the
 * blocked kernel with its packed copies; matrix times vector; noalias and accumulation. */
#include <Eigen/Core>

#include "cpp_check.h"

static double product(const double *x) {
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(x, 3, 4);
  Eigen::MatrixXd b = Eigen::Map<const Eigen::MatrixXd>(x + 3, 4, 3);
  Eigen::MatrixXd c = a * b;
  c.noalias() += 0.5 * a * a.transpose();
  return c.squaredNorm() + (a * b).trace();
}
ADAPTERS(product)

static double blocked(const double *x) {
  const int n = 24;
  Eigen::MatrixXd a(n, n), b(n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a(i, j) = x[(i + 2 * j) % 12] + 0.1 * i;
      b(i, j) = x[(3 * i + j) % 12] * x[j % 12];
    }
  Eigen::MatrixXd c = a * b;
  return 1e-3 * c.cwiseProduct(a).sum();
}
ADAPTERS(blocked)

static double vectors(const double *x) {
  Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(x, 3, 4);
  Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(x + 2, 4);
  Eigen::VectorXd w = a * v;
  Eigen::VectorXd u = a.transpose() * w;
  w.noalias() -= 2.0 * a * u;
  return w.dot(w) + u.dot(v);
}
ADAPTERS(vectors)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, 0.3, 0.8, -0.6, 1.3, 0.9, 1.2, -0.7, 0.5, 0.35, -0.2, 0.15};
  CHECK_BOTH(product, x);
  CHECK_BOTH(blocked, x);
  CHECK_BOTH(vectors, x);
  return check_done();
}
