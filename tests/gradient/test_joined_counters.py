"""Counters that are always as far apart become one, in front of what looks at counters."""

from __future__ import annotations

import pytest

from enzyme.gradient.joined_counters import join_counters, join_steps
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from tests.gradient.loop_sums import compiled, same_gradients

NEIGHBOURS = {
    "one more": "for (int i = 0; i + 1 < n; i++) { double a = x[i + 1] - x[i] * x[i]; s += a * a; }",
    "two numbers": "int i = 0, j = 1; while (j < n) { double d = x[j++] - x[i++]; s += d * d / (1 + d * d); }",
    "from the end": "for (long i = n - 1, j = n - 2; j >= 0; i--, j--) s += x[i] * x[i] * x[j];",
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours_are_seen(name: str) -> None:
    assert "shadow.window" in compiled(NEIGHBOURS[name]).ir("differentiated")


def test_not_without_it() -> None:
    assert any(
        "shadow.window" not in compiled(body, joined_counters=False).ir("differentiated")
        for body in NEIGHBOURS.values()
    )


@pytest.mark.parametrize("body", NEIGHBOURS.values())
def test_the_same_numbers(body: str) -> None:
    same_gradients(compiled(body), compiled(body, joined_counters=False), (0, 1, 2, 3, 9, 40))


def _joined(*counters: str) -> list[str]:
    """What becomes of counters, each ``TYPE START STEP FLAGS``, with what stands in front of the loop as ``%n``."""
    words = [each.split() for each in counters]
    phis = [f"  %c{k} = phi {type} [ {start}, %entry ], [ %d{k}, %loop ]" for k, (type, start, *_) in enumerate(words)]
    uses = [f"  call void @use({type} %c{k})" for k, (type, *_) in enumerate(words)]
    following = [
        f"  %d{k} = {' '.join(['add', *flags])} {type} %c{k}, {step}" for k, (type, _, step, *flags) in enumerate(words)
    ]
    module = parse_module(
        "\n".join(
            [
                "declare void @use(i64)",
                "define void @f(i64 %n, i64 %m) {\nentry:\n  %p = add i64 %n, -2\n  br label %loop\nloop:",
                *phis,
                *uses,
                *following,
                "  %done = icmp eq i64 %d0, %m\n  br i1 %done, label %end, label %loop\nend:\n  ret void\n}",
            ]
        )
    )
    changed = join_counters(module)
    found = [line.strip() for line in print_module(module).splitlines() if " = phi " in line or " = add " in line][1:]
    assert changed == (sum(" = phi " in line for line in found) < len(words))
    return found


def test_the_one_behind_stays() -> None:
    assert _joined("i64 1 1 nuw nsw", "i64 0 1 nuw nsw") == [
        "%c1 = phi i64 [ 0, %entry ], [ %d1, %loop ]",
        "%c0 = add nuw nsw i64 %c1, 1",
        "%d0 = add nuw nsw i64 %c0, 1",
        "%d1 = add nuw nsw i64 %c1, 1",
    ]
    assert _joined("i64 7 -1 nsw", "i64 9 -1 nsw")[:2] == [
        "%c1 = phi i64 [ 9, %entry ], [ %d1, %loop ]",
        "%c0 = add nsw i64 %c1, -2",
    ]


def test_what_the_program_does_not_promise() -> None:
    """One of them may go around: then it is made of one that may, too."""
    assert _joined("i64 0 1 nuw nsw", "i64 5 1 nsw") == [
        "%c0 = phi i64 [ 0, %entry ], [ %d0, %loop ]",
        "%c1 = add nsw i64 %c0, 5",
        "%d0 = add nsw i64 %c0, 1",
        "%d1 = add nsw i64 %c1, 1",
    ]
    assert _joined("i64 -3 2 nuw nsw", "i64 5 2 nuw nsw")[1] == "%c1 = add nsw i64 %c0, 8"
    assert _joined("i64 %n 1 nuw nsw", "i64 %p 1 nuw nsw")[:2] == [
        "%c1 = phi i64 [ %p, %entry ], [ %d1, %loop ]",
        "%c0 = add i64 %c1, 2",
    ]


@pytest.mark.parametrize(
    "others",
    [
        ("i64 0 1", "i64 1 2"),
        ("i64 0 1", "i64 %n 1"),
        ("i64 %n 1", "i64 %m 1"),
        ("i64 0 1", "i64 3 -1"),
        (f"i64 {-(1 << 63)} 1 nsw", f"i64 {(1 << 63) - 9} 1 nsw"),  # their distance is no number with a sign
    ],
)
def test_others_stay(others: tuple[str, str]) -> None:
    assert sum(" = phi " in line for line in _joined(*others)) == 2


_FORKED = """
define i64 @f(i64 %n, i64 %m, i1 %c) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br i1 %c, label %one, label %other

one:
  %a = ONE
  br label %latch

other:
  %b = OTHER
  br label %latch

latch:
  %next = phi i64 [ %a, %one ], [ %b, %other ]
  %done = icmp eq i64 %next, %m
  br i1 %done, label %end, label %loop

end:
  ret i64 %next
}
"""


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ("add nuw nsw i64 %i, 1", "add nsw i64 %i, 1", "%a.1 = add nsw i64 %i, 1"),
        ("add i64 %n, -1", "add i64 %n, -1", "%a.1 = add i64 %n, -1"),
        ("mul i64 %n, %m", "mul i64 %n, %m", "%a.1 = mul i64 %n, %m"),
        ("zext i1 %c to i64", "zext i1 %c to i64", "%a.1 = zext i1 %c to i64"),
        ("add i64 %i, 1", "add i64 %i, 2", None),
        ("add i64 %i, 1", "sub i64 %i, 1", None),
        ("zext i1 %c to i64", "sext i1 %c to i64", None),
        ("add i64 %i, 1", "add i64 %n, 1", None),
    ],
)
def test_the_same_on_all_ways(one: str, other: str, joined: str | None) -> None:
    module = parse_module(_FORKED.replace("ONE", one).replace("OTHER", other))
    assert join_steps(module) == (joined is not None)
    found = print_module(module).split("latch:")[1].splitlines()[1].strip()
    assert found == joined or (joined is None and " = phi " in found)


_LEFT = """
define i64 @f(i64 %n, i1 %c) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %a = add i64 %i, 1
  br i1 %c, label %latch, label %end

latch:
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %last = phi i64 [ %a, %loop ], [ %next, %latch ]
  ret i64 %last
}
"""


def test_what_an_iteration_computes_is_not_computed_behind_the_loop() -> None:
    assert not join_steps(parse_module(_LEFT))
