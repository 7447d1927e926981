/* Tapes that do not fit on a thread's stack: of several widths, with as many entries as each thread needs. */
#include "gpu.h"

/* as many steps as the thread likes, known in front; doubles, floats, whole numbers and decisions are kept */
static void widths(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double at = x[i], slow = 0.1;
  float other = y[i];
  int place = i, steps = i % 3 ? 300 + i % 7 : 20 * (i % 5);
  for (int k = 0; k < steps; k++) {
    at = 0.2 * __nv_sin(at * slow) + (x[place] > 1 ? 1.4 : 0.6);
    if (at > 1) at = 0.5 * at * at + 0.001 * x[place];
    other = other * 0.875f + 0.125f * __nv_sinf(other) * (float)at;
    slow = slow * at * 0.5 + 0.05;
    place = (place * 5 + (at > 0.9) + k) % n;
  }
  y[i] = at + other * slow;
}
DERIVED(widths)

/* the same until it has come far enough: nobody knows when */
static void distance(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double at = x[i], by = y[i], way = 0, stop = i % 4 ? 30 + i : 0.5;
  int place = i;
  while (way < stop) {
    at = 0.2 * __nv_sin(at * by) + (x[place % n] > 1 ? 1.3 : 0.7);
    if (at < 1) by = 0.9 * by + 0.1 * at * at;
    else by += 0.001 * by * at;
    way += 0.2;
    place += 1 + (at > 1);
  }
  y[i] = at * by;
}
DERIVED(distance)

/* loops in a loop, each of a length of its own, and threads that leave early */
static void nested(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double sum = y[i], at = x[i];
  for (int k = 0; k < 9 + i % 5; k++) {
    if (i % 6 == 5 && k == 4) break;
    for (int j = 0; j < 15 + (i + k) % 4; j++) {
      at = at * (1.2 - 0.3 * at) + 0.01 * x[(i + j) % n];
      sum += at * sum * 0.001;
    }
    double small = at;
    while (small > 0.3) small = small * (0.9 - 0.01 * at);
    sum += small * at;
  }
  y[i] = sum;
}
DERIVED(nested)

/* in a function that is called, once for some threads and several times for others */
static NOINLINE double walk(const double *x, double at, int steps, int n) {
  double sum = 0;
  for (int k = 0; k < steps; k++) {
    at = at * (1.3 - 0.3 * at) * x[k % n];
    sum += at > 0.8 ? at * at : 0.5 * at;
  }
  while (at * at > 0.1) at *= 0.97 - 0.01 * sum / steps;
  return sum * at;
}
static void walks(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double sum = walk(x, x[i], 40 + i, n);
  for (int k = 0; k < i % 3; k++) sum = sum * 0.1 + walk(x, y[i] + 0.01 * sum, 170 - 10 * k, n);
  y[i] = sum;
}
DERIVED(walks)
