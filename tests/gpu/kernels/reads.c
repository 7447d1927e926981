/* What several threads read: all of them add to its shadow. */
#include "gpu.h"

/* one number for all threads, and a guard */
static void scaled(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  y[i] = x[0] * __nv_sin(x[i]) + y[i] * x[n - 1];
}
DERIVED(scaled)

/* neighbours */
static void stencil(double *restrict x, double *restrict y, int n) {
  int i = HERE;
  if (i < n) {
    double left = x[i > 0 ? i - 1 : 0], right = x[i + 1 < n ? i + 1 : n - 1];
    y[i] = left * right + x[i] * x[i] * __nv_exp(-left);
  }
}
DERIVED(stencil)

/* a loop over what all threads read: a row of a matrix and a vector */
static void product(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double sum = 0;
  for (int j = 0; j < n; j++) sum += x[n + i * n + j] * x[j];
  y[i] = __nv_sqrt(sum * sum + 1);
}
DERIVED(product)

/* places that a table gives, some of them the same */
static void looked_up(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  int place = (i * 7) % 5;
  y[i] = x[place] * x[(place + 3) % 5] + x[i];
}
DERIVED(looked_up)

/* in float */
static void narrow(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  float a = (float)x[i], b = (float)x[0];
  y[i] = __nv_expf(a) * __nv_tanhf(a * b) + __nv_sinf(b);
}
DERIVED(narrow)

typedef struct {
  double mass, place[3];
} body;

/* structs, copied as a whole */
static void copied(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  body *bodies = (body *)x, *result = (body *)y;
  body mine = bodies[i], first = bodies[0];
  for (int k = 0; k < 3; k++) mine.place[k] *= first.place[k] * first.mass;
  result[i] = mine;
}
DERIVED(copied)

/* vectors of two */
typedef double two __attribute__((ext_vector_type(2)));
static void pairs(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  two a = ((two *)x)[i], b = ((two *)x)[0];
  ((two *)y)[i] = a * b + a;
}
DERIVED(pairs)
