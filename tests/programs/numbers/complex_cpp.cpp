// Complex numbers of the standard library: arithmetic, functions, arrays, polynomials, and a small discrete Fourier transform.
#include "check.h"
#include <complex>
#include <vector>
typedef std::complex<double> C;
static C horner(const std::vector<C> &a, C z) {
  C s = 0;
  for (auto i = a.rbegin(); i != a.rend(); ++i) s = s * z + *i;
  return s;
}
static double polynomial(const double *p) {
  std::vector<C> a{C(p[0], p[1]), C(p[2], p[3]), C(1, p[0])};
  C r = horner(a, C(p[1], -p[2])) / (a[1] * a[2] + 2.0);
  return r.real() * 2 + std::norm(r) + r.imag();
}
DERIVED(polynomial)
static double functions(const double *p) {
  C z(p[0], p[1]), w(p[2], p[3]);
  C a = std::exp(z) * std::sin(w) + std::sqrt(z * w) + std::log(w) + std::conj(z);
  return std::abs(a) + std::arg(a) * a.real();
}
DERIVED(functions)
static double fourier(const double *p) {
  C x[4], y[4];
  for (int i = 0; i < 4; i++) x[i] = C(p[i], p[3 - i] * i);
  for (int k = 0; k < 4; k++) {
    y[k] = 0;
    for (int i = 0; i < 4; i++) y[k] += x[i] * std::polar(1.0, -2 * M_PI * k * i / 4);
  }
  double s = 0;
  for (int k = 0; k < 4; k++) s += std::norm(y[k]) * (k + 1);
  return s;
}
DERIVED(fourier)
int main() {
  double a[] = {0.7, 1.1, 0.4, -0.6}, b[] = {-0.3, 0.6, 1.9, 0.8};
  CHECK_DERIVED(polynomial, a); CHECK_DERIVED(polynomial, b);
  CHECK_DERIVED(functions, a); CHECK_DERIVED(functions, b);
  CHECK_DERIVED(fourier, a); CHECK_DERIVED(fourier, b);
  return check_done();
}
