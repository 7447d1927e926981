"""``python -m enzyme cache``: what is kept of earlier compiles, and removing it."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.commands.parser import Parser
from enzyme.support.cache import cache_from_environment


def run(words: Sequence[str]) -> int:
    """The command. Returns the exit status."""
    parser = Parser(
        prog="python -m enzyme cache",
        description="Show what is kept of earlier compiles. ENZYME_CACHE names the folder, or is 'off'; "
        "ENZYME_CACHE_LIMIT is the most it may hold (default 1G).",
    )
    parser.add_argument("--clear", action="store_true", help="remove all of it")
    options = parser.parse_args(list(words))
    store = cache_from_environment()
    if store is None:
        print("off: ENZYME_CACHE says so, or there is no home directory")
        return 0
    if options.clear:
        print(f"{store.folder}: {store.clear()} entries removed")
        return 0
    entries, size = store.size()
    print(f"{store.folder}: {entries} entries, {size / 1e6:.1f} of {store.limit / 1e6:.0f} MB")
    return 0
