/* Pointers in structs in arrays behind pointers: a graph of neurons whose edges point at each other's cells. */
#include "check.h"

struct neuron;
struct edge {
  struct neuron *from;
  double weight;
};
struct neuron {
  double value, sum;
  int edges;
  struct edge *in;
};
static NOINLINE void fire(struct neuron *n) {
  n->sum = 0;
  for (int i = 0; i < n->edges; i++) n->sum += n->in[i].weight * n->in[i].from->value;
  n->value = tanh(n->sum);
}
static double net(const double *x) {
  struct neuron layer[3][2];
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < 2; i++) {
      struct neuron *n = &layer[l][i];
      n->value = x[i] * (i + 1);
      n->edges = l ? 2 : 0;
      n->in = l ? malloc(2 * sizeof(struct edge)) : 0;
      for (int k = 0; k < n->edges; k++) n->in[k] = (struct edge){&layer[l - 1][k], x[(l + k) % 4] + 0.1 * i};
    }
  double s = 0;
  for (int t = 0; t < 2; t++) {
    for (int l = 1; l < 3; l++)
      for (int i = 0; i < 2; i++) fire(&layer[l][i]);
    layer[2][0].in[0].weight *= layer[2][1].value;
    layer[1][0].in[1].from = &layer[0][0];
    s += layer[2][0].value + layer[2][1].sum;
  }
  for (int l = 1; l < 3; l++)
    for (int i = 0; i < 2; i++) free(layer[l][i].in);
  return s;
}
DERIVED(net)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(net, x);
  return check_done();
}
