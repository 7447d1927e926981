/* Objects with static storage are made before main: in order, by priority, in templates and inline. The
   function differentiated reads what their constructors put there. */
#include "check.h"
#include <string>
#include <vector>

static int order[8], made;
struct Logged {
  explicit Logged(int number) { order[made++] = number; }
};
static std::vector<double> weights{0.3, 0.9, -0.4};
static Logged second(2), third(3);
__attribute__((init_priority(200))) Logged first(1);
template <typename T> struct Holder {
  static std::vector<T> values;
};
template <typename T> std::vector<T> Holder<T>::values{T(1), T(2.5)};
inline std::string text = std::string("shared") + "x";
static double scale;
__attribute__((constructor)) static void begin() { scale = 1.5; }

static double f(const double *x) {
  double s = 0;
  for (size_t i = 0; i < weights.size(); i++) s += weights[i] * x[i] * x[i] * Holder<double>::values[i % 2];
  return s * scale * text.size();
}
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  check_value("first", order[0], 1, 0);
  check_value("second", order[1], 2, 0);
  check_value("third", order[2], 3, 0);
  CHECK_DERIVED(f, x);
  return check_done();
}
