/* A small network: layers with virtual methods in a vector, weights in vectors of vectors, a loss. */
#include <cmath>
#include <memory>
#include <vector>

#include "cpp_check.h"

using Row = std::vector<double>;

struct Layer {
  virtual ~Layer() = default;
  virtual Row apply(const Row &in) const = 0;
};
struct Dense : Layer {
  std::vector<Row> weights;
  Row bias;
  Dense(const double *&p, int in, int out) : weights(out, Row(in)), bias(out) {
    for (auto &row : weights)
      for (double &w : row) w = *p++;
    for (double &b : bias) b = *p++;
  }
  Row apply(const Row &in) const override {
    Row out = bias;
    for (size_t i = 0; i < out.size(); i++)
      for (size_t j = 0; j < in.size(); j++) out[i] += weights[i][j] * in[j];
    return out;
  }
};
struct Tanh : Layer {
  Row apply(const Row &in) const override {
    Row out;
    out.reserve(in.size());
    for (double v : in) out.push_back(std::tanh(v));
    return out;
  }
};

static double loss(const double *p) {
  std::vector<std::unique_ptr<Layer>> net;
  net.push_back(std::make_unique<Dense>(p, 2, 3));
  net.push_back(std::make_unique<Tanh>());
  net.push_back(std::make_unique<Dense>(p, 3, 1));
  const double inputs[][2] = {{0.1, 0.9}, {-0.4, 0.3}, {1.0, -1.0}};
  const double targets[] = {0.2, -0.3, 0.8};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    Row at(inputs[i], inputs[i] + 2);
    for (const auto &layer : net) at = layer->apply(at);
    sum += (at[0] - targets[i]) * (at[0] - targets[i]);
  }
  return sum;
}
ADAPTERS(loss)

int main(void) {
  double p[13];
  for (int i = 0; i < 13; i++) p[i] = std::sin(1.3 * i + 0.2);
  CHECK_BOTH(loss, p);
  return check_done();
}
