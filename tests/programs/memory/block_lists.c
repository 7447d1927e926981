/* Small blocks of every size that the derivative has from lists, and what comes from elsewhere or goes there. */
#define _GNU_SOURCE
#include "check.h"

static int round_of_calls;

/* Blocks of one byte to 140 KB, each full to its last byte, and alive until the end. */
static size_t bytes_of(int i) { return (1 + (size_t)i * (1 + round_of_calls % 28)) << round_of_calls % 8; }
static double sizes(const double *x) {
  double sum = 0, *blocks[40];
  for (int i = 0; i < 40; i++) {
    size_t bytes = bytes_of(i), count = bytes / sizeof(double), step = 1 + count / 20;
    char *block = (char *)malloc(bytes);
    memset(block, 0x7f, bytes);
    blocks[i] = (double *)block;
    for (size_t k = 0; k < count; k += step) blocks[i][k] = x[(i + k) % 4] * (k / step + 1);
    if (count) blocks[i][count - 1] = x[i % 4];
  }
  for (int i = 0; i < 40; i++) {
    size_t bytes = bytes_of(i), count = bytes / sizeof(double), step = 1 + count / 20;
    for (size_t k = 0; k < count; k += step) sum += blocks[i][k] * blocks[i][k] * 0.01;
    if (count) sum += sin(blocks[i][count - 1]);
    for (size_t k = count * sizeof(double); k < bytes; k++) sum += ((char *)blocks[i])[k] == 0x7f ? 0 : 1e6;
  }
  for (int i = 0; i < 40; i++) free(blocks[i * 7 % 40]);
  return sum * 1e-2;
}
/* Cleared blocks are clear, though there was something else in them before. */
static NOINLINE double cleared(const double *x, int n, int depth) {
  double *a = (double *)calloc(n, sizeof(double)), *b = (double *)malloc(n * sizeof(double)), sum = 0;
  for (int i = 0; i < n; i += 3) a[i] = x[i % 4] * x[(i + 1) % 4];
  for (int i = 0; i < n; i++) b[i] = a[i] + 1e30 * (a[i] == 0 && i % 3 == 0), sum += b[i] * a[i] * (i + 1);
  if (depth > 0) sum += cleared(b, n, depth - 1) * 1e-3 + cleared(x, n + 1, depth - 1);
  free(b), free(a);
  return sum;
}
static double zeros(const double *x) { return cleared(x, (4 + round_of_calls % 9) << round_of_calls % 4, 3); }

/* A list whose nodes are made in one function, changed in another and freed in a third. */
struct node { double value; struct node *next; char text[40]; };
static NOINLINE struct node *push(struct node *head, double value, int kind) {
  struct node *made;
  if (kind == 0) made = (struct node *)malloc(sizeof *made);
  else if (kind == 1) made = (struct node *)calloc(1, sizeof *made);
  else if (kind == 2) made = (struct node *)aligned_alloc(32, (sizeof *made + 31) / 32 * 32);
  else made = (struct node *)realloc(malloc(8), sizeof *made);
  made->value = value, made->next = head;
  strcpy(made->text, "a text of some length");
  return made;
}
static NOINLINE void drop_every_third(struct node **head) {
  int i = 0;
  for (struct node **at = head; *at; i++)
    if (i % 3 == 0) {
      struct node *gone = *at;
      *at = gone->next;
      gone->value = -1e9, free(gone);
    } else at = &(*at)->next;
}
static double nodes(const double *x) {
  struct node *head = 0;
  double sum = 0;
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < 20; i++) head = push(head, x[i % 4] * (i + k) + sum * 1e-3, (i + k) % 4);
    drop_every_third(&head);
    for (struct node *p = head; p; p = p->next) sum += sin(p->value) * p->value + (p->text[0] - 'a');
  }
  while (head) {
    struct node *next = head->next;
    free(head), head = next;
  }
  free(head);
  return sum;
}
/* Blocks from outside are freed inside, and blocks from inside are freed outside. */
static NOINLINE double exchange(double *given, const double *x, double **back) {
  double sum = 0;
  *back = (double *)malloc(6 * sizeof(double));
  for (int i = 0; i < 6; i++) (*back)[i] = given[i % 3] * x[i % 4], sum += (*back)[i] * (*back)[i];
  free(given);
  return sum;
}
static double exchanged(const double *x) {
  double sum = 0, *back;
  for (int i = 0; i < 30; i++) {
    double *given = (double *)malloc((3 + i % 5) * sizeof(double));
    for (int k = 0; k < 3; k++) given[k] = x[k] + i;
    sum += exchange(given, x, &back) * 1e-3;
    sum += back[5];
    free(back);
  }
  return sum;
}
/* So many at once that the lists are full. */
static double many(const double *x) {
  enum { COUNT_OF = 3000 };
  double **all = (double **)malloc(COUNT_OF * sizeof *all), sum = 0;
  for (int i = 0; i < COUNT_OF; i++) {
    all[i] = (double *)malloc(8 * (1 + i % 100));
    all[i][0] = x[i % 4] * (i % 10), all[i][i % 100] = i % 100 ? x[(i + 1) % 4] : all[i][0];
  }
  for (int i = 0; i < COUNT_OF; i++) sum += all[i][0] * all[(i * 7) % COUNT_OF][0] + all[i][i % 100];
  for (int i = 0; i < COUNT_OF; i++) free(all[i]);
  free(all);
  return sum * 1e-3;
}
/* Virtual calls and a recursion, each with a frame of its own. */
struct shape { double (*area)(const struct shape *, double); double a, b; };
static double disc(const struct shape *s, double t) { return s->a * s->a * cos(t); }
static double box(const struct shape *s, double t) { return s->a * s->b * sin(t * s->a); }
static NOINLINE double walk(const struct shape *s, int n, double t) {
  if (n == 0) return t;
  double half = walk(s, n / 2, t * 0.9), own = s[n - 1].area(&s[n - 1], half);
  return walk(s, n - n / 2 - 1, own * half) + own;
}
static double shapes(const double *x) {
  struct shape all[12];
  for (int i = 0; i < 12; i++) all[i] = (struct shape){i % 3 ? box : disc, x[i % 4], x[(i + 1) % 4] + 0.1 * i};
  return walk(all, 12, 0.7);
}
DERIVED(sizes)
DERIVED(zeros)
DERIVED(nodes)
DERIVED(exchanged)
DERIVED(many)
DERIVED(shapes)

int main(void) {
  double x[4] = {0.6, -0.8, 1.1, 0.3};
  for (round_of_calls = 0; round_of_calls < 30; round_of_calls += round_of_calls < 6 ? 1 : 5) {
    CHECK_DERIVED(sizes, x);
    CHECK_DERIVED(zeros, x);
    CHECK_DERIVED(shapes, x);
    if (round_of_calls % 2) continue;
    CHECK_DERIVED(nodes, x);
    CHECK_DERIVED(exchanged, x);
    CHECK_DERIVED(many, x);
  }
  return check_done();
}
