/* A sparse switch on a 64-bit value, a switch whose cases share a body, and one on characters. */
#include "check.h"

static double sparse(double x, long long key) {
  switch (key) {
    case -1000000007LL: return x * x;
    case 3:
    case 5:
    case 7: return sin(x);
    case 1LL << 40: x = exp(x); break;
    case 77: {
      double s = 0;
      for (int i = 0; i < 4; i++) s += pow(x, i);
      return s;
    }
    default: x = -x;
  }
  return x * 3;
}

static double parse(double x, const char *text) {
  double s = x;
  for (const char *p = text; *p; p++) {
    switch (*p) {
      case '+': s = s + x; break;
      case '-': s = s - 2 * x; break;
      case '*': s = s * x; break;
      case '/': s = s / (2 + x); break;
      case 's': s = sin(s); break;
      case ' ': break;
      default: s = s * (*p - 'a');
    }
  }
  return s;
}

static const long long keys[7] = {-1000000007LL, 3, 5, 7, 1LL << 40, 77, 12};
static double sum(double x) {
  double s = 0;
  for (int i = 0; i < 7; i++) s = s * 0.7 + sparse(x + 0.1 * i, keys[i]);
  return s;
}
static double parsed(double x) { return parse(x, "+*s - c*/d s*"); }

static double sum_objective(const double *x) { return sum(x[0]); }
static void sum_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)sum, x[0]); }
static double sum_tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)sum, x[0], v[0]); }
static double parsed_objective(const double *x) { return parsed(x[0]); }
static void parsed_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)parsed, x[0]); }
static double parsed_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)parsed, enzyme_dup, x[0], v[0]);
}

int main(void) {
  double x[1] = {0.61};
  CHECK(sum_objective, sum_gradient, sum_tangent, x);
  CHECK(parsed_objective, parsed_gradient, parsed_tangent, x);
  return check_done();
}
