/* Thread-local globals, a global that is declared elsewhere in the file, and one that the program declares inactive. */
#include "check.h"

_Thread_local double carry;
static __thread double stack[16];
static __thread int depth;
extern double later[4];
double trace[4];
void *__enzyme_inactive_global_trace[] = {(void *)trace};

static NOINLINE void push(double v) { stack[depth++] = v + carry; }
static NOINLINE double pop(void) { return stack[--depth]; }

static NOINLINE double f(const double *x) {
  depth = 0;
  carry = x[0];
  for (int i = 0; i < 4; i++) {
    push(x[i] * carry);
    trace[i] = x[i];
    later[3 - i] = pop() * x[i];
    carry += later[3 - i];
    push(carry);
  }
  double r = 0;
  while (depth > 0) r = r * 0.5 + pop() * later[depth];
  return r;
}
double later[4];
static double objective(const double *x) { return f(x); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v); }

int main(void) {
  double x[4] = {0.3, -0.7, 1.2, 0.4};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
