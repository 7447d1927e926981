/* Pointers to active memory in mutable globals: contexts of callbacks, lists, double buffers, slots. */
#include "check.h"

static double *context;
static NOINLINE double square(int i) { return context[i] * context[i]; }

double local_context(const double *x) {
  double t[4];
  for (int i = 0; i < 4; i++) t[i] = x[i] * x[i];
  context = t;
  double sum = square(0) * square(1) + square(2) * square(3);
  context = 0;
  return sum;
}
DERIVED(local_context)

static NOINLINE double integrand(double t) { return context[0] * t * t + context[1] * sin(t); }
static NOINLINE double integrate(double (*g)(double), double a, double b) {
  double sum = 0;
  for (int i = 0; i < 10; i++) sum += g(a + (b - a) * (i + 0.5) / 10);
  return sum * (b - a) / 10;
}

double callback_context(const double *x) {
  double e[2] = {x[0] * x[1], x[2]};
  context = e;
  return integrate(integrand, 0, x[3]);
}
DERIVED(callback_context)

static const double *given;
static NOINLINE double given_square(int i) { return given[i] * given[i]; }

double argument_context(const double *x) {
  given = x;
  return given_square(0) * given_square(1) + given_square(2) * given_square(3);
}
DERIVED(argument_context)

static double *front, *back;
static NOINLINE void swap(void) {
  double *t = front;
  front = back;
  back = t;
}
static NOINLINE void relax(void) {
  for (int i = 0; i < 4; i++) back[i] = front[i] * front[(i + 1) % 4];
  swap();
}

double double_buffer(const double *x) {
  double u[4], v[4];
  memcpy(u, x, 32);
  front = u;
  back = v;
  for (int k = 0; k < 3; k++) relax();
  return front[0] + front[1] * front[2] + front[3];
}
DERIVED(double_buffer)

static double *out;
static NOINLINE void put(double v) { *out = v; }

/* the call is given nothing active, and clears what was there */
double overwritten(const double *x) {
  double r = x[0] * x[1];
  out = &r;
  if (x[0] < 100) put(3.0);
  return r * x[0] + x[2];
}
DERIVED(overwritten)

static double *slots[8];
static NOINLINE double slot(int i) { return *slots[i] * *slots[i]; }

double slotted(const double *x) {
  double t[4];
  for (int i = 0; i < 4; i++) {
    t[i] = x[i] * x[i];
    slots[i + 2] = &t[i];
  }
  return slot(2) * slot(3) + slot(4) * slot(5);
}
DERIVED(slotted)

static double **table;
static NOINLINE double entry(int i) { return table[i % 2][i / 2] * table[0][0]; }
static NOINLINE double inner(const double *x) {
  double t[4];
  double *rows[2] = {t, t + 2};
  for (int i = 0; i < 4; i++) t[i] = x[i] * x[i];
  table = rows;
  double sum = entry(0) * entry(1) + entry(2) * entry(3);
  table = 0;
  return sum;
}

double stored_in_callee(const double *x) { return inner(x) * x[0]; }
DERIVED(stored_in_callee)

static double *work;
static int capacity;
static NOINLINE double *scratch(int n) {
  if (n > capacity) {
    free(work);
    work = malloc(sizeof(double) * n);
    capacity = n;
  }
  return work;
}

double own_scratch(const double *x) {
  capacity = 0;
  double *b = scratch(4);
  for (int i = 0; i < 4; i++) b[i] = x[i] * x[i];
  return b[0] * b[1] + b[2] * b[3];
}
DERIVED(own_scratch)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(local_context, x);
  CHECK_DERIVED(callback_context, x);
  CHECK_DERIVED(argument_context, x);
  CHECK_DERIVED(double_buffer, x);
  CHECK_DERIVED(overwritten, x);
  CHECK_DERIVED(slotted, x);
  CHECK_DERIVED(stored_in_callee, x);
  CHECK_DERIVED(own_scratch, x);
  free(work);
  return check_done();
}
