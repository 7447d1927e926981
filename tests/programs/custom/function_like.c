// reference: none (the names say other functions than the bodies)
/* Functions that are like others: the value is the function's own, the derivative that of the other. */
#include "check.h"

static int calls;
NOINLINE double fast_log(double x) { calls++; return log1p(x); }
static double coarse_sin(double x) { return x - x * x * x / 6 + x * x * x * x * x / 120; }
static float fast_expf(float x) { return expf(x); }
static double power(double a, double b) { return pow(a, b); }
static double doubled(double x) { return 2 * exp(x); }
void *__enzyme_function_like[] = {(void *)fast_log, "log1p"};
void *__enzyme_function_like_sin[] = {(void *)coarse_sin, (void *)"sin"};
void *__enzyme_function_like_exp[] = {(void *)fast_expf, "expf"};
void *__enzyme_function_like_pow[] = {(void *)power, "pow"};
void *__enzyme_function_like_doubled[] = {(void *)doubled, "exp"};

static double f(double x, double y) {
  double s = fast_log(x) * y + coarse_sin(x);
  for (int i = 1; i < 4; i++) s += power(x, i * y);
  return s + doubled(x) * y;
}

struct pair { double x, y; };
struct pair __enzyme_autodiff_pair(void *, ...);
static float g(float x) { return fast_expf(x) * fast_expf(x); }

int main(void) {
  double x = 0.6, y = 1.3;
  double ex = y / (1 + x) + cos(x) + doubled(x) * y, ey = log1p(x) + doubled(x);
  for (int i = 1; i < 4; i++) {
    ex += i * y * pow(x, i * y - 1);
    ey += i * log(x) * pow(x, i * y);
  }
  struct pair d = __enzyme_autodiff_pair((void *)f, x, y);
  check_value("x", d.x, ex, 1e-13);
  check_value("y", d.y, ey, 1e-13);
  check_value("forward", __enzyme_fwddiff((void *)f, x, 2.0, y, -1.0), 2 * ex - ey, 1e-13);
  check_value("the function itself is called", calls > 0, 1, 0);
  (void)g;
  return check_done();
}
