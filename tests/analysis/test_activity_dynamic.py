"""Activity and type analysis against running programs; see ``activity_oracle``.

Every value that is called constant must keep its bits when the inputs change, and every value that is called useless
must be able to change without a trace in the result.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from activity_fuzz import program
from activity_oracle import Recorder, requests

from enzyme.ir.parser import parse_module
from enzyme.ir.values import CallBase
from enzyme.llvm.pipelines import prepare, run_passes
from enzyme.rules.scalar import has_rule

PROGRAMS = Path(__file__).parent.parent / "programs"
SIMPLIFY = (
    "instruction_combine", "new_gvn", "loop_rotate", "instruction_combine", "simplify_cfg", "sccp", "aggressive_dce",
    "loop_simplify", "lcssa",
)  # fmt: skip
SAMPLE = [
    "activity_const", "activity_dead", "aliasing", "arrays_2d", "calls_mixed_activity", "calls_overwrite_argument",
    "calls_pointers", "conditional_store", "fft_recursive", "gather_scatter", "global_table", "inplace_swap",
    "linked_nodes", "loop_linked", "malloc_in_loop", "memcpy_arrays", "memmove_overlap",
    "pointer_rows", "pointer_walk", "recursion_mutual", "recursion_tree", "ring_buffer", "select_pointers",
    "state_machine", "strings_and_integers", "struct_array", "struct_assign", "struct_by_value",
    "struct_pointer", "union_bits", "vla",
]  # fmt: skip


def compiled(source: str, level: str, folder: Path, include: Path = PROGRAMS) -> str:
    """LLVM IR of a C source; functions stay functions, so that the one under test is the one that runs."""
    file = folder / "program.c"
    file.write_text(source)
    command = [sys.executable, "-m", "ziglang", "cc", "-S", "-emit-llvm", level, "-fno-inline", "-fno-vectorize"]
    command += ["-fno-slp-vectorize", "-fno-unroll-loops", "-fno-sanitize=undefined", "-fno-stack-protector", "-g0"]
    subprocess.run(
        [*command, "-I", str(include), str(file), "-o", str(folder / "o.ll")], check=True, capture_output=True
    )
    return (folder / "o.ll").read_text()


def rule(call: CallBase) -> bool:
    return bool(has_rule(call))


@functools.cache
def _arrays(source: str) -> dict[str, list[float]]:
    """Initialised arrays of doubles in a program's main, as inputs."""
    found = {}
    for name, inside in re.findall(r"double (\w+)\[[^\]]*\] = \{([^}]*)\}", source):
        numbers = [part.strip() for part in inside.split(",")]
        if all(re.fullmatch(r"-?[\d.]+(e-?\d+)?", number) for number in numbers):
            found[name] = [float(number) for number in numbers]
    return found


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SAMPLE)
def test_programs(name: str, tmp_path: Path) -> None:
    (path,) = PROGRAMS.glob(f"*/{name}.c")
    source = path.read_text()
    text = run_passes(prepare(compiled(source, "-O0", tmp_path)), SIMPLIFY)
    seen = {request.caller: request for request in requests(parse_module(text))}
    checks = re.findall(r"CHECK\w*\((\w+), (\w+), \w+, (\w+)\)", source)
    checked = 0
    for objective, gradient, inputs in checks:
        if gradient in seen:
            recorder = Recorder(text, seen[gradient].target, seen[gradient].activity, objective, rule)
            values = _arrays(source).get(inputs) or [0.3 + 0.1 * i for i in range(64)]
            assert recorder.findings(values) == []
            checked += 1
    assert checked


TRICKY = {
    "punned_copy": """
static void copy_words(void *to, const void *from, long n) {
  unsigned long *t = to; const unsigned long *f = from;
  for (long i = 0; i < n; i++) t[i] = f[i];
}
double target(const double *x) { double t[4]; copy_words(t, x, 4); return t[0] * t[1] + t[3]; }
""",
    "byte_copy": """
double target(const double *x) {
  double t[2]; char *to = (char *)t; const char *from = (const char *)x;
  for (int i = 0; i < 16; i++) to[i] = from[i];
  return t[0] * t[1];
}
""",
    "swap_generic": """
static void swap(void *a, void *b, unsigned long size) {
  char tmp[64]; __builtin_memcpy(tmp, a, size); __builtin_memcpy(a, b, size); __builtin_memcpy(b, tmp, size);
}
double target(const double *x) {
  struct pair { int k; double v; } p = {1, x[0]}, q = {2, x[1]};
  swap(&p, &q, sizeof p); return p.k * p.v * p.v + q.k * q.v;
}
""",
    "union_fields": """
union cell { double d; long l; struct { float a, b; } f; };
double target(const double *x) {
  union cell c[3]; c[0].d = x[0]; c[1].f.a = (float)x[1]; c[1].f.b = (float)x[2]; c[2].l = 7;
  union cell copy[3]; for (int i = 0; i < 3; i++) copy[i] = c[i];
  return copy[0].d * copy[1].f.b + copy[1].f.a * copy[2].l;
}
""",
    "sign_bits": """
static double flip(double v) {
  unsigned long b; __builtin_memcpy(&b, &v, 8); b ^= 1ul << 63; __builtin_memcpy(&v, &b, 8); return v;
}
double target(const double *x) { return flip(x[0]) * x[1] + flip(flip(x[2])); }
""",
    "packed_registers": """
typedef struct { float a, b; } two;
__attribute__((noinline)) static two rotate(two v, float c) { two r = {v.a * c - v.b, v.b * c + v.a}; return r; }
double target(const double *x) {
  two v = {(float)x[0], (float)x[1]}; v = rotate(v, (float)x[2]); return v.a * (double)v.b;
}
""",
    "float_and_int_registers": """
typedef struct { float a; int n; float b; } mixed;
__attribute__((noinline)) static mixed step(mixed v) { mixed r = {v.b * v.n, v.n + 1, v.a}; return r; }
double target(const double *x) { mixed v = {(float)x[0], 2, (float)x[1]}; v = step(step(v)); return v.a * v.b + v.n; }
""",
    "pointers_in_structs": """
struct view { double *data; long n; struct view *next; };
static double total(const struct view *v) {
  double s = 0; for (; v; v = v->next) for (long i = 0; i < v->n; i++) s += v->data[i] * v->data[i]; return s;
}
double target(const double *x) {
  double a[2] = {x[0], x[1]}, b[2] = {1, 2};
  struct view second = {b, 2, 0}, first = {a, 2, &second};
  return total(&first);
}
""",
    "pointer_in_integer": """
double target(const double *x) {
  double room[6]; unsigned long at = ((unsigned long)room + 15) & ~15ul; double *p = (double *)at;
  p[0] = x[0]; p[1] = x[1] * p[0]; return p[1] + room[0] * 0;
}
""",
    "xor_pointers": """
double target(const double *x) {
  double a = x[0], b = 2; unsigned long both = (unsigned long)&a ^ (unsigned long)&b;
  double *p = (double *)(both ^ (unsigned long)&b); return *p * x[1] + b;
}
""",
    "function_pointer": """
static double square(double v) { return v * v; }
static double twice(double v) { return 2 * v; }
double target(const double *x) {
  double (*f[2])(double) = {square, twice}; double s = 0; for (int i = 0; i < 2; i++) s += f[i](x[i]); return s;
}
""",
    "static_cache": """
static double cache; static int filled;
static void fill(double v) { cache = v; filled = 1; }
double target(const double *x) { fill(x[0] * x[1]); return filled ? cache * x[2] : 0; }
""",
    "aliasing_arguments": """
static void mix(double **to, double **from, double *fresh) { *to = fresh; **from = 3; }
double target(const double *x) { double a = x[0], b = x[1], *p = &a; mix(&p, &p, &b); return a * *p; }
""",
    "escaping_local": """
struct box { double *inner; };
static void set(struct box *b, double *v) { b->inner = v; }
static void write(struct box *b, double v) { *b->inner = v; }
double target(const double *x) { double l = 1; struct box b; set(&b, &l); write(&b, x[0]); return l * x[1]; }
""",
    "returned_pointer": """
static double *larger(double *a, double *b) { return *a > *b ? a : b; }
double target(const double *x) { double a = x[0], b = 0.1; *larger(&a, &b) *= x[1]; return a + b; }
""",
    "mantissa_bits": """
double target(const double *x) {
  double v = x[0]; unsigned long b; __builtin_memcpy(&b, &v, 8);
  b = (b & 0x000ffffffffffffful) | 0x3ff0000000000000ul; __builtin_memcpy(&v, &b, 8); return v * x[1];
}
""",
    "arena": """
double target(const double *x) {
  char arena[128]; double *d = (double *)arena; int *n = (int *)(arena + 32); float *f = (float *)(arena + 48);
  for (int i = 0; i < 4; i++) { d[i] = x[i]; n[i] = i + 1; f[i] = (float)x[3 - i]; }
  char other[128]; __builtin_memcpy(other, arena, 64);
  double s = 0; int *m = (int *)(other + 32); float *g = (float *)(other + 48);
  for (int i = 0; i < 4; i++) s += ((double *)other)[i] * m[i] * g[i];
  return s;
}
""",
}


@pytest.mark.parametrize("shape", ["prepared", "simplified", "optimised"])
@pytest.mark.parametrize("name", sorted(TRICKY))
def test_tricky_programs(name: str, shape: str, tmp_path: Path) -> None:
    source = TRICKY[name] + "\ndouble objective(const double *x) { return target(x); }\n"
    text = prepare(compiled(source, "-O2" if shape == "optimised" else "-O0", tmp_path))
    if shape == "simplified":
        text = run_passes(text, SIMPLIFY)
    recorder = Recorder(text, "target", ("dup",), "objective", rule)
    assert recorder.findings([0.7, 1.3, -0.4, 0.9]) == []


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    text = prepare(compiled(program(seed), "-O2" if seed % 2 else "-O0", tmp_path))
    recorder = Recorder(text, "target", ("dup",), "objective", rule)
    assert recorder.findings([0.7, 1.3, -0.4, 0.9]) == []
