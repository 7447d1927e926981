"""Random C functions full of aliasing: arguments, restrict, structs, pointers in memory, scratch storage, helpers and
in-place loops; and clang that compiles them."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

HEADER = """
typedef unsigned long size_t;
void *malloc(size_t); void free(void *); void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t);
double sqrt(double); double exp(double);
struct S { double x, y; int k; double z[4]; double *p; };
double g0; static double g1[16]; double *gp;
static __attribute__((noinline)) void axpy(double *x, double *y, long n) {
  for (long i = 0; i < n; i++) y[i] += 0.5 * x[i]; }
static __attribute__((noinline)) double sum(const double *x, long n) {
  double r = 0; for (long i = 0; i < n; i++) r += x[i]; return r; }
static __attribute__((noinline)) void touch(struct S *s, long i) { s->x += s->z[i & 3]; if (i > 2) s->p[i & 7] = s->y; }
static __attribute__((noinline)) double *pick(double *a, double *b, long c) { return c & 1 ? a : b; }
static __attribute__((noinline)) void park(double *a) { gp = a; }
static __attribute__((noinline)) void poke(long i) { gp[i & 7] *= 0.5; g0 += 1; }
static __attribute__((noinline)) void twice(double *a, double *b, long n) {
  if (n <= 0) return; a[n & 7] += 1; twice(b, a, n - 1); }
"""


class Generator:
    """Writes one C function; every index is in bounds for arrays of 40 and bounds up to 9."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.depth = 0
        self.loops: list[str] = []
        self.count = 0
        self.arrays = ["a", "b", "c"]
        self.lines: list[str] = []

    def index(self) -> str:
        pick = self.rng.choice
        plain = ["n", "m", "0", "3", "k"]
        if not self.loops:
            return pick(plain)
        i = pick(self.loops)
        j = pick(self.loops)
        return pick([i, i, f"{i} + 1", f"{i} + 2", f"2 * {i}", f"2 * {i} + 1", f"{i} + {j}", f"3 * {i} + 1", f"n + {i}",
                     f"({i} * 5 + {j}) & 31", f"{i} + n", f"(int)b[{i}] & 15", f"8 - {i} + 9", *plain])  # fmt: skip

    def place(self) -> str:
        roll = self.rng.random()
        if roll < 0.72:
            return f"{self.rng.choice(self.arrays)}[{self.index()}]"
        if roll < 0.9:
            return f"s[{self.index()} & 3].{self.rng.choice(['x', 'y', 'z[1]', 'z[n & 3]'])}"
        if roll < 0.95:
            return f"s[1].p[{self.index()} & 7]"
        return self.rng.choice(["g0", f"g1[{self.index()} & 15]"])

    def value(self) -> str:
        pick = self.rng.choice
        mixed = [f"{self.place()} * 0.5 + {self.place()}", f"{self.place()} + r"]
        return pick([self.place(), self.place(), "r * 0.25", "1.5", *mixed])

    def emit(self, text: str) -> None:
        self.lines.append("  " * (self.depth + 1) + text)

    def statement(self) -> None:
        roll = self.rng.random()
        if roll < 0.34 or self.depth > 3:
            self.emit(f"{self.place()} = {self.value()};")
        elif roll < 0.5:
            self.emit(f"r += {self.value()};")
        elif roll < 0.56:
            self.emit(f"s[{self.index()} & 3].k += (int){self.index()};")
        elif roll < 0.64:
            self.block(f"if ({self.place()} > {self.rng.choice(['0.7', 'r', '1.0'])})")
        elif roll < 0.86 and len(self.loops) < 3:
            self.loop()
        elif roll < 0.9:
            self.scratch()
        elif roll < 0.97:
            self.call()
        else:
            self.emit(f"s[{self.index()} & 3].p = {self.rng.choice(self.arrays)};")

    def call(self) -> None:
        x, y = self.rng.choice(self.arrays), self.rng.choice(self.arrays)
        at = self.index
        self.emit(self.rng.choice([
            f"axpy({x}, {y}, {self.rng.choice(['n', 'm', '3'])});",
            f"r += sum({x}, n);",
            f"touch(&s[{at()} & 3], {at()});",
            f"{{ double *q = pick({x}, {y}, {at()}); q[{at()}] = r; }}",
            f"park({x});",
            f"poke({at()});",
            f"twice({x}, {y}, {at()} & 3);",
            f"memmove({x} + 2, {y}, 24);",
            f"memset({x} + 1, 0, {at()} & 15);",
            f"r += exp({x}[{at()}] * 0.01);",
            f"for (double *q = {x}; q != {x} + n; q++) *q += q[1] * 0.5;",
            f"for (double *q = {x}; q < {y} + 8 && q < {x} + 9; q += 2) r += *q, q[{self.rng.choice('0123')}] = r;",
            f"for (struct S *e = s; e != s + 4; e++) e->x = e->y + {self.place()};",
            f"{{ union {{ double d; long l; }} u; u.d = {self.place()}; u.l ^= 1; {self.place()} = u.d; }}",
            f"s[{at()} & 3].z[2] = (double)s[{at()} & 3].k;",
        ]))  # fmt: skip

    def scratch(self) -> None:
        self.count += 1
        name = f"t{self.count}"
        heap = self.rng.random() < 0.5
        self.emit(f"{{ double *{name} = malloc(320);" if heap else f"{{ double {name}[40];")
        self.depth += 1
        self.emit(f"for (int z = 0; z < 40; z++) {name}[z] = {self.rng.choice(['0.5', 'r', 'a[z]', 'z'])};")
        self.arrays.append(name)
        for _ in range(self.rng.randint(1, 3)):
            self.statement()
        if self.rng.random() < 0.3:
            self.emit(f"park({name}); poke(2); gp = a;")
        self.arrays.remove(name)
        self.emit("for (int z = 0; z < 4; z++) s[z].p = a;")  # no pointer outlives its storage
        self.emit(f"free({name});" if heap else ";")
        self.depth -= 1
        self.emit("}")

    def block(self, head: str) -> None:
        self.emit(head + " {")
        self.depth += 1
        for _ in range(self.rng.randint(1, 3)):
            self.statement()
        self.depth -= 1
        self.emit("}")

    def loop(self) -> None:
        self.count += 1
        i = f"i{self.count}"
        kind = self.rng.choice(["long", "int", "unsigned", "size_t"])
        bound = self.rng.choice(["n", "m", "5", f"({kind})n", *self.loops])
        head = self.rng.choice([
            f"for ({kind} {i} = 0; {i} < {bound}; {i}++)", f"for ({kind} {i} = 0; {i} < {bound}; {i} += 2)",
            f"for (long {i} = 1; {i} <= {bound}; {i}++)", f"for (int {i} = 7; {i} >= 0; {i}--)",
            f"for (long {i} = 0; {i} != n; {i}++)", f"for (long {i} = n; {i} > 0; {i} -= 1)",
            f"for (long {i} = 0; {i} < n && r < 100; {i}++)", f"for (long {i} = 0; {i} < 9; {i} += k)",
        ])  # fmt: skip
        self.loops.append(i)
        self.block(head)
        self.loops.pop()

    def function(self, name: str) -> str:
        restrict = [self.rng.choice(["", "restrict "]) for _ in range(3)]
        head = ", ".join(f"double *{w}{x}" for w, x in zip(restrict, "abc", strict=True))
        for _ in range(self.rng.randint(2, 5)):
            self.statement()
        body = "\n".join(self.lines)
        full = f"double {name}({head}, struct S *s, long n, long m, int k)"
        return f"{full} {{\n  double r = 0;\n{body}\n  return r;\n}}\n"


def program(seed: int, count: int) -> str:
    return HEADER + "\n".join(Generator(random.Random(seed * 1000 + i)).function(f"f{i}") for i in range(count))


def compiled(source: str, level: str, where: Path) -> str:
    path = where / "program.c"
    path.write_text(source)
    scalar = ["-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"]
    flags = [*scalar, "-fno-sanitize=undefined", "-fno-stack-protector"]
    out = where / "program.ll"
    tail = ["-w", "-S", "-emit-llvm", "-o", str(out), str(path)]
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *level.split(), *flags, *tail], check=True)
    return out.read_text()
