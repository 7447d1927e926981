// flags: -fno-delete-null-pointer-checks
// reference: none (a step from the null pointer is what the sanitizer stops)
// Addresses in integers that are added to a null pointer which is an argument, a global, a choice or variadic.
#include <stdarg.h>

#include "check.h"

static NOINLINE double at(char *base, uintptr_t step, double s) {
  double *p = (double *)(base + step);
  return *p * *p * s;
}
static double argument(const double *x) {
  return at((char *)0, (uintptr_t)&x[1], x[0]) + at((char *)0, (uintptr_t)x, x[1]) + at((char *)x, 8, 3.0);
}

static NOINLINE double either(const double *x, int k, double s) {
  char *base = k ? (char *)x : (char *)0;
  uintptr_t step = k ? 8 : (uintptr_t)x;
  double *p = (double *)(base + step);
  return *p * *p * s;
}
static double choice(const double *x) { return either(x, 0, x[1]) + 3 * either(x, 1, x[0]); }

char *origin;
static NOINLINE double from_origin(uintptr_t step, double s) {
  double *p = (double *)(origin + step);
  return *p * *p * s;
}
static double global(const double *x) { return from_origin((uintptr_t)&x[1], x[0]); }

static NOINLINE double listed(int n, ...) {
  va_list a;
  va_start(a, n);
  char *base = va_arg(a, char *);
  uintptr_t step = va_arg(a, uintptr_t);
  double s = va_arg(a, double);
  va_end(a);
  double *p = (double *)(base + step);
  return *p * *p * s;
}
static double variadic(const double *x) { return listed(3, (char *)0, (uintptr_t)&x[1], x[0]); }

struct record {
  uintptr_t next;
  double v;
};
static NOINLINE double walk(char *heap, uintptr_t first) {
  double s = 0;
  for (uintptr_t at = first; at; at = ((struct record *)(heap + at))->next) {
    struct record *r = (struct record *)(heap + at);
    s = s * 0.5 + r->v * r->v;
  }
  return s;
}
static double handles(const double *x) {
  struct record a = {0, x[0]}, b = {(uintptr_t)&a, x[1] * x[0]}, c = {(uintptr_t)&b, x[1]};
  return walk((char *)0, (uintptr_t)&c);
}

static NOINLINE void put(char *base, uintptr_t step, double s) {
  double *p = (double *)(base + step);
  *p = *p * s;
}
static double written(const double *x) {
  double l[2] = {x[0], x[1]};
  put((char *)0, (uintptr_t)&l[1], x[0]);
  put((char *)l, 0, l[1]);
  return l[0] * l[1];
}

DERIVED(argument)
DERIVED(choice)
DERIVED(global)
DERIVED(variadic)
DERIVED(handles)
DERIVED(written)

int main(void) {
  double x[] = {0.7, 1.3};
  CHECK_DERIVED(argument, x);
  CHECK_DERIVED(choice, x);
  CHECK_DERIVED(global, x);
  CHECK_DERIVED(variadic, x);
  CHECK_DERIVED(handles, x);
  CHECK_DERIVED(written, x);
  return check_done();
}
