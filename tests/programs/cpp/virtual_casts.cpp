// dynamic_cast: to a derived class, across bases, to a virtual base's sibling, to void *, failing, and by reference.
#include <typeinfo>

#include "cpp_check.h"

struct Node {
  double value;
  explicit Node(double v) : value(v) {}
  virtual double at(double t) const { return value * t; }
  virtual ~Node() {}
};
struct Weighted {
  double weight;
  explicit Weighted(double w) : weight(w) {}
  virtual double weigh() const { return weight * weight; }
  virtual ~Weighted() {}
};
struct Leaf : Node, Weighted {
  double rest;
  Leaf(double v, double w) : Node(v), Weighted(w), rest(v * w) {}
  double at(double t) const override { return rest - value * t; }
};
struct Left : virtual Node {
  double left;
  explicit Left(double v) : Node(v), left(v + 2) {}
};
struct Right : virtual Node {
  double right;
  explicit Right(double v) : Node(v), right(v * v) {}
  virtual double more(double t) const { return right * t * t; }
};
struct Both : Left, Right {
  Both(double v, double w) : Node(v), Left(w), Right(v - w) {}
  double at(double t) const override { return left * t + more(t) * value; }
};

static NOINLINE double use(Node *n, double t) {
  double y = n->at(t);
  if (auto *w = dynamic_cast<Weighted *>(n)) y += w->weigh() * t;
  if (auto *l = dynamic_cast<Leaf *>(n)) l->rest *= 1 + t;
  if (auto *r = dynamic_cast<Right *>(n)) y -= r->more(2 * t) + r->right;
  if (typeid(*n) == typeid(Both)) y *= 3;
  return y + (dynamic_cast<void *>(n) == (void *)n ? n->value : 2 * n->value);
}
static NOINLINE double by_reference(Weighted &w, double t) {
  try {
    return dynamic_cast<Leaf &>(w).rest * t;
  } catch (const std::bad_cast &) {
    return w.weight + t;
  }
}
static double objective(const double *x) {
  Leaf leaf(x[0], x[1]);
  Both both(x[2], x[3]);
  Node plain(x[4]);
  Weighted alone(x[1]);
  Node *all[] = {&leaf, &both, &plain, &leaf};
  double y = 0;
  for (int i = 0; i < 4; i++) y += use(all[i], x[i] * (i + 1));
  return y + by_reference(leaf, x[2]) * by_reference(alone, x[3]);
}
ADAPTERS(objective)

int main(void) {
  double x[] = {0.7, -0.4, 1.2, 0.9, 0.3};
  CHECK_BOTH(objective, x);
  return check_done();
}
