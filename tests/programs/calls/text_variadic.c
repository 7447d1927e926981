// refused: numbers are made of text that was written with active numbers, by '@
/* The number goes into the text through a variadic function of the program. */
#include "check.h"
#include <stdarg.h>

static NOINLINE void print(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(to, 64, format, list);
  va_end(list);
}

double variadic_text(const double *x) {
  char line[64], *end;
  print(line, "%.17g", x[0] * x[1]);
  return strtod(line, &end) * x[2] + x[3];
}
DERIVED(variadic_text)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(variadic_text, x);
  return check_done();
}
