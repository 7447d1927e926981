#include <math.h>
double library_norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}
void library_scale(double *x, double by, int n) {
  for (int i = 0; i < n; i++) x[i] *= by;
}
double library_hypotenuse(double a, double b) { return sqrt(a * a + b * b); }
