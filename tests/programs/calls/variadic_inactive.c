/* Functions of the program with ... in their heads, called with integers and strings only. */
#include "check.h"
#include <stdarg.h>

static NOINLINE int sum(int n, ...) {
  va_list list;
  int s = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++) s += va_arg(list, int);
  va_end(list);
  return s;
}
static NOINLINE void report(char *out, int room, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(out, room, format, list);
  va_end(list);
}
static double f(const double *x) {
  char text[32];
  double s = 0;
  for (int i = 0; i < 4; i++) {
    s += x[i] * x[i] * sum(3, i, 2 * i, 1);
    report(text, sizeof text, "%d-%s", i, "ok");
    if (text[0] == '2') s *= 1.5;
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
