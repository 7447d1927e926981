/* std::valarray: whole-array arithmetic, slices, sums. */
#include <valarray>

#include "cpp_check.h"

static double wholes(const double *x) {
  std::valarray<double> a(x, 4), b(0.5, 4);
  std::valarray<double> c = a * a + b * 2.0;
  c += std::exp(a);
  std::valarray<double> half = c[std::slice(0, 2, 2)];
  return (a * c).sum() + half.max() * half[1];
}
ADAPTERS(wholes)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(wholes, x);
  return check_done();
}
