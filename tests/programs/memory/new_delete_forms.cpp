/* Every form of new and delete: plain, array, nothrow, aligned, sized by destructors, in other functions. */
#include "check.h"
#include <new>

struct alignas(64) wide {
  double v[8];
};
struct node {
  double value;
  node *next;
  node(double v, node *n) : value(v), next(n) {}
  ~node() { delete next; }
};
struct owner {
  double *data;
  int n;
  explicit owner(int size) : data(new double[size]()), n(size) {}
  owner(const owner &o) : data(new double[o.n]), n(o.n) {
    for (int i = 0; i < n; i++) data[i] = o.data[i];
  }
  owner &operator=(const owner &) = delete;
  NOINLINE ~owner() { delete[] data; }
};
static NOINLINE node *build(const double *x, int n) {
  node *head = nullptr;
  for (int i = 0; i < n; i++) head = new node(x[i] * (head ? head->value + 1 : 1), head);
  return head;
}
static NOINLINE void destroy(node *head) { delete head; }
static NOINLINE double total(const owner &o) {
  double s = 0;
  for (int i = 0; i < o.n; i++) s += o.data[i] * o.data[(i + 1) % o.n];
  return s;
}

static double forms(const double *x) {
  double *one = new double(x[0] * x[1]);
  double *some = new (std::nothrow) double[3]{x[0], x[1] * x[1], x[2]};
  wide *w = new wide(), *ws = new wide[2]();
  for (int i = 0; i < 8; i++) w->v[i] = x[i % 3] * i, ws[1].v[i] = w->v[i] * some[i % 3];
  double s = *one;
  for (int i = 0; i < 8; i++) s += w->v[i] * ws[1].v[7 - i] + ws[0].v[i];
  delete one;
  delete[] some;
  delete w;
  delete[] ws;
  node *list = build(x, 3);
  for (node *p = list; p; p = p->next) s += p->value * p->value;
  destroy(list);
  owner o(4);
  for (int i = 0; i < 4; i++) o.data[i] = x[i % 3] + s * 0.01;
  owner copy(o);
  copy.data[0] *= x[2];
  return s * total(copy) + total(o);
}

static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)forms, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)forms, enzyme_dup, x, v); }

int main() {
  double x[3] = {0.6, -0.45, 0.8};
  for (int i = 0; i < 2; i++) CHECK(forms, gradient, tangent, x);
  return check_done();
}
