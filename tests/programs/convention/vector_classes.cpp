/* Lanes through C++: vectors that grow, virtual methods, references, constructors, lambdas. */
#define WIDTH_B 3
#include "vector.h"

#include <vector>

namespace {
struct Shape {
  virtual double area(const double *x) const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area(const double *x) const override { return side * side + x[0]; }
};
struct Disc : Shape {
  double radius, *out;
  Disc(double r, double *o) : radius(r), out(o) {}
  double area(const double *x) const override {
    *out *= radius;
    return 3.1 * radius * radius * x[1];
  }
};
NOINLINE double total(const std::vector<const Shape *> &shapes, const double *x) {
  double s = 0;
  for (const Shape *each : shapes) s += each->area(x);
  return s;
}
}  // namespace

static REAL subject(REAL *x, int n) {
  Square first(x[1]), second(x[3]);
  Disc third(x[2] * 0.5, &x[n - 1]), fourth(x[6], &x[n - 2]);
  std::vector<const Shape *> shapes = {&first, &third};
  std::vector<double> values;
  for (int i = 0; i < n; i++) values.push_back(x[i] * x[(i + 1) % n]);
  shapes.push_back(&second);
  shapes.push_back(&fourth);
  auto scaled = [&](double by) {
    for (double &v : values) v *= by;
    return values[2];
  };
  double s = total(shapes, x) + scaled(1.1 + x[3]);
  for (int i = 0; i + 1 < n; i++) x[i] += values[i] * s * 0.01;
  return s;
}
