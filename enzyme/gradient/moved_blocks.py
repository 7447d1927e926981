"""Rust's ``realloc`` in the copy of a program that is differentiated: a new block, a copy, and the old one given back.

The C library's own is treated so where it moves memory that has a shadow (reallocation.py), for the library can be
asked how large a block is. Rust's allocator cannot, but it is told: its ``realloc`` is given the block's size and
alignment, and what it does by default is this.
"""

from __future__ import annotations

import re

_DECLARED = re.compile(r'(?m)^declare [^@\n]*@(?P<of>"?(?:_RN\w*?7___rustc14_)?)__rust_realloc(?P<quote>"?)\(.*$')

_BODY = """\
define available_externally noalias ptr @{moving}(ptr %old, i64 %had, i64 %alignment, i64 %wanted) alwaysinline {{
  %new = call ptr @{allocating}(i64 %wanted, i64 %alignment)
  %none = icmp eq ptr %new, null
  br i1 %none, label %end, label %move
move:
  %less = icmp ult i64 %had, %wanted
  %kept = select i1 %less, i64 %had, i64 %wanted
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %kept, i1 false)
  call void @{freeing}(ptr %old, i64 %had, i64 %alignment)
  br label %end
end:
  ret ptr %new
}}"""


def with_moved_blocks(text: str) -> str:
    """A program with a body in place of the declaration of Rust's ``realloc``."""
    declared = _DECLARED.search(text)
    if declared is None:
        return text
    of, quote = declared["of"], declared["quote"]
    shorter = of.replace("rustc14_", "rustc12_")
    named = {
        "moving": f"{of}__rust_realloc{quote}",
        "allocating": f"{shorter}__rust_alloc{quote}",
        "freeing": f"{of}__rust_dealloc{quote}",
    }
    heads = {
        f"@{named['allocating']}(": f"declare noalias ptr @{named['allocating']}(i64, i64)",
        f"@{named['freeing']}(": f"declare void @{named['freeing']}(ptr, i64, i64)",
        "@llvm.memcpy.p0.p0.i64(": "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    }
    present = "".join(re.findall(r"(?m)^(?:declare|define) .*$", text))
    missing = [line for name, line in heads.items() if name not in present]
    made = "\n".join((_BODY.format(**named), *missing))
    return text[: declared.start()] + made + text[declared.end() :]
