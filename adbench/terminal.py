"""What all commands share: the screen, exit statuses, and how a refusal is said."""

from __future__ import annotations

from typing import NoReturn

import typer
from rich.console import Console

from adbench.errors import BenchError

EXIT_WRONG = 1
EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130


def console(stderr: bool = False) -> Console:
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        # Tables in logs and pipes keep their columns.
        made.width = max(made.width, 120)
    return made


def fail(error: BenchError | str, status: int = EXIT_REFUSED) -> NoReturn:
    console(stderr=True).print(f"error: {error}", markup=False, soft_wrap=True)
    raise typer.Exit(status)
