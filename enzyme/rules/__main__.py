"""Print the derivative table: ``python -m enzyme.rules [NAME...]``, or all of it as a page: ``--page``.

Names may be spelled any way a library does, as long as the spelling alone settles the function.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from enzyme.rules.expr import Expr
from enzyme.rules.hooks import MemoryHook, memory_hooks
from enzyme.rules.names import spelling_candidates
from enzyme.rules.rule import ScalarRule
from enzyme.rules.scalar import FUNCTIONS, INSTRUCTIONS

Row = ScalarRule | MemoryHook


def table() -> dict[str, Row]:
    """All rows by canonical name."""
    return {**INSTRUCTIONS, **FUNCTIONS, **memory_hooks()}


def _partials(partials: Sequence[Expr | None]) -> list[str]:
    return [f"d/dx{index} = {expr}" for index, expr in enumerate(partials) if expr is not None]


def describe(row: Row) -> str:
    """One row as lines of text."""
    shape = row.shape.partition(":")[2] or row.shape
    head = (
        f"{row.name}({', '.join(shape)})  [{row.cost.name.lower()}{', singular' if row.singular else ''}]  {row.source}"
    )
    if isinstance(row, ScalarRule):
        lines = _partials(row.partials) or ["zero"]
    else:
        lines = [
            f"{result.place} {result.index}: {', '.join(_partials(result.partials)) or 'no derivative'}"
            for result in row.results
        ]
    return "\n".join([head, *("    " + line for line in lines)])


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["--page"]:
        from enzyme.rules.page import page

        print(page(), end="")
        return 0
    rows = table()
    missing = 0
    for name in arguments or rows:
        found = next((rows[base] for base, _, _ in spelling_candidates(name) if base in rows), rows.get(name))
        if found is None:
            print(f"no row for '{name}'", file=sys.stderr)
            missing = 1
        else:
            print(describe(found))
    return missing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
