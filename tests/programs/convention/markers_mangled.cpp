// Markers and entry points as C++ has them: in namespaces, of internal linkage, as templates with a result type.
#include "check.h"
namespace enzyme_like {
int enzyme_dup;
int enzyme_const;
inline namespace shown {
int enzyme_out;
}
} // namespace enzyme_like
template <typename R, typename... A> R __enzyme_autodiff(void *, A...);
template <typename R, typename... A> R __enzyme_fwddiff(void *, A...);

struct Model {
  double scale;
  double operator()(double x) const { return scale * x * x; }
};
static double call(const Model *m, double x) { return (*m)(x); }
template <typename T> static T cube(T x) { return x * x * x; }
static double by_reference(double &x, const double &y) { return x * x * y; }
struct Pair {
  double x, y;
};
static double product(double x, double y) { return x * y; }

static void check_all() {
  Model m{3}, dm{0};
  double d = __enzyme_autodiff<double>((void *)call, enzyme_like::enzyme_dup, &m, &dm, enzyme_like::enzyme_out, 2.0);
  check_value("member", d, 12, 1e-14);
  check_value("model", dm.scale, 4, 1e-14);
  check_value("template", __enzyme_autodiff<double>((void *)cube<double>, 2.0), 12, 1e-14);
  check_value("float", __enzyme_autodiff<float>((void *)cube<float>, 2.0f), 12, 1e-6);
  double x = 3, dx = 0, y = 5;
  __enzyme_autodiff<void>((void *)by_reference, enzyme_like::enzyme_dup, &x, &dx, enzyme_like::enzyme_const, &y);
  check_value("reference", dx, 30, 1e-14);
  Pair p = __enzyme_autodiff<Pair>((void *)product, 3.0, 4.0);
  check_value("pair x", p.x, 4, 1e-14);
  check_value("pair y", p.y, 3, 1e-14);
  check_value("forward", __enzyme_fwddiff<double>((void *)cube<double>, enzyme_like::enzyme_dup, 2.0, 0.5), 6, 1e-14);
  auto lambda = [](double a) { return a * a; };
  check_value("lambda", __enzyme_autodiff<double>((void *)+lambda, 4.0), 8, 1e-14);
}

int main() {
  CHECK_ENGINE(check_all());
  return check_done();
}
