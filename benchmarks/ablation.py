"""What each optimisation of the engine gains: ``python -m benchmarks.ablation [WORKLOAD/CASE ...]``.

Every optimisation that can be turned off (:func:`enzyme.support.config.switches`: the list is never written down here)
is turned off by itself, on workloads of the harness and on loops over matrices, and the derivatives made with it and
without it are measured in turns, on the same arrays, in one process on one core; the least of many short measurements
counts. Where turning one off gives the same code, that is all there is to say. The derivatives are compared first.

``--json FILE`` keeps the numbers, with the machine they were measured on. What is there of other optimisations and
other cases stays, so that one of them can be measured alone (``--off NAME``); ``--missing`` measures what is not there
yet, and goes on with what was interrupted. ``--docs NOTE`` puts all that the file has into a table in the note.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import enzyme
from adbench.checking import compare
from adbench.identity import MACHINE_KEY, commit, decisive_features, machine, machine_difference
from adbench.native.timing import NativeTimer
from benchmarks.variants import CASES, Variant, find_case, measure_in_turns
from enzyme.support.config import Config, switches, turned_off
from enzyme.support.diagnostics import UsageError

UNDER: dict[str, dict[str, Any]] = {"vector_math": {"math": "relaxed"}}
"""Settings without which an optimisation has nothing to do."""
TOLERANCE = 1e-9
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True)
class Gain:
    """Of one optimisation on one case: seconds and bytes above the inputs', with it and without it; None where the code
    is the same."""

    optimisation: str
    case: str
    with_it: float
    without: float | None = None
    memory_with: int | None = None
    memory_without: int | None = None
    primal: float | None = None

    @property
    def factor(self) -> float:
        return 1.0 if self.without is None else self.without / self.with_it


def gains(
    name: str, wanted: Callable[[str, str], bool], seconds: float, pipeline: str, timer: NativeTimer
) -> Iterator[Gain]:
    """Every optimisation on one case, where ``wanted`` of the two names."""
    workload, case = find_case(name)
    label = f"{workload.name}/{case.name}"
    chosen = [each for each in switches() if wanted(each, label)]
    inputs = workload.inputs(case, seed=1) if chosen else {}
    for settings in ({}, *UNDER.values()):
        names = [each for each in chosen if UNDER.get(each, {}) == settings]
        if not names:
            continue
        base = Config(**settings)
        whole = Variant(workload, inputs, base, timer, pipeline)
        others = {each: Variant(workload, inputs, turned_off(base, each), timer, pipeline, whole) for each in names}
        different = {each: variant for each, variant in others.items() if not variant.same_code(whole, each)}
        expected = whole.outputs()
        for each, variant in different.items():
            verdict = compare(variant.outputs(), expected, TOLERANCE)
            if not verdict.correct:
                raise SystemExit(f"{label} without {each} gives another derivative: {verdict.message}")
        primal = measure_in_turns([whole, *different.values()], seconds)
        memory = whole.memory()
        for each in names:
            off = different.get(each)
            if off is None:
                yield Gain(each, label, whole.best, primal=primal)
            else:
                yield Gain(each, label, whole.best, off.best, memory, off.memory(), primal)


def line(gain: Gain) -> str:
    head = f"{gain.case:<28} {gain.optimisation:<18} {gain.with_it * 1e6:>11.1f} us"
    if gain.without is None:
        return f"{head}   the same code without it"
    return f"{head} {gain.without * 1e6:>11.1f} us without, x{gain.factor:.2f}"


def summary(found: Sequence[Gain]) -> str:
    """For each optimisation on how many cases it changes the code, and what it gains on these, as Markdown."""
    rows = ["| optimisation | changes | gain there | most | least |", "|---|---|---|---|---|"]
    for name in _optimisations(found):
        of = sorted((each for each in found if each.optimisation == name), key=lambda each: each.factor)
        other = [each for each in of if each.without is not None]
        if other:
            mean = float(np.exp(np.mean([np.log(each.factor) for each in other])))
            ends = [f"{each.factor:.2f} {each.case}" for each in (other[-1], other[0])]
            rows.append(f"| `{name}` | {len(other)} of {len(of)} | {mean:.2f} | {' | '.join(ends)} |")
        else:
            rows.append(f"| `{name}` | none of {len(of)} | | | |")
    return "\n".join(rows)


def table(found: Sequence[Gain]) -> str:
    """Factors by case and optimisation, as Markdown; a dash where the code is the same, and no column where it always
    is."""
    names = _optimisations([each for each in found if each.without is not None])
    rows = [
        "| workload | derivative / primal | " + " | ".join(f"`{name}`" for name in names) + " |",
        "|---|---|" + "---|" * len(names),
    ]
    known = {each.case for each in found}
    for case in [*(case for case in CASES if case in known), *sorted(known - set(CASES))]:
        of = {each.optimisation: each for each in found if each.case == case}
        plain = [each.with_it / each.primal for each in of.values() if each.optimisation not in UNDER and each.primal]
        cells = [f"{min(plain):.2f}" if plain else ""]
        cells += [_cell(of.get(name)) for name in names]
        rows.append(f"| {case} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _optimisations(found: Sequence[Gain]) -> list[str]:
    """Those that there are measurements of, in the order of the registry."""
    known = {each.optimisation for each in found}
    return [name for name in switches() if name in known]


def _cell(gain: Gain | None) -> str:
    if gain is None:
        return ""
    if gain.without is None:
        return "-"
    more = (gain.memory_without or 0) - (gain.memory_with or 0)
    return f"{gain.factor:.2f}" + (f" ({more / 2**20:+.1f} MiB)" if abs(more) >= 2**20 else "")


@dataclass
class Kept:
    """Gains in a file, one for each optimisation and case; those of optimisations that are no more are left out."""

    file: Path | None
    gains: dict[tuple[str, str], Gain]
    dates: list[str]

    @classmethod
    def read(cls, file: Path | None) -> Kept:
        if file is None or not file.exists():
            return cls(file, {}, [])
        data = json.loads(file.read_text(encoding="utf-8"))
        differs = machine_difference(data["machine"], machine())
        if differs:
            raise SystemExit(f"{file} is of another machine ({differs}): name another file")
        found = [Gain(**each) for each in data["gains"] if each["optimisation"] in switches()]
        return cls(file, {(each.optimisation, each.case): each for each in found}, data["dates"])

    def add(self, gain: Gain, about: dict[str, Any]) -> None:
        self.gains[gain.optimisation, gain.case] = gain
        self.dates = sorted({*self.dates, about["made"]})
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            data = {**about, "dates": self.dates, "gains": [asdict(each) for each in self.gains.values()]}
            whole = json.dumps(data, indent=1) + "\n"
            self.file.with_suffix(".new").write_text(whole, encoding="utf-8")
            self.file.with_suffix(".new").replace(self.file)


def conditions(seconds: float, pipeline: str) -> dict[str, Any]:
    return {
        "machine": {key: machine()[key] for key in MACHINE_KEY} | {"cpu_flags": sorted(decisive_features(machine()))},
        "engine": enzyme.__version__,
        "commit": commit(),
        "pipeline": pipeline,
        "seconds": seconds,
        "made": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def put_into(note: Path, text: str) -> None:
    """Replace what stands between the marks."""
    whole = note.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(whole):
        raise SystemExit(f"{note} has no {BEGIN} ... {END}")
    note.write_text(pattern.sub(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", whole), encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("case", nargs="*", default=[], metavar="WORKLOAD/CASE", help=f"default: {', '.join(CASES)}")
    options.add_argument("--off", metavar="NAME,...", help=f"of {', '.join(switches())}; default: all")
    options.add_argument("--seconds", type=float, default=1.0, help="of measuring for each derivative (default 1)")
    options.add_argument("--pipeline", choices=("post", "pre"), default="post")
    options.add_argument("--json", type=Path, metavar="FILE", help="keep the numbers here, beside what is there")
    options.add_argument("--missing", action="store_true", help="measure only what that file does not have")
    options.add_argument("--docs", type=Path, metavar="NOTE", help="put the table into this note")
    asked = options.parse_args()
    chosen = asked.off.replace(",", " ").split() if asked.off else list(switches())
    try:
        turned_off(Config(), ",".join(chosen))
    except UsageError as error:
        options.error(str(error))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    about = conditions(asked.seconds, asked.pipeline)
    kept = Kept.read(asked.json)

    def wanted(optimisation: str, case: str) -> bool:
        return optimisation in chosen and not (asked.missing and (optimisation, case) in kept.gains)

    with tempfile.TemporaryDirectory(prefix="ablation-") as folder:
        timer = NativeTimer(Path(folder))
        for name in asked.case or CASES:
            for gain in gains(name, wanted, asked.seconds, asked.pipeline, timer):
                print(line(gain), flush=True)
                kept.add(gain, about)
    found = list(kept.gains.values())
    text = f"{summary(found)}\n\n{table(found)}"
    print(f"\n{text}")
    if asked.docs:
        where = (
            f"{about['machine'].get('cpu', '')}, one core, {' and '.join(kept.dates)}, pipeline {about['pipeline']}."
        )
        put_into(asked.docs, f"{text}\n\n{where}")


if __name__ == "__main__":
    main()
