/* A vector of squares beside a vector of discs: each has its own methods and its own memory. */
#include <vector>

#include "cpp_check.h"

struct Square {
  double side;
  int id;
  double area() const { return side * side; }
};
struct Disc {
  int id;
  float tint;
  double radius;
  double area() const { return 3.14159 * radius * radius; }
};

template <class T> static double total(const std::vector<T> &all) {
  double sum = 0;
  for (const auto &each : all) sum += each.area() * each.id;
  return sum;
}

static double beside(const double *x) {
  std::vector<Square> squares;
  std::vector<Disc> discs;
  for (int i = 0; i < 3; i++) {
    squares.push_back({x[i] * x[0], i + 1});
    discs.push_back({i + 2, 0.5f, x[i]});
  }
  return total(squares) * total(discs);
}
ADAPTERS(beside)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(beside, x);
  return check_done();
}
