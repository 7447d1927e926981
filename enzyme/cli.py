"""``python -m enzyme COMMAND``: picks the command and turns errors into messages and exit statuses.

Exit status: 0 done, 1 something was refused or failed, 2 a command line that makes no sense, 70 a fault of the engine.
No traceback is shown, except with ENZYME_DEBUG=1 and in Python's development mode (``python -X dev``).
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from enzyme.support.diagnostics import (
    CompileError,
    EnzymeError,
    InternalFault,
    UsageError,
    VerificationError,
    internal_fault,
)

INTERNAL = 70
"""Exit status of a fault of the engine (EX_SOFTWARE)."""

USAGE = """\
usage: python -m enzyme COMMAND ...

  cc, c++   compile, differentiate, optimise and link, like a C or C++ compiler
  opt       differentiate a module of LLVM IR, text or bitcode, like LLVM's opt
  explain   show what is active, how calls are treated and what the tape keeps, line by line
  include   print the folder of the headers: enzyme/enzyme.h for C, enzyme/enzyme and enzyme/utils for C++
  verify    check derivatives of random programs
  cache     show or remove what is kept of earlier compiles

python -m enzyme COMMAND --help says more; python -m enzyme --version names the version.
"""


class CommandLineError(UsageError):
    """A command line that makes no sense: exit status 2."""


@contextmanager
def command_line() -> Iterator[None]:
    """Usage errors raised inside are about the command line."""
    try:
        yield
    except UsageError as error:
        raise CommandLineError(error.what, why=error.why, hint=error.hint) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _dispatch(words)
    except (InternalFault, VerificationError) as error:
        if _shows_tracebacks():
            traceback.print_exception(error)
        _report(error)
        return INTERNAL
    except EnzymeError as error:
        if os.environ.get("ENZYME_DEBUG"):
            traceback.print_exception(error)
        _report(error)
        return 2 if isinstance(error, CommandLineError) else 1
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain again when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{error.strerror or error}", file=sys.stderr)
        return 1
    except Exception as error:  # the last resort, so that users never see a bare traceback
        if _shows_tracebacks():
            traceback.print_exception(error)
        _report(internal_fault(error, None))
        return INTERNAL


def _shows_tracebacks() -> bool:
    return sys.flags.dev_mode or bool(os.environ.get("ENZYME_DEBUG"))


def _report(error: EnzymeError) -> None:
    if isinstance(error, CompileError) and error.why and "error:" in error.why:
        # The compiler's messages as it printed them: editors and build tools read their file:line:column.
        print(error.why, file=sys.stderr)
        text = f"{error.what}\n  help: {error.hint}" if error.hint else error.what
    else:
        text = str(error)
    print(f"error: {text}", file=sys.stderr)


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(USAGE, end="", file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    command, rest = words[0], words[1:]
    if command in ("cc", "c++"):
        if rest == ["--help"]:
            from enzyme.commands.cc_line import HELP

            print(HELP, end="")
            return 0
        from enzyme.commands import cc

        return cc.run(rest, command)
    if command == "opt":
        from enzyme.commands import opt

        return opt.run(rest)
    if command == "explain":
        from enzyme.commands import explain

        return explain.run(rest)
    if command == "include":
        from enzyme.frontends.flags import include_dir

        print(include_dir())
        return 0
    if command == "verify":
        from enzyme.commands import verify

        return verify.run(rest)
    if command == "cache":
        from enzyme.commands import cache

        return cache.run(rest)
    if command in ("--version", "version"):
        from enzyme import __version__

        print(f"enzyme {__version__}")
        return 0
    raise CommandLineError(
        f"there is no command '{command}'", hint="use cc, c++, opt, explain, include, verify or cache"
    )
