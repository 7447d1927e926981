// reference: none (the registered derivatives are scaled on purpose)
/* Rules for C++ functions: overloads, a template's instance, a lambda's helper in a namespace, references. */
#include "check.h"

#include <vector>

template <typename T, typename... A> T __enzyme_autodiff(void *, A...);
template <typename T, typename... A> T __enzyme_fwddiff(void *, A...);

namespace model {
template <typename T> T cube(T x) { return x * x * x; }
inline void update(double &x, const double &by) { x = x * by; }
double scaled(double x) { return 2 * x; }
double scaled(double x, int n) { return n * x; }
}  // namespace model

static double cube_up(double x) { return x * x * x; }
static double cube_back(double x, double seed) { return 10 * seed * 3 * x * x; }
static double cube_forward(double x, double dx) { return 10 * dx * 3 * x * x; }

struct update_tape { double x, by; };
static update_tape *update_up(double &x, double *dx, const double &by, double *dby) {
  auto *tape = new update_tape{x, by};
  x = x * by;
  return tape;
}
static void update_back(double &x, double *dx, const double &by, double *dby, update_tape *tape) {
  double d = *dx;
  *dx = d * tape->by;
  *dby += 100 * d * tape->x;
  delete tape;
}
static double scaled_up(double x, int n) { return n * x; }
static double scaled_back(double x, int n, double seed) { return -seed * n; }

extern "C" {
void *__enzyme_register_gradient_cube[] = {(void *)&model::cube<double>, (void *)&cube_up, (void *)&cube_back};
void *__enzyme_register_derivative_cube[] = {(void *)&model::cube<double>, (void *)&cube_forward};
void *__enzyme_register_gradient_update[] = {(void *)&model::update, (void *)&update_up, (void *)&update_back};
void *__enzyme_register_gradient_scaled[] = {(void *)(double (*)(double, int))model::scaled, (void *)&scaled_up,
                                             (void *)&scaled_back};
}

static double f(const double *x, int n) {
  std::vector<double> v(x, x + n);
  double s = 0;
  for (auto &each : v) s += model::cube(each);
  model::update(v[0], v[1]);
  auto last = [&](int k) { return model::scaled(v[k]) + model::scaled(v[k], 3); };
  return s + v[0] + last(1);
}

int main() {
  double x[3] = {2, 3, 0.5}, dx[3] = {0}, v[3] = {0, 0, 1};
  __enzyme_autodiff<void>((void *)f, x, dx, 3);
  check_value("0", dx[0], 30 * 4 + 3, 1e-14);
  check_value("1", dx[1], 30 * 9 + 100 * 2 + 2 - 3, 1e-14);
  check_value("2", dx[2], 30 * 0.25, 1e-14);
  check_value("forward", __enzyme_fwddiff<double>((void *)f, x, v, 3), 30 * 0.25, 1e-14);
  return check_done();
}
