// Virtual methods with overriding, an abstract base, and a loop over pointers to the base.
#include "check.h"

struct Shape {
  virtual double area(double t) const = 0;
  virtual double weight() const { return 2.0; }
  virtual ~Shape() {}
};
struct Circle : Shape {
  double r;
  explicit Circle(double r) : r(r) {}
  double area(double t) const override { return 3.0 * r * r * t; }
};
struct Box : Shape {
  double a, b;
  Box(double a, double b) : a(a), b(b) {}
  double area(double t) const override { return a * b + sin(t) * a; }
  double weight() const override { return a; }
};
struct Cube : Box {
  explicit Cube(double a) : Box(a, a) {}
  double area(double t) const override { return Box::area(t) * 6; }
};

static NOINLINE double total(Shape *const *shapes, int n, double t) {
  double s = 0;
  for (int i = 0; i < n; i++) s += shapes[i]->area(t * (i + 1)) * shapes[i]->weight();
  return s;
}

static NOINLINE double build(const double *x) {
  Circle c(x[0]);
  Box b(x[1], x[2]);
  Cube k(x[3]);
  Shape *all[4] = {&c, &b, &k, &c};
  return total(all, 4, x[4]);
}

static double objective(const double *x) { return build(x); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)build, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)build, enzyme_dup, x, v);
}

int main() {
  double x[5] = {0.3, -0.7, 1.2, 0.4, 0.9};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
