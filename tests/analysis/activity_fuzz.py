"""Random C functions full of pointers, structs, unions, copies and calls, for the dynamic oracle of activity."""

from __future__ import annotations

import random

HEADER = """
#include <string.h>
#include <stdlib.h>
struct S { double v; int n; float w; double *p; double a[3]; };
union U { double d; unsigned long l; struct { float lo, hi; } f; };
static double *choose(double *a, double *b, int c) { return c ? a : b; }
static void assign(double *to, const double *from) { *to = *from; }
static void point(struct S *s, double *p) { s->p = p; }
static double through(const struct S *s) { return *s->p * s->n; }
static void exchange(void *a, void *b, size_t n) { char t[64]; memcpy(t, a, n); memcpy(a, b, n); memcpy(b, t, n); }
static struct S grow(struct S s, double by) { s.v += by; s.n++; s.a[s.n % 3] += s.v; return s; }
static void relay(double **slot, double *p, int depth) { if (depth > 0) relay(slot, p, depth - 1); else *slot = p; }
static double *fresh(double v) { double *m = malloc(16); m[0] = v; m[1] = 1; return m; }
"""


def program(seed: int) -> str:
    """One program: ``target`` on four doubles, all accesses in bounds, no float-dependent addresses."""
    return _Maker(random.Random(seed)).make()


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def index(self) -> str:
        return str(self.rng.randrange(3))

    def place(self) -> str:
        """An lvalue of type double."""
        s, u, r = self.pick("s", "q", "arr[0]", "arr[1]", "sp[0]"), self.pick("u", "w"), self.rng.random()
        if r < 0.3:
            return f"d{self.rng.randrange(4)}"
        if r < 0.5:
            return f"{self.pick('b', 'c')}[{self.index()}]"
        if r < 0.75:
            return f"{s}.{self.pick('v', 'v', f'a[{self.index()}]')}"
        if r < 0.85:
            return f"{u}.d"
        return f"{self.pick('*p0', '*p1', '*slot')}"

    def pointer(self) -> str:
        r = self.rng.random()
        if r < 0.35:
            return f"&{self.pick('d0', 'd1', 'd2', 'd3', 's.v', 'q.v', 'u.d', 'arr[0].v')}"
        if r < 0.6:
            return self.pick("b", "c", "s.a", "q.a", "arr[1].a", "s.p", "q.p")
        if r < 0.8:
            return self.pick("p0", "p1", "slot")
        return f"choose({self.pick('b', '&d0', 'p0')}, {self.pick('c', '&s.v', 'p1')}, {self.pick('k & 1', '1', '0')})"

    def value(self) -> str:
        r = self.rng.random()
        if r < 0.15:
            return f"x[{self.rng.randrange(4)}]"
        if r < 0.35:
            return f"{self.rng.randrange(1, 9) / 4}"
        if r < 0.7:
            return self.place()
        if r < 0.8:
            return self.pick("through(&s)", "through(&q)", "(double)s.w", "(double)u.f.hi", "q.n", "(double)k")
        return f"({self.value()} {self.pick('+', '-', '*')} {self.value()})"

    def statement(self, depth: int) -> str:
        r = self.rng.random()
        pair = self.pick("&s, &q", "&q, &s", "&arr[0], &s", "&q, &arr[1]", "sp, &s")
        one, two = pair.split(", ")
        if r < 0.3:
            return f"{self.place()} = {self.value()};"
        if r < 0.42:
            return f"{self.pick('p0', 'p1', 'slot', 's.p', 'q.p', 'arr[1].p')} = {self.pointer()};"
        if r < 0.5:
            return self.pick(f"*({one}) = *({two});", f"memcpy({pair}, sizeof s);", f"exchange({pair}, sizeof s);")
        if r < 0.56:
            return self.pick("w = u;", "memcpy(&w, &u, 8);", "w.l = u.l;", "exchange(&u, &w, 8);", "w.l ^= 1ul << 63;")
        if r < 0.6:
            return self.pick("s.w = (float)d0;", "u.f.lo = (float)d1;", "u.f.hi = s.w;", "q.w += u.f.lo;")
        if r < 0.66:
            return self.pick(
                f"memcpy(b, {self.pick('c', 's.a', 'q.a')}, 24);", "memcpy(c, b, 8 * k);", "memset(c, 0, 24);"
            )
        if r < 0.74:
            return self.pick(
                f"assign({self.pointer()}, {self.pointer()});",
                f"point({self.pick('&s', '&q', 'sp')}, {self.pointer()});",
                f"relay(&slot, {self.pointer()}, k);",
                f"{self.pick('s', 'q')} = grow({self.pick('s', 'q')}, {self.value()});",
                f"slot = fresh({self.value()});",
            )  # fmt: skip
        if r < 0.8:
            return self.pick(
                "sp = &q;", "sp = &arr[k & 1];", "k = (k + s.n) % 3;", "s.n = (s.n + k) % 3;", "q.n = s.n;"
            )
        if depth == 0:
            return f"{self.place()} += {self.value()};"
        body = " ".join(self.statement(depth - 1) for _ in range(self.rng.randint(1, 3)))
        if r < 0.9:
            condition = self.pick("k > 1", "d0 > 0.3", "s.n == 1", "*p0 < d2")
            return f"if ({condition}) {{ {body} }}"
        return f"for (int i{depth} = 0; i{depth} < {self.rng.randint(1, 3)}; i{depth}++) {{ {body} }}"

    def make(self) -> str:
        body = "\n  ".join(self.statement(2) for _ in range(self.rng.randint(6, 22)))
        return f"""{HEADER}
double target(const double *x) {{
  double d0 = 1, d1 = x[0], d2 = 0.5, d3 = x[1], b[3] = {{x[2], 1, 2}}, c[3] = {{0.5, 0.25, 4}};
  double *p0 = {self.pick("&d0", "&d1", "b")}, *p1 = {self.pick("&d2", "&d3", "c")}, *slot = {self.pick("&d3", "&d2")};
  struct S s = {{x[3], 1, 0.5f, &d0, {{1, 2, 3}}}}, q = {{0.75, 2, 0.25f, &d1, {{0}}}}, arr[2] = {{s, q}}, *sp = &s;
  union U u = {{0.5}}, w = {{1.5}};
  int k = 2;
  {body}
  return {self.value()} + {self.value()} * {self.value()};
}}
double objective(const double *x) {{ return target(x); }}
"""
