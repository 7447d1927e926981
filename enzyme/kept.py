"""Results that are kept for the next time, under keys made of all that can change them."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from enzyme.support.cache import Entry, digest
from enzyme.support.config import Config, asked

_SKIPPED = frozenset((".pyc", ".pyi", ".css", ".md", ".typed"))
"""Files of the package that no result depends on."""


@cache
def engine_version() -> str:
    """A digest of this package, of LLVM and of the kind of machine: when it changes, nothing kept is used again."""
    from enzyme.llvm.codegen import versions
    from enzyme.llvm.exact_vectors import exact_functions
    from enzyme.llvm.vector_math import library_path

    root = Path(__file__).resolve().parent
    parts: list[str | bytes] = [*versions(), platform.python_version(), platform.system(), platform.machine()]
    parts += [_libc(), library_path() or "", *sorted(exact_functions())]
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1] not in _SKIPPED:
                parts += [os.path.relpath(path, root), Path(path).read_bytes()]
    return digest(parts)


def _libc() -> str:
    """What functions the C library has decides what code may call."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return "-".join(platform.libc_ver())


def kept(config: Config, kind: str, parts: Iterable[str | bytes], make: Callable[[], Entry]) -> tuple[Entry, float]:
    """What ``make`` gives for these parts and this configuration, and the seconds that were saved by having it.

    ``parts`` are all that ``make`` reads besides the configuration. Nothing is looked up or kept where there is no
    cache, and where the steps of the work are to be shown.
    """
    store = config.cache
    if store is None or config.trace.shows:
        return make(), 0.0
    key = digest([kind, engine_version(), *_cpu(config), *asked(config), *parts])
    found = store.get(key)
    if found is not None:
        return found, float(found.facts.get("seconds", 0.0))
    start = time.perf_counter()
    made = make()
    store.put(key, Entry(made.data, {**made.facts, "seconds": time.perf_counter() - start}))
    return made, 0.0


def kept_text(config: Config, kind: str, parts: Iterable[str | bytes], make: Callable[[], str]) -> tuple[str, float]:
    """The same for a result that is text."""
    entry, saved = kept(config, kind, parts, lambda: Entry(make().encode("utf-8", errors="surrogateescape")))
    return entry.data.decode("utf-8", errors="surrogateescape"), saved


@cache
def _host() -> tuple[str, str]:
    from enzyme.llvm.codegen import host_cpu

    return host_cpu()


def _cpu(config: Config) -> tuple[str, ...]:
    return _host() if config.cpu == "native" else ()
