/* One template at three precisions, constants from numeric_limits, functions of <cmath> by overload. */
#include <cmath>
#include <limits>
#include <type_traits>

#include "cpp_check.h"

template <class T> static T smooth(const T *x, int n) {
  constexpr T half = T(0.5), tiny = std::numeric_limits<T>::epsilon();
  static_assert(std::is_floating_point_v<T>);
  T sum = 0;
  for (int i = 0; i < n; i++) {
    T r = std::hypot(x[i], x[(i + 1) % n]) + tiny;
    sum += std::pow(r, half) + std::exp(-r) * std::atan2(x[i], r) + std::cbrt(r) + std::log1p(r * r) + std::fma(r, r, x[i]);
    if constexpr (sizeof(T) == 4) sum += std::abs(x[i]);
    else sum += std::tgamma(r + 1);
  }
  return sum;
}

template <class T> static double through(const double *x) {
  T narrow[3] = {(T)x[0], (T)x[1], (T)x[2]};
  return (double)smooth(narrow, 3);
}
static double doubles(const double *x) { return through<double>(x); }
static double longs(const double *x) { return through<long double>(x); }
ADAPTERS(doubles)
ADAPTERS(longs)

static float single(const float *x) { return smooth(x, 3); }

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(doubles, x);
  CHECK_BOTH(longs, x);
  float f[3] = {0.7f, -1.1f, 1.9f}, g[3] = {};
  CHECK_ENGINE(__enzyme_autodiff<float>((void *)single, enzyme_dup, f, g));
  for (int i = 0; i < 3; i++) {
    float up[3] = {f[0], f[1], f[2]}, down[3] = {f[0], f[1], f[2]};
    up[i] += 4e-3f, down[i] -= 4e-3f;
    if (ENGINE) check_value("single", g[i], (single(up) - single(down)) / (up[i] - down[i]), 3e-3);
  }
  return check_done();
}
