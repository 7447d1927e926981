"""Random C functions of the numerical kind: nests of loops over matrices and vectors, time steps around them.

What optimisations of derivatives look for is here in all its variants: products and solves by rows and by columns,
stencils and rings, windows that stop at the edge, sums, softmax and choices, pairs of bodies, small matrices, stages of
a step, gathered elements, in arrays that are parameters (``restrict`` or not), slices of one block, or scratch. Sizes
are ``rows`` and ``cols``, two numbers that no compiler knows, from one to more than any register holds.

Values stay within the generator's limit, as in :mod:`enzyme.verify.generator`.
"""

from __future__ import annotations

from random import Random

from enzyme.verify.nest_kinds import NESTS
from enzyme.verify.nest_place import KINDS, Arithmetic, Place, loop
from enzyme.verify.program import FuzzFunction, Helper, Line, Loop, Statement

SHAPES = ((7, 5), (1, 2), (16, 9), (33, 4), (2, 35))
"""The numbers of rows and columns a function is run with."""


def length(rows: int, cols: int) -> int:
    """How many numbers ``x`` and ``y`` have: one array of each kind lies in each of them."""
    return rows * cols + rows * rows + rows + cols


def generate_nests(seed: int, index: int, features: frozenset[str]) -> FuzzFunction:
    """The function number ``index`` of a seed; ``features`` may have ``width``, ``wide`` and ``second``."""
    random = Random(f"enzyme-nests-{seed}-{index}")
    writer = Arithmetic(random)
    lines = [
        "const int r = rows, c = cols;",
        "double *xm = x, *xq = x + r * c, *xr = xq + r * r, *xc = xr + r;",
        "double *ym = y, *yq = y + r * c, *yr = yq + r * r, *yc = yr + r;",
    ]
    arrays = {"R": ["xr", "yr"], "C": ["xc", "yc"], "M": ["xm", "ym"], "Q": ["xq", "yq"]}
    cleanup: list[str] = []
    for kind, size in KINDS.items():
        pick = random.random()
        name = f"h{kind.lower()}"
        if pick < 0.25:
            lines.append(f"double *{name} = calloc({size}, sizeof(double));")
        elif pick < 0.4:
            lines.append(f"double *{name} = malloc(sizeof(double) * {size});")
            lines.append(f"for (int i = 0; i < {size}; i++) {name}[i] = 0.01 * i / r;")
        elif pick < 0.5:
            lines.append(f"double {name}[{size}]; for (int i = 0; i < {size}; i++) {name}[i] = p;")
        else:
            continue
        arrays[kind].append(name)
        cleanup += [f"free({name});"] if pick < 0.4 else []
    sums = ["e0", "e1"][: random.randint(0, 2)]
    lines += [f"double {name} = 0;" for name in sums]
    place = Place(writer, arrays, ["p"], sums)
    helpers: list[Helper] = []
    body: list[Statement] = []
    for _ in range(random.choice((1, 2, 2, 3))):
        if random.random() < 0.6:
            helper, call = _kernel(place, len(helpers))
            helpers.append(helper)
            part: tuple[Statement, ...] = (Line(call),)
        else:
            part = _nests(place, random.choice((1, 1, 2, 3)))
        if random.random() < 0.45:
            part = (_steps(place, part),)
        body += part
    result = " + ".join(
        [*(f"sin({name})" for name in sums)]
        + [f"0.3 * total({a}, {KINDS[k]}) / ({KINDS[k]})" for k, some in arrays.items() for a in some if a[0] == "h"]
        + [random.choice(("xr[0] * yr[0]", "xm[r * c - 1] * p", "xc[0] * xc[0]"))]
    )
    shares = {"width": 0.1, "wide": 0.2, "second": 0.1}
    checks = tuple(check for check, share in shares.items() if random.random() < share and check in features)
    return FuzzFunction(
        f"f{index}", seed, tuple(helpers), tuple(lines), tuple(body), tuple(cleanup), result, False, checks, True
    )


def _nests(place: Place, count: int) -> tuple[Statement, ...]:
    made: list[Statement] = []
    for _ in range(count):
        made += place.random.choice(NESTS)(place)
    return tuple(made)


def _steps(place: Place, part: tuple[Statement, ...]) -> Loop:
    """Time steps around nests: numbers of their own are declared within."""
    t = place.name("t")
    count = place.random.choice(("2", "3", "c", "1 + r % 4", "cols % 3"))
    extra: tuple[Statement, ...] = ()
    if place.random.random() < 0.25:
        target = place.target("R")
        extra = (Line(f"{target}[{t} % r] = 0.6 * {target}[{t} % r] + 0.1 * {t} / (1 + {t});"),)
    return loop(t, "0", count, *part, *extra)


def _kernel(place: Place, number: int) -> tuple[Helper, str]:
    """A function of its own for some nests, and a call of it."""
    random = place.random
    kinds = {kind: random.randint(1, min(2, len(some))) for kind, some in place.arrays.items()}
    apart = random.random() < 0.6
    inside: dict[str, list[str]] = {}
    given: list[tuple[str, str]] = []
    for kind, count in kinds.items():
        inside[kind] = [f"{kind.lower()}{e}" for e in range(count)]
        chosen = random.sample(place.arrays[kind], count) if apart else random.choices(place.arrays[kind], k=count)
        given += zip(inside[kind], chosen, strict=True)
    sums = ["e"] if random.random() < 0.4 else []
    inner = Place(place.writer, inside, ["p"], sums, place.used)
    body = _nests(inner, random.choice((1, 1, 2, 3)))
    if random.random() < 0.25:
        body = (_steps(inner, body),)
    qualifier = " restrict" if apart and random.random() < 0.75 else ""
    parameters = ", ".join(
        f"{'' if name in inner.written else 'const '}double *{qualifier.strip()}{' ' if qualifier else ''}{name}"
        for name, _ in given
    )
    linkage = random.choice(("static NOINLINE", "static NOINLINE", "static"))
    result = "double" if sums else "void"
    name = f"@P_k{number}"
    head = f"{linkage} {result} {name}(int r, int c, const int *index, {parameters}, double p) {{"
    head += " double e = 0;" if sums else ""
    call = f"{name}(r, c, index, {', '.join(array for _, array in given)}, {place.value(depth=0)});"
    if sums:
        where = random.choice((*place.sums, ""))
        target = place.target("R")
        call = f"{where} += squash({call[:-1]});" if where else f"{target}[0] = squash({call[:-1]});"
    return Helper(name, head, body, "return e;" if sums else ""), call
