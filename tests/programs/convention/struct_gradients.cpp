/* Gradients of structs that are passed by value through memory, as results: the typed interface and plain calls. */
#include <cmath>

#include <enzyme/enzyme>

#define OWN_DECLARATIONS
#include "../check.h"

struct Body {
  double m, x, v;
};
struct Mixed {
  double a[3];
  int n;
  float w;
};

static double energy(Body b) { return 0.5 * b.m * b.v * b.v + b.m * std::sin(b.x); }

static double sum(double k, Mixed b, const double *t, Body c) {
  double s = 0;
  for (int i = 0; i < b.n; i++) {
    b.a[i] *= t[i]; /* its own copy */
    s += b.a[i] * b.a[i];
  }
  return s * b.w * k + c.x * k;
}

int main(void) {
#ifndef REFERENCE
  for (int i = 1; i < 3; i++) {
    auto r = enzyme::autodiff<enzyme::ReverseWithPrimal>(energy, enzyme::Active<Body>(Body{2, 0.5, 3.0 * i}));
    Body g = enzyme::get<0>(enzyme::get<0>(r));
    check_value("mass", g.m, 4.5 * i * i + std::sin(0.5), 1e-12);
    check_value("place", g.x, 2 * std::cos(0.5), 1e-12);
    check_value("speed", g.v, 6 * i, 1e-12);
    check_value("energy", enzyme::get<1>(r), 9 * i * i + 2 * std::sin(0.5), 1e-12);
  }
  double t[] = {2, 3}, dt[] = {0, 0};
  Mixed b = {{1, 2, 5}, 2, 0.5f};
  auto all = enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(
      sum, enzyme::Active<double>(4), enzyme::Active<Mixed>(b), enzyme::Duplicated<const double *>(t, dt),
      enzyme::Active<Body>(Body{1, 7, 2})));
  check_value("k", enzyme::get<0>(all), 40 * 0.5 + 7, 1e-12);
  check_value("a0", enzyme::get<1>(all).a[0], 16, 1e-12);
  check_value("a1", enzyme::get<1>(all).a[1], 72, 1e-12);
  check_value("a2", enzyme::get<1>(all).a[2], 0, 1e-12);
  check_value("w", enzyme::get<1>(all).w, 160, 1e-6);
  check_value("x", enzyme::get<2>(all).x, 4, 1e-12);
  check_value("m", enzyme::get<2>(all).m, 0, 1e-12);
  check_value("t0", dt[0], 8, 1e-12);
#endif
  return check_done();
}
