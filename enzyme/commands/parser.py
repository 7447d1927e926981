"""Option parsing with errors of one line, like every other message."""

from __future__ import annotations

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """argparse that raises :class:`enzyme.cli.CommandLineError` in place of printing its usage."""

    def error(self, message: str) -> NoReturn:
        from enzyme.cli import CommandLineError

        raise CommandLineError(message, hint=f"{self.prog} --help lists the options")
