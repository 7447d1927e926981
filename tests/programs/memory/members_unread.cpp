// Block copies of objects with members that nobody reads, arrays of which one element is read, and padding: where nobody
// else sees the copy, such bytes are no numbers. Where somebody does, the copy of a parameter, they are.
#include "check.h"

struct Inside {
  double a, s;
  double known[2];
  int count = 0;
  double at(double t) {
    if (!count) known[count++] = a * s;
    return known[0] * t;
  }
};
struct Wide {
  double a, unread[3], c;
  float single[3];
  void *nowhere;
  double last[2];
};
static NOINLINE double doubled(const Wide *w) {
  Wide *copy = (Wide *)malloc(sizeof(Wide));
  memcpy(copy, w, sizeof(Wide));
  copy->a *= 2;
  double value = copy->a * copy->c * copy->single[1];
  free(copy);
  return value;
}
static NOINLINE void handed_out(const Wide *from, Wide *to) {
  memcpy(to, from, sizeof(Wide));
  to->a *= from->c;
}
static Wide stash;
static NOINLINE void keep(const void *from) {
  memcpy(&stash, from, sizeof(Wide));
  stash.a = 1;
}
static NOINLINE double kept(int i) { return stash.last[i] * stash.a; }

static double all(const double *x) {
  Inside *p = new Inside{x[0], x[1], {}, 0}, *q = new Inside(*p);
  q->s *= x[2];
  double y = q->at(x[1]) + p->at(x[2]);
  delete p;
  delete q;
  Wide w = {}, to;
  w.a = x[0];
  w.c = x[1];
  w.unread[1] = x[2] * x[0];
  w.single[1] = 2;
  w.last[0] = x[0];
  w.last[1] = x[1] * x[2];
  y += doubled(&w) * x[2];
  handed_out(&w, &to);
  keep(&to);
  return y + to.a * to.unread[1] + kept(0) + kept(1);
}
static void all_gradient(const double *x, double *g) { __enzyme_autodiff((void *)all, enzyme_dup, x, g); }
static double all_tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)all, enzyme_dup, x, v); }

int main() {
  double x[3] = {0.5, 0.3, 0.8};
  CHECK_DERIVED(all, x);
  return check_done();
}
