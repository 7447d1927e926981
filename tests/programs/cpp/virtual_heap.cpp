// Objects made and deleted through base pointers, a user's shadow object built by its own constructor, and expression
// trees whose nodes are evaluated by virtual calls.
#include "check.h"

struct Node {
  virtual double eval(const double *x) const = 0;
  virtual ~Node() {}
};
struct Leaf : Node {
  int i;
  explicit Leaf(int i) : i(i) {}
  double eval(const double *x) const override { return x[i]; }
};
struct Constant : Node {
  double c;
  explicit Constant(double c) : c(c) {}
  double eval(const double *) const override { return c; }
};
struct Product : Node {
  Node *a, *b;
  Product(Node *a, Node *b) : a(a), b(b) {}
  ~Product() override { delete a, delete b; }
  double eval(const double *x) const override { return a->eval(x) * b->eval(x); }
};
struct Sum : Node {
  Node *a, *b;
  Sum(Node *a, Node *b) : a(a), b(b) {}
  ~Sum() override { delete a, delete b; }
  double eval(const double *x) const override { return a->eval(x) + b->eval(x); }
};
struct Sine : Node {
  Node *a;
  explicit Sine(Node *a) : a(a) {}
  ~Sine() override { delete a; }
  double eval(const double *x) const override { return sin(a->eval(x)); }
};

static Node *tree() {
  return new Sum(new Product(new Leaf(0), new Sine(new Product(new Leaf(1), new Constant(2.5)))),
                 new Product(new Leaf(2), new Product(new Leaf(2), new Leaf(0))));
}
static NOINLINE double evaluate(const Node *root, const double *x) { return root->eval(x); }
static NOINLINE double inside(const double *x) {
  Node *root = new Product(tree(), new Sum(new Leaf(1), new Constant(x[0])));
  double r = root->eval(x);
  delete root;
  return r;
}

struct Model {
  double w, b;
  Model(double w, double b) : w(w), b(b) {}
  virtual double predict(double x) const { return w * x + b; }
  virtual ~Model() {}
};
struct Squared : Model {
  double q;
  Squared(double w, double b, double q) : Model(w, b), q(q) {}
  double predict(double x) const override { return Model::predict(x) + q * x * x; }
};
static NOINLINE double loss(const Model *m, const double *x) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += (m->predict(x[i]) - i) * (m->predict(x[i]) - i);
  return s;
}

static double fixed_tree(const double *x) {
  Node *root = tree();
  double r = evaluate(root, x);
  delete root;
  return r;
}
static double made(const double *x) { return inside(x); }
static double fitted(const double *x) {
  Squared m(x[0], x[1], x[2]);
  double at[3] = {0.4, 1.3, -0.6};
  return loss(&m, at);
}

static void reverse_tree(const double *x, double *g) {
  Node *root = tree();
  __enzyme_autodiff((void *)evaluate, enzyme_const, root, enzyme_dup, x, g);
  delete root;
}
static double forward_tree(const double *x, const double *v) {
  Node *root = tree();
  double r = __enzyme_fwddiff((void *)evaluate, enzyme_const, root, enzyme_dup, x, v);
  delete root;
  return r;
}
static void reverse_made(const double *x, double *g) { __enzyme_autodiff((void *)inside, enzyme_dup, x, g); }
static double forward_made(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)inside, enzyme_dup, x, v);
}
static void reverse_fit(const double *x, double *g) {
  double at[3] = {0.4, 1.3, -0.6};
  Model *m = new Squared(x[0], x[1], x[2]);
  Squared *d = new Squared(0, 0, 0);
  __enzyme_autodiff((void *)loss, enzyme_dup, m, d, enzyme_const, at);
  g[0] += d->w, g[1] += d->b, g[2] += d->q;
  delete m;
  delete d;
}
static double forward_fit(const double *x, const double *v) {
  double at[3] = {0.4, 1.3, -0.6};
  Squared m(x[0], x[1], x[2]), d(v[0], v[1], v[2]);
  return __enzyme_fwddiff((void *)loss, enzyme_dup, &m, &d, enzyme_const, at);
}

int main() {
  double x[3] = {0.3, -0.7, 1.2};
  CHECK(fixed_tree, reverse_tree, forward_tree, x);
  CHECK(made, reverse_made, forward_made, x);
  CHECK(fitted, reverse_fit, forward_fit, x);
  return check_done();
}
