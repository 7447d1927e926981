"""What a result depends on besides the tool: machine, packages, commit."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
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


def available_cores() -> int:
    """Cores that this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def container() -> str | None:
    """The kind of container this runs in, as far as it shows; None outside one."""
    if os.path.exists("/.dockerenv"):
        return "docker"
    if os.path.exists("/run/.containerenv"):
        return "podman"
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return "kubernetes"
    return os.environ.get("container") or None  # noqa: SIM112 - systemd and podman write it in small letters


def load() -> list[float] | None:
    """The machine's load averages over 1, 5 and 15 minutes: what else ran when a run began."""
    try:
        return [round(value, 2) for value in os.getloadavg()]
    except OSError:
        return None


@cache
def machine() -> dict[str, Any]:
    """The machine, as far as it decides speed."""
    model, flags = cpu_info()
    affinity = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return {
        "cpu": model,
        "architecture": platform.machine(),
        "cores": os.cpu_count() or 1,
        "affinity": affinity,
        "memory_bytes": memory_bytes(),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "system": platform.system(),
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "container": container(),
        "python": platform.python_version(),
        "cpu_flags": flags,
    }


MACHINE_KEY = {"cpu": "processor", "architecture": "architecture", "cores": "number of cores", "system": "system"}
"""What has to be equal for timings to be comparable, besides ``decisive_features``."""


DECISIVE_FEATURES = frozenset(
    "sse42 avx avx2 fma avx512f avx512bw avx512vl avx512vnni avx512bf16 avx512fp16 amxtile asimd sve sve2".split()
)
"""Features that tell generations of processors apart. Virtual machines often hide the model's name.

Sources of such lists differ in how they spell (avx512_vnni, avx512vnni) and in what else they list.
"""


def decisive_features(description: Mapping[str, Any]) -> frozenset[str]:
    """The processor's decisive features, spelt without underscores."""
    return DECISIVE_FEATURES & {str(flag).replace("_", "") for flag in description.get("cpu_flags") or ()}


def machine_key(description: Mapping[str, Any]) -> tuple[object, ...]:
    """Equal for machines whose timings may be compared."""
    return (*(description.get(key) for key in MACHINE_KEY), tuple(sorted(decisive_features(description))))


def machine_name(description: Mapping[str, Any]) -> str:
    """A machine in a few words."""
    gib = (description.get("memory_bytes") or 0) / 2**30
    memory = f", {gib:.0f} GiB" if gib else ""
    return f"{description.get('cpu') or 'unknown processor'}, {description.get('cores') or '?'} cores{memory}"


def machine_difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """In what two machines differ that makes timings incomparable; empty where they do not."""
    if machine_key(there) == machine_key(here):
        return ""
    parts = [
        f"{name}: {there.get(key)} there, {here.get(key)} here"
        for key, name in MACHINE_KEY.items()
        if there.get(key) != here.get(key)
    ]
    features = decisive_features(there) ^ decisive_features(here)
    if features:
        parts.append(f"processor features that only one has: {', '.join(sorted(features))}")
    return "; ".join(parts)


def package_versions(requires: Iterable[str] = ()) -> dict[str, str | None]:
    """Versions of the packages that decide results, None for what is not installed; ``requires`` are import names."""
    providers = importlib.metadata.packages_distributions() if requires else {}
    names = dict.fromkeys([*PACKAGES, *(package for name in requires for package in providers.get(name, [])[:1])])
    versions: dict[str, str | None] = {}
    for name in names:
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
    words = (git("log", "-1", "--format=%H%n%cI%n%s") or "").split("\n", 2)
    identity, time, subject = words if len(words) == 3 else (None, None, None)
    return {
        "id": identity,
        "time": time,
        "subject": subject,
        "dirty": None if changes is None or identity is None else bool(changes),
    }
