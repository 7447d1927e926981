"""A program's text and what has been read of it: passes that find nothing to do hand it on to the next one."""

from __future__ import annotations

from functools import cached_property

from enzyme.analysis.loops import LoopForest, analyse_loops
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function


class ReadOnce(str):
    """A text that is parsed once. A pass that changes the module has to give back another text, and makes no use of
    what is said here of a function that it has changed."""

    @cached_property
    def _read(self) -> tuple[Module, list[tuple[Function, str]]]:
        module = parse_module(self)
        return module, [(each, each.body_text) for each in module.functions.values() if each.body_text is not None]

    @property
    def module(self) -> Module:
        return self._read[0]

    @property
    def bodies(self) -> list[tuple[Function, str]]:
        """Functions that have one, with its text, whether it has been read by now or not."""
        return self._read[1]

    @cached_property
    def _forests(self) -> dict[Function, LoopForest]:
        return {}

    def loops(self, function: Function) -> LoopForest:
        if function not in self._forests:
            self._forests[function] = analyse_loops(function)
        return self._forests[function]


def read_once(text: str) -> ReadOnce:
    """The text itself if it is one, with what has been read of it before."""
    return text if isinstance(text, ReadOnce) else ReadOnce(text)
