/* A lock stands between the numbers of a structure. */
#include "check.h"
#include <pthread.h>

struct account {
  double balance;
  pthread_mutex_t lock;
  double rate;
};

static NOINLINE void pay(struct account *a, double v) {
  pthread_mutex_lock(&a->lock);
  a->balance = a->balance * a->rate + v;
  pthread_mutex_unlock(&a->lock);
}

static double f(const double *x) {
  struct account a = {x[0], PTHREAD_MUTEX_INITIALIZER, 1 + x[1] * x[1]};
  pthread_mutex_init(&a.lock, NULL);
  for (int i = 0; i < 3; i++) pay(&a, x[2] * i);
  if (pthread_mutex_trylock(&a.lock) == 0) {
    a.balance *= x[0];
    pthread_mutex_unlock(&a.lock);
  }
  pthread_mutex_destroy(&a.lock);
  return a.balance;
}

static void f_gradient(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double f_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v);
}

int main(void) {
  double x[3] = {0.5, 0.3, 0.8};
  CHECK_DERIVED(f, x);
  return check_done();
}
