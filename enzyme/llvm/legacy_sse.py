"""SSE4a stays out of code with AVX.

SSE4a is AMD's, and its instructions exist in the old encoding only. Where the upper half of any vector register is in
use, an instruction of the old encoding has the processor put all upper halves away and fetch them again: 115 ns on a
Zen 3, where the one that AVX has in its place takes half of one. LLVM looks for that around calls and not where it
takes ``insertq`` to shuffle bytes, such as decisions that were kept on a tape. So code generation is told that there is
no SSE4a wherever there is AVX, unless a program asks for these instructions by name.
"""

from __future__ import annotations

import re

from enzyme.llvm.context import LLVMModule

BY_NAME = "llvm.x86.sse4a."
_FEATURES = re.compile(r'"target-features"="[^"]*"')
_HAS, _LACKS = "+sse4a", "-sse4a"


def asks_for_sse4a(module: LLVMModule) -> bool:
    """Whether a module names an instruction of SSE4a."""
    return any(function.name.startswith(BY_NAME) for function in module.handle.functions)


def without_sse4a(features: str) -> str:
    """Features, as code generation is given them, of a processor that has AVX: without SSE4a."""
    return features.replace(_HAS, _LACKS) if _HAS in features else ",".join(filter(None, (features, _LACKS)))


def functions_without(text: str) -> str:
    """A module whose functions name features of their own: those with AVX are without SSE4a."""
    if _HAS not in text or BY_NAME in text:
        return text

    def changed(found: re.Match[str]) -> str:
        return without_sse4a(found[0]) if "+avx" in found[0] and _HAS in found[0] else found[0]

    return _FEATURES.sub(changed, text)
