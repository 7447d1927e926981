/* Calls through pointers that no derivative flows through: loggers, counters, library functions, and comparators. */
#include "check.h"

static int calls_made, events;
static char last[64];

static NOINLINE void count(const char *what, int n) {
  (void)what;
  calls_made += n;
}
static NOINLINE void remember(const char *what, int n) { snprintf(last, sizeof last, "%s %d", what, n); }
void (*logger)(const char *, int) = count;
int (*emit)(const char *) = puts;
size_t (*length)(const char *) = strlen;
void *(*get)(size_t) = malloc;
void (*give_back)(void *) = free;

static NOINLINE int weight(int i) { return i * i + 1; }
static NOINLINE int flat(int i) { return (void)i, 1; }
int (*weights[2])(int) = {weight, flat};

static NOINLINE double f(const double *x, int n) {
  double s = 0;
  double *copy = malloc(n * sizeof *copy);
  int *order = get(n * sizeof *order);
  for (int i = 0; i < n; i++) {
    logger("step", i);
    order[i] = weights[i & 1](i);
    copy[i] = x[i] * order[i];
    events += (int)length("abc");
  }
  for (int i = 0; i < n; i++) s += copy[i] * copy[n - 1 - i] * order[i];
  give_back(order);
  free(copy);
  return s;
}
static double objective(const double *x) { return f(x, 4); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g, 4); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, 4); }

int main(int argc, char **argv) {
  double x[4] = {0.3, -0.7, 1.2, 0.4}, g[4] = {0};
  CHECK(objective, reverse, forward, x);
  if (argc > 5) emit(argv[0]);
  calls_made = 0;
#ifndef REFERENCE
  reverse(x, g);
  check_value("logged", calls_made, 6, 1e-12);
  logger = remember;
  reverse(x, g);
  check_value("remembered", strcmp(last, "step 3"), 0, 1e-12);
#endif
  return check_done();
}
