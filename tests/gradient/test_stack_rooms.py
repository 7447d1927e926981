"""Tapes that grow begin on the stack, and leave it for the heap with all that is in them."""

from __future__ import annotations

import ctypes
import re

import pytest

import enzyme

# Loops over lists: only when they are over is it known how long they are.
PROGRAM = """
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_out, enzyme_dup;
struct node { struct node *next; double by; };

static double walk(double x, const struct node *at) {
  for (; at; at = at->next) x = sin(x) * at->by + 0.5 * x;
  return x;
}
/* The inner loop runs 0, 1, 2, ... rounds, all into the same tape. */
static double nested(double x, const struct node *at) {
  double sum = 0;
  for (const struct node *from = at; from; from = from->next) {
    double y = x;
    for (const struct node *to = at; to != from; to = to->next) y = sin(y) * to->by + 0.2 * y;
    sum += y * from->by;
  }
  return sum;
}
/* Many numbers in each round: fewer rounds fit in the room, or none. */
static double wide(double x, const struct node *at) {
  double y[WIDTH];
  for (int i = 0; i < WIDTH; i++) y[i] = x + i;
  for (; at; at = at->next)
    for (int i = 0; i < WIDTH; i++) y[i] = sin(y[i]) * at->by + 0.3 * y[(i + 1) % WIDTH];
  double sum = 0;
  for (int i = 0; i < WIDTH; i++) sum += y[i];
  return sum;
}
int check(int rounds) {
  struct node *list = 0;
  for (int i = 0; i < rounds; i++) {
    struct node *more = malloc(sizeof *more);
    more->next = list;
    more->by = 0.9 + 0.01 * (i % 7);
    list = more;
  }
  double x = 0.7;
  int bad = 0;
#define COMPARE(f) do { \\
    double r = __enzyme_autodiff((void *)f, enzyme_out, x, enzyme_const, list); \\
    double t = __enzyme_fwddiff((void *)f, enzyme_dup, x, 1.0, enzyme_const, list); \\
    bad += !(fabs(r - t) <= 1e-9 * (fabs(t) + 1e-12)); } while (0)
  COMPARE(walk);
  if (rounds < 150) COMPARE(nested);
  COMPARE(wide);
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return bad;
}
"""


def program(config: enzyme.Config, width: int = 3) -> enzyme.Module:
    return enzyme.compile(PROGRAM.replace("WIDTH", str(width)), config=config)


def rooms(module: enzyme.Module) -> list[int]:
    """How many entries the rooms on the stack have."""
    return sorted(
        int(count) for count in re.findall(r"%tape\.place\S* = alloca \[(\d+) x", module.ir("differentiated"))
    )


@pytest.mark.parametrize("width", [1, 3, 20, 40])
def test_short_and_long_loops(width: int) -> None:
    module = program(enzyme.Config(), width)
    check = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(module["check"].address)
    assert [rounds for rounds in (0, 1, 2, 7, 8, 12, 13, 63, 64, 65, 127, 128, 129, 500, 5000) if check(rounds)] == []


def test_what_fits() -> None:
    found = rooms(program(enzyme.Config(), 3))
    assert found
    assert 64 in found  # the loop of one number
    assert all(8 <= count <= 64 for count in found)


def test_without_it() -> None:
    assert not rooms(program(enzyme.Config(stack_rooms=False)))
    assert not rooms(program(enzyme.Config(count_tape=True)))  # what the program counts is what the allocator gives


def test_a_tape_that_outlives_the_call_is_not_on_the_stack() -> None:
    text = """
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
extern int enzyme_const, enzyme_dup;
struct node { struct node *next; double by; };
static double walk(const double *x, const struct node *at) {
  double y = *x;
  for (; at; at = at->next) y = y * y * at->by;
  return y;
}
void ask(const double *x, double *dx, const struct node *at) {
  void *tape = __enzyme_augmentfwd((void *)walk, enzyme_dup, x, dx, enzyme_const, at);
  __enzyme_reverse((void *)walk, enzyme_dup, x, dx, enzyme_const, at, 1.0, tape);
}
"""
    assert not rooms(enzyme.compile(text))
