/* Functions with a variable number of arguments that are numbers, pointers and structs; lists handed on and copied. */
#include "check.h"
#include <stdarg.h>

static NOINLINE double sum_of_squares(int n, ...) {
  va_list list;
  double s = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++) {
    double v = va_arg(list, double);
    s += v * v;
  }
  va_end(list);
  return s;
}
static NOINLINE double polynomial_of(double at, int n, va_list list) {
  double s = 0;
  while (n-- > 0) s = s * at + va_arg(list, double);
  return s;
}
static NOINLINE double polynomial(double at, int n, ...) {
  va_list list, again;
  va_start(list, n);
  va_copy(again, list);
  double s = polynomial_of(at, n, list) * polynomial_of(at, n - 1, again);
  va_end(again);
  va_end(list);
  return s;
}
struct large { double parts[3]; long scale; };
struct small { double a, b; };
static NOINLINE double mixed(const char *what, ...) {
  va_list list;
  va_start(list, what);
  double s = 0;
  s += va_arg(list, int) * va_arg(list, double);
  const double *array = va_arg(list, const double *);
  s += array[1] * array[1];
  struct large l = va_arg(list, struct large);
  s += l.parts[0] * l.parts[2] * l.scale;
  long double wide = va_arg(list, long double);
  s += (double)(wide * wide);
  struct small pair = va_arg(list, struct small);
  s *= pair.a + pair.b * va_arg(list, double);
  va_end(list);
  return s;
}
static NOINLINE double largest(int n, double first, ...) { /* calls itself, with another list */
  va_list list;
  if (n == 1) return first;
  va_start(list, first);
  double second = va_arg(list, double), third = n > 2 ? va_arg(list, double) : second;
  va_end(list);
  double head = first > second ? first : second;
  return n == 2 ? head * head : largest(2, head, third);
}
static NOINLINE void product_into(double *to, ...) {
  va_list list;
  va_start(list, to);
  *to = 1;
  for (const double *next = va_arg(list, const double *); next; next = va_arg(list, const double *)) *to *= *next;
  va_end(list);
}
static double f(const double *x) {
  struct large l = {{x[0], 7, x[1]}, 3};
  struct small pair = {x[2], x[3]};
  double product;
  product_into(&product, &x[0], &x[2], &x[4], (const double *)0);
  return sum_of_squares(3, x[0], x[1], x[2] * x[3]) + sum_of_squares(1, x[4]) + sum_of_squares(0) +
         polynomial(x[0], 4, x[1], x[2], x[3], x[4]) + mixed("all", 5, x[0], x, l, (long double)x[4], pair, x[1]) +
         largest(3, x[0], x[3], x[1]) + product;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.5, -1.25, 2, 0.75, -0.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
