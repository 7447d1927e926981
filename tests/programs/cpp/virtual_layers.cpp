// Classes with different members behind one base, held by unique_ptr in a vector: arrays of arrays here, another layer
// there, a lambda's captures elsewhere; vectors go through their virtual methods by value.
// heavy: the library's containers and functions are much code
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "cpp_check.h"

using Values = std::vector<double>;
struct Layer {
  virtual ~Layer() = default;
  virtual Values run(Values in) = 0;
  virtual double penalty() const { return 0; }
};
struct Dense : Layer {
  std::vector<Values> rows;
  Dense(const double *p, int in, int out) {
    for (int i = 0; i < out; i++) rows.emplace_back(p + i * in, p + (i + 1) * in);
  }
  Values run(Values in) override {
    Values out;
    for (auto &row : rows) {
      double sum = 0;
      for (size_t k = 0; k < row.size(); k++) sum += row[k] * in[k];
      out.push_back(sum);
    }
    return out;
  }
  double penalty() const override {
    double sum = 0;
    for (auto &row : rows)
      for (double each : row) sum += each * each;
    return sum;
  }
};
template <typename F>
struct Each : Layer {
  F function;
  double last = 0;
  explicit Each(F f) : function(f) {}
  Values run(Values in) override {
    for (double &each : in) last += each = function(each);
    return in;
  }
  double penalty() const override { return 0.1 * last * last; }
};
template <typename F>
static std::unique_ptr<Layer> each(F f) {
  return std::make_unique<Each<F>>(f);
}
struct Skip : Layer {
  std::unique_ptr<Layer> inner;
  explicit Skip(std::unique_ptr<Layer> i) : inner(std::move(i)) {}
  Values run(Values in) override {
    Values out = inner->run(in);
    for (size_t i = 0; i < out.size(); i++) out[i] += in[i];
    return out;
  }
  double penalty() const override { return 2 * inner->penalty(); }
};

static double objective(const double *x) {
  std::vector<std::unique_ptr<Layer>> net;
  const double steep = x[0];
  net.push_back(std::make_unique<Dense>(x, 3, 2));
  net.push_back(each([](double v) { return v > 0 ? v : 0.1 * v; }));
  net.push_back(std::make_unique<Skip>(std::make_unique<Dense>(x + 6, 2, 2)));
  net.push_back(each([steep](double v) { return std::tanh(v * steep); }));
  double y = 0;
  for (int k = 0; k < 3; k++) {
    Values v{0.2 * k, 1.0, -0.5};
    for (auto &layer : net) v = layer->run(std::move(v));
    y += v[0] * v[1];
  }
  for (auto it = net.rbegin(); it != net.rend(); ++it) y += 0.05 * (*it)->penalty();
  return y;
}
ADAPTERS(objective)

int main(void) {
  double x[10];
  for (int i = 0; i < 10; i++) x[i] = std::sin(2.9 * i + 1);
  CHECK_BOTH(objective, x);
  return check_done();
}
