"""Peak memory of gradients, beside the tape plan's statement: ``python -m benchmarks.peak_memory [WORKLOAD/CASE ...]``.

Each workload has a process of its own, whose allocator counts; the primal and the derivative run once each, on a stack
that was zero before. Printed are bytes at the peak of

- the primal: its inputs, its result and what it takes itself, heap and stack,
- the gradient: the same, one shadow for the parameters, and what it takes itself (the rest of a Jacobian with more
  entries than there are parameters is what was asked for, and not counted),
- where a Jacobian is computed in lanes, how many (each has its own shadows),
- the tape as the plan states it (``explain --sizes``), and as the program counts it (``--enzyme-count-tape``),
- the scratch that the plan states beside it, where loops run several iterations at once.

Judged are two things: the gradient takes no more than twice the primal (once more for each further lane) and what is
stated (a page more is nothing: calls have frames on the stack); and stated and counted are within 10 % of each
other (or within 256 bytes: blocks have sizes of the allocator's choice). Bytes that are still held when the derivative
is done are a fault as well. The exit status is 1 where something is not so. ``--json FILE`` keeps the rows; with
``--resume``, those already there are not measured again.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import enzyme
from adbench.native.build import compiler
from adbench.native.problem import NativeProblem
from adbench.tools.native_runner import ENTRY_POINTS
from adbench.workloads.base import Function, Inputs, Workload
from benchmarks.variants import CASES, OWN, find_case
from enzyme.commands.explain import explain
from enzyme.frontends.clang import compile_to_ir
from enzyme.support.config import Config

HEAP = Path(__file__).parent / "sources" / "heap.c"
LOADED = "BENCHMARKS_HEAP"
"""The variable that tells a worker where the counting allocator is."""
READ = "{0} long enzyme_tape_peak; {0} long tape_bytes(void); long tape_bytes(void) {{ return enzyme_tape_peak; }}\n"
NEAR, SMALL, PAGE = 0.1, 256, 4096
WORKLOADS = tuple(name for name in CASES if name.partition("/")[0] not in OWN)

Sizes = Callable[[Mapping[str, int]], Mapping[str, int]]
RUNS: dict[str, Sizes] = {
    "rk4": lambda n: {"i": n["n"]},
    "nbody": lambda n: {"line29": n["steps"] * n["n"] * (n["n"] - 1) // 2},
    "fft": lambda n: {"line92": n["n"].bit_length() - 1} | ({} if n["recursive"] else {"recursion": 0}),
}
"""Names in the plan's size that are no numbers of the problem: how often loops run, from the problem's numbers."""
BY_NUMBERS = "how often its loop runs hangs on the numbers it computes"
UNKNOWN: dict[str, str] = {
    "det": "a recursion, each call of which has a tape of its own",
    "fft": "a recursion, each call of which has a tape of its own",
    "particle": BY_NUMBERS,
    "saddle": BY_NUMBERS,
}
"""Workloads whose tape is not known before they run, and why."""


@dataclass(frozen=True)
class Peak:
    """Of one case, in bytes. ``heap`` and ``stack`` are the gradient's own; ``stated`` is None where the plan does not
    say, and ``missing`` says why."""

    case: str
    primal: int
    gradient: int
    stated: int | None
    counted: int
    left: int
    heap: int
    stack: int
    lanes: int = 1
    missing: str = ""
    room: int = 0

    @property
    def within(self) -> bool:
        """Whether the gradient takes no more than twice the primal and what is stated."""
        return self.gradient <= self.allowed + PAGE

    @property
    def allowed(self) -> int:
        """The primal, a shadow of all of it for each lane, the tape, and scratch for several iterations."""
        return (1 + self.lanes) * self.primal + (self.counted if self.stated is None else self.stated) + self.room

    @property
    def told(self) -> bool:
        """Whether the plan stated what the program then took."""
        if self.stated is None:
            return False
        return abs(self.stated - self.counted) <= max(SMALL, NEAR * max(self.stated, self.counted))

    @property
    def verdict(self) -> str:
        faults = []
        if not self.within:
            faults.append(f"takes {self.gradient / self.allowed:.2f} times what it may")
        if self.stated is not None and not self.told:
            faults.append(f"the tape is {self.counted / max(1, self.stated):.2f} times what is stated")
        if self.left > 0:
            faults.append(f"{self.left} bytes are still held")
        if not faults and self.stated is None:
            return f"not stated: {self.missing}"
        return "; ".join(faults) or "as stated"

    @property
    def right(self) -> bool:
        return self.within and (self.told or bool(self.missing)) and self.left <= 0


class Heap:
    """The counting allocator of this process."""

    def __init__(self, path: str) -> None:
        self._measure = ctypes.CDLL(path).heap_peak
        self._measure.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]

    def peak(self, function: int, argument: int) -> tuple[int, int, int]:
        """Bytes of the heap and of the stack that a call takes at most, and bytes that it leaves behind."""
        found = (ctypes.c_long * 3)()
        failed = self._measure(function, argument, ctypes.addressof(found))
        if failed:
            raise OSError(failed, os.strerror(failed))
        return found[0], found[2], found[1]


def measure(name: str, heap: Heap) -> Peak:
    """One case, in a process whose allocator counts."""
    workload, case = find_case(name)
    inputs = workload.inputs(case, seed=1)
    source = workload.native.source("enzyme")
    assert source is not None
    config = Config(kept_blocks=False)  # what is kept for the next call would be part of none
    module = enzyme.compile(source, include_dirs=[workload.native.folder], config=config)
    problem = NativeProblem(workload, inputs)
    took = {}
    for function in (Function.OBJECTIVE, Function.JACOBIAN):
        entry = module[ENTRY_POINTS[function]].address
        heap.peak(entry, problem.address)  # what the first call alone takes is the C library's
        took[function] = heap.peak(entry, problem.address)
    given = sum(array.nbytes for array in problem.inputs.values()) + problem.objective.nbytes
    shadows = min(
        sum(array.nbytes for array in problem.jacobian.values()),
        sum(problem.inputs[key].nbytes for key in workload.parameters),
    )
    plan = Plan.of(source, workload, sizes_of(workload, case.dimensions, inputs))
    heap_bytes, stack_bytes, left = took[Function.JACOBIAN]
    return Peak(
        case=f"{workload.name}/{case.name}",
        primal=given + sum(took[Function.OBJECTIVE][:2]),
        gradient=given + shadows + heap_bytes + stack_bytes,
        stated=plan.bytes,
        counted=counted(source, workload, inputs),
        left=left,
        heap=heap_bytes,
        stack=stack_bytes,
        lanes=plan.lanes,
        missing=plan.missing,
        room=plan.room,
    )


def counted(source: Path, workload: Workload, inputs: Inputs) -> int:
    """The most bytes of tapes in one derivative, by a build that counts them."""
    is_c = source.suffix == ".c"
    module = enzyme.compile(
        READ.format("extern" if is_c else 'extern "C"') + f'#include "{source.resolve()}"\n',
        language="c" if is_c else "c++",
        include_dirs=[workload.native.folder],
        config=Config(count_tape=True),
    )
    problem = NativeProblem(workload, inputs)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(module[ENTRY_POINTS[Function.JACOBIAN]].address)(problem.address)
    return int(ctypes.CFUNCTYPE(ctypes.c_long)(module["tape_bytes"].address)())


def sizes_of(workload: Workload, dimensions: Mapping[str, int], inputs: Inputs) -> dict[str, int]:
    """Numbers for the names in the plan's size: the problem's own, and how often loops run."""
    sizes = {key: int(value) for key, value in {**dimensions, **inputs}.items() if isinstance(value, int)}
    return sizes | dict(RUNS.get(workload.name, lambda _: {})(sizes))


@dataclass(frozen=True)
class Plan:
    """What ``explain`` says of the derivatives that a program asks for: the most bytes of tape, lanes, and bytes of
    scratch for several iterations at once."""

    bytes: int | None
    lanes: int
    missing: str = ""
    room: int = 0

    @classmethod
    def of(cls, source: Path, workload: Workload, sizes: Mapping[str, int]) -> Plan:
        text = compile_to_ir(source, include_dirs=[workload.native.folder])
        report = explain(text, str(source), None, "reverse", None, "", Config(cache=None), sizes)
        asked = [each for each in report.derivatives if each.asked]
        lanes = max(each.width for each in asked)
        missing = dict.fromkeys(name for each in asked for name in each.peak_missing)
        if missing:
            return cls(None, lanes, UNKNOWN.get(workload.name, f"no size is given for {', '.join(missing)}"))
        room = max(each.room_bytes or 0 for each in asked)
        return cls(max(each.peak_bytes or 0 for each in asked), lanes, room=room)


def table(found: Sequence[Peak]) -> str:
    rows = [
        "| workload | lanes | primal | gradient | tape stated | tape counted | scratch stated "
        "| gradient / what it may take | |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        stated = "?" if each.stated is None else f"{each.stated:,}"
        cells = (
            f"{each.primal:,}",
            f"{each.gradient:,}",
            stated,
            f"{each.counted:,}",
            f"{each.room:,}",
            f"{each.gradient / each.allowed:.2f}",
        )
        rows.append(f"| {each.case} | {each.lanes} | {' | '.join(cells)} | {each.verdict} |")
    return "\n".join(rows)


def run(name: str, library: Path) -> Peak:
    """One case in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.peak_memory", "--worker", name]
    environment = {**os.environ, "LD_PRELOAD": str(library), LOADED: str(library)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return Peak(**json.loads(done.stdout.splitlines()[-1]))


def build(folder: Path) -> Path:
    library = folder / "heap.so"
    command = [*compiler(), "-O2", "-fPIC", "-shared", "-fno-builtin", str(HEAP), "-o", str(library), "-lpthread"]
    subprocess.run(command, check=True)
    return library


def _known(file: Path | None, resume: bool) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8")) if resume and file is not None and file.exists() else {}


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument(
        "case", nargs="*", default=[], metavar="WORKLOAD/CASE", help=f"default: {', '.join(WORKLOADS)}"
    )
    options.add_argument("--json", type=Path, metavar="FILE", help="keep the rows here")
    options.add_argument("--resume", action="store_true", help="leave out what is in that file")
    options.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.worker:
        print(json.dumps(asdict(measure(asked.case[0], Heap(os.environ[LOADED])))))
        return 0
    rows = _known(asked.json, asked.resume)
    found = []
    with tempfile.TemporaryDirectory(prefix="peak-memory-") as folder:
        library = build(Path(folder))
        for name in asked.case or WORKLOADS:
            if name not in rows:
                rows[name] = asdict(run(name, library))
                if asked.json:
                    asked.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            found.append(Peak(**rows[name]))
            print(f"{name:<30} {found[-1].verdict}", flush=True)
    print(f"\n{table(found)}")
    return 0 if all(each.right for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
