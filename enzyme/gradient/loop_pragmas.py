"""What a program asks of single loops, in front of them.

``ENZYME_LOOP_KEEP`` and the like of ``<enzyme/utils>``, and ``#pragma enzyme loop keep``, are a pragma that every clang
knows and that optimisers carry along with the loop: an initiation interval for software pipelines, with a number that
no pipeline has. It takes no optimisation from the loop, and goes away with a loop that is unrolled or removed. In the
program that the engine hands on it has another name, so that no pipeliner reads it.
"""

from __future__ import annotations

import re

from enzyme.analysis.loops import Loop
from enzyme.ir.module import Module

KEEP, RECOMPUTE, FUSE = "keep", "recompute", "fuse"
NUMBERS = {KEEP: 0x454E5A01, RECOMPUTE: 0x454E5A02, FUSE: 0x454E5A03}
"""What stands for each; ``<enzyme/utils>`` has the same numbers."""

_WORDS = {number: word for word, number in NUMBERS.items()}
_SPELLED = '!"llvm.loop.pipeline.initiationinterval", i32 '
_PRAGMA = re.compile(rf"{_SPELLED}(\d+)")


def loop_pragma(module: Module, loop: Loop) -> str:
    """What the program asks of a loop, "" if nothing."""
    for latch in loop.latches:
        for each in module.loop_metadata(latch.terminator):
            found = _PRAGMA.search(module.metadata_text(each))
            if found is not None and int(found[1]) in _WORDS:
                return _WORDS[int(found[1])]
    return ""


def without_pragmas(text: str) -> str:
    """A program whose loops say the same where no pass looks for it."""
    for number in NUMBERS.values():
        text = text.replace(f"{_SPELLED}{number}}}", f'!"enzyme.loop", i32 {number}}}')
    return text


def source_pragma(words: str) -> str:
    """What a compiler is shown behind ``#pragma`` for ``enzyme WORDS``."""
    head, _, word = words.strip().partition(" ")
    if head == "loop" and word.strip() in NUMBERS:
        return f"clang loop pipeline_initiation_interval({NUMBERS[word.strip()]})"
    return f"GCC error \"#pragma enzyme takes 'loop {KEEP}', 'loop {RECOMPUTE}' or 'loop {FUSE}'\""
