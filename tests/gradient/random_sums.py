"""Random functions that add up what calls return, and do to memory and to the sum what may or may not stand against it.

``source(seed)`` is a C file with :data:`FUNCTIONS` objectives ``f0``, ``f1``, ... of ``SIZE`` numbers, some of which
store their result, and a ``gradient`` and a ``tangent`` of each. Trip counts are in a variable that no compiler knows.
"""

from __future__ import annotations

import random
import re

SIZE = 6
FUNCTIONS = 12

_HEAD = """
#include <math.h>
#include <stdlib.h>
#define SIZE 6
#define NOINLINE __attribute__((noinline))
extern double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
int many = 5;
static unsigned long state;
static double held;
static double drawn(void) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(state >> 40) / (1 << 24) - 0.5;
}
static NOINLINE double bump(const double *x, int i) { return sin(x[i]) * x[(i + 1) % SIZE] + 0.1 * x[i]; }
static NOINLINE double number(double a, double b, int times) {
    for (int i = 0; i < times; i++) a = a * 0.5 + sin(a) * b;
    return a;
}
static NOINLINE double fills(const double *x, double *work, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) work[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += work[i] * work[n - 1 - i];
    return s;
}
static NOINLINE double goes_on(const double *x, double *work, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += work[i] * x[i], work[i] = s * 0.5;
    return s;
}
static NOINLINE double adds(double s, const double *x, int i) {
    for (int j = 0; j < i; j++) s += bump(x, j);
    return s;
}
static NOINLINE double turns(double s, const double *x, int i) { return x[i] - s; }
static NOINLINE double draws(const double *x, int i) { return bump(x, i) * drawn(); }
static NOINLINE void moves(double *x, int i) { x[i] += x[(i + 1) % SIZE] * 0.5; }
static int times;
static NOINLINE double counted(const double *x, int i) {
    times++;
    return bump(x, i);
}
static NOINLINE double holds(const double *x, int i) {
    double before = held;
    held = x[i];
    return bump(x, i) + 0.1 * before;
}
static NOINLINE double halves(const double *x, int a, int b) {
    if (b - a < 2) return x[a] * x[a];
    return halves(x, a, (a + b) / 2) * 0.5 - halves(x, (a + b) / 2, b) * x[a];
}
static NOINLINE double shrinks(double *x, int n) {
    if (n < 2) return x[0];
    double s = shrinks(x, n / 2);
    x[0] = x[n - 1] * 0.5 + s * 0.1;
    return s + shrinks(x + n / 2, n - n / 2);
}
static NOINLINE double allocates(const double *x, int n) {
    double *work = malloc(sizeof(double) * (n + 1)), s = 0;
    for (int i = 0; i < n; i++) work[i] = exp(-x[i] * x[i]);
    for (int i = 0; i < n; i++) s += work[i] * work[i * 3 % n];
    free(work);
    return s;
}
"""


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0

    def one(self, *ways: str) -> str:
        return self.random.choice(ways)

    def index(self, counters: list[str]) -> str:
        return f"({self.one(*counters, '1', '2')} + {self.random.randrange(3)}) % SIZE"

    def number(self, counters: list[str]) -> str:
        """A factor or what is added, that no call returns."""
        at = self.index(counters)
        return self.one(
            f"x[{at}]", f"cos(x[{at}])", "0.7", f"(1 + {self.one(*counters, '2')})", "c", "in[1]", "drawn()"
        )

    def call(self, counters: list[str]) -> str:
        at, n = self.index(counters), f"{self.random.randrange(1, 5)}"
        return self.one(
            f"bump({self.one('x', 'x', 'in', 'work')}, {at})",
            f"number({self.number(counters)}, {self.number(counters)}, {n})",
            f"fills({self.one('x', 'in')}, work, {n})",
            f"goes_on(x, work, {n})",
            f"draws({self.one('x', 'in')}, {at})",
            f"holds(x, {at})",
            f"counted(x, {at})",
            f"halves({self.one('x', 'in', 'work')}, 0, {n})",
            f"shrinks({self.one('x', 'work')}, {n})",
            f"allocates(x, {n})",
        )

    def statement(self, counters: list[str], depth: int) -> str:
        kinds = [self.added, self.added, self.added, self.taken, self.memory, self.memory, self.odd]
        nested = [self.branch, self.loop, self.loop, self.loop] if depth else []
        kind = self.random.choice([*kinds, *nested])
        return kind(counters, depth)

    def total(self) -> str:
        return self.one("s", "s", "s", "t")

    def added(self, counters: list[str], depth: int) -> str:
        """A sum that may be of the kind that is looked for."""
        total, call, factor = self.total(), self.call(counters), self.number(counters)
        return self.one(
            f"{total} += {call};",
            f"{total} += {factor} * {call};",
            f"{total} -= {call} / (2 + {factor} * {factor});",
            f"{total} = adds({total}, x, {self.index(counters)});",
            "{ double v = x[0]; for (int q = 0; q < 3 + many % 3; q++) v += x[1] * v * 0.1 + drawn() * v; "
            f"{total} += v; }}",
            f"{{ for (int q = 0; q < SIZE; q++) work[q] = x[q] * {factor}; {total} += {call}; }}",
        )

    def taken(self, counters: list[str], depth: int) -> str:
        """A result that goes another way, too, or another way alone."""
        total, call, factor = self.total(), self.call(counters), self.number(counters)
        return self.one(
            f"{total} = turns({total}, x, {self.index(counters)});",
            f"{{ double r = {call}; {total} += r; {self.total()} += r * {factor}; }}",
            f"{total} = {total} * {self.one('0.5', factor)} + {call};",
            f"{total} = {call};",
            f"{total} += {call} * {self.call(counters)};",
            f"{{ double r = {call}; if (r > 0.2) {total} += r; }}",
        )

    def memory(self, counters: list[str], depth: int) -> str:
        """What calls read changes."""
        at, factor = self.index(counters), self.number(counters)
        return self.one(
            f"x[{at}] = {factor} * 0.3 + {self.one('0.1', '0.1 * s')};",
            f"x[{at}] += {self.call(counters)} * 0.3;",
            f"work[{at}] = {factor};",
            f"{self.total()} += work[{at}];",
            f"c = {factor} * 0.5;",
            f"held = {factor};",
            f"moves(x, {at});",
        )

    def odd(self, counters: list[str], depth: int) -> str:
        """A way out."""
        if len(counters) > 1 and self.random.random() < 0.5:
            return f"if (x[{self.index(counters)}] > 1.3) {self.one('break', 'continue')};"
        return f"if (s > {self.random.uniform(0.5, 3):.3f}) return {self.one('s', 's + t', 's * x[0]')};"

    def branch(self, counters: list[str], depth: int) -> str:
        condition = self.one(f"x[{self.index(counters)}] > 0.4", f"({counters[-1]} & 1)", "many > 3")
        other = f" else {self.block(counters, depth - 1)}" if self.random.random() < 0.3 else ""
        return f"if ({condition}) {self.block(counters, depth - 1)}{other}"

    def loop(self, counters: list[str], depth: int) -> str:
        self.names += 1
        name = f"i{self.names}"
        count = self.one("many", "many + 1", "3", f"many - {counters[-1]}")
        return f"for (int {name} = 0; {name} < {count}; {name}++) {self.block([*counters, name], depth - 1)}"

    def block(self, counters: list[str], depth: int) -> str:
        return "{ " + " ".join(self.statement(counters, depth) for _ in range(self.random.randrange(1, 4))) + " }"

    def function(self, number: int) -> str:
        body = " ".join(self.statement(["many"], 3) for _ in range(self.random.randrange(2, 5)))
        ending = self.one(
            "s", "s", "s + t", "s - 2 * t", "s / many", "exp(-in[1]) * s", "x[2] * s + t * c", "sqrt(s * s + 1)",
            "s * held", "s * work[2] + x[1] * t", "s / (1 + times)",
        )  # fmt: skip
        text = f"""
    double x[SIZE], work[SIZE + 1] = {{0}}, s = {self.one("0", "1", "in[0]")}, t = 0, c = 0.6;
    state = 7, held = 0.25, times = 0;
    for (int i = 0; i < SIZE; i++) x[i] = {self.one("in[i]", "in[i] * in[(i + 1) % SIZE]")};
    {body}
    return {ending};
}}
"""
        if self.random.random() < 2 / 3:
            return f"""
static double f{number}(const double *in) {{{text}
void gradient{number}(const double *x, double *dx) {{
    __enzyme_autodiff((void *)f{number}, enzyme_dup, x, dx);
}}
double tangent{number}(const double *x, const double *v) {{
    return __enzyme_fwddiff((void *)f{number}, enzyme_dup, x, v);
}}
"""
        stored = re.sub(r"return ([^;]+);", r"{ *out = \1; return; }", text)
        return f"""
static void f{number}(const double *restrict in, double *restrict out) {{{stored}
void gradient{number}(const double *x, double *dx) {{
    double y = 0, dy = 1;
    __enzyme_autodiff((void *)f{number}, enzyme_dup, x, dx, enzyme_dup, &y, &dy);
}}
double tangent{number}(const double *x, const double *v) {{
    double y = 0, dy = 0;
    __enzyme_fwddiff((void *)f{number}, enzyme_dup, x, v, enzyme_dup, &y, &dy);
    return dy;
}}
"""


def source(seed: int) -> str:
    """A file of random objectives."""
    maker = _Maker(seed)
    return _HEAD + "".join(maker.function(number) for number in range(FUNCTIONS))
