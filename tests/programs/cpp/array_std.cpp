/* std::array by value, by reference, nested, and swapped. */
#include <array>

#include "cpp_check.h"

using Vec3 = std::array<double, 3>;

static Vec3 cross(const Vec3 &a, const Vec3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

static NOINLINE Vec3 scaled(Vec3 a, double factor) {
  for (double &v : a) v *= factor;
  return a;
}

static double triple(const double *x) {
  Vec3 a{x[0], x[1], x[2]}, b{x[2], x[3], x[0]};
  Vec3 c = scaled(cross(a, b), x[1]);
  std::array<Vec3, 2> both{a, c};
  both[0].swap(both[1]);
  double sum = 0;
  for (const Vec3 &row : both) sum += row[0] * row[1] + row.back();
  return sum;
}
ADAPTERS(triple)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(triple, x);
  return check_done();
}
