/* Strings made, compared and written in the middle of active code; names beside numbers in structs and vectors. */
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cpp_check.h"

struct Named {
  std::string name;
  double value;
};

static double labelled(const double *x) {
  std::vector<Named> all;
  for (int i = 0; i < 4; i++) all.push_back({"number " + std::to_string(i) + " of this list", x[i] * x[0]});
  all.push_back({"last", x[3]});
  std::swap(all[0], all[2]);
  double sum = 0;
  for (const Named &each : all) sum += each.value * each.value * (each.name == "last" ? 3 : (double)each.name.size());
  return sum;
}
ADAPTERS(labelled)

static double reported(const double *x) {
  std::ostringstream log;
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    sum += x[i] * x[i] * sum + x[i];
    log << "step " << i << ": " << sum << "\n";
  }
  std::string text = log.str();
  int lines = 0;
  for (char c : text) lines += c == '\n';
  return sum * lines;
}
ADAPTERS(reported)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(labelled, x);
  CHECK_BOTH(reported, x);
  return check_done();
}
