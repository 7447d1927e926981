/* Output, asserts-like exits and counters inside the function; none of it active, all of it kept. */
#include "check.h"

static FILE *sink;
static int lines;

static double noisy(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i] * s + x[i];
    if (s > 1e6) {
      fprintf(stderr, "diverged at %d: %g\n", i, s);
      exit(3);
    }
    fprintf(sink, "%d %.3f\n", i, s);
    lines++;
  }
  return s;
}

static double objective(const double *x) { return noisy(x, 4); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)noisy, x, g, 4); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)noisy, enzyme_dup, x, v, 4); }

int main(void) {
  double x[4] = {0.6, -0.45, 0.3, 0.8}, g[4] = {0};
  sink = tmpfile();
  if (!sink) return 2;
  CHECK(objective, gradient, tangent, x);
  lines = 0;
  CHECK_ENGINE(gradient(x, g));
  (void)g;
  check_close("the primal's output happens once", 0, lines, ENGINE ? 4 : 0, 0);
  fclose(sink);
  return check_done();
}
