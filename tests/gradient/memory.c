/* A program for valgrind: derivatives whose memory is taken and given back on many ways. Prints a sum of gradients. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
#define SOLID __attribute__((noinline))

static double malloc_in_loop(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double *t = malloc((i + 1) * sizeof *t);
    for (int j = 0; j <= i; j++) t[j] = x[j] * x[i];
    for (int j = 0; j <= i; j++) s += t[j] * t[i - j] * s + t[j];
    free(t);
  }
  return s;
}

static double early_return(const double *x, int n) {
  double *t = malloc(n * sizeof *t);
  t[0] = x[0];
  for (int i = 1; i < n; i++) t[i] = x[i] * t[i - 1];
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += t[i] * t[i] + sin(s);
    if (s > 4) {
      s *= t[i];
      free(t);
      return s;
    }
    double *u = malloc(8);
    *u = s * t[i];
    s += *u * *u;
    free(u);
    if (s > 3.5) break;
  }
  free(t);
  return s;
}

static double unknown_trips(const double *x, int n) {
  double s = x[0];
  int k = 0;
  while (s < 1000 && k < 100) {
    double p = 1;
    for (int i = 0; p < s && i < 30; i++) p *= 1 + x[(i + k) % n];
    s = sin(s) + s * x[k % n] + p;
    k++;
  }
  return s;
}

static double never_entered(const double *x, int n) { /* loops whose tapes are never made */
  double s = x[0];
  for (int i = n; i < 0; i++)
    for (int j = 0; s < 3; j++) s = s * x[j] * s;
  if (n < 0)
    for (int i = 0; i < -n; i++) s = exp(s) * x[i];
  return s * s;
}

SOLID static double power(double v, const double *x, int k) {
  double t[4];
  for (int i = 0; i < 4; i++) t[i] = v * x[i] + i;
  if (k <= 0 || v > 50) return t[1] * t[2];
  double *h = malloc(3 * sizeof *h), s = 0;
  for (int i = 0; i < 3; i++) h[i] = t[i] * t[i + 1] * 0.1;
  for (int i = 0; h[i % 3] < 100 && i < 5; i++) s += sin(h[i % 3]) * power(sqrt(h[i % 3]), x, k - 2 - i);
  free(h);
  return s;
}
static double recursion(const double *x, int n) { return power(x[0], x, n / 2); }

static double variable_array(const double *x, int n) {
  double s = 0;
  for (int k = 1; k < n; k++) {
    double t[k];
    t[0] = x[k];
    for (int i = 1; i < k; i++) t[i] = sin(t[i - 1]) * x[i];
    s += t[k - 1] * t[k / 2];
  }
  return s;
}

SOLID static double *table(const double *x, int n, double *sum) {
  double *t = malloc(n * sizeof *t), s = 0;
  for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) s += t[i] * t[n - 1 - i];
  *sum = s;
  return t;
}
static double returned(const double *x, int n) {
  double s, r = 0;
  for (int k = 0; k < 3; k++) {
    double *t = table(x, n, &s);
    for (int i = 0; i < n; i++) t[i] = sin(t[i]) + s;
    r += t[1] * t[2];
    free(t);
  }
  return r;
}

SOLID static double scratch_of(const double *x, int n, double w) { /* split, with blocks of its own */
  double *t = calloc(n, sizeof *t), s = 0;
  int *order = malloc(n * sizeof *order);
  for (int i = 0; i < n; i++) order[i] = (i * 3) % n;
  for (int i = 0; i < n; i++) t[order[i]] += x[i] * w;
  for (int i = 0; i < n; i++) {
    t[i] *= t[i];
    s += t[i] * x[order[i]];
    if (s > 100) break;
  }
  free(order);
  free(t);
  return s;
}
static double split(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < 4; i++) {
    if (s > 30) continue;
    s = scratch_of(x, n, sin(s)) + scratch_of(x + 1, n - 1, s * 0.1);
  }
  return s;
}

static double linked(const double *x, int n) {
  struct Node {
    double v;
    struct Node *next;
  } *head = NULL;
  double s = 0;
  for (int i = 0; i < n; i++) {
    struct Node *made = malloc(sizeof *made);
    made->v = x[i] * x[i];
    made->next = head;
    head = made;
  }
  for (struct Node *at = head; at; at = at->next) s = s * 0.5 + at->v * s + at->v;
  while (head) {
    struct Node *next = head->next;
    free(head);
    head = next;
  }
  return s;
}

static double grown_index(const double *x, int n) {
  int *at = NULL, count = 0;
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (x[i] < 0.55) continue;
    at = realloc(at, (count + 1) * 100 * sizeof *at);
    at[count++] = (i * 5) % n;
    s *= x[at[count / 2 < count ? count / 2 : 0]] + 0.2;
  }
  for (int i = 0; i < count; i++) s += x[at[i]] * s * 0.1;
  free(at);
  return s;
}

#define RUN(f)                                                   \
  do {                                                           \
    double *x = malloc(16 * 8), *dx = calloc(16, 8), s = 0;      \
    for (int i = 0; i < 16; i++) x[i] = 0.5 + 0.05 * (i * 7 % 16); \
    for (int k = 0; k < 2; k++) __enzyme_autodiff((void *)f, x, dx, k ? 16 : 9); \
    for (int i = 0; i < 16; i++) s += dx[i] * (i + 1);           \
    printf(#f " %.12g\n", s);                                    \
    free(x), free(dx);                                           \
  } while (0)

int main(void) {
  RUN(malloc_in_loop);
  RUN(early_return);
  RUN(unknown_trips);
  RUN(never_entered);
  RUN(recursion);
  RUN(variable_array);
  RUN(returned);
  RUN(split);
  RUN(linked);
  RUN(grown_index);
  return 0;
}
