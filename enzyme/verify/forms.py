"""Forms of statements that the generator may draw: memory, structs, calls and jumps as C programs have them.

A form is a function of a :class:`Site` that gives statements; its values stay within the generator's limit, its names
are its own. Forms belong to features, so that a run can leave out what an engine does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from enzyme.verify.expressions import Counter, Scope, Writer
from enzyme.verify.program import Line, Loop, Statement


@dataclass
class Site:
    """Where a form is put: names in scope, a random stream, and a number that no other form of the function has."""

    writer: Writer
    scope: Scope
    number: int
    arrays: list[str]
    """Arrays of doubles, of at least n elements each."""
    narrow: bool = False
    """Blocks of unknown length are best left alone here."""

    @property
    def random(self) -> Random:
        return self.writer.random

    def name(self, letter: str) -> str:
        return f"{letter}{self.number}_"

    def value(self, depth: int = 1) -> str:
        return self.writer.value(self.scope, depth)

    def index(self) -> str:
        return self.writer.index(self.scope)

    def array(self) -> str:
        return self.random.choice(self.arrays)

    def inside(self, counter: str, low: int = 0) -> Site:
        """The same place within a loop of 0 <= counter < n."""
        scope = self.scope.inside(Counter(counter, low, 0))
        return Site(self.writer, scope, self.number, self.arrays, self.narrow)

    def result(self, value: str) -> Line:
        """Something bounded made of ``value`` goes to a variable that the rest of the function sees."""
        wrapped = f"{self.random.choice(('sin', 'tanh', 'squash'))}({value})"
        targets = [*self.scope.scalars[1:], f"{self.array()}[{self.index()}]"]
        target = self.random.choice(targets)
        return Line(f"{target} = {self.random.choice((wrapped, f'0.4 * {target} + {wrapped}'))};")


Form = Callable[[Site], tuple[Statement, ...]]


def block(*body: Statement) -> tuple[Statement, ...]:
    """Statements with names of their own."""
    return (Loop("{", tuple(body), "}", "{"),)


# --- lists and trees -------------------------------------------------------------------------------------------------


def linked_list(site: Site) -> tuple[Statement, ...]:
    p, i = site.name("p"), site.name("i")
    inner = site.inside(i)
    add = site.random.choice(("push", "insert"))
    body: list[Statement] = [
        Line(f"struct node *{p} = 0;"),
        Loop(
            f"for (int {i} = 0; {i} < n; {i}++) {{",
            (Line(f"{p} = {add}({p}, {inner.value()} + 0.013 * {i}, {i});"),),
            "}",
            f"{{ int {i} = 0;",
        ),
    ]
    if site.random.random() < 0.4:
        body.append(Line(f"{p} = reversed({p});"))
    if site.random.random() < 0.5:
        q = site.name("q")
        step = f"if ({q}->next) {q}->v = 0.5 * {q}->v + 0.3 * {q}->next->v * {site.value(0)};"
        body.append(Line(f"for (struct node *{q} = {p}; {q}; {q} = {q}->next) {{ {step} }}"))
    if site.random.random() < 0.5:
        body.append(site.result(f"walk({p}, {site.value(0)})"))
    body.append(site.result(f"drain({p})"))
    return block(*body)


def ring_of_nodes(site: Site) -> tuple[Statement, ...]:
    """Nodes in one block, linked by index, walked as often as data says."""
    p, q, i, k = (site.name(letter) for letter in "pqik")
    inner = site.inside(i)
    return block(
        Line(f"struct node *{p} = malloc(n * sizeof *{p});"),
        Loop(
            f"for (int {i} = 0; {i} < n; {i}++) {{",
            (
                Line(f"{p}[{i}].v = {inner.value()}; {p}[{i}].id = {i};"),
                Line(f"{p}[{i}].next = &{p}[({i} + {site.random.randint(1, 3)}) % n];"),
            ),
            "}",
            f"{{ int {i} = 0;",
        ),
        Line(
            f"{{ struct node *{q} = {p}; int {k} = 0; "
            f"while ({k}++ < 9 && {q}->v < {site.random.uniform(0.5, 1.5):.3f}) "
            f"{{ {q}->next->v = 0.6 * {q}->next->v + 0.3 * {q}->v; {q} = {q}->next; }} }}"
        ),
        site.result(f"{p}[{site.index()}].v + {p}[0].next->v"),
        Line(f"free({p});"),
    )


def binary_tree(site: Site) -> tuple[Statement, ...]:
    t = site.name("t")
    body: list[Statement] = [Line(f"struct tree *{t} = plant({site.value()}, {site.random.randint(2, 4)});")]
    if site.random.random() < 0.5:
        body.append(Line(f"if ({t}->l) {t}->l->v *= {site.value(0)};"))
    body.append(site.result(f"fold({t}, {site.value(0)})"))
    if site.random.random() < 0.4:
        body.append(site.result(f"{t}->v + fold({t}, 0.5)"))
    return block(*body, Line(f"fell({t});"))


# --- heap ------------------------------------------------------------------------------------------------------------


def scratch(site: Site) -> tuple[Statement, ...]:
    """A heap block of the place's own: made, filled, used, freed."""
    h, i = site.name("h"), site.name("i")
    inner = site.inside(i)
    make = site.random.choice((f"malloc(n * sizeof *{h})", f"calloc(n, sizeof *{h})", f"malloc(2 * n * sizeof *{h})"))
    other = site.array()
    body: list[Statement] = [
        Line(f"double *{h} = {make};"),
        Loop(f"for (int {i} = 0; {i} < n; {i}++) {{", (Line(f"{h}[{i}] = {inner.value()};"),), "}", f"{{ int {i} = 0;"),
    ]
    if not site.narrow:
        copy = site.random.choice(
            (f"memcpy({other}, {h}, n * sizeof *{h});", f"memmove({h} + 1, {h}, (n - 1) * sizeof *{h});",
             f"memcpy({h}, {other}, (n - 1) * sizeof *{h});", f"memset({h}, 0, 2 * sizeof *{h});")
        )  # fmt: skip
        body.append(Line(copy))
    body.append(site.result(f"total({h}, n)"))
    return block(*body, Line(f"free({h});"))


def growing(site: Site) -> tuple[Statement, ...]:
    g, i = site.name("g"), site.name("i")
    inner = site.inside(i)
    skip = f"if ({inner.writer.condition(inner.scope)}) " if site.random.random() < 0.4 else ""
    body: list[Statement] = [
        Line(f"struct grow {g} = {{0, 0, 0}}; grow(&{g}, 0.3);"),
        Loop(
            f"for (int {i} = 0; {i} < n; {i}++) {{", (Line(f"{skip}grow(&{g}, {inner.value()});"),), "}",
            f"{{ int {i} = 0;",
        ),
    ]  # fmt: skip
    if site.random.random() < 0.5:
        body.append(Line(f"grow(&{g}, sin({g}.data[{g}.n / 2] * {g}.data[0]));"))
    return block(*body, site.result(f"total({g}.data, {g}.n)"), Line(f"free({g}.data);"))


def rows(site: Site) -> tuple[Statement, ...]:
    """Pointers to arrays, exchanged while they are used."""
    r, i, t = site.name("r"), site.name("i"), site.name("t")
    inner = site.inside(i)
    a, b = site.array(), site.array()
    swap = f"{{ double *{t} = {r}[0]; {r}[0] = {r}[1]; {r}[1] = {t}; }}"
    condition = inner.writer.integer_condition(inner.scope)
    store = f"{r}[{i} % 2][{inner.index()}] = 0.5 * {r}[1 - {i} % 2][{inner.index()}] + 0.3 * {inner.value()};"
    return block(
        Line(f"double *{r}[2] = {{{a}, {b}}};"),
        Loop(f"for (int {i} = 0; {i} < n; {i}++) {{", (Line(store), Line(f"if ({condition}) {swap}")), "}",
             f"{{ int {i} = 0;"),
        site.result(f"{r}[0][{site.index()}] * {r}[1][0]"),
    )  # fmt: skip


def heap_rows(site: Site) -> tuple[Statement, ...]:
    m, i = site.name("m"), site.name("i")
    inner = site.inside(i, 1)
    return block(
        Line(f"double **{m} = malloc(n * sizeof *{m});"),
        Line(f"for (int {i} = 0; {i} < n; {i}++) {{ {m}[{i}] = calloc({i} + 1, sizeof **{m}); {m}[{i}][{i}] = 0.5; }}"),
        Loop(
            f"for (int {i} = 1; {i} < n; {i}++) {{",
            (Line(f"{m}[{i}][{i} - 1] = 0.5 * {m}[{i} - 1][0] + 0.5 * {inner.value()};"),), "}", f"{{ int {i} = 1;",
        ),
        site.result(f"{m}[n - 1][n - 2] + {m}[2][1] * {m}[1][0]"),
        Line(f"for (int {i} = 0; {i} < n; {i}++) free({m}[{i}]);"),
        Line(f"free({m});"),
    )  # fmt: skip


def chosen_pointer(site: Site) -> tuple[Statement, ...]:
    at = site.name("a")
    condition = site.writer.integer_condition(site.scope)
    return block(
        Line(f"double *{at} = choose({site.array()}, {site.array()}, {condition});"),
        Line(f"{at}[{site.index()}] = 0.5 * {at}[{site.index()}] + 0.4 * {site.value()};"),
    )


# --- structs ---------------------------------------------------------------------------------------------------------


def struct_value(site: Site) -> tuple[Statement, ...]:
    s, t = site.name("s"), site.name("t")
    values = ", ".join(site.value(0) for _ in range(3))
    body: list[Statement] = [
        Line(f"struct inner {s} = {{0.5f, {site.random.randint(0, 3)}, {{{values}}}}}, {t} = {s};")
    ]
    for _ in range(site.random.randint(1, 3)):
        body.append(
            Line(
                site.random.choice(
                    (f"{s} = mix({s}, {site.value()});", f"stir(&{t}, &{s}, {site.value()});", f"{t} = mix({s}, 0.5);",
                     f"stir(&{s}, &{s}, {site.value(0)});", f"{s}.v[{site.random.randint(0, 2)}] = {site.value()};")
                )
            )
        )  # fmt: skip
    return block(*body, site.result(f"{s}.v[0] * {t}.v[{site.random.randint(0, 2)}] + {s}.v[1] * {s}.s"))


def struct_nested(site: Site) -> tuple[Statement, ...]:
    o = site.name("o")
    which = site.random.choice((f"&{o}.in", f"&{o}.row[0]", f"&{o}.row[1]"))
    start = site.random.choice((f"struct outer {o}; memset(&{o}, 0, sizeof {o});", f"struct outer {o} = {{{{0}}}};"))
    body: list[Statement] = [
        Line(start),
        Line(f"{o}.in.v[1] = {site.value()}; {o}.z = {site.value()};"),
        Line(f"{o}.to = {which}; {o}.row[1].v[2] = {site.value(0)};"),
        Line(f"{o}.to->v[{site.random.randint(0, 2)}] += 0.5 * {o}.z * {site.value(0)};"),
    ]
    if site.random.random() < 0.5:
        body.append(Line(f"{o}.row[0] = {o}.row[1]; {o}.in = mix(*{o}.to, {o}.z);"))
    if site.random.random() < 0.5:
        body.append(Line(f"stir({o}.to, {o}.row, {site.value()});"))
    return block(*body, site.result(f"{o}.in.v[1] + {o}.row[0].v[2] * {o}.row[1].v[2] + {o}.to->v[0]"))


def struct_array(site: Site) -> tuple[Statement, ...]:
    q, i = site.name("q"), site.name("i")
    inner = site.inside(i)
    moves = (
        f"memmove({q} + 1, {q}, 2 * sizeof *{q});", f"memcpy(&{q}[0], &{q}[2], sizeof *{q});", f"{q}[1] = {q}[3];",
        f"memset(&{q}[1], 0, sizeof *{q});", f"stir(&{q}[0], &{q}[3], {site.value()});",
    )  # fmt: skip
    return block(
        Line(f"struct inner {q}[4] = {{{{0}}}};"),
        Loop(
            f"for (int {i} = 0; {i} < n; {i}++) {{",
            (Line(f"{q}[{i} % 4].v[{i} % 3] = 0.5 * {q}[({i} + 1) % 4].v[{i} % 3] + 0.5 * {inner.value()};"),),
            "}",
            f"{{ int {i} = 0;",
        ),
        Line(site.random.choice(moves)),
        site.result(f"{q}[0].v[0] + {q}[1].v[1] * {q}[2].v[2] + {q}[{site.random.randint(0, 3)}].v[0]"),
    )


def struct_pair(site: Site) -> tuple[Statement, ...]:
    """Two numbers in registers, through a call that is not inlined."""
    t, i = site.name("t"), site.name("i")
    inner = site.inside(i)
    return block(
        Line(f"struct two {t} = {{{site.value(0)}, {site.value(0)}}};"),
        Loop(f"for (int {i} = 0; {i} < n; {i}++) {{", (Line(f"{t} = turn({t}, {inner.value(0)});"),), "}",
             f"{{ int {i} = 0;"),
        site.result(f"{t}.a - {t}.b"),
    )  # fmt: skip


def punning(site: Site) -> tuple[Statement, ...]:
    u = site.name("u")
    value, target = site.value(), site.random.choice(site.scope.scalars[1:])
    return block(Line(f"union both {u}; {u}.d = {value}; union both v{u}; v{u}.u = {u}.u; {target} = v{u}.d;"))


# --- control ---------------------------------------------------------------------------------------------------------


def goto_loop(site: Site) -> tuple[Statement, ...]:
    k, label = site.name("k"), site.name("again")
    first, second = site.value(), site.value()
    target = site.random.choice(site.scope.scalars[1:])
    condition = site.writer.condition(site.scope)
    leave = f"if ({condition}) goto out{label};" if site.random.random() < 0.5 else ""
    text = (
        f"{{ int {k} = 0; {label}:; {target} = 0.5 * {target} + 0.5 * {first}; {leave} "
        f"if (++{k} < {site.random.randint(2, 6)}) goto {label}; {target} = 0.5 * {second}; out{label}:; }}"
    )
    return (Line(text),)


def endless(site: Site) -> tuple[Statement, ...]:
    k = site.name("k")
    condition = site.writer.condition(site.scope)
    arms = tuple(site.result(site.value()) for _ in range(2))
    limit = site.random.randint(2, 7)
    head = f"{{ int {k} = 0; for (;;) {{ if ({k}++ > {limit} || {condition}) break;"
    return (Loop(head, arms, "} }", f"{{ int {k} = 1; {{", True),)


def narrow_counter(site: Site) -> tuple[Statement, ...]:
    c = site.name("c")
    head = site.random.choice(
        (f"for (uint8_t {c} = 252; {c} != 2; {c}++) {{", f"for (signed char {c} = 3; {c} >= 0; {c}--) {{",
         f"for (unsigned short {c} = 5; {c}-- > 0;) {{", f"for (long {c} = -6; {c} < 9; {c} += 4) {{")
    )  # fmt: skip
    return (Loop(head, (site.result(site.value()),), "}", f"{{ int {c} = 1;"),)


def extreme(site: Site) -> tuple[Statement, ...]:
    """The smallest or largest of numbers, of which branches say what or where they are."""
    b, i, v, p = (site.name(letter) for letter in "bivp")
    inner = site.inside(i)
    order = site.random.choice("<>")
    first = site.random.choice((site.value(0), "1e9" if order == "<" else "-1e9"))
    known = f"n {site.random.choice('<>')} {site.random.randint(3, 6)}"  # the same in every iteration
    of_data = site.random.choice((inner.writer.condition, inner.writer.integer_condition))(inner.scope)
    condition = site.random.choice((known, of_data))
    place, other = f"&{inner.array()}[{inner.index()}]", f"&{inner.array()}[{i} / 2]"
    get = site.random.choice(
        (f"double {v}; if ({condition}) {v} = {inner.value()}; else {v} = {inner.value()};",
         f"const double *{p}; if ({condition}) {p} = {place}; else {p} = {other}; double {v} = *{p};",
         f"double {v} = {inner.value()}; if ({condition}) {v} = {v} * {inner.value(0)};",
         f"double {v} = {inner.array()}[{i}];")
    )  # fmt: skip
    take = site.random.choice((f"{b} = {v} {order} {b} ? {v} : {b};", f"if ({v} {order} {b}) {b} = {v};"))
    loop = Loop(f"for (int {i} = 0; {i} < n; {i}++) {{", (Line(get), Line(take)), "}", f"{{ int {i} = 0;")
    return block(Line(f"double {b} = {first};"), loop, site.result(b))


# --- calls and numbers -----------------------------------------------------------------------------------------------


def through_pointer(site: Site) -> tuple[Statement, ...]:
    which = site.random.choice([f"({name} + {site.random.randint(0, 3)}) % 4" for name in (*site.scope.numbers, "n")])
    if site.random.random() < 0.5:
        return (Line(f"each({site.array()}, n, ops[{which}]);"),)
    return (site.result(f"ops[{which}]({site.value()})"),)


def long_number(site: Site) -> tuple[Statement, ...]:
    e, i = site.name("e"), site.name("i")
    inner = site.inside(i)
    return block(
        Line(f"long double {e} = {site.value(0)};"),
        Loop(f"for (int {i} = 0; {i} < n; {i}++) {{", (Line(f"{e} = 0.5L * {e} + 0.5 * {inner.value()};"),), "}",
             f"{{ int {i} = 0;"),
        site.result(f"(double)(sinl({e}) * {e})"),
    )  # fmt: skip


def side_work(site: Site) -> tuple[Statement, ...]:
    """Strings and counting beside the numbers."""
    b, m = site.name("b"), site.name("m")
    number = site.random.choice([*site.scope.numbers, "n"])
    return block(
        Line(f'char {b}[24]; int {m} = snprintf({b}, sizeof {b}, "%d:%d", {number}, n); {m} += (int)strlen({b});'),
        site.result(f"0.1 * {m} * {site.value(0)}"),
    )


FEATURES: dict[str, tuple[Form, ...]] = {
    "lists": (linked_list, ring_of_nodes),
    "trees": (binary_tree,),
    "heap": (scratch, heap_rows),
    "realloc": (growing,),
    "pointers": (rows, chosen_pointer),
    "structs": (struct_value, struct_nested, struct_array, struct_pair),
    "unions": (punning,),
    "control": (goto_loop, endless, narrow_counter, extreme),
    "indirect": (through_pointer,),
    "wide": (long_number,),
    "calls": (side_work,),
}
"""By feature; :mod:`enzyme.verify.features` puts these and others together."""
