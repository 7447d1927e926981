"""``--print-after``, ``--print-functions`` and ``--time-passes``, the same for every command that compiles."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from enzyme.support.diagnostics import UsageError
from enzyme.support.trace import PRINTED, Trace, read_steps

HELP = """\
  --print-after=STEP,...     write the program to standard error after steps: front-end, prepare, normalise, derivative,
                             lower, optimise, or all
  --print-functions=F,...    of it only the functions whose name holds one of these words
  --time-passes              write to standard error how long each step took
"""


@dataclass
class TraceOptions:
    """What was asked for on a command line."""

    print_after: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()
    timing: bool = False

    def trace(self) -> Trace:
        return Trace(self.print_after, self.functions, self.timing)

    def take(self, word: str, queue: list[str]) -> bool:
        """Take a word of a compiler's command line, and its value from ``queue``; False when it is none of ours."""
        name, equals, value = word.partition("=")
        if name == "--time-passes" and not equals:
            self.timing = True
        elif name in ("--print-after", "--print-functions"):
            if not equals:
                if not queue:
                    raise UsageError(f"a value is missing after '{word}'")
                value = queue.pop(0)
            if name == "--print-after":
                self.print_after = _steps(value)
            else:
                self.functions = tuple(value.split(","))
        else:
            return False
        return True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The same options for a command that reads its line with argparse."""
    parser.add_argument("--print-after", metavar="STEP,...", help=f"print the IR after: {', '.join(PRINTED)}, or all")
    parser.add_argument("--print-functions", metavar="F,...", help="print only functions whose name holds a word")
    parser.add_argument("--time-passes", action="store_true", help="print how long each step took")


def from_arguments(options: argparse.Namespace) -> TraceOptions:
    steps = _steps(options.print_after) if options.print_after else frozenset()
    functions = tuple(options.print_functions.split(",")) if options.print_functions else ()
    return TraceOptions(steps, functions, options.time_passes)


def report(trace: Trace) -> None:
    """The table of times, when it was asked for."""
    if trace.timing:
        print(trace.table(), file=trace.stream or sys.stderr)


def _steps(words: str) -> frozenset[str]:
    try:
        return read_steps(words)
    except ValueError as error:
        raise UsageError(
            f"there is no step '{error}' to print after", hint=f"use {', '.join(PRINTED)} or all"
        ) from None
