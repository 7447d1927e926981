"""Forms of statements in which numbers and pointers are not what they look like, or are where one does not look: in
integers, in bytes, in unions, in globals, behind ``void *``, under two names, in memory that changes its owner.

They follow the same rules as :mod:`enzyme.verify.forms`: values stay within the generator's limit, names are their own.
"""

from __future__ import annotations

from enzyme.verify.forms import Form, Site, block
from enzyme.verify.program import Branch, Line, Loop, Statement


def _rounds(site: Site, *body: str | Statement, start: str = "0", end: str = "n") -> Loop:
    """A loop with the site's counter."""
    i = site.name("i")
    made = tuple(Line(part) if isinstance(part, str) else part for part in body)
    return Loop(f"for (int {i} = {start}; {i} < {end}; {i}++) {{", made, "}", f"{{ int {i} = {start};")


# --- numbers and pointers in integers and bytes ----------------------------------------------------------------------


def pointer_in_integer(site: Site) -> tuple[Statement, ...]:
    """A struct that keeps an address as an integer."""
    c, i = site.name("c"), site.name("i")
    first, second = site.array(), site.array()
    at = f"((double *){c}.at)"
    body = [f"{at}[{i}] = 0.5 * {at}[{i}] + 0.3 * {c}.w * {site.inside(i).value(0)};"]
    if site.random.random() < 0.5:
        body.append(f"if ({i} == {site.random.randint(0, 3)}) {c}.at = (uintptr_t){second};")
    if site.random.random() < 0.5:
        body.append(f"{c}.w = sin({c}.w + {at}[n - 1 - {i}]);")
    return block(
        Line(f"struct carry {c} = {{(uintptr_t){first}, {site.value()}, n}};"),
        _rounds(site, *body, end=site.random.choice(("n", f"{c}.n"))),
        site.result(f"{c}.w + {at}[{site.index()}]"),
    )


def tagged_pointer(site: Site) -> tuple[Statement, ...]:
    """The low bits of an address hold a flag."""
    t, at = site.name("t"), site.name("a")
    value = f"0.4 * {at}[{site.random.randint(0, 2)}] + ({t} & 1 ? {site.value(0)} : 0.5 * {site.value(0)})"
    return block(
        Line(f"uintptr_t {t} = (uintptr_t){site.array()} | ({site.writer.integer_condition(site.scope)});"),
        Line(f"double *{at} = (double *)({t} & ~(uintptr_t)7);"),
        Line(f"{at}[{site.index()}] = sin({value});"),
    )


def struct_through_bytes(site: Site) -> tuple[Statement, ...]:
    b, s, t = site.name("b"), site.name("s"), site.name("t")
    kind = site.random.choice(("inner", "two", "mixed"))
    member = {"inner": "v[1]", "two": "b", "mixed": "t.a"}[kind]
    other = {"inner": "v[2]", "two": "a", "mixed": "a"}[kind]
    place = site.random.choice((b, f"{b} + 8", f"{b} + {site.random.randint(0, 3)}"))
    return block(
        Line(f"struct {kind} {s}, {t}; memset(&{s}, 0, sizeof {s}); memset(&{t}, 0, sizeof {t});"),
        Line(f"{s}.{member} = {site.value()}; {s}.{other} = {site.value()};"),
        Line(f"char {b}[sizeof {s} + 8]; memcpy({place}, &{s}, sizeof {s});"),
        Line(f"{s}.{member} = 0.25;"),
        Line(f"memcpy(&{t}, {place}, sizeof {t});"),
        site.result(f"{t}.{member} * {t}.{other} + {s}.{member}"),
    )


def pair_as_array(site: Site) -> tuple[Statement, ...]:
    """One block as a struct, as an array and as integers."""
    u, i = site.name("u"), site.name("i")
    return block(
        Line(f"union pair_or_array {u}, v{u}; {u}.t.a = {site.value()}; {u}.t.b = {site.value()};"),
        Line(site.random.choice((f"v{u} = {u};", f"v{u}.u[0] = {u}.u[1]; v{u}.u[1] = {u}.u[0];"))),
        Line(f"for (int {i} = 0; {i} < 2; {i}++) v{u}.d[{i}] = 0.5 * v{u}.d[{i}] + 0.4 * {u}.d[1 - {i}];"),
        site.result(f"v{u}.t.a - v{u}.t.b * {u}.d[0]"),
    )


def float_or_double(site: Site) -> tuple[Statement, ...]:
    """A union that holds a double or two reduced numbers, as a tag says."""
    u, k = site.name("u"), site.name("k")
    if not site.writer.mixed:
        return pair_as_array(site)
    return block(
        Line(f"int {k} = {site.writer.integer_condition(site.scope)};"),
        Line(f"union {{ double d; @R f[2]; }} {u}; {u}.d = 0.0;"),
        Branch(
            (f"if ({k}) {{", "} else {"),
            ((Line(f"{u}.f[0] = (@R)({site.value(0)}); {u}.f[1] = {u}.f[0] * (@R)0.5;"),),
             (Line(f"{u}.d = {site.value()};"),)),
        ),
        site.result(f"({k} ? (double)({u}.f[0] - {u}.f[1]) : {u}.d)"),
    )  # fmt: skip


def floats_in_integer(site: Site) -> tuple[Statement, ...]:
    if not site.writer.mixed:
        return sign_bits(site)
    w, i = site.name("w"), site.name("i")
    return block(
        Line(f"packed_@R {w} = join_@R((@R)({site.value(0)}), (@R)({site.value(0)}));"),
        _rounds(
            site, f"{w} = join_@R(second_@R({w}), (@R)(0.5) * first_@R({w}) + (@R)(0.1 * {site.inside(i).value(0)}));"
        ),
        site.result(f"(double)(first_@R({w}) - second_@R({w}))"),
    )


def sign_bits(site: Site) -> tuple[Statement, ...]:
    """The sign of a number changed among its bits."""
    u = site.name("u")
    change = site.random.choice(
        (f"{u}.u ^= 0x8000000000000000u;", f"{u}.u &= 0x7fffffffffffffffu;", f"{u}.u |= 0x8000000000000000u;")
    )
    return block(Line(f"union both {u}; {u}.d = {site.value()} + 0.013; {change}"), site.result(f"{u}.d"))


# --- memory that changes its owner -----------------------------------------------------------------------------------


def swapped_pointers(site: Site) -> tuple[Statement, ...]:
    p, q, i = site.name("p"), site.name("q"), site.name("i")
    first, second = site.array(), site.array()
    inner = site.inside(i)
    condition = site.random.choice((f"{i} % 2", f"{i} == 2", f"{p}[{i}] > {site.random.uniform(0.1, 0.9):.3f}", "1"))
    return block(
        Line(f"double *{p} = {first}, *{q} = {second};"),
        _rounds(
            site,
            f"{p}[{i}] = 0.5 * {q}[n - 1 - {i}] + 0.4 * {inner.value()};",
            f"if ({condition}) {{ double *t = {p}; {p} = {q}; {q} = t; }}",
        ),
        site.result(f"{p}[{site.index()}] - {q}[0] * {p}[1]"),
    )


def two_buffers(site: Site) -> tuple[Statement, ...]:
    """Sweeps from one buffer to another and back."""
    a, b, i, j = (site.name(letter) for letter in "abij")
    inner = site.inside(i)
    make = site.random.choice(("malloc(n * sizeof(double))", "calloc(n, sizeof(double))"))
    sweep = f"{b}[{j}] = 0.5 * {a}[{j}] + 0.2 * {a}[({j} + 1) % n] * {a}[({j} + n - 1) % n];"
    return block(
        Line(f"double *{a} = malloc(n * sizeof *{a}), *{b} = {make};"),
        _rounds(site, f"{a}[{i}] = {inner.value()}; {b}[{i}] = 0;"),
        Line(f"for (int {i} = 0; {i} < {site.random.choice(('3', 'n / 2', 'n'))}; {i}++) {{ "
             f"for (int {j} = 0; {j} < n; {j}++) {sweep} double *t = {a}; {a} = {b}; {b} = t; }}"),
        site.result(f"total({a}, n) - {b}[{site.index()}]"),
        Line(f"free({a}); free({b});"),
    )  # fmt: skip


def table_of_arrays(site: Site) -> tuple[Statement, ...]:
    """Pointers to members of many places in one array."""
    m, at, i = site.name("m"), site.name("a"), site.name("i")
    inner = site.inside(i)
    places = [f"&{m}[0].a", f"&{m}[1].t.b", f"&{m}[2].t.a", f"&{site.array()}[{site.index()}]"]
    site.random.shuffle(places)
    move = site.random.choice(
        (f"{m}[3] = {m}[0];", f"memcpy(&{m}[1], &{m}[2], sizeof *{m});", f"memmove({m}, {m} + 1, 2 * sizeof *{m});",
         f"{{ struct mixed t = {m}[0]; {m}[0] = {m}[1]; {m}[1] = t; }}")
    )  # fmt: skip
    return block(
        Line(f"struct mixed {m}[4]; memset({m}, 0, sizeof {m});"),
        Line(f"double *{at}[4] = {{{', '.join(places)}}};"),
        _rounds(
            site,
            f"*{at}[{i} % 4] = 0.5 * *{at}[{i} % 4] + 0.4 * {inner.value()}; {m}[{i} % 4].tag = {i};",
            f"if ({i} == 2) {{ {move} }}",
        ),
        site.result(f"{m}[0].a + {m}[1].t.b * {m}[2].t.a + {m}[3].a * {m}[1].tag * 0.1 + *{at}[3]"),
    )


def list_edited(site: Site) -> tuple[Statement, ...]:
    """Nodes taken out of a list and freed while it is walked through a pointer to the link."""
    p, at, i = site.name("p"), site.name("a"), site.name("i")
    inner = site.inside(i)
    condition = site.random.choice(
        (f"(*{at})->id % {site.random.randint(2, 3)} == 1", f"(*{at})->v > {site.random.uniform(0.2, 0.9):.3f}")
    )
    return block(
        Line(f"struct node *{p} = 0;"),
        _rounds(site, f"{p} = push({p}, {inner.value()}, {i});"),
        Line(
            f"for (struct node **{at} = &{p}; *{at};) {{ if ({condition}) {{ struct node *t = *{at}; *{at} = t->next; "
            f"if (*{at}) (*{at})->v += 0.3 * t->v; free(t); }} else {{ (*{at})->v *= 0.5; {at} = &(*{at})->next; }} }}"
        ),
        site.result(f"drain({p})"),
    )


def nodes_on_the_stack(site: Site) -> tuple[Statement, ...]:
    s, p, i = site.name("s"), site.name("p"), site.name("i")
    inner = site.inside(i)
    return block(
        Line(f"struct node {s}[8], *{p} = 0;"),
        _rounds(site, f"{s}[{i}].v = {inner.value()}; {s}[{i}].id = {i}; {s}[{i}].next = {p}; {p} = &{s}[{i}];"),
        Line(f"{p} = reversed({p});") if site.random.random() < 0.5 else Line(f"{p}->next->v = {site.value()};"),
        site.result(f"walk({p}, {site.value(0)})"),
    )


# --- globals, contexts, results that are structs ---------------------------------------------------------------------


def global_board(site: Site) -> tuple[Statement, ...]:
    """A global array filled here and read elsewhere."""
    i = site.name("i")
    inner = site.inside(i)
    fill = site.random.choice((f"board_put({i}, {inner.value()});", f"board[{i}] = {inner.value()};"))
    return block(
        Line("memset(board, 0, sizeof board);"),
        _rounds(site, fill, *([f"board[{i}] *= board[n - 1 - {i}];"] if site.random.random() < 0.4 else [])),
        site.result("board_sum(n)"),
    )


def global_pointer(site: Site) -> tuple[Statement, ...]:
    return block(
        Line(f"current = {site.array()};"),
        Line(f"current_scale(n, {site.value()});"),
        Line(f"current = {site.array()};") if site.random.random() < 0.5 else Line(f"current[1] = {site.value()};"),
        site.result(f"current[{site.index()}]"),
        Line("current = 0;"),
    )


def callback(site: Site) -> tuple[Statement, ...]:
    """A function and its context behind ``void *``."""
    c = site.name("c")
    which = site.random.choice(
        ("context_scale", "context_sum", f"({site.writer.integer_condition(site.scope)} ? context_scale : context_sum)")
    )
    return block(
        Line(f"struct context {c} = {{{site.array()}, {site.value(0)}, 0.1, n}};"),
        Line(f"repeat(n, {which}, &{c});"),
        site.result(f"{c}.sum + {c}.w"),
    )


def table_of_operations(site: Site) -> tuple[Statement, ...]:
    o, i = site.name("o"), site.name("i")
    inner = site.inside(i)
    names = [site.random.choice(("op_sin", "op_cube", "op_flat", "squash")) for _ in range(3)]
    entries = ", ".join(f"{{{name}, {site.value(0)}}}" for name in names)
    target = site.random.choice(site.scope.scalars[1:])
    return block(
        Line(f"struct operation {o}[3] = {{{entries}}};"),
        _rounds(site, f"{target} = 0.4 * {target} + 0.3 * {o}[{i} % 3].w * {o}[{i} % 3].f({inner.value(0)});"),
    )


def view(site: Site) -> tuple[Statement, ...]:
    """Structs of a pointer and numbers, returned by value."""
    v, i = site.name("v"), site.name("i")
    make, kind = site.random.choice((("view_of", "view"), ("weighted", "weight")))
    arguments = f"{site.array()}, n, {site.value(0)}" if kind == "view" else f"{site.array()}, {site.value(0)}"
    inner = site.inside(i)
    return block(
        Line(f"struct {kind} {v} = {make}({arguments});"),
        _rounds(site, f"{v}.at[{i}] = 0.5 * {v}.at[{i}] * {v}.w + 0.4 * {inner.value()};"),
        Line(f"{v} = {make}({v}.at + 1, {'n - 1, ' if kind == 'view' else ''}0.5 * {v}.w);"),
        site.result(f"{v}.at[0] * {v}.w"),
    )


def sorted_copy(site: Site) -> tuple[Statement, ...]:
    s, i = site.name("s"), site.name("i")
    if site.random.random() < 0.5:
        return block(
            Line(f"double {s}[8]; for (int {i} = 0; {i} < n; {i}++) {s}[{i}] = {site.array()}[{i}] + 0.0137 * {i};"),
            Line(f"qsort({s}, n, sizeof *{s}, by_value);"),
            site.result(f"{s}[0] + {s}[n - 1] * {s}[1]"),
        )
    return block(
        Line(f"struct node {s}[8]; for (int {i} = 0; {i} < n; {i}++) "
             f"{{ {s}[{i}].v = {site.array()}[{i}] + 0.0137 * {i}; {s}[{i}].id = {i}; {s}[{i}].next = 0; }}"),
        Line(f"qsort({s}, n, sizeof *{s}, by_node);"),
        site.result(f"{s}[0].v + {s}[n - 1].v * (1 + 0.1 * {s}[1].id)"),
    )  # fmt: skip


# --- ways out and ways through ---------------------------------------------------------------------------------------


def early_exit(site: Site) -> tuple[Statement, ...]:
    a, k = site.array(), site.name("k")
    limit = f"{site.random.uniform(0.3, 1.4):.3f}"
    if site.random.random() < 0.5:
        return block(site.result(f"first_above({a}, n, {limit})"))
    h, label = site.name("h"), site.name("out")
    after = site.result(f"{h}[0] + {h}[{k} < n ? {k} : n - 1]")
    return block(
        Line(f"double *{h} = malloc(n * sizeof *{h}); int {k} = 0; "
             f"for (; {k} < n; {k}++) {{ {h}[{k}] = sin({a}[{k}]); if ({h}[{k}] > {limit}) goto {label}; }} "
             f"{h}[0] = {site.value()}; {label}:; {after.text} free({h});"),
    )  # fmt: skip


def pointer_walk(site: Site) -> tuple[Statement, ...]:
    p, a = site.name("p"), site.array()
    target = site.random.choice(site.scope.scalars[1:])
    body = (Line(f"{target} = 0.5 * {target} + 0.4 * *{p}; *{p} = sin({target} + {site.value(0)});"),)
    head = site.random.choice(
        (f"for (double *{p} = {a}; {p} != {a} + n; {p}++) {{", f"for (double *{p} = {a} + n; {p} > {a} && {p}--;) {{",
         f"for (double *{p} = {a}; {p} - {a} < n - 1; {p} += 2) {{")
    )  # fmt: skip
    return (Loop(head, body, "}", f"{{ double *{p} = {a};"),)


def matrix_of_n(site: Site) -> tuple[Statement, ...]:
    m, i, j = site.name("m"), site.name("i"), site.name("j")
    inner = site.inside(i)
    use = site.random.choice(
        (f"quadratic(n, &{m}[0][0], {site.array()})", f"{m}[n - 1][0] * {m}[1][n - 1] + {m}[2][2]")
    )
    return block(
        Line(f"double {m}[n][n];"),
        _rounds(
            site,
            f"for (int {j} = 0; {j} < n; {j}++) "
            f"{m}[{i}][{j}] = {i} < {j} ? {inner.value(0)} : 0.25 * ({i} - {j});",
        ),
        Line(f"for (int {i} = 1; {i} < n; {i}++) for (int {j} = 0; {j} < n; {j}++) "
             f"{m}[{i}][{j}] = 0.5 * {m}[{i}][{j}] + 0.4 * {m}[{i} - 1][({j} + 1) % n];"),
        site.result(use),
    )  # fmt: skip


def complex_number(site: Site) -> tuple[Statement, ...]:
    z, i = site.name("z"), site.name("i")
    inner = site.inside(i)
    step = site.random.choice(
        (f"{z} = 0.4 * {z} * {z} + 0.3 * {inner.value(0)};", f"{z} = turned({z}, {inner.value(0)});")
    )
    return block(
        Line(f"double _Complex {z} = __builtin_complex((double)({site.value()}), (double)({site.value(0)}));"),
        _rounds(site, step),
        site.result(f"__real__ {z} - __imag__ {z}"),
    )


DISGUISES: dict[str, tuple[Form, ...]] = {
    "integers": (pointer_in_integer, tagged_pointer, sign_bits),
    "bytes": (struct_through_bytes,),
    "unions": (pair_as_array, float_or_double, floats_in_integer),
    "pointers": (swapped_pointers, two_buffers, table_of_arrays, pointer_walk),
    "lists": (list_edited, nodes_on_the_stack),
    "globals": (global_board, global_pointer),
    "indirect": (callback, table_of_operations),
    "structs": (view,),
    "sorting": (sorted_copy,),
    "control": (early_exit,),
    "matrices": (matrix_of_n,),
    "complex": (complex_number,),
}
"""By feature, as :data:`enzyme.verify.forms.FEATURES`."""
