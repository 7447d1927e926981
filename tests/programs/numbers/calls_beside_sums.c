/* Loops that hand numbers on while they call functions: on the stack, in one place each. */
#include "../check.h"

enum { N = 11 };
static int n = N;

static double plain(const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) s += exp(x[i]);
  return s;
}
DERIVED(plain)

/* several numbers, one of which begins with what another loop ends with */
static double several(const double *x) {
  double s = 0, t = 1, u = x[0];
  for (int i = 0; i < n; i++) s += sin(x[i]) * u;
  for (int i = 0; i < n; i++) {
    double e = exp(0.1 * x[i]);
    t *= e;
    u -= e * cos(x[i]);
    s = s * 0.5 + e;
  }
  return s * t + u;
}
DERIVED(several)

/* used before the call, used twice, and handed from one number to the next */
static double otherwise(const double *x) {
  double s = 0.1, t = 0.2, before = 0;
  for (int i = 0; i < n; i++) s += tanh(s * x[i]);
  for (int i = 0; i < n; i++) {
    double e = exp(-x[i] * x[i]);
    t = t * t * 0.1 + e * t;
  }
  for (int i = 0; i < n; i++) {
    double now = log(2 + x[i] * x[i]);
    s += now * before;
    before = now;
  }
  return s + t + before;
}
DERIVED(otherwise)

/* nested, entered by a choice, left early */
static double nested(const double *x) {
  double s = 0;
  for (int k = 0; k < 4; k++) {
    double t = k % 2 ? x[k] : 1;
    if (x[k] > -0.2)
      for (int i = k; i < n; i++) t += exp(x[i] * 0.3) * x[k];
    s += t * t;
    for (int i = 0; i < n; i++) {
      s += log(1.5 + sin(x[i] + k));
      if (s > 30) break;
    }
  }
  return s;
}
DERIVED(nested)

static double helper_calls = 0;
static NOINLINE double helper(double x, double y) {
  helper_calls += 1;
  return x * y + sin(x);
}
static double own_function(const double *x) {
  double s = 1, t = 0;
  for (int i = 0; i < n; i++) {
    s += helper(x[i], x[(i + 1) % N]);
    t += helper(x[i], 2) - helper(0.5, x[i]);
  }
  return s * t;
}
DERIVED(own_function)

static double singles(const double *x) {
  float s = 0;
  for (int i = 0; i < n; i++) s += expf((float)x[i]);
  return (double)s;
}
static double singles_gradient_error(const double *x) {
  double g[N] = {0}, worst = 0;
  __enzyme_autodiff((void *)singles, enzyme_dup, x, g);
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(g[i] - exp(x[i])));
  return worst;
}

static double recursive(const double *x, int k) {
  double s = 0;
  if (k > 3) return x[k] * x[0];
  for (int i = k + 1; i < 5; i++) s += recursive(x, i) * x[i];
  return s;
}
static double from_recursion(const double *x) { return recursive(x, 0) + recursive(x, 2); }
DERIVED(from_recursion)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = sin(0.9 * i) + 0.1;
  for (n = 0; n <= N; n += n < 3 ? 1 : 4) {
    CHECK_DERIVED(plain, x);
    CHECK_DERIVED(several, x);
    CHECK_DERIVED(otherwise, x);
    CHECK_DERIVED(nested, x);
    CHECK_DERIVED(own_function, x);
    CHECK_ENGINE(check_close("singles", n, singles_gradient_error(x), 0, 1e-5));
  }
  CHECK_DERIVED(from_recursion, x);
  return check_done();
}
