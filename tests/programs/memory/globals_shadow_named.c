/* Globals whose shadows the program names: inputs and outputs of the function that are not parameters. */
#include "check.h"

double weights[3], dweights[3];
double out, dout;
void *__enzyme_register_shadow_weights[] = {(void *)weights, (void *)dweights};
void *__enzyme_register_shadow_out[] = {(void *)&out, (void *)&dout};

static NOINLINE void model(double x) { out = weights[0] + weights[1] * x + weights[2] * x * x; }
static NOINLINE void scaled(double x) {
  model(x);
  weights[1] *= out;
  out = out * weights[1];
}

static double objective(const double *x) {
  for (int i = 0; i < 3; i++) weights[i] = x[i];
  scaled(x[3]);
  return out;
}

static void reverse(const double *x, double *g) {
  for (int i = 0; i < 3; i++) weights[i] = x[i], dweights[i] = 0;
  dout = 1;
  g[3] += __enzyme_autodiff((void *)scaled, enzyme_out, x[3]);
  for (int i = 0; i < 3; i++) g[i] += dweights[i];
}
static double forward(const double *x, const double *v) {
  for (int i = 0; i < 3; i++) weights[i] = x[i], dweights[i] = v[i];
  dout = 0;
  __enzyme_fwddiff((void *)scaled, enzyme_dup, x[3], v[3]);
  return dout;
}

int main(void) {
  double x[4] = {0.3, -0.7, 1.2, 0.4};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
