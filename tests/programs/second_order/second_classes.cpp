// Vectors, templates and a virtual method, differentiated twice.
#include "../check.h"
#include <cmath>
#include <memory>
#include <vector>
template <typename R, typename... A> R __enzyme_autodiff(void *, A...);
template <typename R, typename... A> R __enzyme_fwddiff(void *, A...);

struct Term {
  virtual double value(double x, double y) const = 0;
  virtual ~Term() = default;
};
struct Product : Term {
  double value(double x, double y) const override { return x * x * y; }
};
struct Wave : Term {
  double value(double x, double y) const override { return std::sin(x * y); }
};
template <typename T> static T total(const std::vector<T> &values) {
  T s = 0;
  for (const T &v : values) s += v * v;
  return s;
}
static double f(const double *x) {
  std::vector<double> values;
  Product product;
  Wave wave;
  const Term *terms[] = {&product, &wave};
  for (int i = 0; i < 4; i++) values.push_back(terms[i % 2]->value(x[0] + i, x[1]));
  return total(values);
}
static void gradient(const double *x, double *g) {
#ifndef REFERENCE
  __enzyme_autodiff<void>((void *)f, enzyme_dup, x, g);
#endif
}
static double slope(const double *x, const double *v) {
#ifdef REFERENCE
  return 0;
#else
  return __enzyme_fwddiff<double>((void *)f, enzyme_dup, x, v);
#endif
}
#ifndef REFERENCE
static void check_all() {
  double x[2] = {0.4, 0.7}, h = 1e-4;
  for (int c = 0; c < 2; c++) {
    double v[2] = {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0}, g[2] = {0}, hv[2] = {0}, rv[2] = {0};
    double up[2] = {x[0] + h * v[0], x[1] + h * v[1]}, down[2] = {x[0] - h * v[0], x[1] - h * v[1]}, a[2] = {0}, b[2] = {0};
    gradient(up, a);
    gradient(down, b);
    __enzyme_fwddiff<void>((void *)gradient, enzyme_dup, x, v, enzyme_dup, g, hv);
    __enzyme_autodiff<void>((void *)slope, enzyme_dup, x, rv, enzyme_const, v);
    for (int i = 0; i < 2; i++) {
      check_value("forward over reverse", hv[i], (a[i] - b[i]) / (2 * h), 1e-5);
      check_value("reverse over forward", rv[i], (a[i] - b[i]) / (2 * h), 1e-5);
    }
  }
}
#endif

int main() {
  double x[2] = {0.4, 0.7};
  CHECK(f, gradient, slope, x);
  CHECK_ENGINE(check_all());
  return check_done();
}
