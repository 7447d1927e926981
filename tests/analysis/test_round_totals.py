"""How often the bodies of triangles run in all, against the same loops in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from enzyme.cli import main


@pytest.mark.parametrize(
    ("loops", "rounds"),
    [
        ("for (int i = 0; i < 5; i++) for (int j = 0; j < i; j++)", sum(range(5))),
        ("for (int i = 0; i < 5; i++) for (int j = i; j < 5; j++)", 15),
        ("for (int i = 4; i > 0; i--) for (int j = i; j > 0; j--)", 10),
        ("for (int i = 0; i < 6; i++) for (int j = 3; j < i; j++)", 3),
        (
            "for (int i = 0; i < 9; i += 3) for (int j = i; j < 12; j += 2)",
            sum(len(range(i, 12, 2)) for i in (0, 3, 6)),
        ),
        ("for (int i = 0; i < 9; i++) for (int j = 0; j < i / 2; j++)", sum(i // 2 for i in range(9))),
        ("for (int i = 0; i < 4; i++) for (int j = 0; j < i * i; j++)", 14),
        ("for (unsigned i = 0; i < 5; i++) for (unsigned j = 0; j != i; j++)", 10),
        (
            "for (int i = 0; i < 4; i++) for (int j = i + 1; j < 5; j++) for (int k = j; k < 6; k++)",
            sum(len(range(j, 6)) for i in range(4) for j in range(i + 1, 5)),
        ),
        ("for (int i = 0; i < 33; i++) for (int j = 0; j < i; j++)", None),  # 528 numbers are too many for the stack
        ("for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)", None),
        ("for (int i = 0; i < 5; i++) for (int j = 0; j < i + n; j++)", None),
        ("for (int i = 0; i < 5; i++) for (int j = 0; s < i; j++)", None),
    ],
)
def test_rounds_of_triangles(
    loops: str, rounds: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.c"
    path.write_text(f"""
#include <math.h>
double f(const double *x, int n) {{
    double s = 0.3;
    {loops} s = sin(s + x[i + j]);
    return s;
}}
""")
    assert main(["explain", str(path), "--function", "f", "--args", "dup,const"]) == 0
    text = capsys.readouterr().out
    if rounds is None:
        assert "(depth 2): 8 bytes per iteration; array" in text or "one allocation" in text
    else:
        assert f"8 bytes per iteration, {8 * rounds} bytes in all; on the stack" in text
