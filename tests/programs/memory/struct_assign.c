/* Structs copied by assignment, in arrays, with integers, floats and nested arrays beside the doubles. */
#include "check.h"

struct particle {
  int id;
  double position[3];
  float charge;
  double mass;
};

static double move(const double *x, int n) {
  struct particle all[4], spare;
  for (int i = 0; i < n; i++) {
    all[i].id = i;
    for (int k = 0; k < 3; k++) all[i].position[k] = x[(3 * i + k) % 7];
    all[i].charge = 0.5f;
    all[i].mass = 1 + x[i] * x[i];
  }
  spare = all[0];
  all[0] = all[n - 1];
  all[n - 1] = spare;
  for (int i = 1; i < n; i++) {
    struct particle p = all[i];
    p.position[1] *= p.mass;
    p.mass += p.position[0] * p.id;
    all[i - 1] = p;
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) s += all[i].position[k] * all[i].mass * (all[i].id + 1) * all[i].charge;
  return s;
}

static double objective(const double *x) { return move(x, 4); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)move, x, g, 4); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)move, enzyme_dup, x, v, 4);
}

int main(void) {
  double x[7] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1, -0.2};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
