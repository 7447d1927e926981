"""C that every fuzz program begins with: declarations, types, and small functions that generated code calls."""

from __future__ import annotations

PRELUDE = """\
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
extern double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
struct two { double a, b; };
extern struct two __enzyme_autodiff_two(void *, ...);
extern struct two __enzyme_fwddiff_two(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_width;

struct pack { int tag, k; double a; double b[8]; };
struct inner { float s; int id; double v[3]; };
struct outer { struct inner in; double z; struct inner *to; char tag; struct inner row[2]; };
struct node { double v; int id; struct node *next; };
struct tree { double v; struct tree *l, *r; };
struct grow { double *data; int n, room; };
union both { double d; uint64_t u; };
union pair_or_array { struct two t; double d[2]; uint64_t u[2]; };
struct carry { uintptr_t at; double w; int n; };
struct mixed { double a; int tag; float f; struct two t; char name[5]; short s; };
struct view { double *at; int n; double w; };
struct weight { double *at; double w; };
struct context { double *a; double w, sum; int n; };
typedef double (*scalar_fn)(double);
struct operation { scalar_fn f; double w; };
typedef uint64_t packed_float;
typedef struct two packed_double;

static const double table[8] = {0.5, -0.25, 0.75, 1.0, -0.5, 0.125, 0.9, -0.8};
static double squash(double v) { return v / (1.0 + v * v); }
static double total(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * (1 + 0.1 * i);
  return s;
}

static struct node *push(struct node *next, double v, int id) {
  struct node *p = malloc(sizeof *p);
  p->v = v;
  p->id = id;
  p->next = next;
  return p;
}
static struct node *insert(struct node *head, double v, int id) {
  struct node **at = &head;
  while (*at && (*at)->v < v) at = &(*at)->next;
  *at = push(*at, v, id);
  return head;
}
static NOINLINE struct node *reversed(struct node *p) {
  struct node *done = 0;
  while (p) {
    struct node *next = p->next;
    p->next = done;
    done = p;
    p = next;
  }
  return done;
}
static NOINLINE double walk(const struct node *p, double s) {
  return p ? walk(p->next, 0.8 * s + p->v * (1 + 0.1 * p->id)) : s;
}
static NOINLINE double drain(struct node *p) {
  double s = 0.1;
  while (p) {
    struct node *next = p->next;
    s = 0.7 * s + sin(p->v);
    free(p);
    p = next;
  }
  return s;
}
static NOINLINE struct tree *plant(double v, int depth) {
  if (depth <= 0) return 0;
  struct tree *t = calloc(1, sizeof *t);
  t->v = v;
  t->l = plant(0.9 * v, depth - 1);
  t->r = plant(sin(v), depth - 1 - depth % 2);
  return t;
}
static NOINLINE double fold(struct tree *t, double s) {
  if (!t) return s;
  double l = fold(t->l, 0.5 * s);
  t->v = 0.5 * t->v + 0.1 * l;
  return squash(fold(t->r, t->v) + l);
}
static NOINLINE void fell(struct tree *t) {
  if (!t) return;
  fell(t->l);
  fell(t->r);
  free(t);
}
static void grow(struct grow *g, double v) {
  if (g->n == g->room) {
    g->room = g->room ? 2 * g->room : 1;
    g->data = realloc(g->data, g->room * sizeof *g->data);
  }
  g->data[g->n++] = v;
}
static NOINLINE struct inner mix(struct inner a, double s) {
  for (int i = 0; i < 3; i++) a.v[i] = 0.6 * a.v[i] + 0.3 * s * a.v[(i + a.id) % 3];
  a.id++;
  return a;
}
static NOINLINE void stir(struct inner *a, const struct inner *b, double s) {
  for (int i = 0; i < 3; i++) a->v[i] = 0.5 * a->v[i] + 0.4 * s * b->v[2 - i];
}
static NOINLINE struct two turn(struct two p, double s) {
  struct two q = {0.6 * p.a - 0.4 * p.b * s, 0.4 * p.a * s + 0.6 * p.b};
  return q;
}
static NOINLINE double *choose(double *a, double *b, int which) { return which ? a : b; }
static double op_sin(double v) { return sin(v); }
static double op_cube(double v) { return 0.25 * v * v * v; }
static double op_flat(double v) { return 0.5 + 0.1 * v; }
static const scalar_fn ops[4] = {op_sin, op_cube, op_flat, squash};
static NOINLINE void each(double *a, int n, scalar_fn op) {
  for (int i = 0; i < n; i++) a[i] = 0.5 * a[i] + 0.5 * op(a[i]);
}
static double board[8];
static double *current;
static NOINLINE void board_put(int i, double v) { board[i] = 0.5 * board[i] + v; }
static NOINLINE double board_sum(int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += board[i] * board[(i + 1) % n];
  return s;
}
static NOINLINE void current_scale(int n, double v) {
  for (int i = 0; i < n; i++) current[i] = 0.5 * current[i] + 0.3 * v * current[(i + 2) % n];
}
static NOINLINE void repeat(int n, void (*each)(int, void *), void *context) {
  for (int i = 0; i < n; i++) each(i, context);
}
static void context_scale(int i, void *context) {
  struct context *c = (struct context *)context;
  c->a[i] = 0.5 * c->a[i] + 0.3 * c->w;
  c->w = sin(c->w + c->a[c->n - 1 - i]);
}
static void context_sum(int i, void *context) {
  struct context *c = (struct context *)context;
  c->sum = 0.7 * c->sum + c->w * c->a[i];
}
static NOINLINE struct view view_of(double *a, int n, double w) {
  struct view v = {a, n, sin(w)};
  return v;
}
static NOINLINE struct weight weighted(double *a, double w) {
  struct weight v = {a, 0.8 * w};
  return v;
}
static int by_value(const void *a, const void *b) {
  double l = *(const double *)a, r = *(const double *)b;
  return (l > r) - (l < r);
}
static int by_node(const void *a, const void *b) {
  const struct node *l = (const struct node *)a, *r = (const struct node *)b;
  return (l->v > r->v) - (l->v < r->v);
}
static NOINLINE double first_above(const double *a, int n, double limit) {
  double s = 0.2;
  for (int i = 0; i < n; i++) {
    s = 0.6 * s + a[i] * a[i];
    if (a[i] > limit) return sin(s) * a[i];
    int k = 0;
    do {
      s *= 0.9;
      if (s > 1.7) return s;
    } while (++k < i);
  }
  return s;
}
static NOINLINE double quadratic(int n, const double *m, const double *a) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s += m[i * n + j] * a[i] * a[j];
  return s;
}
static NOINLINE double _Complex turned(double _Complex z, double v) {
  return 0.5 * z * __builtin_complex(cos(v), sin(v)) + 0.1 * v;
}
static NOINLINE packed_float join_float(float a, float b) {
  uint32_t l, h;
  memcpy(&l, &a, 4);
  memcpy(&h, &b, 4);
  return (uint64_t)h << 32 | l;
}
static float first_float(packed_float p) {
  uint32_t l = (uint32_t)p;
  float a;
  memcpy(&a, &l, 4);
  return a;
}
static float second_float(packed_float p) {
  uint32_t h = (uint32_t)(p >> 32);
  float b;
  memcpy(&b, &h, 4);
  return b;
}
static packed_double join_double(double a, double b) {
  struct two p = {a, b};
  return p;
}
static double first_double(packed_double p) { return p.a; }
static double second_double(packed_double p) { return p.b; }
"""
