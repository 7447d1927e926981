/* Lanes of blocks that are copied, moved and cleared, and of structures that are assigned. */
#include "vector.h"

struct state {
  double a[4];
  int steps;
  double scale;
};
static REAL subject(REAL *x, int n) {
  double buffer[16], other[16];
  memcpy(buffer, x, n * sizeof *x);
  memcpy(buffer + n, x, n * sizeof *x);
  for (int i = 0; i < n; i++) buffer[i] *= buffer[2 * n - 1 - i];
  memmove(buffer + 2, buffer, 10 * sizeof *buffer);
  memset(other, 0, sizeof other);
  memcpy(other + 3, buffer + 1, 9 * sizeof *other);
  struct state first = {{x[0], x[1], x[2], x[3]}, 2, x[4]}, second, history[3];
  for (int k = 0; k < 3; k++) {
    second = first;
    for (int i = 0; i < 4; i++) second.a[i] = first.a[3 - i] * second.scale + other[k + i];
    second.steps += k;
    history[k] = second;
    first = history[k / 2];
  }
  for (int i = 0; i < n; i++) x[i] = other[i + 2] + history[i % 3].a[i % 4] * first.steps;
  return first.a[0] + first.scale * buffer[5];
}
