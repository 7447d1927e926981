/* A class that refers to constant data in a vector, and points to active parameters. */
#include "check.h"
#include <vector>
static std::vector<double> samples{0.3, 0.9, -0.4};
struct Net {
  const double *w;
  const std::vector<double> &data;
  double loss() const;
};
__attribute__((noinline)) double Net::loss() const {
  double s = 0;
  for (size_t i = 0; i < data.size(); i++) s += data[i] * w[i] * w[i];
  return s;
}
static double f(const double *x, const std::vector<double> *data) {
  Net n{x, *data};
  std::vector<double> h(3);
  for (int i = 0; i < 3; i++) h[i] = x[i] * (*data)[i];
  double s = n.loss();
  for (double v : h) s += v * v;
  return s;
}
static double o(const double *x) { return f(x, &samples); }
static void g(const double *x, double *d) { __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, &samples); }
static double t(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, &samples);
}
int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK(o, g, t, x);
  return check_done();
}
