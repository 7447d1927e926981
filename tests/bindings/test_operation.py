"""Operations on numpy arrays, and the rules by which frameworks differentiate them, against differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import enzyme
from enzyme.bindings.operation import ADJOINT, TANGENT, VALUE, Operation, Shaped, Step
from enzyme.support.diagnostics import EnzymeError, UsageError
from tests.bindings.operations import SOURCE, cubes, mixed, waves

RNG = np.random.default_rng(7)
X, V = RNG.uniform(0.2, 1, 5), RNG.uniform(-1, 1, 5)
K, Y = np.array([1, 0, 1, 1, 0], dtype=np.int32), np.array([0.3, 0.7])


@pytest.fixture(scope="module", params=["O0", "O1", "O2", "O3", "O2-pre"])
def program(request: pytest.FixtureRequest) -> enzyme.Module:
    level, _, pipeline = request.param.partition("-")
    return enzyme.compile(SOURCE, opt_level=int(level[1:]), pipeline=pipeline or "post")


def of_mixed(program: enzyme.Module, **options: Any) -> Operation:
    return Operation(program, "mixed", outputs={"w": "n"}, in_place="x", sizes={"n": "x"}, **options)


def test_values(program: enzyme.Module) -> None:
    x = X.copy()
    assert Operation(program, "waves", sizes={"n": "x"})(x, 1.5) == pytest.approx(waves(np, X, 1.5), rel=1e-14)
    assert Operation(program, "waves")(x, 5, a=1.5) == pytest.approx(waves(np, X, 1.5), rel=1e-14)
    np.testing.assert_allclose(Operation(program, "cubes", {"y": "x"}, sizes={"n": "x"})(x), cubes(np, X), rtol=1e-14)
    for found, expected in zip(of_mixed(program)(x, K, y=Y), mixed(np, X, K, Y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_array_equal(x, X)


def test_derivatives_of_first_order(program: enzyme.Module) -> None:
    operation = Operation(program, "waves", sizes={"n": "x"})
    value, (dx, da) = operation.vjp((X, 1.5), 2.0)
    _, tangent = operation.jvp((X, 1.5), (V, 0.5))
    assert value == pytest.approx(waves(np, X, 1.5))
    assert 2 * tangent == pytest.approx(dx @ V + da * 0.5)
    step = 1e-6
    difference = (waves(np, X + step * V, 1.5 + step / 2) - waves(np, X - step * V, 1.5 - step / 2)) / (2 * step)
    assert tangent == pytest.approx(difference, rel=1e-8)


class Arrays:
    def apply(self, step: Step, operands: Sequence[Any]) -> list[Any]:
        return step.operation.run(step.plan, [np.asarray(each) for each in operands])

    def zeros(self, shaped: Shaped) -> Any:
        return shaped.zeros()


def _is_float(array: Any) -> bool:
    return np.asarray(array).dtype.kind == "f"


@pytest.mark.parametrize("name", ["waves", "cubes", "mixed"])
@pytest.mark.parametrize(
    "ways", [VALUE, TANGENT, ADJOINT, TANGENT * 2, ADJOINT + TANGENT, ADJOINT + TANGENT * 2], ids="-".join
)
def test_rules_agree_with_differences(program: enzyme.Module, name: str, ways: Any) -> None:
    if len(ways) == 3 and (program.opt_level != 2 or name == "mixed"):
        pytest.skip("the fourth derivative of one level and of the smaller functions is enough")
    operations = {
        "waves": (Operation(program, "waves", sizes={"n": "x"}), (X, 1.5)),
        "cubes": (Operation(program, "cubes", {"y": "x"}, sizes={"n": "x"}), (X,)),
        "mixed": (of_mixed(program), (X, K, Y)),
    }
    operation, args = operations[name]
    inputs, call = operation.bind(args, {}, lambda value, dtype, what: np.asarray(value, dtype))
    frame, rng = Arrays(), np.random.default_rng(3)
    step = Step(operation, call, ways, call.active)
    behind = [rng.uniform(-1, 1, each.shape) for group in step.groups[1:] for each in group]
    operands = [*inputs, *behind]
    moves = [rng.uniform(-1, 1, each.shape) if _is_float(each) else None for each in operands]
    found = step.tangents(operands, moves, frame)

    def at(h: float) -> list[Any]:
        moved = [a if m is None else a + h * m for a, m in zip(operands, moves, strict=True)]
        return list(frame.apply(step, moved))

    h = 1e-5
    for tangent, after, before in zip(found, at(h), at(-h), strict=True):
        np.testing.assert_allclose(tangent, (after - before) / (2 * h), rtol=1e-6, atol=1e-8)
    seeds = [rng.uniform(-1, 1, each.shape) for each in step.results]
    needed = [_is_float(each) for each in operands]
    adjoints = step.adjoints(operands, seeds, needed, frame)
    forward = sum(np.vdot(seed, tangent) for seed, tangent in zip(seeds, found, strict=True))
    backward = sum(np.vdot(a, m) for a, m in zip(adjoints, moves, strict=True) if m is not None)
    assert forward == pytest.approx(backward, rel=1e-9)


def test_some_operands_stand_still(program: enzyme.Module) -> None:
    operation = of_mixed(program)
    inputs, call = operation.bind((X, K, Y), {}, lambda value, dtype, what: np.asarray(value, dtype))
    frame = Arrays()
    step = Step(operation, call)
    dy = np.array([0.5, -1.0])
    moved = step.tangents(inputs, [None, None, dy], frame)
    everything = step.tangents(inputs, [np.zeros(5), None, dy], frame)
    for one, other in zip(moved, everything, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    assert [np.count_nonzero(each) for each in step.tangents(inputs, [None] * 3, frame)] == [0, 0, 0]
    only = step.adjoints(inputs, [np.array(1.0), None, None], [False, False, True], frame)
    every = step.adjoints(inputs, [np.array(1.0), None, None], [True, False, True], frame)
    assert only[:2] == [None, None]
    np.testing.assert_allclose(only[2], every[2], rtol=1e-14)
    # A second derivative in which the inputs move that the first one left alone.
    first = Step(operation, call, TANGENT, (2,))
    along_x = first.tangents([*inputs, dy], [V, None, None, None], frame)
    whole = Step(operation, call, TANGENT * 2, (0, 2))
    expected = frame.apply(whole, [*inputs, np.zeros(5), dy, V, np.zeros(2)])
    for one, other in zip(along_x, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_what_is_constant_stays_so(program: enzyme.Module) -> None:
    operation = Operation(program, "waves", sizes={"n": "x"}, constant="a")
    assert len(operation.vjp((X, 1.5), 1.0)[1]) == 1
    # What flows into an array in place comes out of it, though the array itself is constant.
    full, partial = of_mixed(program), of_mixed(program, constant=["x"])
    _, (_, dy) = full.vjp((X, K, Y), (1.0, V, V))
    _, (alone,) = partial.vjp((X, K, Y), (1.0, V, V))
    np.testing.assert_allclose(alone, dy, rtol=1e-13)
    tangents = partial.jvp((X, K, Y), (np.array([1.0, 2.0]),))[1]
    for one, other in zip(tangents, full.jvp((X, K, Y), (np.zeros(5), np.array([1.0, 2.0])))[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_memory_that_is_named_nowhere_is_a_copy(program: enzyme.Module) -> None:
    operation = Operation(program, "mixed", sizes={"n": "x"})
    x, w = X.copy(), np.full(5, 9.0)
    total = operation(x, w, K, Y)
    assert total == pytest.approx(mixed(np, X, K, Y)[0])
    _, (dx, dw, dy) = operation.vjp((x, w, K, Y), 1.0)
    _, (ax, ay) = of_mixed(program).vjp((X, K, Y), (1.0, np.zeros(5), np.zeros(5)))
    np.testing.assert_allclose(dx, ax, rtol=1e-13)
    np.testing.assert_allclose(dy, ay, rtol=1e-13)
    assert not dw.any()
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(w, 9.0)
    # The workspace is constant, and what goes through it is not.
    fixed = Operation(program, "mixed", sizes={"n": "x"}, constant="w")
    _, (bx, by) = fixed.vjp((x, w, K, Y), 1.0)
    np.testing.assert_allclose(bx, ax, rtol=1e-13)
    np.testing.assert_allclose(by, ay, rtol=1e-13)


def test_state_of_the_program_is_the_programs(program: enzyme.Module) -> None:
    operation = Operation(program, "waves", sizes={"n": "x"})
    try:
        program.set_factor(3.0)
        assert operation(X, 1.5) == pytest.approx(3 * waves(np, X, 1.5))
        assert operation.vjp((X, 1.5), 1.0)[1][1] == pytest.approx(3 * waves(np, X, 1.0))
    finally:
        program.set_factor(1.0)


def test_arrays_of_any_layout(program: enzyme.Module) -> None:
    operation = Operation(program, "cubes", {"y": "x"}, sizes={"n": "x"})
    wide = np.zeros((5, 2))
    wide[:, 0] = X
    np.testing.assert_allclose(operation(wide[:, 0]), cubes(np, X))
    np.testing.assert_allclose(operation(X[::-1]), cubes(np, X[::-1]))
    table = np.asfortranarray(RNG.uniform(size=(3, 4)))
    np.testing.assert_allclose(operation(table), cubes(np, table.reshape(-1)).reshape(3, 4))
    fixed = X.copy()
    fixed.flags.writeable = False
    np.testing.assert_allclose(operation(fixed), cubes(np, X))
    assert operation(np.zeros(0)).shape == (0,)
    assert operation.vjp((np.zeros(0),), np.zeros(0))[1][0].shape == (0,)


def test_one_array_for_two_parameters() -> None:
    module = enzyme.compile("""
double dot(const double *a, const double *b, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
void move(double *a, const double *b, int n) { for (int i = 1; i < n; i++) a[i] += a[i - 1] * b[i]; }
""")  # noqa: E501
    dot = Operation(module, "dot", sizes={"n": "a"})
    assert dot(X, X) == pytest.approx(X @ X)
    for gradient in dot.vjp((X, X), 1.0)[1]:
        np.testing.assert_allclose(gradient, X)
    move = Operation(module, "move", in_place="a", sizes={"n": "a"})
    np.testing.assert_allclose(move(X, X), move(X, X.copy()), rtol=0)


def test_sizes_and_shapes() -> None:
    module = enzyme.compile("""
void product(const double *a, const double *b, double *c, int m, int k, long n) {
  for (int i = 0; i < m; i++) for (long j = 0; j < n; j++) {
    double s = 0;
    for (int l = 0; l < k; l++) s += a[i * k + l] * b[l * n + j];
    c[i * n + j] = s;
  }
}
""")
    a, b = RNG.uniform(size=(3, 4)), RNG.uniform(size=(4, 2))
    sizes = {"m": ("a", 0), "k": lambda b: b.shape[0], "n": ("b", -1)}
    for shape in (("m", "n"), lambda m, n: (m, n), lambda a, b: [a.shape[0], b.shape[1]], (3, "n")):
        product = Operation(module, "product", {"c": shape}, sizes=sizes)
        np.testing.assert_allclose(product(a, b), a @ b)
    flat = Operation(module, "product", {"c": lambda m, n: m * n}, sizes={"m": 3, "k": 4, "n": 2})
    np.testing.assert_allclose(flat(a, b), (a @ b).reshape(-1))
    left, right = product.vjp((a, b), np.ones((3, 2)))[1]
    np.testing.assert_allclose(left, np.ones((3, 2)) @ b.T)
    np.testing.assert_allclose(right, a.T @ np.ones((3, 2)))
    with pytest.raises(UsageError, match="axis 2 of 'a', whose shape is"):
        Operation(module, "product", {"c": 1}, sizes={"m": ("a", 2), "k": 4, "n": 2})(a, b)
    with pytest.raises(UsageError, match="negative length -1"):
        Operation(module, "product", {"c": -1}, sizes=sizes)(a, b)
    with pytest.raises(UsageError, match="integer of 32 bits, which 4294967296 does not fit"):
        Operation(module, "product", {"c": 1}, sizes={**sizes, "m": 2**32})(a, b)
    with pytest.raises(UsageError, match="computed from 'z', which is not among the arguments"):
        Operation(module, "product", {"c": lambda z: z}, sizes=sizes)(a, b)


def test_single_precision(program: enzyme.Module) -> None:
    operation = Operation(program, "single", sizes={"n": "x"})
    x = X.astype(np.float32)
    value, (dx, da) = operation.vjp((x, 2.0), 1.0)
    assert value.dtype == dx.dtype == da.dtype == np.float32
    np.testing.assert_allclose(dx, 4 * x, rtol=1e-6)
    with pytest.raises(UsageError, match="'x' holds float64, the function works on float32"):
        operation(X, 2.0)


def test_other_shapes_need_no_other_code(program: enzyme.Module) -> None:
    operation = Operation(program, "waves", sizes={"n": "x"})
    calls = [
        operation.bind((np.ones(n), 1.5), {}, lambda value, dtype, what: np.asarray(value, dtype))[1] for n in (3, 9)
    ]
    one, other = (operation.plan(ADJOINT, call.active, call) for call in calls)
    assert one is not other
    assert one.native is other.native
    again = Operation(program, "waves")
    assert again.plan(ADJOINT, calls[0].active, calls[0]).native is one.native


def test_recursion_and_unknown_trip_counts() -> None:
    module = enzyme.compile("""
double tree(const double *x, int n) {
  return n == 1 ? x[0] * x[0] : tree(x, n / 2) * 1.5 + tree(x + n / 2, n - n / 2) * x[0];
}
double halved(double x) { double s = 0; while (x > 0.01) { x *= 0.5 + 0.1 * x * x; s += x * x; } return s; }
""")
    tree = Operation(module, "tree", sizes={"n": "x"})
    halved = Operation(module, "halved")
    for operation, args in ((tree, (X,)), (halved, (0.9,))):
        moves = tuple(np.asarray(each) * 0 + 1 for each in args)
        value, tangent = operation.jvp(args, moves)
        _, gradients = operation.vjp(args, 1.0)
        assert sum(np.sum(each) for each in gradients) == pytest.approx(tangent, rel=1e-12)
        h = 1e-6
        after, before = (operation(*(np.asarray(a) + s * h for a in args)) for s in (1, -1))
        assert tangent == pytest.approx((after - before) / (2 * h), rel=1e-7)
        assert value == operation(*args)


def test_cpp_names_and_stacks_of_results() -> None:
    module = enzyme.compile(
        "#include <vector>\ndouble norm(const double *x, long n) { std::vector<double> y(x, x + n); double s = 0; "
        "for (double e : y) s += e * e; return s; }",
        language="c++",
    )
    operation = Operation(module, "norm", sizes={"n": "x"})
    np.testing.assert_allclose(operation.vjp((X,), 1.0)[1][0], 2 * X)


REFUSED = """
struct pair { double a, b; };
struct big { double a[9]; };
double of_struct(struct big p) { return p.a[0] * p.a[3]; }
int of_int(const double *x) { return x[0] > 0; }
double of_rows(double **x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i][0]; return s; }
void nothing(const double *x) { (void)x; }
long double of_long(long double x) { return x; }
void count(const double *x, int *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] > 0; }
double plain(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
"""


@pytest.mark.parametrize("level", [0, 2])
def test_what_is_refused(level: int) -> None:
    module = enzyme.compile(REFUSED, opt_level=level)

    def refused(match: str, name: str, *args: Any, **options: Any) -> None:
        with pytest.raises(UsageError, match=match):
            Operation(module, name, **options)(*args)

    refused("is a struct by value", "of_struct")
    refused("returns i32, which an operation on arrays cannot give", "of_int", X)
    refused("points to pointers", "of_rows")
    refused("returns nothing, and no parameter is said to hold a result", "nothing", X)
    refused("is of type x86_fp80", "of_long", 1.0)
    refused("'y' holds int32: results are floats", "count", X, outputs={"y": "x"}, sizes={"n": "x"})
    refused("is overwritten and holds int32", "count", X, K, in_place="y", sizes={"n": "x"})
    refused("has no parameter 'z', which outputs names", "plain", X, outputs={"z": "x"})
    refused("sizes names 'x' of 'plain', whose kind is array and not integer", "plain", X, sizes={"x": 1})
    refused("is named as a result, and the function only reads it", "plain", outputs={"x": 3})
    refused("is named as a result, and the function only reads it", "plain", X, 5, in_place="x")
    refused("named as an output and as overwritten", "count", X, outputs={"y": "x"}, in_place="y")
    refused("takes 2 arguments, 3 were given", "plain", X, 5, 1)
    refused("the argument 'n' is missing", "plain", X)
    refused("'x' is an array, and a list was given", "plain", [1.0], 1)
    refused("'n' is an integer, and a float was given", "plain", X, 5.0)
    refused("'n' is an integer, and a bool was given", "plain", X, True)
    refused("holds float32, the function works on float64", "plain", X.astype(np.float32), 5)
    refused("holds complex128", "plain", X + 1j, 5)
    refused("does not fit", "plain", X, 2**40)
    refused("there is no function 'missing'", "missing")
    operation = Operation(module, "plain", sizes={"n": "x"})
    with pytest.raises(UsageError, match="has no argument 'y'"):
        operation(X, y=1)
    with pytest.raises(UsageError, match="'x' was given twice"):
        operation(X, x=X)
    with pytest.raises(UsageError, match="1 tangent is needed, 2 were given"):
        operation.jvp((X,), (X, X))
    with pytest.raises(UsageError, match=r"tangent of shape \(2,\) stands where \(5,\) is needed"):
        operation.jvp((X,), (X[:2],))
    with pytest.raises(EnzymeError, match="made of a compiled program"):
        Operation("plain", "plain")  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [0, 2])
def test_what_has_no_derivative_is_refused_by_its_name(level: int) -> None:
    module = enzyme.compile(
        "double f(double *where, int n) { for (int i = 0; i < n; i++) { union { double d; long l; } u; u.d = where[i];"
        " u.l &= ~0xf0; where[i] = u.d; } return where[0]; }",
        opt_level=level,
    )
    operation = Operation(module, "f", sizes={"n": "where"})
    assert operation(X) == pytest.approx(X[0])
    with pytest.raises(EnzymeError, match=r"there is no rule for it(.|\n)*memory \(arg %where\)"):
        operation.vjp((X,), 1.0)
