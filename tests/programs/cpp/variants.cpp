/* One of several types in one place: variants of numbers and of classes, visited. */
#include <array>
#include <variant>

#include "cpp_check.h"

struct Disc { double r; };
struct Box { double w, h; };
struct Nothing { int id; };
using Shape = std::variant<Disc, Box, Nothing>;

struct Area {
  double operator()(const Disc &d) const { return 3.14 * d.r * d.r; }
  double operator()(const Box &b) const { return b.w * b.h; }
  double operator()(const Nothing &n) const { return n.id; }
};

static double areas(const double *x) {
  std::array<Shape, 4> shapes{Disc{x[0]}, Box{x[1], x[2]}, Nothing{3}, Disc{x[1] * x[2]}};
  double sum = 0;
  for (const auto &shape : shapes) sum += std::visit(Area(), shape) * sum + std::visit(Area(), shape);
  shapes[0] = Box{x[2], sum};
  return sum + std::visit(Area(), shapes[0]);
}
ADAPTERS(areas)

static double numbers(const double *x) {
  std::variant<int, double> v = 3;
  double sum = std::get<int>(v) * x[0];
  v = x[1] * x[1];
  if (std::holds_alternative<double>(v)) sum *= std::get<double>(v);
  if (auto *at = std::get_if<double>(&v)) *at += x[2];
  std::visit([&](auto value) { sum += value * value; }, v);
  return sum;
}
ADAPTERS(numbers)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(areas, x);
  CHECK_BOTH(numbers, x);
  return check_done();
}
