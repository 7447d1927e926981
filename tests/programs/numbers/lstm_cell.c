/* An LSTM layer over a short sequence, state updated in place, gates from one weight array. */
#include "check.h"

#define H 2
#define T 4

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static void cell(const double *w, const double *b, double *hidden, double *state, const double *input, int h) {
  double gates[4 * H];
  for (int i = 0; i < h; i++) {
    gates[i] = sigmoid(input[i] * w[i] + b[i]);
    gates[h + i] = sigmoid(hidden[i] * w[h + i] + b[h + i]);
    gates[2 * h + i] = sigmoid(input[i] * w[2 * h + i] + b[2 * h + i]);
    gates[3 * h + i] = tanh(hidden[i] * w[3 * h + i] + b[3 * h + i]);
  }
  for (int i = 0; i < h; i++) state[i] = state[i] * gates[i] + gates[h + i] * gates[3 * h + i];
  for (int i = 0; i < h; i++) hidden[i] = gates[2 * h + i] * tanh(state[i]);
}

static double loss(const double *w, const double *b, const double *start, const double *sequence, int h, int t) {
  double hidden[H], state[H], total = 0;
  memcpy(hidden, start, h * sizeof(double));
  memset(state, 0, sizeof state);
  for (int k = 0; k + 1 < t; k++) {
    cell(w, b, hidden, state, sequence + k * h, h);
    double s = 0;
    for (int i = 0; i < h; i++) s += exp(hidden[i]);
    for (int i = 0; i < h; i++) total += sequence[(k + 1) * h + i] * (hidden[i] - log(s));
  }
  return -total / (t * h);
}

static const double sequence[T * H] = {0.1, 0.9, 0.4, -0.3, 0.8, 0.5, -0.6, 0.2};
static double objective(const double *x) { return loss(x, x + 4 * H, x + 8 * H, sequence, H, T); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)loss, enzyme_dup, x, g, enzyme_dup, x + 4 * H, g + 4 * H, enzyme_dup, x + 8 * H, g + 8 * H,
                    enzyme_const, sequence, H, T);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)loss, enzyme_dup, x, v, enzyme_dup, x + 4 * H, v + 4 * H, enzyme_dup, x + 8 * H,
                          v + 8 * H, enzyme_const, sequence, H, T);
}

int main(void) {
  double x[9 * H];
  for (int i = 0; i < 9 * H; i++) x[i] = sin(1.1 * i + 0.4);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
