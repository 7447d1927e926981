"""What compiled functions cost as operations of PyTorch, JAX and TensorFlow, beside the same formulas in these.

``python -m benchmarks.frameworks [torch] [jax] [tensorflow] [--sizes 10 1000 100000]`` prints microseconds for a value
with its gradient: ``sum x^2 sin x``, which frameworks do array by array, and a logistic recurrence, which they do step
by step (``scan`` in JAX, a Python loop in PyTorch, ``while_loop`` in TensorFlow). Each framework runs in a process of
its own, with one thread.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.clock import least_seconds

SOURCE = """
#include <math.h>
double waves(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i] * sin(x[i]); return s; }
double growth(const double *x, int n) {
  double u = 0.5;
  for (int i = 0; i < n; i++) u = u + 0.01 * (x[i] * u * (1 - u));
  return u * u;
}
"""  # noqa: E501
FRAMEWORKS = ("torch", "jax", "tensorflow")
_SECONDS = 0.25
_LONGEST_LOOP = 1000
"""Steps of a loop that is not compiled; longer ones take seconds."""

Run = Callable[[], Any]
Pair = dict[str, tuple[Run, Run | None]]
"""For each formula, ours and the framework's."""


def in_torch(program: Any, x: np.ndarray[Any, Any]) -> Pair:
    import torch

    from enzyme.bindings.torch import Operation

    torch.set_num_threads(1)
    given = torch.from_numpy(x).requires_grad_()

    def growth(x: Any) -> Any:
        u = torch.tensor(0.5, dtype=torch.float64)
        for each in x:
            u = u + 0.01 * (each * u * (1 - u))
        return u * u

    def of(f: Callable[[Any], Any]) -> Run:
        return lambda: torch.autograd.grad(f(given), given)

    ours = {name: of(Operation(program, name, sizes={"n": "x"})) for name in ("waves", "growth")}
    return {
        "waves": (ours["waves"], of(lambda x: (x * x * torch.sin(x)).sum())),
        "growth": (ours["growth"], of(growth) if len(x) <= _LONGEST_LOOP else None),
    }


def in_jax(program: Any, x: np.ndarray[Any, Any]) -> Pair:
    import jax
    import jax.numpy as jnp

    from enzyme.bindings.jax import Operation

    jax.config.update("jax_enable_x64", True)
    given = jnp.asarray(x)

    def growth(x: Any) -> Any:
        return jax.lax.scan(lambda u, each: (u + 0.01 * (each * u * (1 - u)), None), 0.5, x)[0] ** 2

    def of(f: Callable[[Any], Any]) -> Run:
        run = jax.jit(jax.value_and_grad(f))
        return lambda: jax.block_until_ready(run(given))

    ours = {name: of(Operation(program, name, sizes={"n": "x"})) for name in ("waves", "growth")}
    return {"waves": (ours["waves"], of(lambda x: (x * x * jnp.sin(x)).sum())), "growth": (ours["growth"], of(growth))}


def in_tensorflow(program: Any, x: np.ndarray[Any, Any]) -> Pair:
    import tensorflow as tf

    from enzyme.bindings.tensorflow import Operation

    tf.config.threading.set_intra_op_parallelism_threads(1)
    given = tf.constant(x)

    def growth(x: Any) -> Any:
        def step(i: Any, u: Any) -> Any:
            return i + 1, u + 0.01 * (x[i] * u * (1 - u))

        start = (tf.constant(0), tf.constant(0.5, tf.float64))
        return tf.while_loop(lambda i, u: i < x.shape[0], step, start)[1] ** 2

    def of(f: Callable[[Any], Any]) -> Run:
        def both(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = f(x)
            return value, tape.gradient(value, x)

        run = tf.function(both, autograph=False)
        return lambda: run(given)

    ours = {name: of(Operation(program, name, sizes={"n": "x"}).__call__) for name in ("waves", "growth")}
    return {
        "waves": (ours["waves"], of(lambda x: tf.reduce_sum(x * x * tf.sin(x)))),
        "growth": (ours["growth"], of(growth) if len(x) <= _LONGEST_LOOP else None),
    }


def measure(framework: str, sizes: list[int]) -> None:
    import enzyme

    program = enzyme.compile(SOURCE, opt_level=3)
    make = {"torch": in_torch, "jax": in_jax, "tensorflow": in_tensorflow}[framework]
    for n in sizes:
        x = np.linspace(0.1, 1, n)
        for name, (ours, theirs) in make(program, x).items():
            plain = program.value_and_gradient(name)
            calls = [lambda p=plain, x=x, n=n: p(x, n), ours, *([theirs] if theirs else [])]
            cells = [f"{1e6 * each:8.1f}" for each in least_seconds(calls, _SECONDS)]
            cells = " ".join([*cells, *([] if theirs else ["       -"])])
            print(f"{framework:<12}{name:<8}{n:>8}  {cells}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frameworks", description=__doc__)
    parser.add_argument("framework", nargs="*", help="torch, jax, tensorflow; default: those that are installed")
    parser.add_argument("--sizes", nargs="+", type=int, default=[10, 1000, 100_000], metavar="N")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for each in options.framework:
        if each not in FRAMEWORKS or importlib.util.find_spec(each) is None:
            parser.error(f"'{each}' is not installed" if each in FRAMEWORKS else f"'{each}' is none of {FRAMEWORKS}")
    if options.here:
        measure(options.framework[0], options.sizes)
        return 0
    print(f"{'':<12}{'':<8}{'n':>8}  {'numpy':>8} {'ours':>8} {'theirs':>8}  microseconds")
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    for each in options.framework or [each for each in FRAMEWORKS if importlib.util.find_spec(each)]:
        sizes = [str(size) for size in options.sizes]
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.frameworks", each, "--here", "--sizes", *sizes]
        if subprocess.run(command, env=alone, check=False).returncode:
            print(f"{each:<12}failed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
