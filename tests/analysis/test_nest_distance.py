"""Overwrite proofs by the distance in two loops: an inner loop that reads in front of what is written later."""

from __future__ import annotations

import pytest

from tests.analysis.test_alias_overwrites import proof_of

TRIANGLE = """
define void @f(ptr noalias %y, ptr noalias %a, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 1, %entry ], [ %above, %after ]
  %above = add nuw nsw i64 %i, 1
  %below = add nsw i64 %i, -1
  %twice = shl nuw nsw i64 %i, 1
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j2, %inner ]
  %sum = add nuw nsw i64 %i, %j
  %p = getelementptr inbounds double, ptr %y, i64 READ
  %v = load double, ptr %p
  store double %v, ptr %a
  %j2 = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j2, BOUND
  br i1 %done, label %after, label %inner
after:
  %q = getelementptr inbounds double, ptr %y, i64 WRITE
  store double 1.0, ptr %q
  %all = icmp eq i64 %above, %n
  br i1 %all, label %end, label %outer
end:
  ret void
}
"""


@pytest.mark.parametrize(
    "read,bound,write,ok",
    [
        ("%j", "%i", "%i", True),
        ("%j", "%i", "%above", True),
        ("%j", "%above", "%i", False),  # reads what this iteration writes
        ("%j", "%above", "%above", True),
        ("%j", "%i", "%below", False),
        ("%j", "%n", "%i", False),  # a rectangle
        ("%j", "%i", "%twice", True),
        ("%sum", "%i", "%twice", True),
        ("%sum", "%above", "%twice", False),
        ("%sum", "%n", "%below", False),  # the next iteration does
        ("%sum", "%n", "%i", False),
        ("%twice", "%i", "%i", False),
    ],
)
def test_triangles(read: str, bound: str, write: str, ok: bool) -> None:
    text = TRIANGLE.replace("READ", read).replace("BOUND", bound).replace("WRITE", write)
    assert proof_of(text)[0] == ok


def test_the_next_run_of_the_nest_writes_everything_again() -> None:
    text = TRIANGLE.replace("READ", "%j").replace("BOUND", "%i").replace("WRITE", "%i")
    text = text.replace("entry:\n  br label %outer\n", "entry:\n  br label %round\nround:\n  br label %outer\n")
    text = text.replace("[ 1, %entry ]", "[ 1, %round ]").replace(
        "label %end, label %outer", "label %again, label %outer"
    )
    text = text.replace(
        "end:\n", "again:\n  %c = load volatile i1, ptr %a\n  br i1 %c, label %round, label %end\nend:\n"
    )
    assert not proof_of(text)[0]
