"""C programs of a given size, each with one derivative to take (``driver``: many): what compile time is measured on."""

from __future__ import annotations

from collections.abc import Callable

_HEAD = """\
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
"""
_CALLS = """
void reverse_mode(const double *x, double *dx) { __enzyme_autodiff((void *)f, x, dx); }
double forward_mode(const double *x, double *dx) { return __enzyme_fwddiff((void *)f, x, dx); }
"""


def _program(body: str, forward: bool) -> str:
    calls = _CALLS if forward else _CALLS.partition("\ndouble forward")[0] + "\n"
    return _HEAD + body + calls


def straight(size: int, forward: bool = False) -> str:
    """One function of ``size`` statements without a branch; each uses two values made shortly before, or long ago."""
    lines = ["  double t0 = x[0], t1 = x[1];"]
    for i in range(2, size):
        old = i * 7919 // 8 % i
        match i % 4:
            case 0:
                value = f"t{i - 1} * 0.5 + t{old} * x[{i % 8}]"
            case 1:
                value = f"sin(t{i - 1} - t{i - 2})"
            case 2:
                value = f"t{i - 1} / (2.0 + t{old} * t{old})"
            case _:
                value = f"0.25 * t{i - 1} * t{i - 2} + t{old} * 0.125"
        lines.append(f"  double t{i} = {value};")
    body = "\n".join(lines)
    return _program(f"double f(const double *x) {{\n{body}\n  return t{size - 1} + t{size - 2};\n}}\n", forward)


def memory(size: int, forward: bool = False) -> str:
    """One function of ``size`` statements that update an array in place."""
    lines = ["  double a[64];", "  for (int i = 0; i < 64; i++) a[i] = x[i % 8];"]
    for i in range(size):
        to, left, right = i * 31 % 64, i * 7 % 64, i * 13 % 64
        lines.append(f"  a[{to}] = a[{left}] * a[{right}] + x[{i % 8}];")
    body = "\n".join(lines)
    return _program(f"double f(const double *x) {{\n{body}\n  return a[0] + a[1];\n}}\n", forward)


def expression(size: int, forward: bool = False) -> str:
    """One statement that is a chain of ``size`` operations."""
    text = "x[0]"
    for i in range(size // 2):
        text = f"({text} * x[{i % 8}] + {i}.5)" if i % 200 else f"({text} * x[{i % 8}] +\n {i}.5)"
    parts = "double f(const double *x) {\n  double s = x[0];\n"
    for i in range(size // 2):
        parts += f"  s = s * x[{i % 8}] + {i}.5;\n"
    return _program(f"{parts}  return s;\n}}\n", forward)


def branches(size: int, forward: bool = False) -> str:
    """``size`` conditional statements, one after the other."""
    lines = [f"  if (s > {i % 17}.0) s = s * 0.5 + sin(x[{i % 8}]); else s += x[{i % 8}] * s;" for i in range(size)]
    body = "\n".join(lines)
    return _program(f"double f(const double *x) {{\n  double s = x[0];\n{body}\n  return s;\n}}\n", forward)


def chain(depth: int, forward: bool = False) -> str:
    """A chain of ``depth`` functions, each calling the next."""
    lines = ["__attribute__((noinline)) static double f0(double v, const double *x) { return v * x[0]; }"]
    for i in range(1, depth):
        lines.append(
            f"__attribute__((noinline)) static double f{i}(double v, const double *x) "
            f"{{ return sin(v) * f{i - 1}(v * x[{i % 8}], x) + v; }}"
        )
    lines.append(f"double f(const double *x) {{ return f{depth - 1}(x[1], x); }}\n")
    return _program("\n".join(lines), forward)


def nest(depth: int, forward: bool = False) -> str:
    """A nest of ``depth`` loops around one statement that updates memory."""
    lines = ["  double a[16] = {1.0};", "  int n = (int)x[7];"]
    for level in range(depth):
        bound = "n" if level == 0 else f"n + i{level - 1}"
        lines.append(f"  for (int i{level} = 0; i{level} < {bound}; i{level}++) {{")
    index = " + ".join(f"i{level}" for level in range(depth))
    lines.append(f"    a[({index}) % 16] = sin(a[({index} + 1) % 16]) * x[({index}) % 7] + a[({index}) % 16];")
    lines.append("  " + "}" * depth)
    body = "\n".join(lines)
    return _program(f"double f(const double *x) {{\n{body}\n  return a[0] + a[5];\n}}\n", forward)


def table(size: int, forward: bool = False) -> str:
    """A loop over a constant table of ``size`` numbers."""
    numbers = ", ".join(f"{i * 0.37 % 5:.3f}" for i in range(size))
    return _program(
        f"static const double table[{size}] = {{{numbers}}};\n"
        f"double f(const double *x) {{\n  double s = 0.0;\n"
        f"  for (int i = 0; i < {size}; i++) s += sin(table[i] * x[i % 8]) * table[(i * 7) % {size}];\n"
        "  return s;\n}\n",
        forward,
    )


def functions(count: int, forward: bool = False) -> str:
    """``count`` small functions, all called by the one that is differentiated."""
    lines = []
    for i in range(count):
        lines.append(
            f"__attribute__((noinline)) static double g{i}(const double *x, double v) {{\n"
            f"  double s = 0.0;\n  for (int i = 0; i < 8; i++) s += x[i] * sin(v + {i}.0);\n  return s;\n}}"
        )
    calls = "\n".join(f"  s += g{i}(x, s);" for i in range(count))
    lines.append(f"double f(const double *x) {{\n  double s = x[0];\n{calls}\n  return s;\n}}\n")
    return _program("\n".join(lines), forward)


def driver(count: int, forward: bool = False) -> str:
    """``count`` derivatives of functions over rows of a matrix, all asked for in one function."""
    parts = [_HEAD]
    asked = []
    for i in range(count):
        parts.append(
            f"static double f{i}(const double *x, long n) {{\n  double s = 0.0;\n"
            "  for (long j = 1; j + 1 < n; j++)\n    for (long k = 1; k + 1 < n; k++)\n"
            f"      s += sin(x[j * n + k] * {i}.5) * x[j * n + k - 1] / (1.0 + x[j * n - n + k] * x[k]);\n"
            "  return s;\n}\n"
        )
        asked.append(f"  __enzyme_autodiff((void *)f{i}, x, dx, n + {i});\n")
        if forward:
            asked.append(f"  __enzyme_fwddiff((void *)f{i}, x, dx, n + {i});\n")
    body = "".join(asked)
    return f"{''.join(parts)}void reverse_mode(const double *x, double *dx, long n) {{\n{body}}}\n"


SHAPES: dict[str, tuple[Callable[[int, bool], str], tuple[int, ...]]] = {
    "straight": (straight, (1_000, 10_000, 30_000)),
    "memory": (memory, (1_000, 3_000, 10_000)),
    "expression": (expression, (1_000, 10_000, 30_000)),
    "branches": (branches, (300, 1_000, 3_000)),
    "chain": (chain, (50, 200, 500)),
    "nest": (nest, (2, 4, 8)),
    "table": (table, (500, 5_000, 20_000)),
    "functions": (functions, (30, 100, 300)),
    "driver": (driver, (4, 16, 64)),
}
"""For each kind of program, the sizes that are measured."""
