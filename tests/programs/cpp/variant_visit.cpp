/* A variant of shapes, by index, by get_if and by a visitor. */
#include <variant>
#include <vector>

#include "cpp_check.h"

struct Circle { double radius; };
struct Box { double width, height; };
using Shape = std::variant<Circle, Box>;

static double area(const Shape &shape) {
  if (const Circle *circle = std::get_if<Circle>(&shape)) return 3.0 * circle->radius * circle->radius;
  const Box &box = std::get<Box>(shape);
  return box.width * box.height;
}

static double summed(const double *x) {
  std::vector<Shape> shapes{Circle{x[0]}, Box{x[1], x[2]}, Circle{x[2]}};
  double sum = 0;
  for (const Shape &shape : shapes) sum += area(shape) * area(shape);
  return sum;
}
ADAPTERS(summed)

struct Area {
  double operator()(const Circle &c) const { return 3.0 * c.radius * c.radius; }
  double operator()(const Box &b) const { return b.width * b.height; }
};

static double visited(const double *x) {
  Shape a = Circle{x[0] * x[1]}, b = Box{x[1], x[2]};
  return std::visit(Area(), a) * std::visit(Area(), b);
}
ADAPTERS(visited)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(summed, x);
  CHECK_BOTH(visited, x);
  return check_done();
}
