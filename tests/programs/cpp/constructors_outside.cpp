// Classes whose constructors and destructors are defined outside of them: the base object's and the complete object's
// are one function with two names, but for classes with virtual bases.
#include "check.h"
#include <memory>

class Held {
  struct Inside;
  std::unique_ptr<Inside> inside;

public:
  explicit Held(double a);
  Held(const Held &other);
  ~Held();
  Held &scale(double s);
  double at(double t) const;
};
struct Held::Inside {
  double a, s = 1;
  double known[2];
  int count = 0;
};
Held::Held(double a) : inside(new Inside{a, 1, {}, 0}) {}
Held::Held(const Held &other) : inside(new Inside(*other.inside)) {}
Held::~Held() = default;
Held &Held::scale(double s) {
  inside->s *= s;
  return *this;
}
double Held::at(double t) const {
  if (!inside->count) inside->known[inside->count++] = inside->a * inside->s;
  return inside->known[0] * t * t;
}

struct Base {
  double b;
  explicit Base(double b);
  virtual double value(double t) const;
  virtual ~Base();
};
Base::Base(double b) : b(b * b) {}
double Base::value(double t) const { return b * t; }
Base::~Base() {}
struct Middle : virtual Base {
  double m;
  explicit Middle(double m);
  ~Middle() override;
};
Middle::Middle(double m) : Base(2 * m), m(m) {}
Middle::~Middle() { m = 0; }
struct Most final : Middle {
  Held held;
  Most(double a, double b);
  double value(double t) const override;
  ~Most() override;
};
Most::Most(double a, double b) : Base(a), Middle(b), held(a * b) {}
double Most::value(double t) const { return held.at(t) * m + b; }
Most::~Most() {}

static double all(const double *x) {
  Held held(x[0]), copy(held);
  held.scale(x[1]).scale(2);
  double y = held.at(x[2]) + copy.at(x[1]) + held.scale(5).at(x[0]);
  std::unique_ptr<Base> made[] = {std::make_unique<Base>(x[1]), std::make_unique<Middle>(x[2]),
                                  std::make_unique<Most>(x[0], x[2])};
  for (const auto &each : made) y += each->value(y * x[1]);
  return y;
}
static void all_gradient(const double *x, double *g) { __enzyme_autodiff((void *)all, enzyme_dup, x, g); }
static double all_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)all, enzyme_dup, x, v);
}

int main() {
  double x[3] = {0.5, 0.3, 0.8};
  CHECK_DERIVED(all, x);
  return check_done();
}
