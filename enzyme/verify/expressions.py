"""Random C expressions with a known bound on their size.

Every variable of a generated program stays within [-LIMIT, LIMIT]; an expression carries the bound that follows from
that, and what is stored is scaled or squashed back into it. So derivatives stay moderate, domains are respected (the
argument of a logarithm is positive because the bound says so) and finite differences mean something.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

LIMIT = 2.0
EXTENT = 8
"""Length of every array; loops run to n <= EXTENT."""


@dataclass(frozen=True)
class Expression:
    """C text with |value| <= bound."""

    text: str
    bound: float


@dataclass(frozen=True)
class Counter:
    """A loop variable in [low, n - margin): what may be added to it and stay an index is known."""

    name: str
    low: int
    margin: int


@dataclass
class Scope:
    """Names that may be read or written at a point of the program."""

    scalars: list[str] = field(default_factory=list)
    singles: list[str] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)
    integers: list[str] = field(default_factory=list)
    readonly: list[str] = field(default_factory=list)
    """Counters of while loops: integers that are read and never assigned, and that may exceed an index."""
    arrays: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    grids: list[str] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)
    has_index: bool = True
    calls: list[Callable[[Writer, Scope, int], Expression]] = field(default_factory=list)

    @property
    def numbers(self) -> list[str]:
        """Every integer that may be read; none is negative."""
        return [c.name for c in self.counters] + self.integers + self.readonly

    def inside(self, *counters: Counter) -> Scope:
        """The same scope with further loop variables."""
        return Scope(**{**self.__dict__, "counters": [*self.counters, *counters]})


# C text with holes, and the bound of the result from the bounds of what fills them.
UNARY: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("sin({})", lambda b: min(b, 1.0)),
    ("cos({})", lambda b: 1.0),
    ("tanh({})", lambda b: min(b, 1.0)),
    ("atan({})", lambda b: min(b, 1.5708)),
    ("erf({})", lambda b: 1.0),
    ("squash({})", lambda b: 0.5),
    ("exp(0.3 * {})", lambda b: 2.7182818 ** (0.3 * b)),
    ("expm1(0.25 * {})", lambda b: 2.7182818 ** (0.25 * b)),
    ("exp2(0.4 * {})", lambda b: 2 ** (0.4 * b)),
    ("log(1.5 + {0} * {0})", lambda b: 0.5 + b),
    ("log1p({0} * {0})", lambda b: b),
    ("sqrt(1.0 + {0} * {0})", lambda b: 1 + b),
    ("cbrt({0} * {0} + 0.5)", lambda b: 1 + b),
    ("sinh(0.4 * {})", lambda b: 2.7182818 ** (0.4 * b)),
    ("cosh(0.4 * {})", lambda b: 2.7182818 ** (0.4 * b)),
    ("asinh({})", lambda b: b),
    ("pow(1.2 + 0.1 * {0} * {0}, 1.3)", lambda b: 2.0 * (1.2 + 0.1 * b * b)),
    ("pow({}, 2)", lambda b: b * b),
    ("fabs({} + 0.77)", lambda b: b + 0.77),
    ("erfc({})", lambda b: 2.0),
    ("lgamma(2.0 + 0.2 * {0} * {0})", lambda b: 1 + b * b),
    ("tgamma(1.5 + 0.1 * {0} * {0})", lambda b: 1 + b * b),
    ("j0({})", lambda b: 1.0),
    ("log2(1.5 + {0} * {0})", lambda b: 1 + 2 * b),
    ("log10(1.5 + {0} * {0})", lambda b: 0.5 + b),
    ("asin(0.6 * sin({}))", lambda b: 0.7),
    ("acos(0.6 * sin({}))", lambda b: 2.3),
    ("atanh(0.6 * sin({}))", lambda b: 0.7),
    ("acosh(1.2 + {0} * {0})", lambda b: 1 + b),
    ("tan(0.7 * sin({}))", lambda b: 0.85),
    ("ldexp({}, -1)", lambda b: 0.5 * b),
    ("fmod({}, 0.7)", lambda b: 0.7),
    ("floor(1.7 * {0}) * {0}", lambda b: (1.7 * b + 1) * b),
    ("-{}", lambda b: b),
    ("{0} * {0}", lambda b: b * b),
    ("1.0 / (1.3 + {0} * {0})", lambda b: 0.77),
)
SINGLE_UNARY: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("sin@F({})", lambda b: min(b, 1.0)),
    ("cos@F({})", lambda b: 1.0),
    ("tanh@F({})", lambda b: min(b, 1.0)),
    ("exp@F(0.3f * {})", lambda b: 2.7182818 ** (0.3 * b)),
    ("sqrt@F(1.0f + {0} * {0})", lambda b: 1 + b),
    ("log@F(1.5f + {0} * {0})", lambda b: 0.5 + b),
)
BINARY: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("{} + {}", lambda a, b: a + b),
    ("{} - {}", lambda a, b: a + b),
    ("{} * {}", lambda a, b: a * b),
    ("{0} / (1.5 + {1} * {1})", lambda a, b: a / 1.5),
    ("{} / (4.5 + {})", lambda a, b: a * 2),
    ("atan2({}, 3.0 + {})", lambda a, b: 3.2),
    ("hypot({0}, 1.0 + {1} * {1})", lambda a, b: a + 1 + b * b),
    ("fmax({}, {} + 0.31)", lambda a, b: max(a, b + 0.31)),
    ("fmin({}, {} - 0.17)", lambda a, b: max(a, b + 0.17)),
    ("copysign({}, {} + 0.41)", lambda a, b: a),
    ("pow(1.2 + 0.1 * {0} * {0}, 0.4 * {1})", lambda a, b: (1.2 + 0.1 * a * a) ** (0.4 * b)),
    ("fdim({}, {} - 0.21)", lambda a, b: a + b + 0.21),
    ("remainder({0}, 1.3 + {1} * {1})", lambda a, b: 0.65 + 0.5 * b * b),
    ("({0} < {1} ? {0} * {1} : {1} - {0} + 0.3)", lambda a, b: max(a * b, a + b + 0.3)),
)
TERNARY: tuple[tuple[str, Callable[[float, float, float], float]], ...] = (
    ("fma({}, {}, {})", lambda a, b, c: a * b + c),
    ("({0} > {1} ? {1} : {2})", lambda a, b, c: max(b, c)),
    ("{} * {} - {}", lambda a, b, c: a * b + c),
)


class Writer:
    """Draws expressions from a scope with one random stream."""

    def __init__(self, random: Random, mixed: bool = False) -> None:
        self.random = random
        self.mixed = mixed

    # --- integers ----------------------------------------------------------------------------------------------------

    def index(self, scope: Scope) -> str:
        """An index in [0, n)."""
        pick = self.random.random()
        if scope.counters and pick < 0.62:
            counter = self.random.choice(scope.counters[-2:])
            offset = self.random.randint(-counter.low, counter.margin)
            if self.random.random() < 0.5:
                offset = 0
            return counter.name if offset == 0 else f"{counter.name} {'+' if offset > 0 else '-'} {abs(offset)}"
        if scope.counters and pick < 0.70:
            counter = self.random.choice(scope.counters)
            return f"n - 1 - {counter.name}"
        if scope.has_index and pick < 0.78:
            inner = self.random.choice(scope.counters).name if scope.counters else str(self.random.randint(0, 2))
            return f"index[{inner}]"
        if (scope.integers or scope.readonly) and pick < 0.86:
            return f"({self.random.choice(scope.integers + scope.readonly)} + {self.random.randint(0, 5)}) % n"
        if len(scope.counters) > 1 and pick < 0.93:
            first, second = self.random.sample(scope.counters, 2)
            return f"({first.name} + {self.random.randint(1, 3)} * {second.name}) % n"
        return str(self.random.randint(0, 2)) if self.random.random() < 0.7 else f"n - {self.random.randint(1, 3)}"

    def integer_condition(self, scope: Scope) -> str:
        names = scope.numbers
        if not names:
            return f"n % {self.random.randint(2, 3)} == {self.random.randint(0, 1)}"
        first, second = self.random.choice(names), self.random.choice(names)
        forms = [
            f"{first} % 2 == {self.random.randint(0, 1)}",
            f"({first} + {self.random.randint(0, 3)} * {second}) % 3 != {self.random.randint(0, 2)}",
            f"{first} < n / 2",
            f"({first} & 3) == {self.random.randint(0, 3)}",
            f"{first} > {self.random.randint(0, 3)}",
        ]
        if scope.counters and scope.has_index:
            forms.append(f"index[{self.random.choice(scope.counters).name}] > {self.random.randint(0, 3)}")
        return self.random.choice(forms)

    def condition(self, scope: Scope) -> str:
        """On integers, or on data with an odd constant so that ties are unlikely."""
        if self.random.random() < 0.6:
            return self.integer_condition(scope)
        left = self.leaf(scope)
        if left.text.startswith("("):  # a constant or a counter decides nothing
            return self.integer_condition(scope)
        text = f"{left.text} {self.random.choice('<>')} {self.constant(0.9)}"
        if self.random.random() < 0.2:
            text += f" {self.random.choice(['&&', '||'])} {self.integer_condition(scope)}"
        return text

    # --- numbers -----------------------------------------------------------------------------------------------------

    def constant(self, size: float) -> str:
        return f"{self.random.uniform(-size, size):.3f}"

    def leaf(self, scope: Scope) -> Expression:
        choices: list[str] = []
        choices += ["scalar"] * (4 if scope.scalars else 0)
        choices += ["array"] * (7 if scope.arrays else 0)
        choices += ["constant"]
        choices += ["table"] * (1 if scope.constants else 0)
        choices += ["sum"] * (1 if scope.sums else 0)
        choices += ["single"] * (3 if scope.singles else 0)
        choices += ["grid"] * (1 if scope.grids else 0)
        choices += ["integer"] * (1 if scope.numbers else 0)
        match self.random.choice(choices):
            case "scalar":
                return Expression(self.random.choice(scope.scalars), LIMIT)
            case "array":
                return Expression(f"{self.random.choice(scope.arrays)}[{self.index(scope)}]", LIMIT)
            case "table":
                return Expression(f"{self.random.choice(scope.constants)}[{self.index(scope)}]", 1.0)
            case "sum":
                name = self.random.choice(scope.sums)
                return Expression(self.random.choice([f"sin({name})", f"tanh(0.2 * {name})", f"squash({name})"]), 1.0)
            case "single":
                return Expression(self.random.choice(scope.singles), LIMIT)
            case "grid":
                name = self.random.choice(scope.grids)
                return Expression(f"{name}[({self.index(scope)}) % 4][{self.index(scope)}]", LIMIT)
            case "integer":
                name = self.random.choice(scope.numbers)
                return Expression(f"(0.1 * {name})", 1.3)
            case _:
                return Expression(f"({self.constant(1.5)})", 1.5)

    def expression(self, scope: Scope, depth: int) -> Expression:
        pick = self.random.random()
        if depth <= 0 or pick < 0.12:
            return self.leaf(scope)
        if scope.calls and pick < 0.2:
            return self.random.choice(scope.calls)(self, scope, depth - 1)
        if pick < 0.45:
            a = self.expression(scope, depth - 1)
            table = SINGLE_UNARY if self.mixed and scope.singles and self.random.random() < 0.4 else UNARY
            form, bound = self.random.choice(table)
            if form.count("{0}") > 1 and len(a.text) > 40:
                form, bound = UNARY[0]
            a = self.limited(a, 3.0)
            return Expression(f"({form.format(closed(a.text))})", bound(a.bound))
        if pick < 0.92:
            a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
            form, binary = self.random.choice(BINARY[:4] if self.random.random() < 0.6 else BINARY)
            a, b = self.limited(a, 4.0), self.limited(b, 2.5)
            if form.count("{1}") > 1 and len(b.text) > 40:
                form, binary = BINARY[0]
            return Expression(f"({form.format(closed(a.text), closed(b.text))})", binary(a.bound, b.bound))
        a, b, c = (self.limited(self.expression(scope, depth - 1), 3.0) for _ in range(3))
        form, ternary = self.random.choice(TERNARY)
        if form.count("{1}") > 1 and len(b.text) > 40:
            form, ternary = TERNARY[0]
        return Expression(
            f"({form.format(closed(a.text), closed(b.text), closed(c.text))})", ternary(a.bound, b.bound, c.bound)
        )

    def limited(self, e: Expression, limit: float = LIMIT) -> Expression:
        """Scaled or squashed so that the bound holds."""
        if e.bound <= limit:
            return e
        pick = self.random.random()
        if pick < 0.4:
            factor = int(1000 * limit / e.bound) / 1000
            if factor >= 0.05:
                return Expression(f"({factor:.3f} * {closed(e.text)})", limit)
        name = ("sin", "tanh", "squash")[self.random.randrange(3)]
        return Expression(f"{name}({e.text})", 1.0)

    def value(self, scope: Scope, depth: int | None = None) -> str:
        """An expression that may be stored."""
        if depth is None:
            depth = self.random.choice((1, 2, 2, 3))
        return strip(self.limited(self.expression(scope, depth)).text)


def closed(text: str) -> str:
    """Text that binds tighter than any operator around it."""
    if (
        text.replace("_", "a").replace(".", "0").isalnum()
        or _wrapped(text)
        or (text.endswith(")") and text.split("(")[0].isalnum())
    ):
        return text
    return text if text.endswith("]") and text.split("[")[0].isidentifier() else f"({text})"


def _wrapped(text: str) -> bool:
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for position, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and position < len(text) - 1:
            return False
    return True


def strip(text: str) -> str:
    """Without the outermost pair of parentheses."""
    return text[1:-1] if _wrapped(text) else text
