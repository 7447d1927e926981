"""What each optimisation of the engine gains: ``python -m benchmarks.ablation [WORKLOAD/CASE ...]``.

Every optimisation that can be turned off (:func:`enzyme.support.config.switches`) is turned off by itself, on workloads
of the harness, and the derivatives made with it and without it are measured in turns, in one process on one core; the
least of many short measurements counts. Where turning one off gives the same code, that is all there is to say. The
derivatives are compared first. ``--json`` writes the numbers with the machine they were measured on, ``--docs`` puts
the table into the note in docs/.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import enzyme
from adbench.checking import compare
from adbench.identity import commit, machine
from adbench.native.timing import NativeTimer
from adbench.workloads.base import Function
from benchmarks.variants import CASES, Variant, find_case, measure_in_turns
from enzyme.support.config import Config, switches, turned_off

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


def gains(name: str, chosen: Sequence[str], seconds: float, pipeline: str, timer: NativeTimer) -> list[Gain]:
    """Every chosen optimisation on one case."""
    workload, case = find_case(name)
    label = f"{workload.name}/{case.name}"
    inputs = workload.inputs(case, seed=1)
    found = []
    for settings in ({}, *UNDER.values()):
        names = [each for each in chosen if UNDER.get(each, {}) == settings]
        if not names:
            continue
        base = Config(**settings)
        whole = Variant(workload, inputs, base, timer, pipeline)
        others = {each: Variant(workload, inputs, turned_off(base, each), timer, pipeline) for each in names}
        different = {each: variant for each, variant in others.items() if variant.code != whole.code}
        expected = whole.outputs()
        for each, variant in different.items():
            verdict = compare(variant.outputs(), expected, TOLERANCE)
            if not verdict.correct:
                raise SystemExit(f"{label} without {each} gives another derivative: {verdict.message}")
        measure_in_turns([whole, *different.values()], seconds)
        primal = min(whole.batch(Function.OBJECTIVE)(1, 20)) / 1e9
        memory = whole.memory()
        for each in names:
            off = different.get(each)
            if off is None:
                found.append(Gain(each, label, whole.best, primal=primal))
            else:
                found.append(Gain(each, label, whole.best, off.best, memory, off.memory(), primal))
            print(line(found[-1]), flush=True)
    return found


def line(gain: Gain) -> str:
    head = f"{gain.case:<28} {gain.optimisation:<18} {gain.with_it * 1e6:>11.1f} us"
    if gain.without is None:
        return f"{head}   the same code without it"
    return f"{head} {gain.without * 1e6:>11.1f} us without, x{gain.factor:.2f}"


def table(found: Sequence[Gain]) -> str:
    """Factors by case and optimisation, as Markdown; a dash where the code is the same."""
    names = list(dict.fromkeys(each.optimisation for each in found))
    rows = [
        "| workload | derivative / primal | " + " | ".join(f"`{name}`" for name in names) + " |",
        "|---|---|" + "---|" * len(names),
    ]
    for case in dict.fromkeys(each.case for each in found):
        of = {each.optimisation: each for each in found if each.case == case}
        plain = next((each for each in of.values() if each.optimisation not in UNDER), next(iter(of.values())))
        cells = [f"{plain.with_it / plain.primal:.2f}" if plain.primal else ""]
        cells += [_cell(of.get(name)) for name in names]
        rows.append(f"| {case} | " + " | ".join(cells) + " |")
    means = [float(np.exp(np.mean([np.log(g.factor) for g in found if g.optimisation == name]))) for name in names]
    rows.append("| geometric mean | | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
    return "\n".join(rows)


def _cell(gain: Gain | None) -> str:
    if gain is None:
        return ""
    if gain.without is None:
        return "-"
    more = (gain.memory_without or 0) - (gain.memory_with or 0)
    return f"{gain.factor:.2f}" + (f" ({more / 2**20:+.1f} MiB)" if abs(more) >= 2**20 else "")


def conditions(seconds: float, pipeline: str) -> dict[str, Any]:
    return {
        "machine": machine(),
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
    options.add_argument("--json", type=Path, metavar="FILE", help="write the numbers")
    options.add_argument("--docs", type=Path, metavar="FILE", help="put the table into this note")
    asked = options.parse_args()
    chosen = asked.off.split(",") if asked.off else list(switches())
    turned_off(Config(), ",".join(chosen))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    found: list[Gain] = []
    with tempfile.TemporaryDirectory(prefix="ablation-") as folder:
        timer = NativeTimer(Path(folder))
        for name in asked.case or CASES:
            found += gains(name, chosen, asked.seconds, asked.pipeline, timer)
    about = conditions(asked.seconds, asked.pipeline)
    text = table(found)
    print(f"\n{text}")
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        data = {**about, "gains": [asdict(each) for each in found]}
        asked.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if asked.docs:
        where = f"{about['machine'].get('cpu', '')}, one core, {about['made']}, pipeline {about['pipeline']}."
        put_into(asked.docs, f"{text}\n\n{where}")


if __name__ == "__main__":
    main()
