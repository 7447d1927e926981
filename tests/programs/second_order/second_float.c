/* Numbers of type float. */
#include "second.h"

static float f(const float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * sinf(x[(i + 1) % n]);
  return s;
}
#ifndef REFERENCE
extern float __enzyme_autodiff_float(void *, ...);
static void gradient(const float *x, float *g, int n) {
  __enzyme_autodiff_float((void *)f, enzyme_dup, x, g, enzyme_const, n);
}
static void check_all(void) {
  float x[3] = {0.4f, 1.1f, -0.7f};
  for (int c = 0; c < 3; c++) {
    float v[3] = {0}, g[3] = {0}, h[3] = {0}, r[3] = {0}, dg[3] = {0}, expected[3];
    v[c] = 1;
    dg[c] = 1;
    __enzyme_fwddiff((void *)gradient, enzyme_dup, x, v, enzyme_dup, g, h, enzyme_const, 3);
    g[0] = g[1] = g[2] = 0;
    __enzyme_autodiff((void *)gradient, enzyme_dup, x, r, enzyme_dup, g, dg, enzyme_const, 3);
    int next = (c + 1) % 3, last = (c + 2) % 3;
    expected[c] = 2 * sinf(x[next]) - x[last] * x[last] * sinf(x[c]);
    expected[next] = 2 * x[c] * cosf(x[next]);
    expected[last] = 2 * x[last] * cosf(x[c]);
    for (int i = 0; i < 3; i++) {
      check_value("forward over reverse", h[i], expected[i], 1e-5);
      check_value("reverse over reverse", r[i], expected[i], 1e-5);
    }
  }
}
#endif

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
