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
typedef double (*scalar_fn)(double);

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
"""
