/* Active numbers in deques and lists, put in at both ends and taken out of the middle. */
#include <deque>
#include <forward_list>
#include <list>

#include "cpp_check.h"

static double queued(const double *x) {
  std::deque<double> d;
  for (int i = 0; i < 4; i++) {
    d.push_back(x[i] * x[i]);
    d.push_front(x[i] + 1);
  }
  d.pop_front();
  d[2] *= d.back();
  double sum = 0, factor = 1;
  for (double v : d) sum += v * (factor += 0.5);
  return sum * d.front();
}
ADAPTERS(queued)

static double linked(const double *x) {
  std::list<double> all(x, x + 4);
  all.push_front(x[0] * x[1]);
  auto at = std::next(all.begin(), 2);
  all.insert(at, x[2] * x[3]);
  all.erase(at);
  std::list<double> more{x[1], 2.0};
  all.splice(all.end(), more);
  double sum = 0, factor = 1;
  for (double v : all) sum += v * v * (factor += 0.25);
  std::forward_list<double> single;
  for (int i = 0; i < 3; i++) single.push_front(x[i] * sum);
  for (double v : single) sum += v * v;
  return sum;
}
ADAPTERS(linked)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(queued, x);
  CHECK_BOTH(linked, x);
  return check_done();
}
