/* Virtual calls, abstract bases, overriding, virtual destructors, objects made by new. */
#include <memory>
#include <vector>

#include "cpp_check.h"

struct Layer {
  virtual ~Layer() {}
  virtual double forward(double v) const = 0;
  virtual int order() const { return 1; }
};

struct Scale : Layer {
  double factor;
  explicit Scale(double f) : factor(f) {}
  double forward(double v) const override { return v * factor; }
};

struct Square : Layer {
  double offset;
  explicit Square(double o) : offset(o) {}
  double forward(double v) const override { return v * v + offset; }
  int order() const override { return 2; }
};

static double owned(const double *x) {
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::make_unique<Scale>(x[1]));
  layers.push_back(std::make_unique<Square>(x[2]));
  layers.push_back(std::make_unique<Scale>(x[0] * x[2]));
  double value = x[0];
  for (const auto &layer : layers) value = layer->forward(value) * layer->order();
  return value;
}
ADAPTERS(owned)

static NOINLINE double run(const Layer &layer, double v) { return layer.forward(v) + layer.order(); }

static double referred(const double *x) {
  Scale scale(x[1]);
  Square square(x[2]);
  return run(scale, x[0]) * run(square, x[0]);
}
ADAPTERS(referred)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(owned, x);
  CHECK_BOTH(referred, x);
  return check_done();
}
