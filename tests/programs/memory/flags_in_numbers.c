/* Flags in the lower words of numbers, as lattice codes keep them beside the densities of a cell; numbers whose lower words
 * are changed are rounded. */
#include "check.h"
enum { DENSITY, WEIGHT, FLAGS, ENTRIES };
typedef unsigned __attribute__((may_alias)) word;
#define WORD(a) ((word *)(void *)&(a))

static NOINLINE double cells(double *grid, int n, const double *x) {
  for (int i = 0; i < n; i++) {
    double *cell = grid + i * ENTRIES;
    memset(&cell[FLAGS], 0, sizeof(double));
    cell[DENSITY] = x[i % 3] * i;
    cell[WEIGHT] = x[0];
    if (i % 3 == 0) *WORD(cell[FLAGS]) |= 1;
    else if (i % 3 == 1) *WORD(cell[FLAGS]) |= 2;
  }
  double s = 0;
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n; i++) {
      double *cell = grid + i * ENTRIES;
      if (*WORD(cell[FLAGS]) & 1) {
        s += cell[DENSITY] * cell[WEIGHT];
        *WORD(cell[FLAGS]) ^= 3;
      } else if (*WORD(cell[FLAGS]) & 2)
        s += cell[DENSITY] * cell[DENSITY];
      cell[WEIGHT] *= 1.5;
    }
  return s;
}
static double flags(const double *x) {
  double *grid = malloc(sizeof(double) * 7 * ENTRIES), s = cells(grid, 7, x);
  free(grid);
  return s;
}
DERIVED(flags)

static double rounded(const double *x) {
  double a[3];
  for (int i = 0; i < 3; i++) a[i] = x[i] * x[0];
  *WORD(a[0]) &= 0xfffffffe;
  *WORD(a[1]) |= 1;
  *WORD(a[2]) ^= 2;
  return a[0] * a[1] + a[1] * a[2];
}
DERIVED(rounded)

int main(void) {
  double x[] = {1.3, -0.7, 2.1};
  CHECK_DERIVED(flags, x);
  CHECK_DERIVED(rounded, x);
  return check_done();
}
