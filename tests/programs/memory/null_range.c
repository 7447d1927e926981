// An array that is not there yet: where its room is asked for, it is known to begin at null, and its end is a step from
// null by so many bytes, as many as are set to zero there. No address is in them.
#include "check.h"

static int *volatile spare; /* nobody sets it */
static volatile int dimensions = 2;

static double moment(const double *x) {
  int *begin = 0, *end = begin, *room = spare;
  size_t n = (size_t)dimensions, have = (size_t)(end - begin);
  if ((size_t)(room - end) >= n - have) {
    size_t bytes = (n - have) * sizeof(int);
    memset(end, 0, bytes);
    end = (int *)((char *)end + bytes);
  } else {
    begin = (int *)calloc(n, sizeof(int));
    end = begin + n;
  }
  for (int *d = end; d != begin;) {
    d--;
    *d = (int)(3 + (d - begin) * 2);
  }
  double *cells = (double *)malloc((size_t)(begin[0] * begin[1]) * sizeof *cells), sum = 0;
  for (int i = 0; i < begin[0]; i++)
    for (int j = 0; j < begin[1]; j++) cells[i * begin[1] + j] = sin(x[i] * (j + 1));
  for (int k = 0; k < begin[0] * begin[1]; k++) sum += cells[k] * cells[k] * (1 + k % 4);
  free(cells);
  free(begin);
  return sum;
}
DERIVED(moment)

int main(void) {
  double x[] = {0.3, -0.2, 0.7};
  CHECK_DERIVED(moment, x);
  return check_done();
}
