// refused: numbers are made of text that was written with active numbers, by '@read'
#include "check.h"
#include <unistd.h>

double by_pipe(const double *x) {
  double out[2] = {x[0] * x[1], x[2]}, in[2];
  int ends[2];
  if (pipe(ends)) return 0;
  if (write(ends[1], out, 16) != 16 || read(ends[0], in, 16) != 16) return 0;
  close(ends[0]);
  close(ends[1]);
  return in[0] * in[1] + x[3];
}
DERIVED(by_pipe)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(by_pipe, x);
  return check_done();
}
