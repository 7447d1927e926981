/* Three buffers that change places in every step, by pointers in locals, in an array and in a struct. */
#include "check.h"

struct levels {
  double *old, *now, *next;
};
static void wave(struct levels *l, int n, double c) {
  for (int i = 0; i < n; i++) {
    double left = i ? l->now[i - 1] : 0, right = i + 1 < n ? l->now[i + 1] : 0;
    l->next[i] = 2 * l->now[i] - l->old[i] + c * (left - 2 * l->now[i] + right) * l->now[i];
  }
  double *t = l->old;
  l->old = l->now;
  l->now = l->next;
  l->next = t;
}
static double f(const double *x) {
  double buffer[3][6], *ring[3] = {buffer[2], buffer[0], buffer[1]};
  for (int i = 0; i < 6; i++) buffer[0][i] = x[i], buffer[1][i] = 0.9 * x[i], buffer[2][i] = 7;
  struct levels l = {buffer[0], buffer[1], buffer[2]};
  double s = 0;
  for (int t = 0; t < 5; t++) {
    wave(&l, 6, 0.2 + 0.1 * x[0]);
    s += l.now[t] * l.old[5 - t];
  }
  for (int t = 0; t < 7; t++) {
    double *a = ring[t % 3], *b = ring[(t + 1) % 3];
    for (int i = 1; i < 6; i++) a[i] = 0.3 * a[i] + 0.1 * b[i - 1] * b[i];
    ring[t % 3] = b;
    ring[(t + 1) % 3] = a;
  }
  return s + ring[0][3] * ring[1][4] + ring[2][5];
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4};
  CHECK_DERIVED(f, x);
  return check_done();
}
