"""Whether there are integers that meet linear conditions: Fourier and Motzkin's elimination.

Forms are polynomials (polynomials.py) of which each product of variables stands for a number of its own. Answers are
one-sided: "impossible" is proved, its contrary only not disproved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from enzyme.analysis.polynomials import Polynomial, in_program_order

_MOST = 400
"""Conditions, and conditions made of two of them in one step; with more of them nothing is proved."""

Row = tuple[dict[int, int], int]
"""Factors of numbers, and what is added to their sum."""


def impossible(at_least_zero: Sequence[Polynomial], zero: Sequence[Polynomial] = ()) -> bool:
    """Whether no integers make all of these forms what they are said to be."""
    products = {product: 1 for form in (*at_least_zero, *zero) for product, _ in form.varying}
    number = {product: place for place, (product, _) in enumerate(in_program_order(products.items()))}
    for product in products:
        number.setdefault(product, number[tuple(in_program_order([(product, 1)])[0][0])])

    def row(form: Polynomial) -> Row:
        return dict(sorted((number[product], factor) for product, factor in form.varying)), form.offset

    rows = [row(form) for form in at_least_zero]
    return any(_solved([row(form) for form in zero], rows)) or _eliminated(rows)


def _solved(equations: list[Row], rows: list[Row]) -> Iterator[bool]:
    """Put what equations say about one number into everything else; true where one cannot hold. An equation in which no
    number has the factor one becomes two inequalities."""
    while equations:
        factors, offset = equations.pop()
        common = gcd(*factors.values())
        if offset % common if factors else offset:
            yield True
        if not factors:
            continue
        factors, offset = {m: f // common for m, f in factors.items()}, offset // common
        unit = next((m for m, f in factors.items() if abs(f) == 1), None)
        if unit is None:
            rows += [(factors, offset), ({m: -f for m, f in factors.items()}, -offset)]
            continue
        for each in (equations, rows):
            each[:] = [_without(row, unit, (factors, offset)) for row in each]


def _without(row: Row, unit: int, equation: Row) -> Row:
    """A row with what an equation says in place of ``unit``, whose factor there is one or minus one."""
    times = row[0].get(unit, 0)
    return _sum(row, 1, equation, -times * equation[0][unit]) if times else row


def _sum(left: Row, a: int, right: Row, b: int) -> Row:
    total = {m: a * f for m, f in left[0].items()}
    for m, f in right[0].items():
        total[m] = total.get(m, 0) + b * f
    return {m: f for m, f in total.items() if f}, a * left[1] + b * right[1]


def _eliminated(rows: list[Row]) -> bool:
    """Whether no integers make all rows zero or more."""
    while True:
        found = _tightened(rows)
        if found is None:
            return True
        above, below = _counted(found, 1), _counted(found, -1)
        loose = above.keys() ^ below.keys()
        if loose:  # what is bounded on one side alone says nothing about the rest
            rows = [row for row in found if loose.isdisjoint(row[0])]
            continue
        if not above or len(found) > _MOST:
            return False
        chosen = min(above, key=lambda m: (above[m] * below[m], m))
        if above[chosen] * below[chosen] > _MOST:
            return False
        rows = [row for row in found if chosen not in row[0]]
        high = [row for row in found if row[0].get(chosen, 0) > 0]
        low = [row for row in found if row[0].get(chosen, 0) < 0]
        rows += [_sum(up, -down[0][chosen], down, up[0][chosen]) for up in high for down in low]


def _counted(rows: Iterable[Row], sign: int) -> dict[int, int]:
    """In how many rows each number has a factor of that sign."""
    found: dict[int, int] = {}
    for factors, _ in rows:
        for number, factor in factors.items():
            if factor * sign > 0:
                found[number] = found.get(number, 0) + 1
    return found


def _tightened(rows: list[Row]) -> list[Row] | None:
    """The rows in lowest terms, of those with the same factors the one that says most; None where one cannot hold."""
    least: dict[tuple[tuple[int, int], ...], Row] = {}
    for factors, offset in rows:
        if not factors:
            if offset < 0:
                return None
            continue
        common = gcd(*factors.values())
        row = {m: f // common for m, f in factors.items()}, offset // common
        key = tuple(sorted(row[0].items()))
        if key not in least or row[1] < least[key][1]:
            least[key] = row
    return list(least.values())
