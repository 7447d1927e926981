// reference: none (what is declared inactive has another derivative than differences see)
/* An inactive function may write; what it writes has no derivative of its own, and shadows stay as they are. */
#include "check.h"

struct stats { int count; double largest; };
static void observe(struct stats *s, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    s->count++;
    if (x[i] > s->largest) s->largest = x[i];
  }
}
static int choose(const double *x, int n) {
  int best = 0;
  for (int i = 1; i < n; i++)
    if (x[i] > x[best]) best = i;
  return best;
}
static double *scratch(int n) { static double room[8]; return room + n; }
void *__enzyme_inactivefn_here[] = {(void *)observe, (void *)choose, (void *)scratch};

static double f(const double *x, int n) {
  struct stats s = {0, 0};
  double y[4], t = 0;
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
  observe(&s, y, n);
  scratch(2)[0] = s.count;
  for (int i = 0; i < n; i++) t += y[i] * s.largest;
  return t + y[choose(y, n)] + scratch(2)[0];
}

int main(void) {
  double x[4] = {1, -3, 2, 0.5}, dx[4] = {0}, v[4] = {1, 1, 1, 1};
  __enzyme_autodiff((void *)f, x, dx, 4);
  for (int i = 0; i < 4; i++) check_value("reverse", dx[i], 2 * x[i] * (9 + (i == 1)), 1e-14);
  double e = 0;
  for (int i = 0; i < 4; i++) e += dx[i];
  check_value("forward", __enzyme_fwddiff((void *)f, x, v, 4), e, 1e-14);
  return check_done();
}
