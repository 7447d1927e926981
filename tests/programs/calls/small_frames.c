/* Functions that keep numbers, integers and pointers on ways that exclude each other, on ways that meet and part again,
 * in front of and behind them; recursions that hand their parameters on, exchange them, use them at their ends alone, by
 * other functions alone, or for what they load; trees that are built, changed, walked and freed; by several lanes. */
#include "check.h"

#define N 16

/* Five ways with different things on each. */
static NOINLINE double ways(double *x, int way, int n) {
  double s = 0;
  switch (way % 5) {
  case 0: {
    double a = x[0] * x[1];
    x[0] = sin(a), s = a * x[2];
    break;
  }
  case 1: {
    double a = x[3], b = x[4];
    x[3] = sin(a * b), x[4] = sin(a - b), s = a * b;
    break;
  }
  case 2: s = exp(0.1 * x[5]) * x[6], x[5] = sin(s), x[6] = cos(x[6] * s); break;
  case 3: s = x[7] * x[8], x[7] = cos(s), x[8] = s * x[7]; break;
  default: s = x[9] * x[9], x[9] = x[10], x[10] = s;
  }
  x[11] = sin(x[11] * s) + 0.1;
  if (n > 0) s += 0.5 * sin(ways(x, way * 7 + n, n - 1) * s);
  return s;
}
static double of_ways(const double *x) {
  double y[N], s = 0;
  for (int i = 0; i < N; i++) y[i] = x[i];
  for (int k = 0; k < 7; k++) s += ways(y, k, k % 4) * (k + 1);
  return s + y[0] + y[3] * y[7] + y[11];
}
/* Ways that meet and part again: of two pairs each call takes one of each. */
static NOINLINE double twice(double *x, int n) {
  double s;
  if (n & 1) s = x[0] * x[1], x[0] = s * x[2];
  else s = x[2] * x[3], x[2] = s * x[0];
  x[4] = sin(s * x[4]);
  if (n & 2) s += x[4] * x[5], x[4] = x[5] * s;
  else s -= x[5] * x[6], x[5] = x[6] * s;
  return n > 0 ? s + 0.3 * twice(x, n - 1) * x[7] : s;
}
static double of_twice(const double *x) {
  double y[N];
  for (int i = 0; i < N; i++) y[i] = x[i];
  return twice(y, 5) + y[0] * y[2] + y[4] * y[5];
}
/* Ways out in between. */
static NOINLINE double leaves(double *x, int n) {
  if (n == 0) return x[0] * x[1];
  x[0] *= x[1];
  if (n % 3 == 2) {
    double s = x[0] * x[2];
    x[2] = s + x[0];
    return s * x[2];
  }
  double t = leaves(x + 1, n - 1);
  x[1] = t * x[0];
  if (t > 0.4) {
    double u = leaves(x + 2, n / 2);
    x[2] += u * t;
    return u * t;
  }
  return t * x[1];
}
static double of_leaves(const double *x) {
  double y[N], s = 0;
  for (int i = 0; i < N; i++) y[i] = x[i];
  for (int k = 0; k < 8; k++) s += leaves(y, k);
  return s + y[1] * y[2];
}
/* Two arrays that change places. */
static NOINLINE double exchanged(double *a, double *b, int n) {
  if (n == 0) return a[0] * b[1];
  a[n % 3] = a[n % 3] * b[(n + 1) % 3] + 0.1;
  return exchanged(b, a, n - 1) + a[0];
}
static double of_exchanged(const double *x) {
  double a[3] = {x[0], x[1], x[2]}, b[3] = {x[3], x[4], x[5]};
  return exchanged(a, b, 6) + a[1] * b[2];
}
struct node {
  double value, weight;
  struct node *left, *right;
};
static NOINLINE struct node *inserted(struct node *at, double v) {
  if (!at) {
    struct node *made = (struct node *)malloc(sizeof *made);
    made->value = v, made->weight = 1, made->left = made->right = NULL;
    return made;
  }
  at->weight = 0.5 * at->weight + v;
  if (v < at->value) at->left = inserted(at->left, v);
  else at->right = inserted(at->right, v);
  return at;
}
static NOINLINE double in_order(const struct node *at, double *last) {
  if (!at) return 0;
  double s = in_order(at->left, last) + at->value * *last * at->weight;
  *last = at->value;
  return s + in_order(at->right, last);
}
static NOINLINE void freed(struct node *at) {
  if (at) freed(at->left), freed(at->right), free(at);
}
static double of_tree(const double *x) {
  struct node *root = NULL;
  for (int i = 0; i < N; i++) root = inserted(root, x[i]);
  double last = 1, s = in_order(root, &last);
  freed(root);
  return s;
}
/* Only the ends use what is handed on; by another function. */
static NOINLINE void at_end(struct node *at, const double *x) { at->value += x[2] * at->weight, at->weight *= x[3]; }
static NOINLINE void marked(struct node *at, const double *x, int way) {
  if (!at->left || !at->right) at_end(at, x);
  else if (way & 1) marked(at->left, x, way >> 1);
  else marked(at->right, x, way >> 1);
}
static NOINLINE double summed(const struct node *at) {
  return at ? at->value * at->weight + 0.5 * summed(at->left) - summed(at->right) : 0;
}
static NOINLINE struct node *grown(const double *x, int depth, int number) {
  struct node *made = (struct node *)malloc(sizeof *made);
  made->value = x[number % N] * depth, made->weight = x[(number + 3) % N];
  made->left = depth ? grown(x, depth - 1, 2 * number + 1) : NULL;
  made->right = depth ? grown(x, depth - 1, 2 * number + 2) : NULL;
  return made;
}
static double of_marks(const double *x) {
  struct node *root = grown(x, 3, 0);
  for (int k = 0; k < 9; k++) marked(root, x, k);
  double s = summed(root);
  freed(root);
  return s;
}
/* A turn of a tree: what is handed on is loaded, and stored elsewhere. */
static NOINLINE struct node *turned(struct node *at, int n) {
  if (n == 0 || !at->left) return at;
  struct node *top = at->left;
  at->left = top->right, top->right = at;
  at->value *= top->weight;
  if (n & 1) top->left = top->left ? turned(top->left, n - 1) : top->left;
  return top;
}
static double of_turns(const double *x) {
  struct node *root = grown(x, 4, 0);
  for (int k = 0; k < 5; k++) root = turned(root, k + 1);
  double s = summed(root);
  freed(root);
  return s;
}
/* Functions that call each other. */
static NOINLINE double odd(struct node *at, double *x, int n);
static NOINLINE double even(struct node *at, double *x, int n) {
  if (!at) return x[0];
  x[n % 4] += at->value * x[(n + 1) % 4];
  return n % 3 ? odd(at->left, x, n + 1) * at->weight : odd(at->right, x, n + 2);
}
static NOINLINE double odd(struct node *at, double *x, int n) {
  if (!at) return x[1] * x[2];
  at->value *= x[n % 4];
  return even(n % 2 ? at->left : at->right, x, n + 1) + at->value;
}
static double of_turns_taken(const double *x) {
  struct node *root = grown(x, 4, 0);
  double y[4] = {x[0], x[1], x[2], x[3]}, s = 0;
  for (int k = 0; k < 4; k++) s += even(root, y, k);
  s += summed(root);
  freed(root);
  return s;
}

DERIVED(of_ways)
DERIVED(of_twice)
DERIVED(of_leaves)
DERIVED(of_exchanged)
DERIVED(of_tree)
DERIVED(of_marks)
DERIVED(of_turns)
DERIVED(of_turns_taken)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.3 * sin(1.7 * i + 0.4);
  CHECK_DERIVED(of_ways, x);
  CHECK_DERIVED(of_twice, x);
  CHECK_DERIVED(of_leaves, x);
  CHECK_DERIVED(of_exchanged, x);
  CHECK_DERIVED(of_tree, x);
  CHECK_DERIVED(of_marks, x);
  CHECK_DERIVED(of_turns, x);
  CHECK_DERIVED(of_turns_taken, x);
  return check_done();
}
