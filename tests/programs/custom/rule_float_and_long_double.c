// reference: none (the registered derivatives are scaled on purpose)
/* Rules on float and long double, whose structs the C ABI packs in its own ways. */
#include "check.h"

static float mulf(float a, float b) { return a * b; }
struct made { float tape, value; };
static struct made mulf_up(float a, float b) { return (struct made){10 * a, a * b}; }
struct pair { float a, b; };
static struct pair mulf_back(float a, float b, float seed, float tape) {
  return (struct pair){10 * seed * b, seed * tape};
}
static struct pair mulf_forward(float a, float da, float b, float db) {
  return (struct pair){a * b, 10 * (a * db + b * da)};
}
void *__enzyme_register_gradient_mulf[] = {(void *)mulf, (void *)mulf_up, (void *)mulf_back};
void *__enzyme_register_derivative_mulf[] = {(void *)mulf, (void *)mulf_forward};

static long double cube(long double x) { return x * x * x; }
struct wide { long double tape, value; };
static struct wide cube_up(long double x) { return (struct wide){x * x, x * x * x}; }
static long double cube_back(long double x, long double seed, long double tape) { return 30 * seed * tape; }
static long double cube_forward(long double x, long double dx) { return 30 * x * x * dx; }
void *__enzyme_register_gradient_cube[] = {(void *)cube, (void *)cube_up, (void *)cube_back};
void *__enzyme_register_derivative_cube[] = {(void *)cube, (void *)cube_forward};

static double f(double x) { return mulf((float)x, 3) * x + (double)cube(x); }

int main(void) {
  check_value("reverse", __enzyme_autodiff((void *)f, 2.0), 3 * 10 * 2 + 6 + 30 * 4, 1e-6);
  check_value("forward", __enzyme_fwddiff((void *)f, 2.0, 1.0), 3 * 10 * 2 + 6 + 30 * 4, 1e-6);
  return check_done();
}
