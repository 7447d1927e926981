/* std::complex: arithmetic, exp, abs, polar, conj. */
#include <complex>

#include "cpp_check.h"

using C = std::complex<double>;

static double arithmetic(const double *x) {
  C a(x[0], x[1]), b(x[2], 0.5);
  C c = a * b + C(0, 1) * a - 2.0 * b;
  c /= b;
  return std::real(c) * std::imag(c) + std::norm(c);
}
ADAPTERS(arithmetic)

static double functions(const double *x) {
  C a(x[0], x[1]);
  C b = std::exp(a) * std::conj(a);
  return std::abs(b) + std::arg(a) + std::real(std::polar(x[2], x[0]));
}
ADAPTERS(functions)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(arithmetic, x);
  CHECK_BOTH(functions, x);
  return check_done();
}
