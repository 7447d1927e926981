"""The first conflicting write found through the index is the first of all that are found by looking at every write."""

from __future__ import annotations

import pytest

import enzyme
from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Instruction, Load, Store
from enzyme.rules.known import known_callee
from tests.gradient.numeric import SOURCE

MORE = """
struct s { double a[6]; int n; struct s *next; };
void opaque(struct s *);
double mixed(struct s *p, double *restrict q, float *r, int n) {
  struct s local = *p, other;
  for (int i = 0; i < n; i++) {
    local.a[i % 6] += q[i];
    local.a[2] = local.a[1] * q[0];
    q[i + 1] = local.a[3] + r[i];
    r[2] = r[1] + local.n;
    if (i == 3) { other = local; opaque(&other); }
    p = p->next;
    p->a[4] = local.a[0] + other.a[5];
  }
  local.a[0] = q[7];
  __builtin_memcpy(q, local.a, 48);
  opaque(p);
  return local.a[0] + local.a[5] + other.a[2] + q[3];
}
"""


@pytest.mark.parametrize("level", [0, 1, 3])
def test_index_agrees_with_search(level: int) -> None:
    module = parse_module(enzyme.compile(SOURCE + MORE, opt_level=level).ir("source"))
    asked = 0
    for function in module.functions.values():
        if function.is_declaration:
            continue
        analysis = AliasAnalysis(function, module, known_callee)
        for inst in function.instructions():
            if not isinstance(inst, (Load, Store)):
                continue
            location = analysis.location(inst)
            whole = MemoryLocation(inst.pointer, None, None, inst, whole=True)
            for place in (location, whole):
                assert place.instruction is inst
                every = analysis.writes_after(place, count_free=True)
                first = analysis.overwritten(place, True, lambda _: False)
                assert first == (every[0] if every else None)
                skipped = {write.instruction for write in every[:2]}

                def harmless(writer: Instruction, skipped: set[Instruction] = skipped) -> bool:
                    return writer in skipped

                third = analysis.overwritten(place, True, harmless)
                rest = [write for write in every if write.instruction not in skipped]
                assert third == (rest[0] if rest else None)
                asked += 1
            later = len(list(analysis.overwrites.later_writers(inst)))
            assert analysis.overwrites.later_count(inst) == later
    assert asked > 500
