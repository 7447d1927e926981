/* An empty range: its end is a step of nothing from null, in a program that keeps addresses in integers. */
#include "check.h"
#include <algorithm>
#include <cstdint>
#include <vector>

struct Kept {
  uintptr_t where;
};

NOINLINE double total(const double *first, const double *last) {
  double s = 0;
  for (; first != last; ++first) s += *first * *first;
  return s;
}
NOINLINE void keep(Kept *k, const double *x) { k->where = (uintptr_t)x; }

static double f(const double *x) {
  Kept kept;
  keep(&kept, x);
  const double *from = (const double *)kept.where;
  std::vector<double> none, some;
  for (int i = 0; i < 3; i++) some.push_back(from[i]);
  return total(none.data(), none.data() + none.size()) + total(some.data(), some.data() + some.size()) * x[0];
}
DERIVED(f)

int main() {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
