"""Code is loaded wherever a process has place."""

from __future__ import annotations

import subprocess
import sys

# The process has 8 GiB taken, and single pages free above them: code fits there, and a table of 16 MiB does not.
CROWDED = """
import ctypes, mmap
import enzyme

PAGE, GIB, NO_RESERVE = mmap.PAGESIZE, 1 << 30, 0x4000
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
program = enzyme.compile(
    "static const double table[1 << 21] = {0.5}; double f(double x, int i) { return x * x * table[i]; }"
)
start = libc.mmap(None, 8 * GIB, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE, -1, 0)
for page in range(1, 64, 2):
    libc.munmap(start + 8 * GIB - (page + 1) * PAGE, PAGE)
print(program.f(3.0, 0), program.gradient("f")(3.0, 0))
"""


def test_a_process_whose_free_memory_lies_apart() -> None:
    done = subprocess.run([sys.executable, "-c", CROWDED], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4.5 3.0\n"
