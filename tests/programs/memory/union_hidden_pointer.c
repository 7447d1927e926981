// aborts: a pointer is moved as a number
// skip-levels: 1, 2, 3 (there LLVM makes a pointer of the number, which is refused)
/* Without optimisation LLVM keeps a union in a double where the program took it for one once. */
#include "check.h"

union word { double d; const double *p; };

static double moved(const double *x) {
  union word a[4] = {{.p = x}, {.d = x[0] * x[2]}, {.p = x + 1}, {.d = x[1]}}, b[4];
  double sum = 1;
  for (int i = 0; i < 4; i++) {
    union word t = a[i];
    if (i % 2) t.d *= 2;
    b[3 - i] = t;
  }
  for (int i = 0; i < 4; i++) sum = sum * (i % 2 ? b[i].p[0] * b[i].p[1] : b[i].d * b[i].d) + 1;
  return sum;
}
DERIVED(moved)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(moved, x);
  return check_done();
}
