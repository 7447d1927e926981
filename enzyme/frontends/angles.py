"""Eigen's reduction of large angles, whose slope is known although its code shows none.

The vectorised sine and cosine of floats subtract multiples of pi/2 from angles beyond some ten thousand in fixed-point
arithmetic on the bits of the float. The result is the angle minus a multiple of pi/2 that is the same nearby: its slope
is one. The function keeps its code under another name, which is declared inactive, and is that plus the difference of
the angle and itself, of which only the first counts in derivatives.
"""

from __future__ import annotations

import re

_NAME = "_ZN5Eigen8internal16trig_reduce_hugeEfPi"
_TABLE = f"@_ZZ{_NAME[2:]}E"
_HEADER = re.compile(
    rf"^define \S+ ((?:[\w()]+ )*float @{_NAME})(\([^\n]*?\)) ([^\n]*?)comdat([^\n]*\{{)$", re.MULTILINE
)
_BODY = f"""
define linkonce_odr float @{_NAME}(float %angle, ptr %quadrant) comdat {{
  %reduced = call float @{_NAME}.bits(float %angle, ptr %quadrant)
  %same = call float @__enzyme_ignore_derivatives_float(float %angle)
  %slope = fsub float %angle, %same
  %sum = fadd float %reduced, %slope
  ret float %sum
}}
declare float @__enzyme_ignore_derivatives_float(float)
"""


def reduces_angles(text: str) -> bool:
    """Whether a program, as it is or optimised, reduces angles so."""
    return _TABLE in text


def with_slopes(text: str) -> str:
    """A program that no optimiser has seen, with the slope of the function to be seen."""
    header = _HEADER.search(text) if _TABLE in text else None
    if header is None or "__enzyme_" not in text:
        return text
    start, end = header.span()
    result, parameters, attributes, rest = header.groups()
    renamed = f'define weak_odr {result}.bits{parameters} noinline "enzyme_inactive" {attributes}{rest}'
    metadata = text.find("\nattributes #")
    split = metadata if metadata >= end else len(text)
    return text[:start] + renamed + text[end:split] + _BODY + text[split:]
