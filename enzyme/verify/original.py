"""A second oracle: Enzyme itself, where its package ``enzyme-ad`` is installed.

The package compiles C++ with a clang of its own and gives gradients through JAX. A generated function becomes the body
of a kernel ``S(z) = f(x, y, p) + w.x' + u.y'`` there; its gradient is compared with ours and, where the two differ,
with differences. Not every program can be said there and not every one comes back, so each runs in a process that may
die.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from enzyme.support.config import Config
from enzyme.support.diagnostics import EnzymeError
from enzyme.verify.check import Vector, directional_difference
from enzyme.verify.driver import source
from enzyme.verify.features import ALL
from enzyme.verify.generator import generate
from enzyme.verify.prelude import PRELUDE
from enzyme.verify.program import FuzzFunction

PACKAGE = "enzyme_ad"
POINT = 4
"""Length of x and of y."""
SECONDS = 120.0
AGREE = 1e-7

# C++ does not turn void * into other pointers by itself.
_CAST = """\
struct from_void {
  void *p;
  template <typename T> operator T *() const { return static_cast<T *>(p); }
};
static from_void made(void *p) { return {p}; }
#define malloc(n) made(malloc(n))
#define calloc(n, s) made(calloc(n, s))
#define realloc(p, n) made(realloc(p, n))
"""
_KERNEL = """\
template <std::size_t m>
void kernel(enzyme::tensor<double, 1> &out, const enzyme::tensor<double, m> &z) {{
  const double w[] = {{{weights}}};
  const int index[] = {{{index}}};
  double x[{n}], y[{n}];
  for (int i = 0; i < {n}; i++) x[i] = z[i], y[i] = z[{n} + i];
  double s = {name}(x, y, index, {n}, z[2 * {n}]);
  for (int i = 0; i < {n}; i++) s += w[i] * x[i] + w[{n} + i] * y[i];
  out[0] = s;
}}
"""
_ASK = """\
void original_gradient(const double *z, const double *w, const int *index, int n, double *out) {{
  gradient_at({name}_reverse, z, w, index, n, out);
}}
double original_value(const double *z, const double *w, const int *index, int n) {{
  return scalar({name}, z, w, index, n, 0);
}}
"""
_WORKER = """\
import json, sys
import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
from enzyme_ad.jax import cpp_call
task = json.loads(open(sys.argv[1]).read())
z = jnp.array(task["z"])
out = [jax.core.ShapedArray((1,), jnp.float64)]
name = f"kernel<{len(task['z'])}>"
def f(z):
    return cpp_call(z, out_shapes=out, source=task["source"], fn=name, argv=tuple(task["argv"]))[0]
gradient = jax.jit(lambda z: jax.vjp(f, z)[1](jnp.ones((1,)))[0])(z)
print("gradient", json.dumps([float(g) for g in gradient]))
"""


def installed() -> bool:
    return importlib.util.find_spec(PACKAGE) is not None


def kernel(function: FuzzFunction, weights: Vector, index: list[int]) -> str:
    """The function as C++ that the package compiles."""
    prelude = "\n".join(line for line in PRELUDE.split("\n") if "enzyme_" not in line)
    # Its augmented functions do not pass LLVM's verifier when they are kept apart: all is left to its inliner.
    headers, _, rest = prelude.partition("#define NOINLINE __attribute__((noinline))")
    body = function.render().replace("@P", function.name)
    place = _KERNEL.format(
        name=function.name,
        n=POINT,
        weights=", ".join(repr(float(v)) for v in weights),
        index=", ".join(map(str, index)),
    )
    return f"{headers}{_CAST}namespace {{\n#define NOINLINE\n{rest}{body}}}\n{place}"


def their_gradient(function: FuzzFunction, z: Vector, weights: Vector, index: list[int]) -> Vector | str:
    """What the package gives, or why it gives nothing."""
    argv = ["-O2", "-std=c++17", "-w", "-U__OPTIMIZE__"]  # glibc's inline functions are written for another compiler
    gcc = shutil.which("gcc")
    if gcc:  # the package's clang comes without its own headers
        asked = subprocess.run([gcc, "-print-file-name=include"], capture_output=True, text=True, check=False)
        argv += ["-isystem", asked.stdout.strip()]
    task = {"source": kernel(function, weights, index), "z": [float(v) for v in z], "argv": argv}
    with tempfile.TemporaryDirectory(prefix="enzyme-original-") as folder:
        path = Path(folder) / "task.json"
        path.write_text(json.dumps(task))
        try:
            done = subprocess.run(
                [sys.executable, "-c", _WORKER, str(path)],
                capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, cwd=folder,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "no answer in time"
    for line in done.stdout.split("\n"):
        if line.startswith("gradient "):
            return np.array(json.loads(line.split(" ", 1)[1]), dtype=np.float64)
    said = [line.strip() for line in done.stderr.split("\n") if "error" in line.lower()]
    return f"status {done.returncode}: {said[0][:160] if said else 'it says nothing'}"


def our_gradient(
    function: FuzzFunction, z: Vector, weights: Vector, index: list[int], level: int
) -> tuple[Vector, Vector]:
    """Ours, and the one that differences give."""
    import enzyme

    text = source([function]).replace("int main(", "int harness_main(") + _ASK.format(name=function.name)
    module = enzyme.compile(text, opt_level=level, config=Config(cache=None))
    places = np.array(index, dtype=np.int32)
    out = np.zeros_like(z)
    module["original_gradient"](z.copy(), weights, places, POINT, out)

    def value(at: Vector) -> Vector:
        return np.array([module["original_value"](at, weights, places, POINT)])

    differences = np.array([directional_difference(value, z, unit)[0][0] for unit in np.eye(len(z))])
    return out, differences


def compare(count: int, seed: int, level: int, progress: Callable[[str], None], features: frozenset[str] = ALL) -> int:
    """Compare gradients of ``count`` functions; how often ours differed from differences where theirs did not."""
    if not installed():
        progress("enzyme-ad is not installed: no second oracle (pip install enzyme-ad)")
        return 0
    seen: Counter[str] = Counter()
    for number in range(count):
        function = generate(seed, number, features - {"width", "second"})
        random = np.random.default_rng([seed, number])
        z, weights = random.uniform(-1.2, 1.2, 2 * POINT + 1), random.uniform(-1, 1, 2 * POINT)
        index = [int(i) for i in random.integers(0, POINT, POINT)]
        try:
            ours, slope = our_gradient(function, z, weights, index, level)
        except EnzymeError as error:
            seen["ours refused"] += 1
            progress(f"{function.name}: ours refused: {error.what}")
            continue
        theirs = their_gradient(function, z, weights, index)
        kind = _judge(ours, theirs, slope)
        seen[kind] += 1
        if kind != "agree":
            progress(f"{function.name}: {kind}{f' ({theirs})' if isinstance(theirs, str) else ''}")
    progress(f"seed {seed}: {count} functions against enzyme-ad: " + ", ".join(f"{n} {k}" for k, n in seen.items()))
    return seen["ours wrong"] + seen["both wrong"]


def _judge(ours: Vector, theirs: Vector | str, slope: Vector) -> str:
    if isinstance(theirs, str):
        return "theirs refused"
    scale = 1e-3 + float(np.max(np.abs(slope)))
    if float(np.max(np.abs(ours - theirs))) <= AGREE * scale:
        return "agree"
    we = float(np.max(np.abs(ours - slope))) <= 1e-4 * scale
    they = float(np.max(np.abs(theirs - slope))) <= 1e-4 * scale
    return {(True, True): "differ a little", (True, False): "theirs wrong", (False, True): "ours wrong"}.get(
        (we, they), "both wrong"
    )
