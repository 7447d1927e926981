"""The ``enzyme_*`` marker variables after differentiation."""

from __future__ import annotations

import re

_MARKER = re.compile(
    r"(?m)^(@enzyme_(?:const|dup|dupnoneed|out|width|dupv|dupnoneedv|tape|allocated|nofree|primal_return|noret"
    r"|const_return|active_return|dup_return|runtime_activity|strong_zero|interleave|not_overwritten|byref|scalar|vector"
    r"|buffer)) = ((?:dso_local )?)external ((?:local_unnamed_addr |unnamed_addr )?)(global|constant) (i\d+)"
)


def settle_markers(text: str) -> str:
    """Give markers that a program declares ``extern`` a weak definition.

    They are only names for the engine, no program has to define them, but unoptimised code still loads them. Weak: a
    program that does define them, here or in another file, keeps its own.
    """
    return text if "@enzyme_" not in text else _MARKER.sub(r"\1 = \2weak \3global \5 0", text)
