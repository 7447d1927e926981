"""The programs with each optimisation of the engine off: ``python -m tests.programs.switched [--off NAME,...]``.

All of it, every program without every optimisation, takes hours; so it goes in pieces. Programs come in an order that
is drawn by lot and the same every time, the optimisations in turns, so that whatever time there is says something of
each. ``--state FILE`` keeps what is done, one line each, and a later run goes on behind it; what failed is tried
again. Where turning an optimisation off gives the same code, the program is not run: the plain tests do that.

Printed are, for each optimisation, how many programs were tried, how many of them have other code and passed, and every
failure. The exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from enzyme.support.config import switches
from tests.programs.suite import Program, Setting, compile_with_engine, programs, scratch, with_engine

SAME, PASSED, FAILED, MISSING = "same", "passed", "failed", "missing"


def order(found: list[Program]) -> list[Program]:
    return sorted(found, key=lambda program: zlib.crc32(program.name.encode()))


def code(program: Program, setting: Setting, off: str) -> str | None:
    """The program with its derivatives as optimised IR; None where it is in several files, or not to be compiled."""
    if len(program.sources) > 1 or "refused" in program.directives:
        return None
    with scratch() as folder:
        words = [f"-O{setting.level}", f"--enzyme-pipeline={setting.pipeline}", "-S", "-emit-llvm", "-g0"]
        words += [f"--enzyme-off={off}"] if off else []
        status, _ = compile_with_engine(program, words, folder / "code.ll")
        return (folder / "code.ll").read_text(encoding="utf-8") if status == 0 else None


def tried(program: Program, setting: Setting, off: str, plain: str | None) -> tuple[str, str]:
    """What became of a program, and what it said where it failed."""
    if plain is not None and code(program, setting, off) == plain:
        return SAME, ""
    said = with_engine(program, setting, off)
    return (FAILED, said) if said else (PASSED, "")


def outcomes(names: list[str], setting: Setting, done: set[tuple[str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """Program, optimisation, outcome and what was said, for all that is not ``done``."""
    for program in order(programs()):
        rest = [name for name in names if (program.name, name) not in done]
        if setting not in program.settings or not rest:
            continue
        plain = None if program.missing else code(program, setting, "")
        for name in rest:
            yield program.name, name, *((MISSING, "") if program.missing else tried(program, setting, name, plain))


def counts(rows: list[dict[str, str]]) -> str:
    lines = [f"{'without':<20}{'programs':>9}{'same code':>11}{'passed':>8}{'failed':>8}"]
    for name in (*switches(), "all"):
        of = Counter(row["outcome"] for row in rows if row["off"] == name)
        if of:
            lines.append(f"{name:<20}{of.total():>9}{of[SAME]:>11}{of[PASSED]:>8}{of[FAILED]:>8}")
    return "\n".join(lines)


def read(state: Path | None, setting: Setting) -> list[dict[str, str]]:
    """What was done in earlier runs, without what failed."""
    if state is None or not state.exists():
        return []
    lines = [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]
    return [row for row in lines if row["setting"] == str(setting) and row["outcome"] != FAILED]


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--off", metavar="NAME,...", help=f"of {', '.join(switches())}, all; default: each of them")
    options.add_argument("--minutes", type=float, default=15.0, help="nothing new is begun after this (default 15)")
    options.add_argument("--level", type=int, choices=range(4), default=2)
    options.add_argument("--pipeline", choices=("post", "pre"), default="post")
    options.add_argument("--state", type=Path, metavar="FILE", help="keeps what is done, to go on behind it")
    asked = options.parse_args()
    names = asked.off.replace(",", " ").split() if asked.off else [*switches(), "all"]
    setting = Setting(asked.level, asked.pipeline)
    rows = read(asked.state, setting)
    done = {(row["program"], row["off"]) for row in rows}
    end = time.monotonic() + 60 * asked.minutes
    for program, off, outcome, said in outcomes(names, setting, done):
        row = {"program": program, "off": off, "setting": str(setting), "outcome": outcome}
        rows.append(row)
        if asked.state is not None:
            with asked.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        if said:
            print(f"{program} {setting} without {off}: {said}", flush=True)
        if time.monotonic() > end:
            break
    print(counts(rows))
    return 1 if any(row["outcome"] == FAILED for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
