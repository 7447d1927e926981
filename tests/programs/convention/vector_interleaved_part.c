// aborts: a block copy ends in the midst of a number
// reference: none (a run of one derivative)
// Two copies of one array, each of them of one number and a half, where the lanes of a number lie side by side.
#include "check.h"

extern int enzyme_width;
volatile size_t length = 12;

static double f(const double *x) {
  double a[3], b[3];
  for (int i = 0; i < 3; i++) a[i] = x[i] * x[i], b[i] = 0;
  memcpy(b, a, length);
  memcpy((char *)b + length, (char *)a + length, length);
  double s = 0;
  for (int i = 0; i < 3; i++) s += b[i] * (i + 1);
  return s;
}
struct four {
  double lanes[4];
};
struct four __enzyme_fwddiff_four(void *, ...);

int main(void) {
  double x[3] = {0.7, 1.3, 2}, v[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  struct four d = __enzyme_fwddiff_four((void *)f, enzyme_width, 4, enzyme_dup, x, v[0], v[1], v[2], v[3]);
  for (int i = 0; i < 3; i++) check_value("lane", d.lanes[i], 2 * (i + 1) * x[i], 1e-14);
  return check_done();
}
