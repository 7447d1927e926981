"""Errors of the harness: what, where, why and what to do next."""

from __future__ import annotations


class BenchError(Exception):
    """Base of everything that the harness refuses or that a tool reports.

    ``what`` is one sentence; ``where`` names a file, line and column or a cell; ``why`` is the reason; ``hint`` the way
    out.
    """

    def __init__(self, what: str, *, where: str | None = None, why: str | None = None, hint: str | None = None) -> None:
        self.what = what
        self.where = where
        self.why = why
        self.hint = hint
        super().__init__(self.render())

    def render(self) -> str:
        first = f"{self.where}: {self.what}" if self.where else self.what
        lines = [first]
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.hint:
            lines.append(f"  help: {self.hint}")
        return "\n".join(lines)


class DataFileError(BenchError):
    """A data file that does not follow its format; ``where`` is FILE:LINE:COLUMN."""


class BuildError(BenchError):
    """A source that did not compile; ``why`` carries the compiler's own messages."""


class ToolError(BenchError):
    """A tool that answered with an error."""


class ToolCrash(ToolError):
    """A tool process that ended while an answer was awaited."""


class ToolTimeout(ToolError):
    """A tool process that did not answer in time and was killed."""


class StoreError(BenchError):
    """The results file cannot be opened, read or written."""


class UsageError(BenchError):
    """A command line that makes no sense."""
