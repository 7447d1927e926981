"""Every example of docs/frameworks.md prints what the page says."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "frameworks.md"
_EXAMPLE = re.compile(r"^```python (\w+)\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {name: (text, printed) for name, text, printed in _EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "tensorflow"])
def test_an_example(name: str, tmp_path: Path) -> None:
    text, printed = EXAMPLES[name]  # each in a process of its own: not all frameworks can be loaded into one
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed: pip install '.[frameworks]'")
    path = tmp_path / "example.py"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed
