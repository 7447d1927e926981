"""ADBench's BA, LSTM and HT: C against numpy, manual and engine against complex steps, column by column."""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import enzyme
from adbench.checking import COMPLEX_STEP, check_directions, compare, random_direction
from adbench.native.build import Library, build_library
from adbench.native.problem import NativeProblem, struct_type
from adbench.native.timing import NativeTimer
from adbench.process.messages import Exchange, as_inputs
from adbench.tools.base import Runner, load_runner
from adbench.tools.native_runner import ENTRY_POINTS
from adbench.tools.registry import get_tool
from adbench.workloads import get_workload
from adbench.workloads.ba import workload as ba
from adbench.workloads.ba.sparse import structure
from adbench.workloads.base import Array, Case, Function, Inputs, Outputs, Size, Workload
from adbench.workloads.gmm import workload as gmm
from adbench.workloads.ht import workload as ht
from adbench.workloads.ht.reference import skin
from adbench.workloads.lstm import workload as lstm

NAMES = ("ba", "lstm", "ht")
CASES: dict[str, tuple[Case, ...]] = {
    "gmm": (gmm.make_case(1, 1, 1), gmm.make_case(3, 4, 5)),
    "ba": (ba.make_case(1, 1, 1), ba.make_case(2, 3, 7), ba.make_case(3, 4, 9)),
    "lstm": (lstm.make_case(1, 2, 1), lstm.make_case(2, 9, 3), lstm.make_case(4, 6, 14)),
    "ht": (ht.make_case(1, False, 90), ht.make_case(5, False, 101), ht.make_case(4, True, 120)),
}
"""Small enough for a complex step in every parameter."""


@cache
def points(name: str) -> list[tuple[Inputs, Array, Array]]:
    """Inputs, the objective and its whole Jacobian (outputs, parameters) for every case, and for some odd inputs."""
    workload = get_workload(name)
    found = [workload.generate(case, seed=5) for case in CASES[name]]
    if name == "ba":
        # A camera that is not turned at all: the formula divides by the angle.
        found[-1]["cams"][1, :3] = 0.0
    if name == "ht":
        found.append({**found[-1], "mirrored": 1})
        # A hand that is turned too little to count.
        found.append({**found[1], "theta": np.concatenate([[1e-6, 0.0, 0.0], found[1]["theta"][3:]])})
    return [(inputs, workload.objective(inputs), whole_jacobian(workload, inputs)) for inputs in found]


def whole_jacobian(workload: Workload, inputs: Inputs) -> Array:
    columns = []
    for direction in unit_directions(workload, inputs):
        moved = {name: inputs[name] + 1j * COMPLEX_STEP * values for name, values in direction.items()}
        columns.append(np.imag(workload.objective({**inputs, **moved})).ravel() / COMPLEX_STEP)
    return np.array(columns).T


def unit_directions(workload: Workload, inputs: Inputs) -> list[Outputs]:
    """One direction along each parameter."""
    found = []
    for name in workload.parameters:
        for index in range(np.size(inputs[name])):
            direction = {other: np.zeros(np.shape(inputs[other])) for other in workload.parameters}
            direction[name].flat[index] = 1.0
            found.append(direction)
    return found


def assert_whole(workload: Workload, inputs: Inputs, jacobian: Outputs, exact: Array, tolerance: float) -> None:
    """Every column of the derivative; small ones are compared by their own size."""
    for name, shape in workload.jacobian_shapes(inputs).items():
        assert jacobian[name].shape == shape
    columns = [workload.jvp(inputs, jacobian, each).ravel() for each in unit_directions(workload, inputs)]
    scale = min(1.0, float(np.abs(exact).max()))
    verdict = compare({"jacobian": np.array(columns).T / scale}, {"jacobian": exact / scale}, tolerance)
    assert verdict.correct, verdict.message


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs numbers with more digits than double's")
@pytest.mark.parametrize("name", NAMES)
def test_complex_steps_agree_with_differences_of_longer_numbers(name: str) -> None:
    """Of fourth order, every column, in extended precision: nothing here relies on the objective being analytic."""
    workload = get_workload(name)
    for inputs, _, exact in points(name):
        longer = {key: np.asarray(inputs[key], dtype=np.longdouble) for key in workload.parameters}

        def along(direction: Outputs, step: float, inputs: Inputs = inputs, longer: Inputs = longer) -> Array:
            moved = {key: longer[key] + np.longdouble(step) * values for key, values in direction.items()}
            value = workload.objective({**inputs, **moved}).ravel()
            assert value.dtype == np.longdouble
            return value

        columns = []
        for direction in unit_directions(workload, inputs):
            wide, narrow = ((along(direction, h) - along(direction, -h)) / (2.0 * h) for h in (2e-5, 1e-5))
            columns.append((4.0 * narrow - wide) / 3.0)
        scale = min(1.0, float(np.abs(exact).max()))
        found = np.array(columns, dtype=np.float64).T
        verdict = compare({"jacobian": found / scale}, {"jacobian": exact / scale}, 1e-9)
        assert verdict.correct, verdict.message


@pytest.fixture(scope="module")
def timer(tmp_path_factory: pytest.TempPathFactory) -> NativeTimer:
    return NativeTimer(tmp_path_factory.mktemp("timer"))


def evaluate(timer: NativeTimer, workload: Workload, inputs: Inputs, address: int) -> NativeProblem:
    problem = NativeProblem(workload, inputs)
    for array in (problem.objective, problem.tangent, *problem.jacobian.values()):
        array.fill(3.0)
    timer.batch(address, problem.address, problem)(2, 1)  # the second call shows whether the first one's was cleared
    return problem


def build(name: str, style: str, folder: Path) -> Library:
    source = get_workload(name).native.source(style)
    assert source is not None
    return build_library([source], folder / f"{name}_{style}.so")


@pytest.mark.parametrize("name", NAMES)
def test_sizes_and_struct(name: str, tmp_path: Path) -> None:
    workload = get_workload(name)
    library = build(name, "primal", tmp_path)
    assert library.handle.adbench_problem_bytes() == ctypes.sizeof(struct_type(workload.native.fields))
    small, medium, full = ([case.name for case in workload.cases(size)] for size in Size)
    assert len(set(full)) == len(full) == {"ba": 20, "lstm": 4, "ht": 48}[name]
    assert set(small) <= set(medium) <= set(full)
    for case in workload.cases(Size.SMALL)[:2]:
        first, second, other = (workload.generate(case, seed) for seed in (1, 1, 2))
        assert all(np.array_equal(first[key], second[key]) for key in first)
        assert any(not np.array_equal(first[parameter], other[parameter]) for parameter in workload.parameters)
        assert workload.problem_size(case) > 0


@pytest.mark.parametrize("name", NAMES)
def test_objective_and_manual_derivative(name: str, timer: NativeTimer, tmp_path: Path) -> None:
    workload = get_workload(name)
    library = build(name, "manual", tmp_path)
    for inputs, value, exact in points(name):
        primal = evaluate(timer, workload, inputs, library.address(ENTRY_POINTS[Function.OBJECTIVE]))
        verdict = compare({"objective": primal.objective}, {"objective": value}, 1e-11)
        assert verdict.correct, verdict.message
        problem = evaluate(timer, workload, inputs, library.address(ENTRY_POINTS[Function.JACOBIAN]))
        assert_whole(workload, inputs, problem.jacobian, exact, 1e-11)


LEVELS = [
    ("post", 2),
    *(
        pytest.param(pipeline, level, marks=pytest.mark.slow)
        for pipeline in ("post", "pre")
        for level in range(4)
        if (pipeline, level) != ("post", 2)
    ),
]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("pipeline", "level"), LEVELS)
@pytest.mark.parametrize("name", NAMES)
def test_engine(name: str, pipeline: str, level: int, timer: NativeTimer) -> None:
    workload = get_workload(name)
    source, tangent = (workload.native.source(style) for style in ("enzyme", "tangent"))
    assert source is not None and tangent is not None
    derivative = enzyme.compile(source, pipeline=pipeline, opt_level=level)
    forward = enzyme.compile(tangent, pipeline=pipeline, opt_level=level)[ENTRY_POINTS[Function.TANGENT]]
    for inputs, value, exact in points(name):
        primal = evaluate(timer, workload, inputs, derivative[ENTRY_POINTS[Function.OBJECTIVE]].address)
        assert compare({"objective": primal.objective}, {"objective": value}, 1e-11).correct
        problem = evaluate(timer, workload, inputs, derivative[ENTRY_POINTS[Function.JACOBIAN]].address)
        assert_whole(workload, inputs, problem.jacobian, exact, 1e-10)
        problem = NativeProblem(workload, inputs)
        direction = random_direction(workload, inputs, 7)
        problem.set_direction(direction)
        timer.batch(forward.address, problem.address, problem, forward)(1, 1)
        flat = np.concatenate([direction[parameter].ravel() for parameter in workload.parameters])
        expected = (exact @ flat).reshape(problem.tangent.shape)
        verdict = compare({"tangent": problem.tangent}, {"tangent": expected}, 1e-10)
        assert verdict.correct, verdict.message


@pytest.mark.parametrize("tool", ["finite", "pytorch", pytest.param("jax", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_other_tools(name: str, tool: str, tmp_path: Path) -> None:
    registered = get_tool(tool)
    if registered.missing():
        pytest.skip(f"{tool} is not installed")
    workload = get_workload(name)
    runner: Runner = load_runner(registered, tmp_path)
    runner.define(workload)
    for inputs, value, exact in points(name)[1:3]:
        outputs = runner.prepare(Function.OBJECTIVE, inputs).outputs
        assert compare(outputs, {"objective": value}, 1e-11).correct
        derivative = runner.prepare(Function.JACOBIAN, inputs).outputs
        assert_whole(workload, inputs, derivative, exact, max(registered.tolerance, 1e-10))


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_at_benchmark_sizes(name: str, timer: NativeTimer, tmp_path: Path) -> None:
    workload = get_workload(name)
    library = build(name, "manual", tmp_path)
    case = workload.cases(Size.SMALL)[0]
    inputs = workload.generate(case, seed=4)
    problem = evaluate(timer, workload, inputs, library.address(ENTRY_POINTS[Function.JACOBIAN]))
    verdict = check_directions(workload, inputs, problem.jacobian, 1e-11, seed=1)
    assert verdict.correct, verdict.message
    wrong = {key: values.copy() for key, values in problem.jacobian.items()}
    first = next(iter(wrong.values()))
    first.flat[-1] += 1e-4 * max(1.0, abs(first.flat[-1]))
    assert not check_directions(workload, inputs, wrong, 1e-10, seed=1).correct


DUAL = """
#include <math.h>
#include <stdlib.h>
struct dual {
    double v, t;
    dual() {}
    dual(double value, double tangent = 0.0) : v(value), t(tangent) {}
    dual &operator+=(dual o) { return *this = dual(v + o.v, t + o.t); }
    dual &operator-=(dual o) { return *this = dual(v - o.v, t - o.t); }
};
static dual operator-(dual a) { return dual(-a.v, -a.t); }
static dual operator+(dual a, dual b) { return dual(a.v + b.v, a.t + b.t); }
static dual operator-(dual a, dual b) { return dual(a.v - b.v, a.t - b.t); }
static dual operator*(dual a, dual b) { return dual(a.v * b.v, a.t * b.v + a.v * b.t); }
static dual operator/(dual a, dual b) { return dual(a.v / b.v, (a.t - a.v / b.v * b.t) / b.v); }
static bool operator!=(dual a, double b) { return a.v != b; }
static bool operator<(dual a, dual b) { return a.v < b.v; }
static dual sin(dual a) { return dual(sin(a.v), cos(a.v) * a.t); }
static dual cos(dual a) { return dual(cos(a.v), -sin(a.v) * a.t); }
static dual exp(dual a) { return dual(exp(a.v), exp(a.v) * a.t); }
static dual log(dual a) { return dual(log(a.v), a.t / a.v); }
static dual tanh(dual a) { return dual(tanh(a.v), (1.0 - tanh(a.v) * tanh(a.v)) * a.t); }
static dual sqrt(dual a) { return dual(sqrt(a.v), 0.5 / sqrt(a.v) * a.t); }
void *operator new[](unsigned long size) { return malloc(size); }
void operator delete[](void *p) noexcept { free(p); }
void operator delete[](void *p, unsigned long) noexcept { free(p); }
static dual *lift(const double *v, const double *t, long n) {
    dual *made = new dual[n];
    for (long i = 0; i < n; i++) made[i] = dual(v[i], t[i]);
    return made;
}
"""
ENTRIES = {
    "gmm": """
    long d = p->d, k = p->k;
    dual *alphas = lift(p->alphas, p->talphas, k), *means = lift(p->means, p->tmeans, k * d);
    dual *icf = lift(p->icf, p->ticf, k * (d * (d + 1) / 2));
    *p->derr = gmm_objective(p->d, p->k, p->n, alphas, means, icf, p->x, p->gamma, p->m).t;
    delete[] alphas; delete[] means; delete[] icf;
    """,
    "ba": """
    dual *cams = lift(p->cams, p->tcams, 11L * p->n), *X = lift(p->X, p->tX, 3L * p->m), *w = lift(p->w, p->tw, p->p);
    dual *err = new dual[3L * p->p];
    ba_objective(p->p, cams, X, w, p->obs, p->feats, err);
    for (long i = 0; i < 3L * p->p; i++) p->derr[i] = err[i].t;
    delete[] cams; delete[] X; delete[] w; delete[] err;
    """,
    "lstm": """
    dual *main = lift(p->main_params, p->tmain_params, 8L * p->l * p->b);
    dual *extra = lift(p->extra_params, p->textra_params, 3L * p->b);
    *p->dloss = lstm_objective(p->l, p->c, p->b, main, extra, p->state, p->sequence).t;
    delete[] main; delete[] extra;
    """,
    "ht": """
    struct ht_model model = {p->bones, p->vertices, p->mirrored, p->parents, p->relatives, p->inverses, p->rest,
                             p->weights, p->triangles};
    struct ht_data data = {p->n, p->complicated, p->correspondences, p->points};
    dual *theta = lift(p->theta, p->ttheta, 26), *us = lift(p->us, p->tus, p->complicated ? 2L * p->n : 0);
    dual *err = new dual[3L * p->n];
    ht_objective(&model, &data, theta, theta + HT_HAND, us, err);
    for (long i = 0; i < 3L * p->n; i++) p->derr[i] = err[i].t;
    delete[] theta; delete[] us; delete[] err;
    """,
}


@pytest.mark.parametrize("name", ENTRIES)
def test_objectives_are_templates_in_cpp(name: str, timer: NativeTimer, tmp_path: Path) -> None:
    workload = get_workload(name)
    folder = workload.native.folder
    source = tmp_path / "dual.cpp"
    text = f'{DUAL}#include "{folder}/{name}.c"\n#include "{folder}/{name}_problem.h"\n'
    text += f'extern "C" void adbench_tangent(struct {name}_problem *p) {{{ENTRIES[name]}}}\n'
    source.write_text(text, encoding="ascii")
    library = build_library([source], tmp_path / "dual.so")
    for inputs, _, exact in points(name):
        problem = NativeProblem(workload, inputs)
        direction = random_direction(workload, inputs, 3)
        problem.set_direction(direction)
        timer.batch(library.address("adbench_tangent"), problem.address, problem)(1, 1)
        flat = np.concatenate([direction[parameter].ravel() for parameter in workload.parameters])
        verdict = compare({"t": problem.tangent.ravel()}, {"t": exact @ flat}, 1e-11)
        assert verdict.correct, verdict.message


@pytest.mark.parametrize("name", NAMES)
def test_inputs_travel_unchanged(name: str, tmp_path: Path) -> None:
    exchange = Exchange(tmp_path, "case")
    for inputs, _, _ in points(name):
        back = as_inputs(exchange.loads(exchange.dumps(inputs)))
        assert back.keys() == inputs.keys()
        for key, value in inputs.items():
            assert np.shape(back[key]) == np.shape(value) and np.array_equal(back[key], value)


def test_ba_is_sparse_as_its_rows_say() -> None:
    inputs, _, exact = points("ba")[1]
    starts, columns = structure(inputs)
    held = np.zeros(exact.shape, dtype=bool)
    for row, (first, last) in enumerate(pairwise(starts)):
        assert (np.diff(columns[first:last]) > 0).all()
        held[row, columns[first:last]] = True
    assert not exact[~held].any()
    assert starts[-1] == len(columns) == 31 * inputs["p"]


def test_the_hand_is_a_hand() -> None:
    for vertices in (544, 10001):
        inputs = get_workload("ht").generate(ht.make_case(7, False, vertices), seed=1)
        assert inputs["rest"].shape == (4, vertices) and inputs["weights"].shape == (22, vertices)
        assert np.allclose(inputs["weights"].sum(axis=0), 1.0) and (inputs["weights"] >= 0.0).all()
        assert np.unique(inputs["triangles"]).size == vertices
        sizes = np.ptp(inputs["rest"][:3], axis=1)
        assert 10.0 < sizes[0] < 18.0 and 16.0 < sizes[1] < 26.0 and 2.0 < sizes[2] < 5.0
        # At rest no bone moves anything.
        rest = skin({**inputs, "theta": np.zeros(26)})
        assert np.allclose(rest.T, inputs["rest"][:3])
    with pytest.raises(ValueError, match="at least"):
        get_workload("ht").generate(ht.make_case(7, False, 12), seed=1)
