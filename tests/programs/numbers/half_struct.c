/* _Float16 in structs beside other numbers: by value, by pointer, copied, in arrays and through calls;
 * bfloat_struct.c includes this for __bf16. */
#include "narrow.h"

#ifndef NARROW
#define NARROW _Float16
#define TOLERANCES 2e-2, 2e-2
#endif

#define BODY                                                                            \
  typedef struct { T a; T c[3]; float b; double d; } S;                                  \
  S s, t, many[3];                                                                      \
  memset(&s, 0, sizeof s);                                                              \
  s.a = (T)p[0]; s.b = (float)p[1]; s.d = p[2];                                          \
  for (int i = 0; i < 3; i++) s.c[i] = s.a * (T)(float)(s.b + i);                        \
  memcpy(&t, &s, sizeof s);                                                             \
  t.a *= t.c[1];                                                                        \
  for (int i = 0; i < 3; i++) { many[i] = t; many[i].c[0] += (T)(0.25f * i); }           \
  double r = 0;                                                                         \
  for (int i = 0; i < 3; i++) r += (double)(many[i].c[0] * many[i].a) + many[i].b * many[i].d; \
  return r;

PAIR(structs, NARROW, BODY)

static NOINLINE NARROW mix(NARROW a, const NARROW *b, int n) {
  NARROW s = a;
  for (int i = 0; i < n; i++) s = s * (NARROW)0.5f + b[i] * a;
  return s;
}
static NOINLINE double calls(const double *p) {
  NARROW v[3];
  for (int i = 0; i < 3; i++) v[i] = (NARROW)p[i];
  return (double)mix(v[0], v, 3) * (double)mix(v[2], v, 2);
}
static double mix_twin(double a, const double *b, int n) {
  double s = a;
  for (int i = 0; i < n; i++) s = s * 0.5 + b[i] * a;
  return s;
}
static double calls_twin(const double *p) { return mix_twin(p[0], p, 3) * mix_twin(p[2], p, 2); }
DERIVED(calls)

int main(void) {
  double a[] = {0.75, 1.25, 0.5};
  CHECK_PAIR(structs, a, TOLERANCES);
  CHECK_PAIR(calls, a, TOLERANCES);
  return check_done();
}
