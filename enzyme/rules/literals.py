"""Exact constants as LLVM floating-point literals: a rational number rounded once, to the format at hand."""

from __future__ import annotations

from fractions import Fraction

# significand bits (with the leading one), exponent bias, bits of the exponent field
_FORMATS: dict[str, tuple[int, int, int]] = {
    "half": (11, 15, 5),
    "bfloat": (8, 127, 8),
    "float": (24, 127, 8),
    "double": (53, 1023, 11),
    "x86_fp80": (64, 16383, 15),
    "fp128": (113, 16383, 15),
}


def _round(value: Fraction, precision: int, lowest: int) -> tuple[int, int]:
    """(m, e) with ``m * 2**e`` nearest to ``value`` > 0, ties to even, m < 2**precision, e >= lowest."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - precision
    if value / Fraction(2) ** exponent >= 2**precision:
        exponent += 1
    exponent = max(exponent, lowest)
    scaled = value / Fraction(2) ** exponent
    mantissa, rest = divmod(scaled.numerator, scaled.denominator)
    twice = 2 * rest
    if twice > scaled.denominator or (twice == scaled.denominator and mantissa % 2):
        mantissa += 1
    if mantissa == 2**precision:
        mantissa, exponent = mantissa >> 1, exponent + 1
    return mantissa, exponent


def _encode(value: Fraction, kind: str) -> tuple[int, int, int]:
    """(sign, biased exponent, significand with its leading one) of the nearest number of the format."""
    precision, bias, width = _FORMATS[kind]
    sign = 1 if value < 0 else 0
    if value == 0:
        return sign, 0, 0
    lowest = 1 - bias - (precision - 1)
    mantissa, exponent = _round(abs(value), precision, lowest)
    if mantissa < 2 ** (precision - 1):
        return sign, 0, mantissa
    biased = exponent + precision - 1 + bias
    if biased >= 2**width - 1:
        raise OverflowError(f"{value} is too large for {kind}")
    return sign, biased, mantissa


def literal(value: Fraction, kind: str) -> str:
    """``value`` as LLVM spells a constant of format ``kind`` (half, bfloat, float, double, x86_fp80, fp128).

    LLVM spells float constants as doubles; ppc_fp128, a pair of doubles, gets its two halves.
    """
    if kind == "ppc_fp128":
        high = _double(value)
        low = value - Fraction(high)
        return f"0xM{_double_bits(value):016X}{_double_bits(low):016X}"
    if kind == "float":
        sign, biased, mantissa = _encode(value, "float")
        exponent = max(biased, 1) - 127 - 23
        return f"0x{_double_bits((-1) ** sign * mantissa * Fraction(2) ** exponent):016X}"
    if kind == "double":
        return f"0x{_double_bits(value):016X}"
    sign, biased, mantissa = _encode(value, kind)
    precision, _, width = _FORMATS[kind]
    if kind == "x86_fp80":
        return f"0xK{(sign << 15) | biased:04X}{mantissa:016X}"
    fraction = mantissa & (2 ** (precision - 1) - 1)
    bits = (sign << (width + precision - 1)) | (biased << (precision - 1)) | fraction
    if kind == "fp128":
        return f"0xL{bits & (2**64 - 1):016X}{bits >> 64:016X}"
    return f"0x{'H' if kind == 'half' else 'R'}{bits:04X}"


def _double_bits(value: Fraction) -> int:
    sign, biased, mantissa = _encode(value, "double")
    return (sign << 63) | (biased << 52) | (mantissa & (2**52 - 1))


def _double(value: Fraction) -> float:
    return value.numerator / value.denominator
