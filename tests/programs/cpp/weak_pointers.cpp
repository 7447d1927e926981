/* weak_ptr: the counts that lock, expired and shared_from_this look at are integers, whatever lies beside them. */
#include <memory>

#include "cpp_check.h"

struct Body : std::enable_shared_from_this<Body> {
  double mass, speed;
  std::weak_ptr<Body> other;
  Body(double mass, double speed) : mass(mass), speed(speed) {}
  double energy() const {
    double sum = 0.5 * mass * speed * speed;
    if (auto there = other.lock()) sum += there->mass * mass * (there->speed - speed);
    return sum;
  }
};

static double energies(const double *x) {
  auto a = std::make_shared<Body>(x[0], x[1]), b = std::make_shared<Body>(x[2], 1.5 * x[0]);
  a->other = b;
  b->other = a->shared_from_this();
  double sum = a->energy() + b->energy() * a.use_count();
  std::weak_ptr<Body> gone = b;
  b.reset();
  return gone.expired() ? sum * a->energy() : 0;
}
ADAPTERS(energies)

int main(void) {
  const double x[] = {0.7, 1.2, 0.4};
  CHECK_BOTH(energies, x);
  return check_done();
}
