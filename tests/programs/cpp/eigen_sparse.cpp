// needs: eigen
/* Eigen's sparse matrices: filled with active coefficients, multiplied by a vector and by their transpose. */
#include <Eigen/Sparse>

#include "cpp_check.h"

static double product(const double *x) {
  Eigen::SparseMatrix<double> a(4, 4);
  a.reserve(Eigen::VectorXi::Constant(4, 3));
  for (int i = 0; i < 4; i++) {
    a.insert(i, i) = x[i] * x[i] + 1.0;
    if (i > 0) a.insert(i - 1, i) = x[i - 1] * x[i];
  }
  a.makeCompressed();
  Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(x, 4);
  Eigen::VectorXd w = a * v;
  return w.dot(a.transpose() * w) + a.coeff(0, 1);
}
ADAPTERS(product)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(product, x);
  return check_done();
}
