"""What is asked for: one frozen record per derivative, the memo key of the engine.

Signatures of the functions made (``f`` has parameters p1..pn and result T):

- ``reverse`` (combined) ``(p1 [, p1'] ..., [seed: T]) -> gradients`` where a shadow follows each ``dup`` parameter; the
  seed is there when ``ret`` is "active", and the result holds the gradients of the ``out`` parameters in order (void,
  the one type, or a literal struct), behind ``f``'s own result when ``return_primal`` is set.
- ``split``: two functions. Augmented primal ``(p1 [, p1'] ...) -> {ptr tape [, T result] [, T shadow of result]}`` and
  reverse ``(p1 [, p1'] ..., [seed: T], ptr tape) -> gradients``.
- ``forward``: ``(p1 [, p1'] ...) -> tangent`` where every ``dup`` parameter, pointer or float, is followed by its
  shadow or tangent; the result is ``{T, T'}`` when ``return_primal`` is set.

With ``width`` N > 1 every shadow, tangent and seed parameter above stands N times in a row (lane 0 first), and every
shadow, tangent and gradient in a result is an array ``[N x T]``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

ArgActivity = Literal["const", "dup", "dupnoneed", "out"]
ReturnActivity = Literal["const", "active", "dup"]
Mode = Literal["reverse", "split", "forward"]


@dataclass(frozen=True)
class Request:
    """A derivative of ``function``.

    args: activity of each parameter. ret: "active" for a float result with a seed (reverse) or a tangent (forward),
    "dup" for a pointer result that comes with its shadow, else "const".
    overwritten: parameters whose memory may be written between the forward and the reverse sweep (split mode).
    stable_memory: memory not reached through a parameter (globals, loaded pointers) is not written in between either.
    nested: made for a call inside another derivative, whose analysis has proved that ``const`` memory does not matter.
    strict: nested, but without that proof: which case of a call through a pointer is meant is not known before.
    globals: mutable global variables that have shadows (for a nested request: the outermost function settles it).
    leading: those of them in which pointers to memory with shadows are stored.
    inert: those of the leading ones that nothing active gets behind: they are their own shadows.
    return_primal: the result of ``f`` is asked for beside the derivative.
    width: number of lanes, derivatives carried at once.
    runtime_activity: a shadow equal to its primal means, when the program runs, that the memory is inactive, because
    the program says so.
    mixed: the same, because pointers inside lead to memory with a shadow or to memory without one, and the analysis
    cannot tell which. That nothing active is written to the latter it has proved for one function; in those that are
    called, the program looks (lost_stores.py).
    strong_zero: zero times an infinite or NaN partial is zero in every rule, not only in singular ones.
    keep_tape: the reverse function (split mode) leaves the tape and memory of the primal, so that it can run again.
    renewable: some reverse function of this derivative does; what it takes from the tape is there for all of them.
    apart: the program calls the two halves (split mode) itself, and may give the second one other shadows.
    behind: made for a call in a loop, behind which linear maps are applied (linear_maps.py): "collect" or "apply". The
    room of sums is one more parameter, the last one.
    varying: the parameters that differ from iteration to iteration there.
    """

    function: str
    mode: Mode
    args: tuple[str, ...]
    ret: str = "const"
    overwritten: frozenset[int] = frozenset()
    stable_memory: bool = True
    return_primal: bool = False
    nested: bool = False
    strict: bool = False
    globals: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    inert: frozenset[str] = frozenset()
    width: int = 1
    runtime_activity: bool = False
    mixed: bool = False
    strong_zero: bool = False
    keep_tape: bool = False
    renewable: bool = False
    apart: bool = False
    behind: str = ""
    varying: frozenset[int] = frozenset()

    @property
    def at_run_time(self) -> bool:
        """Whether shadows are compared with their primals when the program runs."""
        return self.runtime_activity or self.mixed

    @property
    def duplicated(self) -> tuple[bool, ...]:
        """For each parameter, whether a shadow follows it."""
        return tuple(a in ("dup", "dupnoneed") for a in self.args)

    def label(self) -> str:
        """A short readable form, used in names of generated functions."""
        letters = {"const": "c", "dup": "d", "dupnoneed": "n", "out": "o"}
        shape = "".join(letters[a] for a in self.args)
        lanes = f".w{self.width}" if self.width > 1 else ""
        mixed = ".mixed" if self.mixed else ""
        behind = f".{self.behind}" if self.behind else ""
        return f"{self.function}.{self.mode}.{shape}{'r' if self.ret != 'const' else ''}{lanes}{mixed}{behind}"

    def serves(self, other: Request) -> bool:
        """Whether what answers this request may be used in place of what answers the other: it expects no less memory
        to be written between the two sweeps, and is the same otherwise."""
        same = replace(self, overwritten=other.overwritten, stable_memory=other.stable_memory) == other
        return same and self.overwritten >= other.overwritten and self.stable_memory <= other.stable_memory
