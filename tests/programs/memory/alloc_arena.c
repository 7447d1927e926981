/* A bump allocator: one block, handed out in pieces of several kinds, reset between uses; and a pool of blocks. */
#include "check.h"

struct arena {
  char *base;
  size_t used, size;
};

static NOINLINE void *take(struct arena *a, size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  if (a->used + bytes > a->size) return 0;
  void *p = a->base + a->used;
  a->used += bytes;
  return p;
}

struct particle {
  double position, speed;
  int kind;
};

static double simulate(const double *x, int n) {
  struct arena a = {malloc(4096), 0, 4096};
  double s = 0;
  for (int step = 0; step < 3; step++) {
    struct particle *p = take(&a, n * sizeof *p);
    double *force = take(&a, n * sizeof(double));
    for (int i = 0; i < n; i++) {
      p[i].position = x[i] * (step + 1);
      p[i].speed = x[(i + 1) % n] + s * 0.1;
      p[i].kind = i % 2;
    }
    for (int i = 0; i < n; i++) force[i] = p[i].position * p[(i + 1) % n].speed;
    for (int i = 0; i < n; i++) s += p[i].kind ? force[i] * p[i].speed : sin(force[i]);
    a.used = 0;
  }
  free(a.base);
  return s;
}

static double objective(const double *x) { return simulate(x, 5); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)simulate, x, g, 5); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)simulate, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3};
  for (int round = 0; round < 2; round++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
