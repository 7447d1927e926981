"""Running the commands as a user does: a folder, files in it, command lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def compiler(*words: str, cwd: Path, fails: bool = False) -> str:
    """Run ``python -m enzyme``; its messages."""
    done = subprocess.run(
        [sys.executable, "-m", "enzyme", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr


def answer(program: Path) -> str:
    return subprocess.run([str(program)], capture_output=True, text=True, check=True, timeout=20).stdout


def archive(name: str, *members: str, cwd: Path) -> None:
    subprocess.run([sys.executable, "-m", "ziglang", "ar", "rcs", name, *members], cwd=cwd, check=True)


def write(folder: Path, **files: str) -> None:
    """Files by name, with ``_c`` for ``.c`` and so on at the end."""
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_text(text)
