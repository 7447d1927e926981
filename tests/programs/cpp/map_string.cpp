/* A tree from text to numbers: keys are inactive, values are not. */
#include <map>
#include <string>

#include "cpp_check.h"

static double named(const double *x) {
  std::map<std::string, double> values;
  values["first"] = x[0] * x[1];
  values["second"] = x[2];
  values["a key that is too long to be kept in place"] = x[1];
  values["first"] *= values["second"];
  values.emplace("third", x[0]);
  double sum = 0;
  for (const auto &[name, value] : values) sum += value * value * (double)name.size();
  return sum * values.at("second") + values.count("fourth");
}
ADAPTERS(named)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(named, x);
  return check_done();
}
