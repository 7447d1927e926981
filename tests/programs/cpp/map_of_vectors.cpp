/* Vectors of numbers by name: strings, pointers and numbers in one tree. */
// heavy: the library's containers and functions are much code
#include <map>
#include <string>
#include <vector>
#include "cpp_check.h"
static double table(const double *x) {
  std::map<std::string, std::vector<double>> m;
  m["a"] = {x[0], x[1] * x[2]};
  m["bb"].push_back(x[2] * x[2]);
  m["bb"].push_back(x[0]);
  m["a"].push_back(m["bb"][0] * x[1]);
  double s = 0;
  for (auto &[k, v] : m) for (double e : v) s += e * e * k.size();
  return s;
}
ADAPTERS(table)
int main(void) { const double x[] = {0.7, -1.1, 1.9, 0.4}; CHECK_BOTH(table, x); return check_done(); }
