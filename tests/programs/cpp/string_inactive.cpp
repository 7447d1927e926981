/* Text that decides what is computed, and is put together on the way. */
#include <string>

#include "cpp_check.h"

static double parsed(const double *x) {
  std::string program = "+*";
  program += "-+";
  double value = x[0];
  for (std::size_t i = 0; i < program.size(); i++) switch (program[i]) {
      case '+': value += x[i % 3]; break;
      case '*': value *= x[i % 3] * value; break;
      default: value -= x[i % 3] * x[0];
    }
  std::string text = std::to_string(program.length()) + ":" + program;
  return text == "4:+*-+" ? value * value : 0;
}
ADAPTERS(parsed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(parsed, x);
  return check_done();
}
