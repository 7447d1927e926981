/* Functions that are given nothing and return nothing: all they do is to mutable globals. */
#include "check.h"

static double state[4];

static NOINLINE void step(void) {
  for (int i = 0; i < 4; i++) state[i] = state[i] * state[(i + 1) % 4];
}
double steps(const double *x) {
  memcpy(state, x, sizeof state);
  for (int k = 0; k < 3; k++) step();
  return state[0] + state[1] * state[2] + state[3];
}
DERIVED(steps)

static NOINLINE void set(int i) { state[i] = 2.5; }
double constant_stored(const double *x) {
  memcpy(state, x, sizeof state);
  set(1);
  return state[0] + state[1] * state[2] + state[3];
}
DERIVED(constant_stored)

static NOINLINE void clear(void) { memset(state, 0, sizeof state); }
static NOINLINE void reset(void) { clear(); }
double cleared(const double *x) {
  memcpy(state, x, sizeof state);
  double first = state[0] * state[1];
  reset();
  return first + state[0] + state[1] * state[2] + state[3] * x[0];
}
DERIVED(cleared)

static double initial[4];
static NOINLINE void save(void) { memcpy(initial, state, sizeof state); }
static NOINLINE void restore(void) { memcpy(state, initial, sizeof state); }
double saved(const double *x) {
  memcpy(state, x, sizeof state);
  save();
  step();
  double s = state[0] * state[2];
  restore();
  step();
  return s * state[1] + state[3];
}
DERIVED(saved)

static NOINLINE void (*const phases[])(void) = {step, save, reset, restore};
double by_pointer(const double *x) {
  memcpy(state, x, sizeof state);
  double s = 0;
  for (int i = 0; i < 8; i++) {
    phases[i % 4]();
    s += state[i % 4] * x[i % 3];
  }
  return s;
}
DERIVED(by_pointer)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(steps, x);
  CHECK_DERIVED(constant_stored, x);
  CHECK_DERIVED(cleared, x);
  CHECK_DERIVED(saved, x);
  CHECK_DERIVED(by_pointer, x);
  return check_done();
}
