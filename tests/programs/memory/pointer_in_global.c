/* Pointers to active memory in globals, found there by other functions: what they lead to is what was stored, not
 * something that nobody knows. */
#include "check.h"

static double *current;
static struct item {
  double v;
  struct item *next;
} *head;

static struct {
  double w, *a, *b;
  int n;
} state;

static NOINLINE double sum(int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += current[i] * current[i] * (1 + i);
  return s;
}
static NOINLINE void scale(int n, double v) {
  for (int i = 0; i < n; i++) current[i] = 0.5 * current[i] + 0.3 * v * current[(i + 2) % n];
}
static NOINLINE void use(double *block) { current = block; }
static NOINLINE void push(double v) {
  struct item *made = malloc(sizeof *made);
  made->v = v;
  made->next = head;
  head = made;
}
static NOINLINE double drain(void) {
  double s = 0.1;
  while (head) {
    struct item *first = head;
    s = 0.5 * s + sin(first->v) * s;
    head = first->next;
    free(first);
  }
  return s;
}

static double read_there(const double *x) {
  double a[4];
  for (int i = 0; i < 4; i++) a[i] = x[i] * x[(i + 1) % 4];
  current = a;
  double r = sum(4);
  current = 0;
  return r;
}
DERIVED(read_there)

static double written_there(const double *x) {
  double a[4], b[4], r = 0;
  memcpy(a, x, sizeof a);
  memcpy(b, x, sizeof b);
  for (int i = 0; i < 4; i++) {
    current = i % 2 ? a : b;
    scale(4, sin(x[i]));
    r += a[0] * b[3];
    current = a;
    r *= current[i];
    current = 0;
  }
  return r;
}
DERIVED(written_there)

static double handed_over(const double *x) {
  double *a = malloc(4 * sizeof *a);
  use(a);
  for (int i = 0; i < 4; i++) a[i] = exp(0.3 * x[i]);
  scale(4, x[1]);
  double r = sum(4) + a[2];
  free(a);
  current = 0;
  return r;
}
DERIVED(handed_over)

static double listed(const double *x) {
  head = 0;
  for (int i = 0; i < 4; i++) push(x[i] * (1 + 0.1 * i));
  head->v *= head->next->v;
  return drain() + x[0];
}
DERIVED(listed)

static NOINLINE void begin(double *a, double *b, int n) {
  memset(&state, 0, sizeof state);
  state.a = a;
  state.b = b;
  state.n = n;
}
static NOINLINE double step(double v) {
  double s = state.w;
  for (int i = 0; i < state.n; i++) {
    s += state.a[i] * state.b[i];
    state.b[i] = 0.5 * state.b[i] + 0.3 * v * state.a[i];
  }
  double *t = state.a;
  state.a = state.b;
  state.b = t;
  return s;
}
static double stateful(const double *x) {
  double a[4], b[4] = {0.1, 0.2, 0.3, 0.4}, r = 0;
  memcpy(a, x, sizeof a);
  begin(a, b, 4);
  state.w = x[0];
  for (int i = 0; i < 3; i++) r = 0.3 * r + step(x[i]);
  return r * state.a[1] + b[2];
}
DERIVED(stateful)

int main(void) {
  double x[] = {0.7, -0.4, 1.1, 0.3};
  CHECK_DERIVED(read_there, x);
  CHECK_DERIVED(written_there, x);
  CHECK_DERIVED(handed_over, x);
  CHECK_DERIVED(listed, x);
  CHECK_DERIVED(stateful, x);
  return check_done();
}
