/* A charged particle between fixed charges: forces are derivatives of a potential, the path is integrated until it has
   crossed a line (an unknown number of steps), and the crossing is differentiated, once and twice. */
#include "second.h"

static double potential(double x, double y) {
  double u = 0;
  for (int i = 0; i < 3; i++) {
    double ax = 3.0 + i, ay = 1.5 * i - 1.2;
    u += 1 / sqrt((x - ax) * (x - ax) + (y - ay) * (y - ay));
  }
  return u;
}
#ifndef REFERENCE
struct force {
  double x, y;
};
extern struct force __enzyme_autodiff_force(void *, ...);
#endif
static double f(const double *s) { /* height and speed at the start */
  double x = 0, y = s[0], vx = s[1], vy = 0;
  while (x < 2) {
#ifdef REFERENCE
    double fx = 0, fy = 0;
    for (int i = 0; i < 3; i++) {
      double dx = x - 3.0 - i, dy = y - 1.5 * i + 1.2, r = sqrt(dx * dx + dy * dy);
      fx -= dx / (r * r * r);
      fy -= dy / (r * r * r);
    }
#else
    struct force q = __enzyme_autodiff_force((void *)potential, x, y);
    double fx = q.x, fy = q.y;
#endif
    vx -= 0.05 * fx;
    vy -= 0.05 * fy;
    x += 0.05 * vx;
    y += 0.05 * vy;
  }
  return y + 0.1 * x;
}
static void reverse(const double *x, double *g) {
#ifndef REFERENCE
  __enzyme_autodiff((void *)f, enzyme_dup, x, g);
#endif
}
static double forward(const double *x, const double *v) {
#ifndef REFERENCE
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v);
#else
  return 0;
#endif
}
SECOND(f, 2)

int main(void) {
  double x[2] = {0.2, 2.6};
  CHECK(f, reverse, forward, x);
  CHECK_ENGINE(SECOND_CHECK(f, x, 2));
  return check_done();
}
