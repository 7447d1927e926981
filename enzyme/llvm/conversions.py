"""Conversions to bfloat that LLVM leaves to the C runtime, for runtimes that do not have them."""

from __future__ import annotations

_SINGLE = """\
define linkonce_odr hidden bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %nan = fcmp uno float %x, 0.000000e+00
  %top = lshr i32 %bits, 16
  %odd = and i32 %top, 1
  %half = add i32 %odd, 32767
  %rounded = add i32 %bits, %half
  %kept = lshr i32 %rounded, 16
  %quiet = or i32 %top, 64
  %chosen = select i1 %nan, i32 %quiet, i32 %kept
  %narrow = trunc i32 %chosen to i16
  %made = bitcast i16 %narrow to bfloat
  ret bfloat %made
}
"""
_DOUBLE = """\
define linkonce_odr hidden bfloat @__truncdfbf2(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %x
  %size = call double @llvm.fabs.f64(double %x)
  %far = call double @llvm.fabs.f64(double %back)
  %above = fcmp ogt double %far, %size
  %bits = bitcast float %near to i32
  %less = zext i1 %above to i32
  %toward = sub i32 %bits, %less
  %sticky = zext i1 %inexact to i32
  %to_odd = or i32 %toward, %sticky
  %number = bitcast i32 %to_odd to float
  %made = call bfloat @__truncsfbf2(float %number)
  ret bfloat %made
}
declare double @llvm.fabs.f64(double)
"""


def with_conversions(text: str) -> str:
    """A program with ``__truncsfbf2`` and ``__truncdfbf2`` where it converts to bfloat: rounded to nearest, ties to
    even; from double by way of a float rounded to odd, so that nothing is rounded twice."""
    if " to bfloat" not in text and "x bfloat>" not in text or "@__truncsfbf2" in text or "@__truncdfbf2" in text:
        return text
    double = _DOUBLE
    if "declare double @llvm.fabs.f64(" in text:
        double = double.replace("declare double @llvm.fabs.f64(double)\n", "")
    return f"{text}\n{_SINGLE}\n{double}"
