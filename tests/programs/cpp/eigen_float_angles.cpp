// needs: eigen
/* Eigen's vectorised sine and cosine of floats: signs made of quadrants, and angles beyond some ten thousand that are
 * reduced in fixed-point arithmetic on their bits. */
#include <Eigen/Core>

#include "cpp_check.h"

static const float scale[] = {1, 1, -30, 700, 40000, -90000, 3e6f, 1};

static double objective(const float *x) {
  Eigen::Array<float, Eigen::Dynamic, 1> a = Eigen::Map<const Eigen::Array<float, Eigen::Dynamic, 1>>(x, 8);
  return (a.sin() * 2.0f + a.cos()).sum();
}

int main(void) {
  const float x[] = {0.7f, -1.1f, 1.9f, 2.4f, 1.3f, 0.8f, 1.6f, 0.0f};
  float angles[8], gradient[8] = {0};
  for (int i = 0; i < 8; i++) angles[i] = x[i] * scale[i];
#ifndef REFERENCE
  __enzyme_autodiff((void *)objective, enzyme_dup, angles, gradient);
#else
  for (int i = 0; i < 8; i++) gradient[i] = (float)(2 * cos((double)angles[i]) - sin((double)angles[i]));
#endif
  for (int i = 0; i < 8; i++) {
    double expected = 2 * cos((double)angles[i]) - sin((double)angles[i]);
    check_close("reverse", i, gradient[i], expected, 1e-5);
    float direction[8] = {0};
    direction[i] = 1;
    double tangent = expected;
    CHECK_ENGINE(tangent = __enzyme_fwddiff((void *)objective, enzyme_dup, angles, direction));
    check_close("forward", i, tangent, expected, 1e-5);
  }
  return check_done();
}
