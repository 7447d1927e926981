"""Finding ADBench's data files in a folder: one case per file, files of equal dimensions told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container
from dataclasses import replace
from pathlib import Path

from adbench.errors import DataFileError
from adbench.workloads.base import Case


def find_cases(
    directory: Path, pattern: str, read: Callable[[Path], Case], wanted: Container[str] | None = None
) -> list[Case]:
    """The cases of the files under ``directory`` that match ``pattern``, limited to the names ``wanted`` if given.

    A file whose header does not read is kept as a case without dimensions, so that the run reports its fault in a row.
    """
    found = []
    for path in sorted(directory.rglob(pattern)):
        try:
            case = read(path)
        except DataFileError:
            found.append(Case(path.stem, {}, path))
            continue
        if wanted is None or case.name in wanted:
            found.append(case)
    names = Counter(case.name for case in found)
    return [
        replace(case, name=f"{case.name}@{place(case.path, directory)}")
        if names[case.name] > 1 and case.path is not None
        else case
        for case in found
    ]


def place(path: Path, directory: Path) -> str:
    return path.relative_to(directory).with_suffix("").as_posix()
