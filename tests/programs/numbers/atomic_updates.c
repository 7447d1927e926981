/* Atomic loads, stores and updates on one thread: of doubles and floats, by C11 and by the compiler's builtins. */
#include <stdatomic.h>
#include "check.h"

static NOINLINE void add_to(double *place, double value) { __atomic_fetch_add(place, value, __ATOMIC_RELAXED); }
static double sums(const double *p) {
  double s[2] = {1, 0.5};
  for (int i = 0; i < 3; i++) {
    add_to(&s[i & 1], p[i] * p[i]);
    __atomic_fetch_sub(&s[0], p[i] * s[1], __ATOMIC_SEQ_CST);
  }
  return s[0] * s[1];
}
DERIVED(sums)
static double olds(const double *p) {
  double s = p[0];
  double before = __atomic_fetch_add(&s, p[1] * p[1], __ATOMIC_SEQ_CST);
  double again = __atomic_fetch_sub(&s, before * p[2], __ATOMIC_ACQ_REL);
  return s * before + again * p[2];
}
DERIVED(olds)
static double loads(const double *p) {
  double s, t, u;
  __atomic_store(&s, &p[0], __ATOMIC_RELEASE);
  __atomic_load(&s, &t, __ATOMIC_ACQUIRE);
  t *= p[1];
  __atomic_exchange(&s, &t, &u, __ATOMIC_SEQ_CST);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_acquire);
  return s * p[2] + u * u;
}
DERIVED(loads)
static double extremes(const double *p) {
  double s = p[0], t = p[1];
  double a = __atomic_fetch_max(&s, p[1] * 1.5, __ATOMIC_RELAXED);
  double b = __atomic_fetch_min(&t, p[2] * 0.5, __ATOMIC_RELAXED);
  return s * t + a * b;
}
DERIVED(extremes)
static double typed(const double *p) {
  _Atomic double s = p[0];
  s += p[1] * s;
  s = s * p[2];
  atomic_int count = 0;
  for (int i = 0; i < 3; i++) { count++; s -= p[i] * count; }
  return s * s;
}
DERIVED(typed)
static double floats(const double *p) {
  float s = (float)p[0];
  __atomic_fetch_add(&s, (float)p[1], __ATOMIC_RELAXED);
  return (double)(s * s) * p[2];
}
static double floats_twin(const double *p) { double s = p[0] + p[1]; return s * s * p[2]; }
DERIVED(floats)

int main(void) {
  double a[] = {0.7, 1.3, 0.4}, b[] = {-0.6, 0.5, 1.9};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(sums); EACH(olds); EACH(loads); EACH(extremes); EACH(typed);
  CHECK_SINGLE(floats_twin, floats_gradient, floats_tangent, a);
  return check_done();
}
