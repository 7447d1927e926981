// flags: -std=c++20
/* Pointers to members and to methods, spans, shared objects that lead back by weak pointers, and numbers in std::any. */
#include <any>
#include <memory>
#include <span>
#include <vector>
#include "cpp_check.h"
struct Law { double slope; double curve; double at(double x) const { return slope * x + curve * x * x; } double rate(double x) const { return slope * x; } };
static double by_member(const double *x) {
  Law l{x[0], x[1]};
  double Law::*which[] = {&Law::slope, &Law::curve};
  double (Law::*how[])(double) const = {&Law::at, &Law::rate};
  double s = 0;
  for (int k = 0; k < 4; k++) { l.*which[k % 2] *= x[k]; s += (l.*how[k % 2])(x[(k + 1) % 4]); }
  return s;
}
ADAPTERS(by_member)
static double sum_span(std::span<const double> v) { double s = 0; for (double e : v) s += e * e; return s; }
static double spans(const double *x) {
  std::vector<double> v(x, x + 4);
  std::span<double> s(v);
  for (auto &e : s.subspan(1, 2)) e *= x[0];
  return sum_span(s.first(3)) * sum_span(s.last<2>());
}
ADAPTERS(spans)
struct Node { double v; std::shared_ptr<Node> next; std::weak_ptr<Node> back; };
static double ring(const double *x) {
  auto a = std::make_shared<Node>(), b = std::make_shared<Node>();
  a->v = x[0]; b->v = x[1] * x[2];
  a->next = b; b->back = a;
  double s = 0;
  for (int k = 0; k < 3; k++) if (auto p = b->back.lock()) { p->v *= b->v; s += p->v * p->next->v; }
  a.reset();
  return s + (b->back.expired() ? x[3] * b->v : 100);
}
ADAPTERS(ring)
static double anys(const double *x) {
  std::any a = x[0] * x[1];
  double s = 0;
  for (int k = 0; k < 3; k++) { double *p = std::any_cast<double>(&a); *p *= x[k]; s += *p; if (k == 1) a = s * x[3]; }
  return s + std::any_cast<double>(a);
}
ADAPTERS(anys)
int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4};
  CHECK_BOTH(by_member, x);  CHECK_BOTH(anys, x); CHECK_BOTH(spans, x); CHECK_BOTH(ring, x);
  return check_done();
}
