"""Random C functions from a seed: loops, branches, arrays updated in place, scratch memory, helpers.

What is made is defined C (no index out of range, nothing read before it is written, every loop ends) and smooth where
it is evaluated, apart from decisions on data whose ties are unlikely; the oracle sees those by the error estimate of
its differences. One seed and one index give the same function on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from enzyme.verify import features as known
from enzyme.verify import forms
from enzyme.verify.expressions import EXTENT, LIMIT, Counter, Expression, Scope, Writer
from enzyme.verify.program import Branch, FuzzFunction, Helper, Line, Loop, Statement


@dataclass
class _Context:
    """What the statements of one function may need beyond names."""

    writer: Writer
    loops: int = 0
    depth: int = 0
    """How many loops enclose the place."""
    in_for: bool = False
    may_return: bool = False
    budget: int = 30
    escape: list[bool] = field(default_factory=list)
    """For each enclosing loop: it has a break or continue."""
    procedures: list[tuple[str, str]] = field(default_factory=list)
    """Helpers that write through pointers: (name, kind)."""
    forms: tuple[forms.Form, ...] = ()
    formed: int = 0
    """How many forms were put in: the number of the next."""

    @property
    def random(self) -> Random:
        return self.writer.random


def generate(seed: int, index: int, features: frozenset[str] = known.ALL) -> FuzzFunction:
    """The function number ``index`` of a seed, made of no more than these features."""
    random = Random(f"enzyme-fuzz-{seed}-{index}")
    name = f"f{index}"
    mixed = random.random() < 0.25
    writer = Writer(random, mixed)
    context = _Context(writer, budget=random.choice((5, 9, 14, 24)))
    scope = Scope(scalars=["p"], arrays=["x", "y"], constants=["table"])
    helpers: list[Helper] = []
    for number in range(random.choice((0, 0, 1, 2, 3))):
        helpers.append(_helper(random, number, scope, context))
    declarations, cleanup = _declare(random, writer, scope, mixed)
    context.may_return = not cleanup
    if random.random() < 0.75:  # the others are arithmetic, loops and arrays alone
        chosen = [form for feature, some in known.FEATURES.items() if feature in features for form in some]
        context.forms = tuple(random.sample(chosen, min(len(chosen), 5)))
    body = _statements(context, scope, random.randint(3, 6))
    drawn = [check for check, share in SHARES.items() if random.random() < share]
    # Differences of a single-precision gradient say nothing about second derivatives.
    checks = tuple(check for check in drawn if check in features and not (check == "second" and mixed))
    result = " + ".join(_result_terms(random, writer, scope))
    return FuzzFunction(name, seed, tuple(helpers), tuple(declarations), body, tuple(cleanup), result, mixed, checks)


SHARES = {"width": 0.3, "second": 0.2}
"""How often a function is also differentiated in these ways."""


def _result_terms(random: Random, writer: Writer, scope: Scope) -> list[str]:
    terms = [f"{writer.constant(1.0)} * {writer.leaf(scope).text}" for _ in range(random.randint(1, 3))]
    terms += [f"0.5 * {name}" for name in scope.scalars[1:3]]
    terms += [f"sin({name})" for name in scope.sums[:2]]
    # Every number in every array counts, and every array is seen to be one of doubles.
    terms += [f"0.3 * total({name}, n)" for name in scope.arrays if name != "q0"]
    terms += [f"{name}[{random.randint(0, 2)}]" for name in scope.arrays if name == "q0"]
    terms += [f"{name}[{random.randint(0, 3)}][{random.randint(0, 2)}]" for name in scope.grids]
    return terms


def _declare(random: Random, writer: Writer, scope: Scope, mixed: bool) -> tuple[list[str], list[str]]:
    """Locals of every kind, all initialised; what has to be freed."""
    lines: list[str] = []
    cleanup: list[str] = []
    for k in range(random.randint(1, 3)):
        lines.append(f"double d{k} = {writer.value(scope, 1)};")
        scope.scalars.append(f"d{k}")
    for k in range(random.randint(0, 2)):
        lines.append(f"double s{k} = 0;")
        scope.sums.append(f"s{k}")
    for k in range(random.randint(0, 2)):
        lines.append(f"int k{k} = {random.randint(0, 5)};")
        scope.integers.append(f"k{k}")
    if mixed:
        for k in range(random.randint(1, 2)):
            lines.append(f"@R w{k} = (@R)({writer.value(scope, 1)});")
            scope.singles.append(f"w{k}")
        lines.append(f"@R q0[{EXTENT}] = {{0}};")
        scope.arrays.append("q0")
    pick = random.random()
    if pick < 0.35:
        lines.append(f"double t0[{EXTENT}] = {{0}};")
        scope.arrays.append("t0")
    elif pick < 0.55:
        source = random.choice(("x", "y"))
        lines.append(
            f"double t0[{EXTENT}]; for (int i = 0; i < {EXTENT}; i++) t0[i] = i < n ? 0.5 * {source}[i] : 0.25;"
        )
        scope.arrays.append("t0")
    elif pick < 0.65:
        lines.append("double v0[n]; for (int i = 0; i < n; i++) v0[i] = 0.1 * i;")
        scope.arrays.append("v0")
    pick = random.random()
    if pick < 0.2:
        lines.append("double *h0 = calloc(n, sizeof(double));")
    elif pick < 0.4:
        lines.append("double *h0 = malloc(n * sizeof(double)); for (int i = 0; i < n; i++) h0[i] = sin(y[i]);")
    if pick < 0.4:
        scope.arrays.append("h0")
        cleanup.append("free(h0);")
    if random.random() < 0.2:
        lines.append(f"double g0[4][{EXTENT}]; memset(g0, 0, sizeof g0);")
        scope.grids.append("g0")
    if random.random() < 0.25:
        lines.append("struct pack c0 = {1, 2, p, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}};")
        scope.scalars.append("c0.a")
        scope.arrays.append("c0.b")
        scope.integers.append("c0.k")
    return lines, cleanup


# --- statements ------------------------------------------------------------------------------------------------------


def _statements(context: _Context, scope: Scope, count: int) -> tuple[Statement, ...]:
    made: list[Statement] = []
    for _ in range(count):
        if context.budget <= 0 and made:
            break
        context.budget -= 1
        if context.forms and context.budget > 0 and context.random.random() < 0.45:
            made += _form(context, scope)
        else:
            made.append(_statement(context, scope))
    return tuple(made)


def _form(context: _Context, scope: Scope) -> tuple[Statement, ...]:
    context.formed += 1
    context.budget -= 2
    arrays = [a for a in scope.arrays if a != "q0"]
    site = forms.Site(context.writer, scope, context.formed, arrays, "c0.b" in arrays)
    return context.random.choice(context.forms)(site)


def _statement(context: _Context, scope: Scope) -> Statement:
    random = context.random
    pick = random.random()
    if context.depth < 3 and context.budget > 0:
        if pick < (0.45 if context.depth == 0 else 0.22):
            return _for(context, scope)
        if pick < (0.55 if context.depth == 0 else 0.27):
            return _while(context, scope)
    if context.budget > 0:
        if pick < (0.62 if context.depth == 0 else 0.37):
            return _if(context, scope)
        if pick < (0.65 if context.depth == 0 else 0.40):
            return _switch(context, scope)
    if pick < 0.72:
        return Line(_special(context, scope))
    return Line(_assignment(context, scope))


def _assignment(context: _Context, scope: Scope) -> str:
    random, writer = context.random, context.writer
    kinds = (
        ["array"] * 6 + ["scalar"] * 3 + ["sum"] * (3 if scope.sums else 0) + ["integer"] * (1 if scope.integers else 0)
    )
    kinds += ["single"] * (4 if scope.singles else 0) + ["grid"] * (2 if scope.grids else 0)
    match random.choice(kinds):
        case "array":
            target = f"{random.choice(scope.arrays)}[{writer.index(scope)}]"
        case "grid":
            target = f"{random.choice(scope.grids)}[({writer.index(scope)}) % 4][{writer.index(scope)}]"
        case "single":
            return f"{random.choice(scope.singles)} = (@R)({writer.value(scope)});"
        case "sum":
            return f"{random.choice(scope.sums)} {random.choice(('+=', '+=', '-='))} {writer.value(scope)};"
        case "integer":
            name = random.choice(scope.integers)
            other = random.choice([*scope.numbers, "n"])
            factor, plus, modulus = random.randint(1, 3), random.randint(0, 4), random.choice((5, 6, 7))
            return f"{name} = ({name} * {factor} + {other} + {plus}) % {modulus};"
        case _:
            target = random.choice(scope.scalars)
    return _store(random, writer, scope, target)


def _store(random: Random, writer: Writer, scope: Scope, target: str) -> str:
    """Assign within the limit; some of the stores read what they overwrite."""
    pick = random.random()
    if pick < 0.55:
        return f"{target} = {writer.value(scope)};"
    value = writer.limited(writer.expression(scope, 2), 1.0).text
    if pick < 0.75:
        return f"{target} = 0.5 * {target} + {value};"
    if pick < 0.9:
        return f"{target} = {target} * {value};"
    return f"{target} *= {value};"


def _special(context: _Context, scope: Scope) -> str:
    """Statements of memory, calls and control that are one line."""
    random, writer = context.random, context.writer
    arrays = [a for a in scope.arrays if a != "q0"]
    forms: list[str] = ["swap", "copy", "move", "clear", "pointer", "bits"]
    forms += ["call"] * (6 if context.procedures else 0)
    forms += ["break", "continue"] if context.in_for and context.escape else []
    forms += ["return"] if context.may_return else []
    forms += ["struct"] * (2 if "c0.a" in scope.scalars else 0)
    first, second = random.choice(arrays), random.choice(arrays)
    # Beside a struct, blocks have known lengths: where one helper takes arrays of their own and arrays inside of
    # structs, an unknown length may reach beyond the array, which the engine refuses to guess about.
    whole, most, some = ("3", "2", "1") if "c0.b" in arrays else ("n", "(n - 1)", "(n - 2)")
    match random.choice(forms):
        case "swap":
            i, j = writer.index(scope), writer.index(scope)
            return f"{{ double old = {first}[{i}]; {first}[{i}] = {second}[{j}]; {second}[{j}] = old; }}"
        case "copy" if first != second:
            if random.random() < 0.5:
                return f"memcpy({first}, {second}, {whole} * sizeof(double));"
            return (
                f"memcpy({first} + {random.randint(0, 1)}, {second} + {random.randint(0, 1)}, {most} * sizeof(double));"
            )
        case "move":
            a, b = random.choice(((0, 1), (1, 0), (0, 2), (2, 0)))
            return f"memmove({first} + {a}, {first} + {b}, {some} * sizeof(double));"
        case "clear":
            if random.random() < 0.5:
                return f"memset({first}, 0, {whole} * sizeof(double));"
            return f"memset({first} + {random.randint(0, 1)}, 0, 2 * sizeof(double));"
        case "pointer":
            i, j = writer.index(scope), writer.index(scope)
            value = writer.limited(writer.expression(scope, 1), 1.0).text
            condition = writer.integer_condition(scope)
            return f"{{ double *at = {condition} ? {first} : {second}; at[{i}] = 0.5 * at[{j}] + {value}; }}"
        case "bits":
            i = writer.index(scope)
            return (
                f"{{ uint64_t raw; memcpy(&raw, &{first}[{i}], 8); memcpy(&{random.choice(scope.scalars)}, &raw, 8); }}"
            )
        case "break":
            context.escape[-1] = True
            return f"if ({writer.condition(scope)}) break;"
        case "continue":
            context.escape[-1] = True
            return f"if ({writer.condition(scope)}) continue;"
        case "return":
            return f"if ({writer.condition(scope)}) return {writer.value(scope, 1)};"
        case "struct":
            i = writer.index(scope)
            return f"{{ struct pack c1 = c0; c1.b[{i}] = {writer.value(scope, 1)}; c1.a *= 0.5; c0 = c1; }}"
        case "call":
            return _call(context, scope, *random.choice(context.procedures))
    return _assignment(context, scope)


def _call(context: _Context, scope: Scope, name: str, kind: str) -> str:
    random, writer = context.random, context.writer
    arrays = [a for a in scope.arrays if a != "q0"]
    first, second = random.choice(arrays), random.choice(arrays)
    value = writer.value(scope, 1)
    if kind == "scalars":
        return f"{name}(&{random.choice(scope.scalars)}, &{first}[{writer.index(scope)}], {value});"
    shift = random.randint(0, 1)
    if random.random() < 0.3:
        return f"{name}({first}, {first} + {shift}, n - {shift}, {value});"
    return f"{name}({first} + {shift}, {second}, n - {shift}, {value});"


# --- control ---------------------------------------------------------------------------------------------------------


def _for(context: _Context, scope: Scope) -> Loop:
    random = context.random
    name = f"i{context.loops}"
    context.loops += 1
    low, margin = random.choice((0, 0, 0, 1, 2)), random.choice((0, 0, 0, 1))
    bound = "n" if margin == 0 else f"n - {margin}"
    pick = random.random()
    counter, start = Counter(name, low, margin), str(low)
    if pick < 0.4:
        head = f"for (int {name} = {low}; {name} < {bound}; {name}++) {{"
    elif pick < 0.55:
        head = f"for (int {name} = n - {1 + margin}; {name} >= {low}; {name}--) {{"
    elif pick < 0.63:
        head = f"for (int {name} = {low}; {name} < {bound}; {name} += 2) {{"
    elif pick < 0.75:
        trips = random.choice((2, 3))
        counter, start = Counter(name, 0, 0), "0"
        head = f"for (int {name} = 0; {name} < {trips}; {name}++) {{"
    elif scope.counters:
        outer = random.choice(scope.counters)
        if random.random() < 0.5:
            counter, start = Counter(name, 0, outer.margin), "0"
            head = f"for (int {name} = 0; {name} < {outer.name}; {name}++) {{"
        else:
            counter, start = Counter(name, outer.low, margin), outer.name
            head = f"for (int {name} = {outer.name}; {name} < {bound}; {name}++) {{"
    else:
        head = f"for (int {name} = {low}; {name} < {bound}; {name}++) {{"
    body, escapes = _loop_body(context, scope.inside(counter), True)
    # A counter that starts at another's value may start past its own bound.
    once = f"if ({start} < {bound}) {{ int {name} = {start};"
    return Loop(head, body, "}", once, escapes)


def _while(context: _Context, scope: Scope) -> Loop:
    """Trip counts that depend on data; the counter keeps it finite and the step keeps it away from ties."""
    random, writer = context.random, context.writer
    name = f"i{context.loops}"
    context.loops += 1
    drive = f"u{name[1:]}"
    rate = writer.limited(writer.expression(scope, 1), 1.0).text
    most = random.choice((3, 5, 9))
    start = f"{{ int {name} = -1; double {drive} = 1.0 + 0.2 * {writer.leaf(scope).text};"
    step = f"{name}++; {drive} *= 0.6 + 0.1 * {rate};"
    inner = scope.inside()
    inner.readonly = [*scope.readonly, name]
    inner.scalars = [*scope.scalars, drive] if random.random() < 0.3 else scope.scalars
    decays = drive not in inner.scalars
    body, escapes = _loop_body(context, inner, True)
    more = f"{drive} > 0.137 && {name} < {most}" if decays else f"{name} < {most}"
    if random.random() < 0.6:
        return Loop(f"{start} while ({more}) {{ {step}", body, "} }", f"{start} {step}", escapes)
    return Loop(f"{start} do {{ {step}", body, f"}} while ({more}); }}", f"{start} {step}", escapes)


def _loop_body(context: _Context, scope: Scope, is_for: bool) -> tuple[tuple[Statement, ...], bool]:
    random = context.random
    outer_for, context.in_for = context.in_for, is_for
    context.depth += 1
    context.escape.append(False)
    body = _statements(context, scope, random.choice((1, 2, 2, 3, 4)))
    escapes = context.escape.pop()
    context.depth -= 1
    context.in_for = outer_for
    return body, escapes


def _if(context: _Context, scope: Scope) -> Branch:
    random, writer = context.random, context.writer
    heads = [f"if ({writer.condition(scope)}) {{"]
    if random.random() < 0.25:
        heads.append(f"}} else if ({writer.condition(scope)}) {{")
    if random.random() < 0.6:
        heads.append("} else {")
    arms = tuple(_statements(context, scope, random.choice((1, 1, 2))) for _ in heads)
    return Branch(tuple(heads), arms)


def _switch(context: _Context, scope: Scope) -> Branch:
    random = context.random
    names = [*scope.numbers, "n"]
    subject = f"({random.choice(names)} + {random.randint(0, 3)}) % 4"
    outer_for, context.in_for = context.in_for, False  # a break would leave the switch
    heads, arms = [], []
    for value in range(random.randint(2, 4)):
        heads.append("default:;" if value == 3 else f"case {value}:;")
        arm = _statements(context, scope, 1)
        arms.append((*arm, Line("break;")) if random.random() < 0.7 else arm)
    context.in_for = outer_for
    return Branch(tuple(heads), tuple(arms), "}", f"switch ({subject}) {{")


# --- helpers ---------------------------------------------------------------------------------------------------------


def _helper(random: Random, number: int, scope: Scope, context: _Context) -> Helper:
    """A static function of the chosen kind; what it may be called with goes into scope or context."""
    name = f"@P_h{number}"
    where = random.choice(("static ", "static NOINLINE "))
    writer = context.writer
    kind = random.choice(("scalar", "reduce", "update", "update", "scalars", "recursive", "recursive_update"))
    mine = _Context(writer, loops=10 * (number + 1), budget=5, procedures=list(context.procedures))
    inner = Scope(has_index=False, calls=list(scope.calls))
    body: tuple[Statement, ...]
    match kind:
        case "scalar":
            inner.scalars = ["a", "b"]
            mine.procedures = []
            inner.integers = ["k"]
            head = f"{where}double {name}(double a, double b, int k) {{"
            body = (Line(f"if (k % 2) a = {writer.value(inner, 1)};"), Line(f"b = {writer.value(inner, 2)};"))
            scope.calls.append(lambda w, s, d, name=name: _call_scalar(w, s, d, name))  # type: ignore[misc]
            return Helper(name, head, body, f"return {writer.value(inner, 2)};")
        case "reduce":
            inner.scalars, inner.arrays = ["s"], ["a"]
            head = f"{where}double {name}(const double *a, int n) {{\n  double s = 0.3;"
            loop = Counter("i", 0, 0)
            line = Line(f"s = 0.5 * s + {writer.limited(writer.expression(_narrow(inner, loop), 2), 1.0).text};")
            body = (Loop("for (int i = 0; i < n; i++) {", (line,), "}", "{ int i = 0;"),)
            scope.calls.append(lambda w, s, d, name=name: _call_array(w, s, name))  # type: ignore[misc]
            return Helper(name, head, body, "return s;")
        case "update":
            inner.scalars, inner.arrays = ["s"], ["a", "b"]
            head = f"{where}void {name}(double *a, double *b, int n, double s) {{"
            context.procedures.append((name, "arrays"))
            inner.calls = []
            body = (_simple_for(mine, inner), *((_simple_for(mine, inner),) if random.random() < 0.4 else ()))
            return Helper(name, head, body, "return;")
        case "scalars":
            inner.scalars = ["(*a)", "(*b)", "s"]
            head = f"{where}void {name}(double *a, double *b, double s) {{"
            context.procedures.append((name, "scalars"))
            lines = tuple(
                Line(_store(random, writer, inner, random.choice(inner.scalars))) for _ in range(random.randint(2, 3))
            )
            return Helper(name, head, lines, "return;")
        case "recursive":
            inner.scalars, inner.arrays = ["s"], []
            head = f"{where}double {name}(const double *a, int n) {{\n  if (n <= 0) return 0.5;\n  double s = a[n - 1];"
            body = (Line(f"s = {writer.value(inner, 2)};"),)
            scope.calls.append(lambda w, s, d, name=name: _call_array(w, s, name))  # type: ignore[misc]
            return Helper(name, head, body, f"return sin(s + {name}(a, n - {random.randint(1, 2)}));")
        case _:
            head = f"{where}void {name}(double *a, double *b, int n, double s) {{\n  if (n <= 0) return;"
            inner.scalars = ["a[n - 1]", "b[n - 1]", "s"]
            context.procedures.append((name, "arrays"))
            inner.calls = []
            before = Line(_store(random, writer, inner, inner.scalars[random.randint(0, 1)]))
            after = Line(_store(random, writer, inner, inner.scalars[random.randint(0, 1)]))
            return Helper(
                name, head, (before, Line(f"{name}(a, b, n - 1, {writer.value(inner, 1)});"), after), "return;"
            )


def _narrow(scope: Scope, counter: Counter) -> Scope:
    """Inside of helpers an array may be shorter than three: only the loop's own counter is an index."""
    inner = scope.inside(counter)
    inner.scalars = [*scope.scalars, *(f"{array}[{counter.name}]" for array in scope.arrays)]
    inner.arrays = []
    return inner


def _simple_for(context: _Context, scope: Scope) -> Loop:
    """A loop of a helper over two arrays that may be one: in place, forward or backward, with a neighbour."""
    random, writer = context.random, context.writer
    name = f"i{context.loops}"
    context.loops += 1
    inner = _narrow(scope, Counter(name, 1, 0))
    inner.scalars = [*inner.scalars, *(f"{array}[{name} - 1]" for array in scope.arrays)]
    forms = (f"for (int {name} = 1; {name} < n; {name}++) {{", f"for (int {name} = n - 1; {name} > 0; {name}--) {{")
    targets = [s for s in inner.scalars if "[" in s]
    lines = tuple(Line(_store(random, writer, inner, random.choice(targets))) for _ in range(random.randint(1, 2)))
    return Loop(random.choice(forms), lines, "}", f"if (n > 1) {{ int {name} = 1;")


def _call_scalar(writer: Writer, scope: Scope, depth: int, name: str) -> Expression:
    a = writer.limited(writer.expression(scope, min(depth, 1)))
    b = writer.limited(writer.leaf(scope))
    counters = [*scope.numbers, "1"]
    return Expression(f"{name}({a.text}, {b.text}, {writer.random.choice(counters)})", LIMIT)


def _call_array(writer: Writer, scope: Scope, name: str) -> Expression:
    arrays = [a for a in scope.arrays if a != "q0"]
    if not arrays:
        return writer.leaf(scope)
    shift = writer.random.randint(0, 2)
    return Expression(f"{name}({writer.random.choice(arrays)} + {shift}, n - {shift})", LIMIT)
