/* Vectors of variants of numbers and of what owns memory: elements come in between and go, all are moved as they grow. */
// heavy: the library's containers and functions are much code
#include <variant>
#include <vector>
#include "cpp_check.h"
struct Disc { double r; };
struct Box { double w, h; };
struct Poly { std::vector<double> c; };
using Shape = std::variant<Disc, Box, Poly>;
struct Area {
  double operator()(const Disc &d) const { return 3.14 * d.r * d.r; }
  double operator()(const Box &b) const { return b.w * b.h; }
  double operator()(const Poly &p) const { double s = 0; for (double v : p.c) s = s * 0.5 + v * v; return s; }
};
static double areas(const double *x) {
  std::vector<Shape> s;
  s.push_back(Disc{x[0]});
  s.push_back(Box{x[1], x[2]});
  s.push_back(Poly{{x[0] * x[1], x[2], x[1]}});
  s.insert(s.begin() + 1, Box{x[2], x[0]});
  s.erase(s.begin());
  s.emplace_back(Disc{x[1] * x[2]});
  double sum = 0;
  for (const auto &each : s) sum += std::visit(Area(), each) * (1 + 0.1 * sum);
  return sum;
}
ADAPTERS(areas)
int main(void) { const double x[] = {0.7, -1.1, 1.9}; CHECK_BOTH(areas, x); return check_done(); }
