/* The typed interface: functions, function pointers, lambdas and functors in both modes. */
#include <enzyme/enzyme>

#define OWN_DECLARATIONS
#include "cpp_check.h"

static double square(double x) { return x * x; }
static double mixed(double x, const double *w, int n, double y) {
  double sum = y;
  for (int i = 0; i < n; i++) sum += x * w[i] * w[i];
  return sum * y;
}
static void scale(double *v, double f) { v[0] *= f * v[1]; }
static double by_reference(const double &a, double b) { return a * a * b; }
static float narrow(float a, float b) { return a * b * b; }

struct Quadratic {
  double a, b;
  double operator()(double x) const { return (a * x + b) * x; }
};

struct Parts {
  double product, quotient;
};
static Parts parts(double x, double y) { return {x * y, x / y}; }

#ifndef REFERENCE
static void reverse(void) {
  auto r = enzyme::autodiff<enzyme::Reverse>(square, enzyme::Active<double>{3.1});
  check_value("square", enzyme::get<0>(enzyme::get<0>(r)), 6.2, 1e-12);
  double direct = enzyme::get<0>(r);
  check_value("converted", direct, 6.2, 1e-12);
  check_value("bare mode", enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::ReverseMode, square>(enzyme::Active{2.0}))),
              4, 1e-12);
  auto &&[gradient, value] = enzyme::autodiff<enzyme::ReverseWithPrimal, square>(enzyme::Active<double>{3.1});
  check_value("with primal", enzyme::get<0>(gradient), 6.2, 1e-12);
  check_value("primal", value, 9.61, 1e-12);

  double w[] = {0.5, 2.0}, dw[] = {0, 0};
  auto m = enzyme::autodiff<enzyme::Reverse>(mixed, enzyme::Active{1.5}, enzyme::Duplicated<const double *>{w, dw},
                                             enzyme::Const<int>{2}, enzyme::Active{0.7});
  auto [dx, dy] = enzyme::get<0>(m);
  check_value("dx", dx, 4.25 * 0.7, 1e-12);
  check_value("dy", dy, 2 * 0.7 + 1.5 * 4.25, 1e-12);
  check_value("dw[0]", dw[0], 2 * 1.5 * 0.5 * 0.7, 1e-12);
  check_value("dw[1]", dw[1], 2 * 1.5 * 2.0 * 0.7, 1e-12);

  double v[] = {2, 3}, dv[] = {1, 0};
  auto s = enzyme::autodiff<enzyme::Reverse>(scale, enzyme::Duplicated<double *>{v, dv}, enzyme::Active{5.0});
  check_value("df", enzyme::get<0>(enzyme::get<0>(s)), 6, 1e-12);
  check_value("dv[1]", dv[1], 10, 1e-12);

  auto made = enzyme::autodiff<enzyme::Reverse>(mixed, enzyme::Active<double>(1.5), enzyme::Duplicated<const double *>(w, dw),
                                                enzyme::Const<int>(2), enzyme::Const<double>(0.7));
  check_value("by constructors", enzyme::get<0>(enzyme::get<0>(made)), 4.25 * 0.7, 1e-12);

  double k = 4;
  auto lambda = [k](double x) { return k * x * x * x; };
  check_value("lambda", enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(lambda, enzyme::Active{2.0}))), 48,
              1e-12);
  Quadratic q{3, 1};
  check_value("functor", enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(q, enzyme::Active{2.0}))), 13,
              1e-12);
  double (*pointer)(double) = square;
  check_value("pointer", enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(pointer, enzyme::Active{2.0}))), 4,
              1e-12);
  double a = 3, da = 0;
  auto b = enzyme::autodiff<enzyme::Reverse>(by_reference, enzyme::Duplicated<const double &>{a, da}, enzyme::Active{2.0});
  check_value("reference", da, 12, 1e-12);
  check_value("by value", enzyme::get<0>(enzyme::get<0>(b)), 9, 1e-12);
  auto [fa, fb] = enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(narrow, enzyme::Active{2.0f}, enzyme::Active{3.0f}));
  check_value("float a", fa, 9, 1e-6);
  check_value("float b", fb, 12, 1e-6);
  double dc = 0;
  enzyme::autodiff<enzyme::Reverse, enzyme::Const<double>>(by_reference, enzyme::Duplicated<const double &>{a, dc},
                                                           enzyme::Const{2.0});
  check_value("constant result", dc, 0, 0);
}

static void forward(void) {
  double d = enzyme::autodiff<enzyme::Forward>(square, enzyme::Duplicated<double>{3.0, 2.0});
  check_value("tangent", d, 12, 1e-12);
  auto whole = enzyme::autodiff<enzyme::Forward>(parts, enzyme::Duplicated<double>{2.0, 1.0}, enzyme::Const<double>{4.0});
  check_value("tangent of a struct", enzyme::get<0>(whole).product, 4, 1e-12);
  check_value("its other part", enzyme::get<0>(whole).quotient, 0.25, 1e-12);
  auto both = enzyme::autodiff<enzyme::ForwardWithPrimal>(square, enzyme::Duplicated<double>{3.0, 2.0});
  check_value("tangent's primal", enzyme::get<0>(both), 9, 1e-12);
  check_value("tangent beside it", enzyme::get<1>(both), 12, 1e-12);
  double w[] = {0.5, 2.0}, dw[] = {1, 0};
  d = enzyme::autodiff<enzyme::Forward, mixed>(enzyme::Const{1.5}, enzyme::Duplicated<const double *>{w, dw},
                                               enzyme::Const{2}, enzyme::Duplicated{0.7, 0.0});
  check_value("mixed", d, 1.5 * 0.7, 1e-12);
  double v[] = {2, 3}, dv[] = {0, 1};
  enzyme::autodiff<enzyme::Forward>(scale, enzyme::Duplicated<double *>{v, dv}, enzyme::Const{5.0});
  check_value("void", dv[0], 10, 1e-12);
  check_value("lambda", enzyme::autodiff<enzyme::Forward>([](double x) { return x * x; }, enzyme::Duplicated{3.0, 1.0}), 6,
              1e-12);
}
#endif

int main(void) {
  check_value("called", square(2) + mixed(1, nullptr, 0, 2), 8, 1e-12);
#ifndef REFERENCE
  reverse();
  forward();
#endif
  return check_done();
}
