"""How glibc computes some mathematical functions, for vectors: its operations, in its order, rounded where it rounds.

Sources: for exp and log Szabolcs Nagy's methods in glibc since 2.28 (``sysdeps/ieee754/dbl-64/e_exp.c``, ``e_log.c``:
tables of 128 entries, polynomials); for expm1 and tanh Sun's fdlibm as glibc has it (``s_expm1.c``, ``s_tanh.c``:
reduction by ln 2, a rational approximation with five coefficients). Which products are fused into sums was read from
the compiled functions for CPUs with fused multiply-adds. The table of exp is computed here from its definition; entries
of that of log were chosen by a search, so they and the coefficients next to them are read from the library.
"""

from __future__ import annotations

import struct
from decimal import Decimal, localcontext
from functools import cache

from enzyme.llvm.library_file import numbers_from

EXP_TABLE = "@enzyme.exact.exp.table"
LOG_TABLE = "@enzyme.exact.log.table"
_ENTRIES = 128
"""Of each table: exp has 2**(k/128) for each k, log numbers near 1/c, and log c, for c in the middle of each part."""
_LOG_BEGINS = (float.fromhex("0x1.62e42fefa3800p-1"), float.fromhex("0x1.ef35793c76730p-45"), -0.5 - 2.0**-53)
"""The library's numbers for log: ln 2 in two parts, a polynomial of 5 coefficients, one of 11, and the table."""
_LOG_COEFFICIENTS = 18
_LN2 = (float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33"))
"""In two parts; products of the first with small integers are exact."""


def bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def power_table() -> list[int]:
    """For each k what 2**(k/128) lacks of its nearest double, relative to it, and that double's bits less k/128 of an
    octave: the exponent is added with k in it."""
    found = []
    with localcontext() as context:
        context.prec = 60
        octave = Decimal(2).ln()
        for k in range(_ENTRIES):
            whole = (octave * k / _ENTRIES).exp()
            near = float(whole)
            lacking = float((whole - Decimal(near)) / Decimal(near))
            found += [bits(lacking), (bits(near) - (k << 52) // _ENTRIES) & (2**64 - 1)]
    return found


@cache
def log_numbers() -> tuple[float, ...] | None:
    """What the library has for log: ln 2, the polynomials and the table; None where they are not found."""
    return numbers_from(_LOG_BEGINS, _LOG_COEFFICIENTS + 2 * _ENTRIES)


def log_table() -> list[int]:
    numbers = log_numbers()
    assert numbers is not None
    return [bits(number) for number in numbers[_LOG_COEFFICIENTS:]]


class Lanes:
    """Instructions on vectors of doubles and of 64-bit integers, one after the other."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.double, self.word, self.truth = (f"<{lanes} x {each}>" for each in ("double", "i64", "i1"))

    def add_line(self, line: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {line}")
        return name

    def number(self, value: float) -> str:
        return f"splat (double 0x{bits(value):016X})"

    def integer(self, value: int) -> str:
        return f"splat (i64 {value})"

    def on_doubles(self, operation: str, left: str, right: str) -> str:
        return self.add_line(f"{operation} {self.double} {left}, {right}")

    def on_words(self, operation: str, left: str, right: str) -> str:
        return self.add_line(f"{operation} {self.word} {left}, {right}")

    def add(self, left: str, right: str) -> str:
        return self.on_doubles("fadd", left, right)

    def sub(self, left: str, right: str) -> str:
        return self.on_doubles("fsub", left, right)

    def mul(self, left: str, right: str) -> str:
        return self.on_doubles("fmul", left, right)

    def div(self, left: str, right: str) -> str:
        return self.on_doubles("fdiv", left, right)

    def negative(self, value: str) -> str:
        return self.add_line(f"fneg {self.double} {value}")

    def fused(self, left: str, right: str, added: str) -> str:
        """``left * right + added``, rounded once."""
        given = ", ".join(f"{self.double} {each}" for each in (left, right, added))
        return self.add_line(f"call {self.double} @llvm.fma.v{self.lanes}f64({given})")

    def words(self, value: str) -> str:
        return self.add_line(f"bitcast {self.double} {value} to {self.word}")

    def doubles(self, value: str) -> str:
        return self.add_line(f"bitcast {self.word} {value} to {self.double}")

    def compare(self, predicate: str, left: str, right: str) -> str:
        return self.add_line(f"icmp {predicate} {self.word} {left}, {right}")

    def either(self, left: str, right: str) -> str:
        return self.add_line(f"or {self.truth} {left}, {right}")

    def choose(self, condition: str, one: str, other: str) -> str:
        return self.add_line(f"select {self.truth} {condition}, {self.double} {one}, {self.double} {other}")

    def look_up(self, table: str, place: str) -> str:
        """Words of a table."""
        at = self.add_line(f"getelementptr i64, ptr {table}, {self.word} {place}")
        return self.add_line(
            f"call {self.word} @llvm.masked.gather.v{self.lanes}i64.v{self.lanes}p0(<{self.lanes} x ptr> align 8 {at}, "
            f"{self.truth} splat (i1 true), {self.word} poison)"
        )

    def magnitude(self, words: str) -> str:
        return self.on_words("and", words, self.integer(2**63 - 1))


def exp(v: Lanes, x: str, words: str) -> str:
    """x = k ln 2 / 128 + r; 2**(k/128) of the table, with what it lacks, times a polynomial in r. Below 2**-54 the
    library adds x to 1, which gives the same."""
    shift = v.number(float.fromhex("0x1.8p52"))
    shifted = v.fused(x, v.number(float.fromhex("0x1.71547652b82fep0") * _ENTRIES), shift)
    k = v.words(shifted)
    rounded = v.sub(shifted, shift)
    r = v.fused(rounded, v.number(float.fromhex("-0x1.62e42fefa0000p-8")), x)
    r = v.fused(rounded, v.number(float.fromhex("-0x1.cf79abc9e3b3ap-47")), r)
    place = v.on_words("shl", v.on_words("and", k, v.integer(_ENTRIES - 1)), v.integer(1))
    lacking = v.doubles(v.look_up(EXP_TABLE, place))
    power = v.look_up(EXP_TABLE, v.on_words("or", place, v.integer(1)))
    scale = v.doubles(v.on_words("add", power, v.on_words("shl", k, v.integer(52 - 7))))
    square = v.mul(r, r)
    low = v.fused(r, v.number(float.fromhex("0x1.555555555543cp-3")), v.number(float.fromhex("0x1.ffffffffffdbdp-2")))
    high = v.fused(r, v.number(float.fromhex("0x1.1111167a4d017p-7")), v.number(float.fromhex("0x1.55555cf172b91p-5")))
    rest = v.fused(low, square, v.add(r, lacking))
    rest = v.fused(v.mul(square, square), high, rest)
    return v.fused(scale, rest, scale)


def expm1(v: Lanes, x: str, words: str, at_one: bool = True) -> str:
    """x = k ln 2 + r; e**r - 1 by a rational approximation; then, by what k is, the power of two and the one that is
    taken off. ``at_one``: k may be 1 or 2."""
    half, one = v.number(0.5), v.number(1.0)
    sign, magnitude = v.on_words("and", words, v.integer(-(2**63))), v.magnitude(words)
    signed_half = v.doubles(v.on_words("or", sign, v.integer(bits(0.5))))
    product = v.add(v.mul(x, v.number(float.fromhex("0x1.71547652b82fep0"))), signed_half)
    whole = v.add_line(f"call {v.double} @llvm.trunc.v{v.lanes}f64({v.double} {product})")
    small = v.compare("ult", magnitude, v.integer(0x3FD62E43 << 32))  # half of ln 2, by its upper word
    whole = v.choose(small, v.number(0.0), whole)
    shift = float.fromhex("0x1.8p52")
    k = v.on_words("sub", v.words(v.add(whole, v.number(shift))), v.integer(bits(shift)))
    high = v.fused(v.negative(whole), v.number(_LN2[0]), x)
    low = v.mul(whole, v.number(_LN2[1]))
    r = v.sub(high, low)
    lost = v.sub(v.sub(high, r), low)
    half_r = v.mul(r, half)
    h = v.mul(r, half_r)
    q = [
        v.number(float.fromhex(each))
        for each in (
            "-0x1.11111111110f4p-5",
            "0x1.a01a019fe5585p-10",
            "-0x1.4ce199eaadbb7p-14",
            "0x1.0cfca86e65239p-18",
            "-0x1.afdb76e09c32dp-23",
        )
    ]
    h2 = v.mul(h, h)
    series = v.fused(h2, v.fused(q[2], h, q[1]), v.fused(h, q[0], one))
    series = v.fused(v.mul(h2, h2), v.fused(q[4], h, q[3]), series)
    t = v.fused(v.negative(half_r), series, v.number(3.0))
    error = v.div(v.sub(series, t), v.fused(v.negative(r), t, v.number(6.0)))
    error = v.mul(error, h)
    small_result = v.sub(r, v.fused(error, r, v.negative(h)))
    error = v.sub(v.fused(v.sub(error, lost), r, v.negative(lost)), h)
    beyond = v.sub(error, r)
    power = v.doubles(v.on_words("shl", v.on_words("sub", v.integer(1023), k), v.integer(52)))  # 2**-k
    scaling = v.on_words("shl", k, v.integer(52))

    def scaled(value: str) -> str:
        return v.doubles(v.on_words("add", v.words(value), scaling))

    # 0 and 1 in one comparison: all but 2 to 56.
    far = v.compare("ugt", v.on_words("add", k, v.integer(1)), v.integer(57))
    first = v.choose(far, one, v.sub(one, power))
    near = scaled(v.sub(first, beyond))
    result = v.choose(far, v.sub(near, one), near)
    many = v.add(v.sub(r, v.add(error, power)), one)
    twenty = v.compare("ult", v.on_words("sub", k, v.integer(20)), v.integer(37))
    result = v.choose(twenty, scaled(many), result)
    if at_one:
        lower = v.mul(v.sub(error, v.add(r, half)), v.number(-2.0))
        upper = v.fused(v.number(2.0), v.negative(beyond), one)
        quarter = v.add_line(f"fcmp olt {v.double} {r}, {v.number(-0.25)}")
        result = v.choose(v.compare("eq", k, v.integer(1)), v.choose(quarter, lower, upper), result)
    minus = v.fused(half, v.negative(beyond), v.number(-0.5))
    result = v.choose(v.compare("eq", k, v.integer(-1)), minus, result)
    return v.choose(small, small_result, result)


def tanh(v: Lanes, x: str, words: str) -> str:
    """From expm1 of twice the magnitude, negative where that is below 2; beyond 22 it is 1."""
    two, one, magnitude = v.number(2.0), v.number(1.0), v.magnitude(words)
    large = v.compare("uge", magnitude, v.integer(bits(1.0)))
    beyond = v.compare("ugt", magnitude, v.integer(bits(22.0)))
    size = v.choose(beyond, v.number(22.0), v.doubles(magnitude))
    twice = v.add(size, size)
    given = v.choose(large, twice, v.negative(twice))
    t = expm1(v, given, v.words(given), at_one=False)
    share = v.div(v.choose(large, two, v.negative(t)), v.add(t, two))
    result = v.choose(large, v.sub(one, share), share)
    sign = v.on_words("and", words, v.integer(-(2**63)))
    return v.doubles(v.on_words("or", v.words(result), sign))


def log(v: Lanes, x: str, words: str) -> str:
    """x = 2**k z, with c near z: log x = k ln 2 + log c + log(z/c), by a polynomial in z/c - 1; near 1 by a polynomial
    in x - 1, its first terms in two parts."""
    numbers = log_numbers()
    assert numbers is not None  # exact_functions() has asked
    ln2_high, ln2_low, *rest = numbers[:_LOG_COEFFICIENTS]
    a, b = [v.number(each) for each in rest[:5]], [v.number(each) for each in rest[5:]]
    one = v.number(1.0)
    scaled = v.on_words("sub", words, v.integer(0x3FE6 << 48))
    place = v.on_words("and", v.on_words("lshr", scaled, v.integer(52 - 7 - 1)), v.integer(2 * (_ENTRIES - 1)))
    z = v.doubles(v.on_words("sub", words, v.on_words("and", scaled, v.integer(-(1 << 52)))))
    shift = float.fromhex("0x1.8p52")
    k = v.on_words("add", v.on_words("ashr", scaled, v.integer(52)), v.integer(bits(shift)))
    k = v.sub(v.doubles(k), v.number(shift))
    inverse = v.doubles(v.look_up(LOG_TABLE, place))
    of_c = v.doubles(v.look_up(LOG_TABLE, v.on_words("or", place, v.integer(1))))
    r = v.fused(z, inverse, v.number(-1.0))
    w = v.fused(k, v.number(ln2_high), of_c)
    high = v.add(r, w)
    low = v.fused(k, v.number(ln2_low), v.add(v.sub(w, high), r))
    square = v.mul(r, r)
    low = v.fused(square, a[0], low)
    series = v.fused(v.fused(r, a[4], a[3]), square, v.fused(a[2], r, a[1]))
    far = v.add(v.fused(v.mul(r, square), series, low), high)

    r = v.sub(x, one)
    square = v.mul(r, r)
    cube = v.mul(r, square)
    first = v.fused(square, b[3], v.fused(b[2], r, b[1]))
    second = v.fused(square, b[6], v.fused(b[5], r, b[4]))
    third = v.fused(cube, b[10], v.fused(square, b[9], v.fused(b[8], r, b[7])))
    series = v.fused(v.fused(third, cube, second), cube, first)
    half = v.number(2.0**27)
    r_high = v.fused(v.negative(half), r, v.fused(r, half, r))
    r_low = v.sub(r, r_high)
    squared = v.mul(r_high, r_high)
    high = v.fused(squared, b[0], r)
    low = v.fused(squared, b[0], v.sub(r, high))
    low = v.fused(v.mul(b[0], r_low), v.add(r, r_high), low)
    near = v.add(high, v.fused(series, cube, low))
    lowest, highest = bits(1 - 2.0**-4), bits(1 + 265 * 2.0**-12)
    close = v.compare("ult", v.on_words("sub", words, v.integer(lowest)), v.integer(highest - lowest))
    return v.choose(close, near, far)
