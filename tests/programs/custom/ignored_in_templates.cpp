/* __enzyme_ignore_derivatives in a program with functions of headers, which are inlined before derivatives are made: what
 * is ignored stays ignored. Inactive functions of headers stay calls as well. */
#include <algorithm>
#include <numeric>
#include <vector>

#include "../cpp/cpp_check.h"

extern "C" double __enzyme_ignore_derivatives(double);
extern "C" float __enzyme_ignore_derivatives_single(float);

template <typename T> inline T fixed(T x) { return (T)__enzyme_ignore_derivatives((double)x); }

struct Rule {
  double scale;
  inline double apply(double x) const { return scale * x; }
};

inline double weight(double x) { return x * x; }
__attribute__((used)) static void *__enzyme_inactivefn_weight[] = {(void *)weight};

static double f(const double *x) {
  std::vector<double> v(x, x + 3);
  Rule rule{std::max(v[0], fixed(v[1]))};
  double slope = rule.apply(v[2]) - fixed(rule.apply(v[2]));
  return slope + v[0] * fixed(v[2]) + __enzyme_ignore_derivatives_single((float)v[1]) * v[1] + weight(v[0]) * v[2] +
         std::accumulate(v.begin(), v.end(), 0.0, [](double sum, double y) { return sum + (y - fixed(y)) * y; });
}

int main(void) {
  const double x[] = {1.5, 0.25, 2.0}, expected[] = {2.0 + 2.0 + 1.5, 0.25 + 0.25, 1.5 + 2.25 + 2.0};
  double gradient[3] = {0}, tangent[3];
  for (int i = 0; i < 3; i++) {
    double direction[3] = {0};
    direction[i] = 1;
    tangent[i] = expected[i];
    CHECK_ENGINE(tangent[i] = __enzyme_fwddiff((void *)f, enzyme_dup, x, direction));
  }
#ifdef REFERENCE
  memcpy(gradient, expected, sizeof gradient);
#else
  __enzyme_autodiff((void *)f, enzyme_dup, x, gradient);
#endif
  for (int i = 0; i < 3; i++) {
    check_value("reverse", gradient[i], expected[i], 1e-12);
    check_value("forward", tangent[i], expected[i], 1e-12);
  }
  return check_done();
}
