"""The derivative tables as a page of Markdown, ``docs/rules.md``: ``python -m enzyme.rules --page``."""

from __future__ import annotations

from enzyme.rules import arithmetic, complex_functions, elementary, special
from enzyme.rules.hooks import MemoryHook, memory_hooks, reduction_hooks
from enzyme.rules.rule import ScalarRule
from enzyme.rules.scalar import INSTRUCTIONS

_HEAD = """\
# Derivative rules and corner cases

<!-- Written by `python -m enzyme.rules --page`; a test compares. -->

One row states the partial derivatives of a function; reverse and forward mode, all formats (half, bfloat, float,
double, x86 long double, fp128), vectors of them, and all spellings (`sin`, `sinf`, `sinl`, `llvm.sin.*`,
`__nv_sin`, ...) use it. `x0`, `x1`, ... are the operands and `r` is the result (`r1` its second field). `python -m
enzyme.rules NAME` prints one row.

## What holds everywhere

- **Nothing is multiplied by what is not active.** A constant operand has no partial, whatever its value.
- **Singular rows** (marked *) have partials that can be infinite or NaN at finite operands: `log`, `sqrt`, division
  ... There an adjoint or tangent that is exactly zero gives zero, not NaN: `x > 0 ? log(x) : 0` has the derivative
  0 at `x = -1`, though the optimiser computes the logarithm before it chooses. An adjoint that is not zero gets
  what the formula says: the derivative of `sqrt` at 0 is infinite. A zero has a derivative, too: in what is
  differentiated again, the product is left alone where the partial is finite. Powers whose exponent is
  1, 2, 3 or 4, and known to the compiler, multiply as `x * x` does.
- **Other rows multiply as floating point does**: zero times an infinite operand is NaN, as in `x * y` with an
  infinite `y` that is then not used. `enzyme_strong_zero` makes every row behave like a singular one.
- **NaN in, NaN out**: a partial is computed from the operands, with no check.
- **Ties and kinks**: where the function is not differentiable the derivative is that of the branch the program
  takes: `fabs` at 0 as the sign bit says, minimum and maximum that of the operand returned (the first at a tie),
  comparisons and conversions to integers 0.
- **Steps** (`floor`, `rint`, `trunc`, `logb`, conversions to integers, `nextafter`'s second operand) have
  derivative zero everywhere.
- **errno**: mathematical functions do not set it in derivatives, unless the program itself mentions errno, what reads
  it or the floating-point environment, or the differentiated function calls functions that are not part of the
  program. `Config(pure_math=False)` has them set it always. The program's own calls are as they were.
- **Undefined lanes and values** (`poison`, `undef`) are taken as zero before differentiation, so that they cannot
  spread.
- **Strict floating point** (`-frounding-math`, `#pragma STDC FENV_ACCESS ON`): the program's operations stay strict
  ones; those that derivatives add are ordinary ones, computed in the rounding mode in force.
- **Relaxed floating point** (`-ffast-math`, or `Config(math="relaxed")`): derivative code carries the flags of the
  operation it comes from. Calls that may be approximated become calls of vector functions (glibc's libmvec, within
  4 units in the last place) in loops that LLVM vectorises; `Config(vector_math=False)` leaves them scalar.
- **exp, log, expm1 and tanh of strict code** become vector functions, too, which give the very bits that glibc's scalar
  ones give (in the default rounding mode): they do the same operations. Only calls that do not set `errno`, and only on
  x86-64 with fused multiply-adds, where the C library of the machine that compiles is seen to compute them that way;
  `Config(exact_vectors=False)` leaves them scalar.
- **Atomic updates** of numbers (`atomicrmw fadd`, `fsub`, `fmax`, `fmin`, exchange, and compare-and-swap of the
  bits of a number) are differentiated as the loads and stores they are on one thread.
- **Masked loads and stores, gathers, scatters** are differentiated lane by lane; lanes that are off do not touch
  memory.

## Refused by name

Vector-predicated intrinsics (`llvm.vp.*`), scalable vectors, intrinsics of one processor (`llvm.x86.*`, ...),
matrix intrinsics, atomic integer operations on memory that holds numbers: see `docs/errors.md`. `python -m enzyme
explain` says of every call in a program how it is treated.
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    parts += _scalar("Instructions", INSTRUCTIONS)
    parts += _scalar("Elementary operations and roundings", arithmetic.TABLE.rows)
    parts += _scalar("Elementary functions", elementary.TABLE.rows)
    parts += _scalar("Special functions", special.TABLE.rows)
    parts += _scalar("Modulus and angle", complex_functions.TABLE.rows)
    parts += ["\n## Functions with several results\n", "| function | result | partials | source |", "|---|---|---|---|"]
    parts += [line for hook in memory_hooks().values() for line in _hook(hook)]
    parts += ["\n## Reductions over the lanes of a vector\n", "| intrinsic | derivative |", "|---|---|"]
    parts += [f"| `{hook.name}` | {_cell(hook.source)} |" for hook in reduction_hooks().values()]
    return "\n".join(parts) + "\n"


def _scalar(title: str, rows: dict[str, ScalarRule]) -> list[str]:
    lines = [f"\n## {title}\n", "| function | partials | source |", "|---|---|---|"]
    for name, rule in rows.items():
        lines.append(f"| `{name}`{_star(rule.singular)} | {_partials(rule.partials)} | {_cell(rule.source)} |")
    return lines


def _partials(partials: tuple[object | None, ...]) -> str:
    found = [f"`d/dx{index} = {expr}`" for index, expr in enumerate(partials) if expr is not None]
    return _cell("<br>".join(found)) or "zero"


def _hook(hook: MemoryHook) -> list[str]:
    lines = []
    for number, result in enumerate(hook.results):
        place = {"return": "returned", "pointer": f"through argument {result.index}", "field": f"field {result.index}"}
        name = f"`{hook.name}`{_star(hook.singular)}" if number == 0 else ""
        partials = "an integer" if result.element == "int" else _partials(result.partials)
        lines.append(f"| {name} | {place[result.place]} | {partials} | {_cell(hook.source) if number == 0 else ''} |")
    return lines


def _star(singular: bool) -> str:
    return "\\*" if singular else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
