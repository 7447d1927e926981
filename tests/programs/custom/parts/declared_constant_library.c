double library_dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
void library_axpy(double *y, const double *x, double k, int n) {
  for (int i = 0; i < n; i++) y[i] += k * x[i];
}
