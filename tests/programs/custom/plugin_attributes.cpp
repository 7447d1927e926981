// reference: none (what is declared inactive has another derivative than differences see)
/* Enzyme's own attributes, in all their spellings: in a macro of a header, GNU, in brackets, with a namespace. */
#include "check.h"
#include "parts/plugin_attributes.h"

extern int enzyme_nofree; /* a marker of the same name as an attribute */
[[enzyme::inactive, gnu::noinline]] static double scoped(double x) { return 3 * x; }
[[enzyme_inactive]] [[gnu::noinline]] static double bracketed(double x) { return 5 * x; }
[[enzyme_function_like("log1p")]] [[gnu::noinline]] double bracketed_like(double x) { return 2 * log1p(x); }
__attribute__((noinline, enzyme_function_like("sin"))) double gnu_like(double x) { return 3 * sin(x); }
__attribute__((__enzyme_inactive__)) static double history[2];
static const char *words = "__attribute__((enzyme_inactive))";

static double f(const double *x) {
  history[0] = x[0];
  return x[0] * (from_header(x[0]) + scoped(x[0]) + bracketed(x[0])) + bracketed_like(x[0]) + gnu_like(x[0]);
}

int main() {
  double x = 2, dx = 0, one = 1, expected = 15 * x + 1 / (1 + x) + cos(x);
  __enzyme_autodiff<void>((void *)f, &x, &dx);
  check_value("reverse", dx, expected, 1e-13);
  check_value("forward", __enzyme_fwddiff<double>((void *)f, &x, &one), expected, 1e-13);
  check_value("the text stays", (double)strlen(words), 32, 0);
  return check_done();
}
