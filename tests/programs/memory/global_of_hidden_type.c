/* A global whose type only another file knows: its address is passed on and compared, and what it holds chooses. */
#include "check.h"

struct hidden;
extern struct hidden unseen __asm__("environ"); /* an object that every program has */

static NOINLINE int is_set(const struct hidden *t) { return t != 0 && *(char *const *const *)t != 0; }
static double f(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += is_set(&unseen) ? x[i] * x[i] * x[0] : x[i];
  return s;
}
DERIVED(f)

int main(void) {
  double x[] = {0.7, -1.2, 0.4};
  CHECK_DERIVED(f, x);
  return check_done();
}
