"""Overwrite proofs and trip counts against execution.

Random C functions (aliasing arguments, restrict, structs, pointers in memory, scratch storage, helpers, in-place loops)
are compiled by clang and run by a small interpreter that watches every byte: a load whose proof says "kept" must never
see its bytes written again before its function returns, and a loop must take its back edge as often as its count says.
"""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from enzyme.ir.parser import parse_module
from enzyme.ir.values import Instruction
from tests.analysis.alias_machine import Machine, Unsupported
from tests.analysis.alias_programs import compiled, program


def run_program(text: str) -> tuple[int, int, int, int]:
    """Run every ``fN`` with several arguments; returns runs, refusals, proofs exercised and counts exercised."""
    module = parse_module(text)
    runs = refused = proved = counted = 0
    for name, function in module.functions.items():
        if not (name.startswith("f") and name[1:].isdigit()):
            continue
        plain = not any(a.has_attr("noalias") for a in function.args)
        for trial in range(4 if plain else 2):
            machine = Machine(module)
            base = [machine.allocate(320) for _ in range(3)]
            # what restrict arguments point to must not be reachable by other pointers
            others = base if plain else [machine.allocate(320)]
            if trial >= 2:  # arguments that overlap
                base = [base[0], base[0] + 8 * (trial - 1), base[0]] if trial == 2 else [base[0] + 16, base[0], base[1]]
            machine.memory.extend(bytes(4096))
            rng = random.Random(trial)
            start = machine.allocate(4 * 72)
            driver = Instruction("store", function.type)
            for address in range(64, start, 8):
                machine.write(address, struct.pack("<d", rng.choice((0.5, 1.0, 2.0, 3.25))), driver)
            for element in range(4):
                machine.write(start + 72 * element + 56, struct.pack("<Q", rng.choice(others)), driver)
            gp = module.globals["gp"]
            machine.globals[gp] = machine.allocate(8)
            machine.write(machine.globals[gp], struct.pack("<Q", others[0]), driver)
            try:
                machine.call(function, [*base, start, rng.randint(0, 8), rng.randint(0, 8), rng.randint(1, 3)])
                runs += 1
            except (Unsupported, OverflowError):
                refused += 1
            proved += machine.proved
            counted += machine.counted
    return runs, refused, proved, counted


@pytest.mark.parametrize("seed,level", [(0, "-O2"), (1, "-O1"), (2, "-O1 -Xclang -disable-llvm-passes")])
def test_proofs_hold_when_programs_run(seed: int, level: str, tmp_path: Path) -> None:
    runs, refused, proved, counted = run_program(compiled(program(seed, 25), level, tmp_path))
    assert runs > 2 * refused and proved > 100
    assert counted > 20 or "disable" in level  # counters live in memory where nothing was promoted
