"""What a result depends on besides the tool: machine, packages, commit."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

PACKAGES = ("enzyme-adbench", "numpy", "scipy", "llvmlite", "ziglang", "torch", "jax", "jaxlib", "matplotlib")


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def cpu_info() -> tuple[str, list[str]]:
    """(model name, feature flags) of the first processor."""
    model, flags = platform.processor() or platform.machine(), []
    for line in (_read("/proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            model = value.strip()
        elif key.strip() in {"flags", "Features"}:
            flags = sorted(value.split())
            break
    return model, flags


def memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


@cache
def machine() -> dict[str, Any]:
    """The machine, as far as it decides speed."""
    model, flags = cpu_info()
    container = os.path.exists("/.dockerenv") or "container" in os.environ
    return {
        "cpu": model,
        "architecture": platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory_bytes": memory_bytes(),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "system": platform.system(),
        "kernel": platform.release(),
        "container": container,
        "python": platform.python_version(),
        "cpu_flags": flags,
    }


def machine_key(description: dict[str, Any]) -> tuple[object, ...]:
    """What has to be equal for timings to be comparable."""
    return tuple(description.get(key) for key in ("cpu", "architecture", "cores", "system"))


def package_versions() -> dict[str, str | None]:
    """Versions of the packages that decide results; None for what is not installed."""
    versions: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    return versions


def commit() -> dict[str, Any]:
    """The commit of the source tree this package runs from, and whether it was changed since; None outside one."""

    def git(*arguments: str) -> str | None:
        command = ["git", "-C", str(Path(__file__).parent), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    changes = git("status", "--porcelain", "--untracked-files=no")
    return {"id": git("rev-parse", "HEAD"), "dirty": None if changes is None else bool(changes)}
