/* Functions that add up what calls and loops return, each timed by itself: NAME SIZE prints seconds of the primal, of its
 * gradient, the gradient's sum, and how much the gradient added to the most memory that the process ever had. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"

extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

/* Random numbers (xorshift128+), two normal ones at a time, as libraries keep them. */
struct generator {
  uint64_t state[2];
  double spare;
  int has_spare;
};
static double uniform(struct generator *g) {
  uint64_t a = g->state[0], b = g->state[1];
  a ^= a << 23;
  g->state[0] = b, g->state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
  return (double)((g->state[1] + b) >> 11) * 0x1p-53;
}
static double normal(struct generator *g) {
  if (g->has_spare) return g->has_spare = 0, g->spare;
  double u, v, s;
  do {
    u = 2 * uniform(g) - 1, v = 2 * uniform(g) - 1, s = u * u + v * v;
  } while (s >= 1 || s == 0);
  double m = sqrt(-2 * log(s) / s);
  g->spare = v * m, g->has_spare = 1;
  return u * m;
}

/* An option on the mean of 64 days, over `paths` drawn paths. */
static double paths(const double *x, int paths) {
  const int steps = 64;
  struct generator *g = (struct generator *)malloc(sizeof *g);
  double dt = x[4] / steps, drift = (x[1] - 0.5 * x[2] * x[2]) * dt, scale = x[2] * sqrt(dt), sum = 0;
  g->state[0] = 1, g->state[1] = 2, g->has_spare = 0;
  for (int p = 0; p < paths; p++) {
    double at = log(x[0]), mean = 0;
    for (int t = 0; t < steps; t++) {
      at += drift + scale * normal(g);
      mean += exp(at);
    }
    mean /= steps;
    sum += mean > x[3] ? mean - x[3] : 0;
  }
  free(g);
  return exp(-x[1] * x[4]) * sum / paths;
}

/* A determinant by minors. */
static double minor_of(const double *x, int n, int size, int *next) {
  const double *row = x + (n - size) * n;
  int previous = n, column = next[n];
  double result = 0, sign = 1;
  if (size == 1) return row[column];
  for (int i = 0; i < size; i++) {
    next[previous] = next[column];
    result += sign * row[column] * minor_of(x, n, size - 1, next);
    next[previous] = column;
    sign = -sign, previous = column, column = next[column];
  }
  return result;
}
static double determinant(const double *x, int n) {
  int next[32];
  for (int i = 0; i < n; i++) next[i] = i + 1;
  next[n] = 0;
  return minor_of(x, n, n, next);
}

/* An integral by halves, as deep as it needs. */
static double at(const double *x, double t) { return x[0] * exp(-x[1] * t) * sin(x[2] * t * t); }
static double halves(const double *x, double a, double b, double from, double to, double least, int depth) {
  double middle = (a + b) / 2, value = at(x, middle);
  if (!depth || (b - a) * fabs(from - 2 * value + to) < least) return (b - a) * (from + 4 * value + to) / 6;
  return halves(x, a, middle, from, value, least / 2, depth - 1) +
         halves(x, middle, b, value, to, least / 2, depth - 1);
}
static double integral(const double *x, int digits) {
  return halves(x, 0, 8, at(x, 0), at(x, 8), pow(10, -digits), 40);
}

/* The sum over a tree of what its nodes and those under them hold. */
struct node {
  double value;
  struct node *left, *right;
};
static struct node *planted(const double *x, int depth, int number) {
  struct node *made = (struct node *)malloc(sizeof *made);
  made->value = x[number % 100] * depth;
  made->left = depth ? planted(x, depth - 1, 2 * number + 1) : NULL;
  made->right = depth ? planted(x, depth - 1, 2 * number + 2) : NULL;
  return made;
}
static double walked(const struct node *at) {
  return at ? sin(at->value) + 0.5 * walked(at->left) - 0.25 * walked(at->right) * at->value : 0;
}
static void felled(struct node *at) {
  if (at) felled(at->left), felled(at->right), free(at);
}
static double tree(const double *x, int depth) {
  struct node *root = planted(x, depth, 0);
  double sum = walked(root);
  felled(root);
  return sum;
}

#define EACH(do) do(paths) do(determinant) do(integral) do(tree)

int main(int count, char **words) {
  if (count != 3) return 2;
  int size = atoi(words[2]);
  double x[1000], d[1000], primal = 1e30, gradient = 1e30, sum = 0, value = NAN;
  for (int i = 0; i < 1000; i++) x[i] = 1 + 0.3 * sin(i * i);
  if (!strcmp(words[1], "paths")) x[0] = x[3] = 100, x[1] = 0.03, x[2] = 0.2, x[4] = 1;
  long before = 0;
  for (int round = 0; round < 3; round++) {
    double start = now();
#define PRIMAL(f) if (!strcmp(words[1], #f)) value = f(x, size);
    EACH(PRIMAL)
    double middle = now();
    if (!round) before = most();
    memset(d, 0, sizeof d);
    double from = now();
#define GRADIENT(f) if (!strcmp(words[1], #f)) __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, size);
    EACH(GRADIENT)
    double end = now();
    if (value != value) return 3;
    primal = fmin(primal, middle - start);
    gradient = fmin(gradient, end - from);
  }
  for (int i = 0; i < 1000; i++) sum += d[i];
  printf("%.6g %.6g %.17g %ld\n", primal, gradient, sum, (most() - before) * 1024);
  return 0;
}
