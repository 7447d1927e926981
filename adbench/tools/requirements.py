"""What a tool stands on, and whether it is here: Python packages, C++ headers with their library, programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

SYSTEM_INCLUDE = (Path("/usr/include"), Path("/usr/local/include"))


class Requirement(Protocol):
    """Something that is on this machine or not."""

    @property
    def name(self) -> str:
        """What is missing, in a few words."""
        ...

    def present(self) -> bool: ...


@dataclass(frozen=True)
class Package:
    """An importable Python package; it is looked for, not imported."""

    name: str

    def present(self) -> bool:
        return find_spec(self.name) is not None


@dataclass(frozen=True)
class Headers:
    """A C++ library by one of its headers.

    It is looked for, in this order, in the folder that the environment ``variable`` names (itself and its ``include``;
    libraries in its ``lib`` and ``lib64``), by pkg-config, and in the system's include folders, among them ``folder``
    below. ``libraries`` are linked, by name.
    """

    header: str
    variable: str
    package: str = ""
    """Its name to pkg-config."""
    folder: str = ""
    libraries: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"header {self.header}"

    def present(self) -> bool:
        return self.flags() is not None

    def flags(self) -> tuple[str, ...] | None:
        """The compiler's flags for including and linking it; None where it is not here."""
        home = os.environ.get(self.variable, "")
        if home:
            # Who sets the variable means that one and no other.
            return self._below(Path(home).expanduser())
        links = tuple(f"-l{library}" for library in self.libraries)
        asked = pkg_config(self.package) if self.package else None
        if asked is not None:
            return (*asked, *links)
        for root in SYSTEM_INCLUDE:
            for place in (root, root / self.folder):
                if (place / self.header).is_file():
                    return (*(() if place == root else (f"-isystem{place}",)), *links)
        return None

    def version(self) -> str:
        """The version that pkg-config tells; empty where it was not found that way."""
        if not self.package or os.environ.get(self.variable) or pkg_config(self.package) is None:
            return ""
        command = ["pkg-config", "--modversion", self.package]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    def _below(self, home: Path) -> tuple[str, ...] | None:
        for place in (home, home / "include"):
            if (place / self.header).is_file():
                folders = [home / "lib", home / "lib64"]
                found = [part for each in folders if each.is_dir() for part in (f"-L{each}", f"-Wl,-rpath,{each}")]
                return (f"-isystem{place}", *found, *(f"-l{library}" for library in self.libraries))
        return None


@dataclass(frozen=True)
class Program:
    """A program on the path, or ``inside`` the folder (or the file itself) that an environment variable names.

    Without a ``command`` the variable alone tells; a ``plugin`` is a file that a program loads.
    """

    command: str = ""
    variable: str = ""
    inside: str = ""
    plugin: bool = False

    @property
    def name(self) -> str:
        return self.command or f"${self.variable}"

    def present(self) -> bool:
        return self.path() is not None

    def path(self) -> Path | None:
        home = os.environ.get(self.variable, "") if self.variable else ""
        if home:
            chosen = Path(home).expanduser()
            chosen = chosen / self.inside if chosen.is_dir() and self.inside else chosen
            usable = chosen.is_file() and os.access(chosen, os.R_OK if self.plugin else os.X_OK)
            return chosen if usable else None
        found = shutil.which(self.command) if self.command else None
        return Path(found) if found else None


@cache
def pkg_config(package: str) -> tuple[str, ...] | None:
    """Where pkg-config says that a package's headers and libraries are; None where it knows nothing of it.

    What else it says is left out: the flags of a distribution's own builds, and libraries that are linked already.
    """
    program = shutil.which("pkg-config")
    if program is None:
        return None
    command = [program, "--cflags", "--libs-only-L", package]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return tuple(done.stdout.split()) if done.returncode == 0 else None


def missing(requirements: Sequence[str | Requirement]) -> list[str]:
    """Names of what is not here; a plain string is a Python package."""
    each = [Package(item) if isinstance(item, str) else item for item in requirements]
    return [item.name for item in each if not item.present()]
