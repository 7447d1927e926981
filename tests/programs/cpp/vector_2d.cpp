/* A vector of vectors: rows allocated one by one, filled, multiplied, copied. */
#include <vector>

#include "cpp_check.h"

using Matrix = std::vector<std::vector<double>>;

static Matrix product(const Matrix &a, const Matrix &b) {
  Matrix c(a.size(), std::vector<double>(b[0].size(), 0.0));
  for (std::size_t i = 0; i < a.size(); i++)
    for (std::size_t j = 0; j < b[0].size(); j++)
      for (std::size_t k = 0; k < b.size(); k++) c[i][j] += a[i][k] * b[k][j];
  return c;
}

static double traced(const double *x) {
  Matrix a(2, std::vector<double>(3)), b(3, std::vector<double>(2));
  for (int i = 0; i < 6; i++) {
    a[i / 3][i % 3] = x[i % 4] + i;
    b[i / 2][i % 2] = x[(i + 1) % 4] * x[i % 4];
  }
  Matrix c = product(a, b), d = product(c, c);
  return d[0][0] * d[1][1] - d[0][1];
}
ADAPTERS(traced)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(traced, x);
  return check_done();
}
