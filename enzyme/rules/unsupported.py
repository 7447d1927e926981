"""What the engine knows that it cannot differentiate, each with the reason and the way out.

The rows are asked last, when neither a rule nor a known callee nor a definition answered, to make the error useful.
A row named ``llvm.x.*`` covers every intrinsic whose name starts so.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.rules.names import intrinsic_base


@dataclass(frozen=True)
class Unsupported:
    """``why`` it cannot be differentiated and what the user can do (``hint``)."""

    why: str
    hint: str


_RULE = "keep active data out of it, or put the source of what it does in the program"
_SCALAR_FORM = "differentiate the code before it is vectorised (compile with -fno-vectorize -fno-slp-vectorize)"

_ROWS: dict[str, Unsupported] = {}


def _add(names: str, why: str, hint: str) -> None:
    for name in names.split():
        assert name not in _ROWS, name
        _ROWS[name] = Unsupported(why, hint)


def _intrinsics(names: str, why: str, hint: str) -> None:
    _add(" ".join("llvm." + n for n in names.split()), why, hint)


# vectors
_intrinsics("vp.* experimental.vp.*", "vector-predicated intrinsics have no derivative rule", _SCALAR_FORM)
_intrinsics(
    "masked.load masked.store masked.gather masked.scatter masked.expandload masked.compressstore "
    "experimental.vector.compress experimental.vector.extract.last.active experimental.vector.histogram.*",
    "masked memory operations have no derivative rule",
    _SCALAR_FORM,
)
_intrinsics(
    "vector.insert vector.extract vector.reverse vector.splice.left vector.splice.right vector.interleave2 "
    "vector.deinterleave2 vector.interleave3 vector.deinterleave3 vector.interleave4 vector.deinterleave4 "
    "vector.interleave5 vector.deinterleave5 vector.interleave6 vector.deinterleave6 vector.interleave7 "
    "vector.deinterleave7 vector.interleave8 vector.deinterleave8 vector.partial.reduce.fadd",
    "shuffles of scalable vectors have no derivative rule",
    _SCALAR_FORM,
)
_intrinsics(
    "matrix.*", "matrix intrinsics have no derivative rule", "write the loops, or compile without -fenable-matrix"
)

# control flow outside the function
_intrinsics("coro.*", "coroutines keep their frame across suspension", "differentiate the functions they call")
_intrinsics(
    "eh.sjlj.* eh.return.* eh.recoverfp eh.unwind.init seh.* localescape localrecover callbr.landingpad "
    "icall.branch.funnel",
    "exceptions cannot carry derivatives",
    "compile with -fno-exceptions, or keep the throwing path inactive",
)
_intrinsics(
    "experimental.gc.* gcroot gcread gcwrite experimental.deoptimize experimental.patchpoint experimental.patchpoint.*",
    "the collector's safepoints hide where pointers come from",
    "differentiate before the safepoints are placed",
)
_intrinsics("objc.*", "reference counting of Objective-C objects has no shadow rule", _RULE)
_intrinsics("call.preallocated.*", "preallocated arguments cannot be given shadows", "pass the argument by pointer")
_intrinsics(
    "init.trampoline adjust.trampoline", "a trampoline hides the function it calls", "pass function and context apart"
)
_intrinsics(
    "loop.decrement loop.decrement.reg set.loop.iterations start.loop.iterations test.set.loop.iterations "
    "test.start.loop.iterations",
    "hardware loops hide their trip count",
    "differentiate before code generation",
)

# addresses that are not plain pointers
_intrinsics("ptrauth.*", "signed pointers cannot be given shadows", "compile without pointer authentication")
_intrinsics(
    "load.relative type.checked.load type.checked.load.relative protected.field.ptr",
    "the table of functions it reads has no shadow",
    "compile without relative vtables and without -fwhole-program-vtables",
)
_intrinsics("swift.async.context.addr stackguard stackprotector", "machine state", "compile without it")
_intrinsics("experimental.memset.pattern", "its pattern has no known format", "write the loop")
_intrinsics("convert.to.fp16 convert.from.fp16", "half floats kept in integers", "compile with a native half type")
_intrinsics("hwasan.* asan.*", "sanitizer checks hide the memory access", "compile without -fsanitize")

# target intrinsics, inline assembly of the compiler
_intrinsics(
    "nvvm.shfl.*",
    "threads hand on pieces of numbers here, and which of which number is not seen",
    "compile with -O1 or more, where a double is known by its two halves; hand floats on as floats",
)
for _target in (
    "x86 aarch64 arm nvvm amdgcn r600 ppc hexagon mips s390 ve wasm riscv loongarch bpf spv dx xcore sparc csky"
).split():
    _intrinsics(
        f"{_target}.*",
        "intrinsics of one processor have no derivative rule",
        "use the portable form (plain C, vector extensions, <math.h>), or " + _RULE,
    )

# libraries
_add(
    "qsort qsort_r",
    "it calls back and moves memory; known is qsort of elements of up to 512 bytes, or of a size that only the running "
    "program knows",
    "write it as a call of qsort, sort indices of inactive data, or define the function in the program",
)
_add("setjmp _setjmp sigsetjmp __sigsetjmp", "control may return twice", "return error codes instead")
_add("pthread_create thrd_create __kmpc_fork_call GOMP_parallel", "parallel regions have no derivative rule yet",
     "differentiate the serial code, or the body of the region")  # fmt: skip
_add("MPI_Send MPI_Recv MPI_Isend MPI_Irecv MPI_Reduce MPI_Allreduce MPI_Bcast MPI_Wait MPI_Sendrecv",
     "messages between processes have no derivative rule", _RULE)  # fmt: skip
_add("dlopen dlsym", "what is called is known at run time only", "link the function, or " + _RULE)
_BLAS = "ddot daxpy dscal dcopy dswap dnrm2 dasum drot dgemv dger dsymv dsyr dtrmv dtrsv dgemm dsymm dsyrk dtrmm dtrsm"
_add(
    " ".join(f"{p}{n[1:]}_ cblas_{p}{n[1:]}" for n in _BLAS.split() for p in "ds"),
    "it is declared with other parameters than the BLAS routine of this name has",
    "declare it as <cblas.h> does, or as Fortran passes it: every argument by address",
)
_FACTORISATIONS = "dgesv dpotrf dpotrs dtrtrs dgetrf dgetrs"
_add(
    " ".join(f"{p}{n[1:]}_ LAPACKE_{p}{n[1:]}" for n in _FACTORISATIONS.split() for p in "ds"),
    "it is declared with other parameters than the LAPACK routine of this name has",
    "declare it as <lapacke.h> does, or as Fortran passes it: every argument by address",
)
_LAPACK = "dpotri dpotf2 dgetri dgeqrf dgels dsyev dgesvd dsyr2k dtpsv dgbmv dsbmv drotg"
_add(
    " ".join(f"{p}{n[1:]}_ cblas_{p}{n[1:]} LAPACKE_{p}{n[1:]}" for n in _LAPACK.split() for p in "ds"),
    "there is no rule for this routine of a linear-algebra library",
    "call it from a function of yours and register that function's derivative (__enzyme_register_gradient), or put "
    "the source of the routine in the program",
)


def lookup_unsupported(name: str) -> Unsupported | None:
    """The row of a function or intrinsic, by its name as spelled."""
    if not name.startswith("llvm."):
        return _ROWS.get(name)
    base = intrinsic_base(name)
    parts = base.split(".")
    for count in range(len(parts), 1, -1):
        row = _ROWS.get(".".join(parts[:count])) or _ROWS.get(".".join(parts[:count]) + ".*")
        if row is not None:
            return row
    return None
