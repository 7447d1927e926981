"""What one row of the derivative tables is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from enzyme.rules.expr import Cost, Expr, leaves, simplify


@dataclass(frozen=True)
class ScalarRule:
    """The partial derivatives of one function or instruction with a single floating-point result.

    ``partials[i]`` is d result / d operand i, ``None`` where it is identically zero or operand i is no floating-point
    number (integer, pointer, metadata). A partial is computed in the format of the result; where the operand has
    another format (fptrunc, fpext) the driver converts the tangent or the adjoint, which the partial then multiplies.

    ``shape`` spells the parameters: ``f`` the function's own floating-point type, ``i`` an integer, ``p`` a pointer,
    ``l`` any floating-point type (nexttoward). ``cost`` is the price of computing the primal again. ``source`` is the
    formula as a text.

    ``singular``: some partial can be infinite or NaN at finite operands (x = 0 in log, sqrt, division). The optimiser
    turns ``x > 0 ? log(x) : 0`` into an unconditional log and a select, so an adjoint that is exactly zero may meet
    such a partial; a driver that multiplies them must answer 0 then, not NaN: ``adjoint == 0 ? 0 : adjoint * partial``.
    ``regular_powers``: not so where the second operand is 1, 2, 3 or 4: the partial is a product then.
    """

    name: str
    partials: tuple[Expr | None, ...]
    cost: Cost
    source: str
    shape: str
    singular: bool = False
    regular_powers: bool = False

    @property
    def linear(self) -> bool:
        """True when no partial depends on the operands: nothing needs to be kept for the reverse sweep."""
        return all(p is None or not leaves(p) for p in self.partials)

    @property
    def inactive(self) -> bool:
        """True when every partial is zero."""
        return all(p is None for p in self.partials)

    def padded(self, count: int) -> ScalarRule:
        """The rule for a call with ``count`` arguments, the further ones inactive."""
        if count == len(self.partials):
            return self
        more = (None,) * (count - len(self.partials))
        return replace(self, partials=self.partials + more)


@dataclass
class RuleTable:
    """Rows by canonical name, while a table file is being written."""

    rows: dict[str, ScalarRule] = field(default_factory=dict)

    def row(
        self,
        name: str,
        shape: str,
        *partials: Expr | None,
        cost: Cost,
        source: str,
        singular: bool = False,
        regular_powers: bool = False,
    ) -> None:
        """Add a row. ``partials`` has one entry per letter of ``shape``."""
        assert name not in self.rows and len(partials) == len(shape), name
        simple = tuple(None if p is None else simplify(p) for p in partials)
        self.rows[name] = ScalarRule(name, simple, cost, source, shape, singular, regular_powers)
