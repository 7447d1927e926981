/* Vectors in structs and unions, through pointers, returned and passed, beside scalars; arrays of vectors on the heap. */
#include "check.h"
typedef double v2 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
struct body { v2 at, speed; double mass; };
union lanes { v2 whole; double each[2]; };

static NOINLINE v2 pull(const struct body *a, const struct body *b) {
  union lanes d;
  d.whole = b->at - a->at;
  double r = d.each[0] * d.each[0] + d.each[1] * d.each[1] + 0.1;
  return d.whole * (b->mass / (r * sqrt(r)));
}
static double run(const double *p) {
  struct body *many = (struct body *)aligned_alloc(16, 3 * sizeof *many);
  for (int i = 0; i < 3; i++) {
    many[i].at = (v2){p[i], p[(i + 1) % 4] * i};
    many[i].speed = (v2){0.1 * i, -0.2};
    many[i].mass = 1 + p[3] * i;
  }
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) if (i != j) many[i].speed += 0.05 * pull(&many[i], &many[j]);
    for (int i = 0; i < 3; i++) many[i].at += 0.05 * many[i].speed;
  }
  double s = many[0].at[0] * many[1].at[1] + many[2].speed[0];
  free(many);
  return s;
}
DERIVED(run)
static double through_float(const double *p) {
  f4 a = {(float)p[0], (float)p[1], (float)p[2], (float)p[3]}, *q = &a;
  for (int i = 0; i < 3; i++) *q = *q * *q * 0.5f + a;
  double s = 0;
  for (int i = 0; i < 4; i++) s += (*q)[i] * (i + 1);
  return s;
}
static double through_float_twin(const double *p) {
  double s = 0;
  for (int k = 0; k < 4; k++) { double a = p[k]; for (int i = 0; i < 3; i++) a = a * a * 0.5 + a; s += a * (k + 1); }
  return s;
}
DERIVED(through_float)
int main(void) {
  double a[] = {0.7, 1.1, 0.4, 0.6}, b[] = {-0.3, 0.6, 0.9, 0.8};
  CHECK_DERIVED(run, a); CHECK_DERIVED(run, b);
  CHECK_SINGLE(through_float_twin, through_float_gradient, through_float_tangent, a);
  return check_done();
}
