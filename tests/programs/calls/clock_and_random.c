/* clock, time, rand, getenv: called once in the primal's order, never again backwards; their values are constants. */
#include "check.h"
#include <time.h>

static int drawn;
static NOINLINE int draw(void) {
  drawn++;
  return rand() % 7;
}
static double f(const double *x) {
  double s = 0.2;
  clock_t start = clock();
  time_t now = time(0);
  srand(17);
  if (getenv("ENZYME_PROGRAM_NEVER_SET")) s += 1e3;
  for (int i = 0; i < 9; i++) {
    int k = draw();
    if (k > 3) s = s * x[k % 5] + 0.1 * k;
    else s += sin(x[k]) * (1 + rand() % 3);
  }
  if ((double)(clock() - start) / CLOCKS_PER_SEC > 1e6 || now == (time_t)-1) abort();
  return s;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.6, 0.7, -0.55, 0.75, -0.3}, g[5] = {0};
  CHECK_DERIVED(f, x);
  drawn = 0;
  CHECK_ENGINE(f_gradient(x, g));
  check_close("numbers drawn", 0, drawn, ENGINE ? 9 : 0, 0);
  (void)g;
  return check_done();
}
