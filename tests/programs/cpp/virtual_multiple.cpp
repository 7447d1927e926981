// Multiple inheritance with thunks, virtual bases, covariant returns, and pointers to members.
#include "check.h"

struct Source {
  double scale;
  explicit Source(double s) : scale(s) {}
  virtual double emit(double t) { return scale * t; }
  virtual Source *self() { return this; }
  virtual ~Source() {}
};
struct Sink {
  double gain;
  explicit Sink(double g) : gain(g) {}
  virtual double take(double v) { return gain + v; }
  virtual ~Sink() {}
};
struct Pipe : Source, Sink {
  double loss;
  Pipe(double s, double g, double l) : Source(s), Sink(g), loss(l) {}
  double emit(double t) override { return scale * t * t - loss; }
  double take(double v) override { return gain * v * loss; }
  Pipe *self() override { return this; }
};
struct Root {
  double r;
  explicit Root(double r) : r(r) {}
  virtual double root(double x) { return r * x; }
  virtual ~Root() {}
};
struct Left : virtual Root {
  explicit Left(double r) : Root(r) {}
  double root(double x) override { return r * x * x; }
};
struct Right : virtual Root {
  double extra;
  explicit Right(double r) : Root(r), extra(r + 1) {}
  virtual double right(double x) { return extra * x + root(x); }
};
struct Both : Left, Right {
  Both(double r, double e) : Root(r), Left(r), Right(r) { extra = e; }
  double right(double x) override { return Right::right(x) * 2; }
};

static NOINLINE double sum(Source *s, Sink *k, double t) { return k->take(s->emit(t)) + s->self()->emit(t + 1); }
static NOINLINE double roots(Root *a, Right *b, double x) { return a->root(x) * b->right(x) + b->root(x); }
static NOINLINE double members(Source *s, double (Source::*m)(double), double t) { return (s->*m)(t) + (s->*m)(2 * t); }

static NOINLINE double all(const double *x) {
  Pipe p(x[0], x[1], x[2]);
  Source s(x[3]);
  Sink k(x[4]);
  Both b(x[1], x[2]);
  Root r(x[3]);
  double y = sum(&p, &p, x[4]) + sum(&s, &p, x[0]) * sum(&p, &k, x[1]) + sum(&s, &k, x[2]);
  y += roots(&r, &b, x[0]) + roots(&b, &b, x[4]);
  return y + members(&p, &Source::emit, x[0]) * members(&s, &Source::emit, x[1]);
}
static double objective(const double *x) { return all(x); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)all, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)all, enzyme_dup, x, v); }

int main() {
  double x[5] = {0.3, -0.7, 1.2, 0.4, 0.9};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
