/* Objects destroyed through pointers to their base: the destructors are virtual and have work to do. */
#include <memory>
#include <vector>

#include "cpp_check.h"

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual void grow(double by) = 0;
};
struct Box : Shape {
  double w, h;
  double *log;
  Box(double w, double h, double *log) : w(w), h(h), log(log) {}
  ~Box() override { *log += w; }
  double area() const override { return w * h; }
  void grow(double by) override { w *= by, h *= by; }
};
struct Poly : Shape {
  std::vector<double> sides;
  explicit Poly(std::vector<double> s) : sides(std::move(s)) {}
  double area() const override {
    double a = 0;
    for (double s : sides) a += s * s;
    return a;
  }
  void grow(double by) override {
    for (double &s : sides) s += by;
  }
};

static double destroyed(const double *x) {
  double log = 0, sum = 0;
  {
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Box>(x[0], x[1], &log));
    shapes.push_back(std::make_unique<Poly>(std::vector<double>{x[0], x[1], x[2]}));
    shapes.emplace_back(new Box(x[2], x[0], &log));
    for (auto &shape : shapes) shape->grow(x[1]);
    for (auto &shape : shapes) sum += shape->area();
  }
  return sum * log;
}
ADAPTERS(destroyed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(destroyed, x);
  return check_done();
}
