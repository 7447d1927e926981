"""Known functions of the C and C++ libraries and of language runtimes. Rows are data; see :mod:`enzyme.rules.known`."""

from __future__ import annotations

import re
from dataclasses import replace

from enzyme.rules.known import (
    ERRNO,
    INACCESSIBLE,
    NO_MEMORY,
    UNKNOWN,
    Allocation,
    KnownCallee,
    MemoryEffect,
    Row,
    Rows,
    Transfer,
)

ROWS = Rows()
_add, _inactive = ROWS.add, ROWS.inactive


def _effect(reads: tuple[int, ...] = (), writes: tuple[int, ...] = (), **more: bool) -> MemoryEffect:
    return replace(MemoryEffect(reads, writes), **more)  # type: ignore[arg-type]


# --- BLAS: the index of the largest element (the other routines: enzyme.gradient.blas) --------------------------------

_inactive("cblas_idamax cblas_isamax", "i:ipi", MemoryEffect(reads=(1,)))
_inactive("idamax_ isamax_", "i:ppp", MemoryEffect(reads=(0, 1, 2)))

# --- allocation ------------------------------------------------------------------------------------------------------

_HEAP = MemoryEffect(errno=True, inaccessible=True)
_add("malloc valloc pvalloc", "p:i", _HEAP, allocation=Allocation((0,)))
_add("calloc", "p:ii", _HEAP, allocation=Allocation((0, 1), zeroed=True))
_add("aligned_alloc memalign", "p:ii", _HEAP, allocation=Allocation((1,), alignment=0))
_add(
    "posix_memalign", "i:pii", replace(_HEAP, writes=(0,)),
    allocation=Allocation((2,), alignment=1, stored_in=0),
)  # fmt: skip
_REALLOC = replace(_HEAP, reads=(0,), writes=(0,))
_add("realloc reallocf", "p:pi", _REALLOC, allocation=Allocation((1,), reallocates=0))
_add("reallocarray", "p:pii", _REALLOC, allocation=Allocation((1, 2), reallocates=0))
_add("strdup", "p:p", replace(_HEAP, reads=(0,)), allocation=Allocation(()), inactive=True)
_add("strndup", "p:pi", replace(_HEAP, reads=(0,)), allocation=Allocation(()), inactive=True)
_add("_aligned_malloc", "p:ii", _HEAP, allocation=Allocation((0,), alignment=1, deallocator="_aligned_free"))
_add("free cfree _aligned_free", "v:p", replace(_HEAP, writes=(0,)), free=0)
_add("free_sized", "v:pi", replace(_HEAP, writes=(0,)), free=0)
_add("free_aligned_sized", "v:pii", replace(_HEAP, writes=(0,)), free=0)
for _word in "mj":  # size_t as unsigned long or unsigned int
    for _letter, _delete in (("w", "_ZdlPv"), ("a", "_ZdaPv")):
        _new = f"_Zn{_letter}{_word}"
        _align = "St11align_val_t"
        _add(_new, "p:i", INACCESSIBLE, allocation=Allocation((0,), deallocator=_delete))
        _add(f"{_new}RKSt9nothrow_t", "p:ip", INACCESSIBLE, allocation=Allocation((0,), deallocator=_delete))
        _aligned = Allocation((0,), alignment=1, deallocator=_delete + _align)
        _add(_new + _align, "p:ii", INACCESSIBLE, allocation=_aligned)
        _add(f"{_new}{_align}RKSt9nothrow_t", "p:iip", INACCESSIBLE, allocation=_aligned)
        if _word == "m":
            _add(_delete, "v:p", replace(INACCESSIBLE, writes=(0,)), free=0)
            for _tail in ("m", "j", "RKSt9nothrow_t", _align, "m" + _align, "j" + _align, _align + "RKSt9nothrow_t"):
                _add(_delete + _tail, "v:p.", replace(INACCESSIBLE, writes=(0,)), free=0)
_add("__rust_alloc", "p:ii", INACCESSIBLE, allocation=Allocation((0,), alignment=1, deallocator="__rust_dealloc"))
_add(
    "__rust_alloc_zeroed", "p:ii", INACCESSIBLE,
    allocation=Allocation((0,), zeroed=True, alignment=1, deallocator="__rust_dealloc"),
)  # fmt: skip
_add("__rust_dealloc", "v:pii", replace(INACCESSIBLE, writes=(0,)), free=0)
_add(
    "__rust_realloc", "p:piii", replace(INACCESSIBLE, reads=(0,), writes=(0,)),
    allocation=Allocation((3,), alignment=2, reallocates=0, deallocator="__rust_dealloc"),
)  # fmt: skip
_inactive("__rust_no_alloc_shim_is_unstable_v2", "v:", INACCESSIBLE)
_add("swift_allocObject", "p:pii", INACCESSIBLE, allocation=Allocation((1,), alignment=2, deallocator="swift_release"))

# --- block transfers -------------------------------------------------------------------------------------------------

_COPY = _effect(reads=(1,), writes=(0,))
_add("memcpy", "p:ppi", _COPY, transfer=Transfer("copy", 0, 1, None, 2), returns_argument=0)
_add("memmove", "p:ppi", _COPY, transfer=Transfer("move", 0, 1, None, 2), returns_argument=0)
_add(
    "mempcpy __mempcpy",
    "p:ppi",
    _COPY,
    transfer=Transfer("copy", 0, 1, None, 2),
    returns_argument=0,
    returns_inside=True,
)
_add("memset", "p:pii", _effect(writes=(0,)), transfer=Transfer("set", 0, None, 1, 2), returns_argument=0)
_add("__memcpy_chk", "p:ppii", _COPY, transfer=Transfer("copy", 0, 1, None, 2), returns_argument=0)
_add("__memmove_chk", "p:ppii", _COPY, transfer=Transfer("move", 0, 1, None, 2), returns_argument=0)
_add(
    "__mempcpy_chk", "p:ppii", _COPY,
    transfer=Transfer("copy", 0, 1, None, 2), returns_argument=0, returns_inside=True,
)  # fmt: skip
_add("__memset_chk", "p:piii", _effect(writes=(0,)), transfer=Transfer("set", 0, None, 1, 2), returns_argument=0)
_add("bcopy", "v:ppi", _effect(reads=(0,), writes=(1,)), transfer=Transfer("move", 1, 0, None, 2))
_add("bzero explicit_bzero", "v:pi", _effect(writes=(0,)), transfer=Transfer("set", 0, None, None, 1))

# --- strings and memory searches (characters carry no derivative) ----------------------------------------------------

_inactive("strlen wcslen", "i:p", _effect((0,)))
_inactive("strnlen", "i:pi", _effect((0,)))
_inactive("strcmp strcasecmp strcoll strspn strcspn wcscmp", "i:pp", _effect((0, 1)))
_inactive("memcmp bcmp strncmp strncasecmp", "i:ppi", _effect((0, 1)))
_inactive("strchr strrchr index rindex strchrnul", "p:pi", _effect((0,)), returns_argument=0, returns_inside=True)
_inactive("memchr memrchr rawmemchr", "p:pi.", _effect((0,)), returns_argument=0, returns_inside=True)
_inactive("strstr strcasestr strpbrk", "p:pp", _effect((0, 1)), returns_argument=0, returns_inside=True)
_inactive("strcpy strcat", "p:pp", _effect((0, 1), (0,)), returns_argument=0)
_inactive("strncpy strncat", "p:ppi", _effect((0, 1), (0,)), returns_argument=0)
_inactive("stpcpy", "p:pp", _effect((1,), (0,)), returns_argument=0, returns_inside=True)
_inactive("__strcpy_chk __strcat_chk", "p:ppi", _effect((0, 1), (0,)), returns_argument=0)
_inactive("__strncpy_chk __strncat_chk", "p:ppii", _effect((0, 1), (0,)), returns_argument=0)
_inactive("atoi atol atoll", "i:p", _effect((0,)))
_inactive("atof", "f:p", _effect((0,), errno=True))
_inactive("strtod strtof strtold", "f:pp", _effect((0,), (1,), errno=True), captures=(0,))
_inactive(
    "strtol strtoul strtoll strtoull __isoc23_strtol __isoc23_strtoul",
    "i:ppi",
    _effect((0,), (1,), errno=True),
    captures=(0,),
)
_inactive("isalpha isdigit isspace isalnum isupper islower ispunct isprint toupper tolower", "i:i", NO_MEMORY)

# --- input and output ------------------------------------------------------------------------------------------------

_IO = MemoryEffect(errno=True, inaccessible=True)
_PRINT = replace(_IO, variadic="r")
_inactive("printf", "i:p.", replace(_PRINT, reads=(0,)))
_inactive("fprintf dprintf", "i:*p.", replace(_PRINT, reads=(0, 1), writes=(0,)))
_inactive("sprintf", "i:pp.", replace(_PRINT, reads=(1,), writes=(0,)))
_inactive("snprintf", "i:pip.", replace(_PRINT, reads=(2,), writes=(0,)))
_inactive("__printf_chk", "i:ip.", replace(_PRINT, reads=(1,)))
_inactive("__fprintf_chk", "i:pip.", replace(_PRINT, reads=(0, 2), writes=(0,)))
_inactive("__sprintf_chk", "i:piip.", replace(_PRINT, reads=(3,), writes=(0,)))
_inactive("__snprintf_chk", "i:piiip.", replace(_PRINT, reads=(4,), writes=(0,)))
_inactive("vprintf vfprintf vsprintf vsnprintf", "i:.", UNKNOWN)
_inactive("puts perror", "*:p", replace(_IO, reads=(0,)))
_inactive("putchar", "i:i", _IO)
_inactive("putc fputc _IO_putc", "i:ip", replace(_IO, reads=(1,), writes=(1,)))
_inactive("fputs", "i:pp", replace(_IO, reads=(0, 1), writes=(1,)))
_inactive("fwrite", "i:piip", replace(_IO, reads=(0, 3), writes=(3,)))
_inactive("fread", "i:piip", replace(_IO, reads=(3,), writes=(0, 3)))
_inactive("fgets", "p:pip", replace(_IO, reads=(2,), writes=(0, 2)), returns_argument=0)
_inactive("getc fgetc", "i:p", replace(_IO, reads=(0,), writes=(0,)))
_inactive("getchar", "i:", _IO)
_inactive("scanf __isoc99_scanf __isoc23_scanf", "i:p.", replace(_IO, reads=(0,), variadic="w"))
_inactive("sscanf __isoc99_sscanf __isoc23_sscanf", "i:pp.", replace(_IO, reads=(0, 1), variadic="w"))
_inactive("fscanf __isoc99_fscanf __isoc23_fscanf", "i:pp.", replace(_IO, reads=(0, 1), writes=(0,), variadic="w"))
_inactive("fopen fopen64", "p:pp", replace(_IO, reads=(0, 1)))
_inactive("fclose fflush feof ferror rewind ftell clearerr fileno", "*:p", replace(_IO, reads=(0,), writes=(0,)))
_inactive("fseek", "i:pii", replace(_IO, reads=(0,), writes=(0,)))
_inactive("write", "i:ipi", replace(_IO, reads=(1,)))
_inactive("read", "i:ipi", replace(_IO, writes=(1,)))
_inactive("close", "i:i", _IO)

# --- time, random numbers, environment, process ----------------------------------------------------------------------

_inactive("clock", "i:", _IO)
_inactive("time", "i:p", replace(_IO, writes=(0,)))
_inactive("gettimeofday", "i:pp", replace(_IO, writes=(0, 1)))
_inactive("clock_gettime clock_getres", "i:ip", replace(_IO, writes=(1,)))
_inactive("difftime", "f:ii", NO_MEMORY)
_inactive("sleep usleep", "i:i", _IO)
_inactive("rand random lrand48 mrand48 arc4random getpid", "i:", INACCESSIBLE)
_inactive("drand48", "f:", INACCESSIBLE)
_inactive("srand srandom srand48", "v:i", INACCESSIBLE)
_inactive("rand_r", "i:p", _effect((0,), (0,)))
_inactive("getenv", "p:p", _effect((0,), inaccessible=True))
_inactive("setenv", "i:ppi", _effect((0, 1), errno=True, inaccessible=True))
_inactive("unsetenv", "i:p", _effect((0,), errno=True, inaccessible=True))
_inactive("sysconf", "i:i", _IO)
_inactive("atexit", "i:p", _IO, captures=(0,))
_inactive("abs labs llabs", "i:i", NO_MEMORY)
_inactive("__errno_location __error", "p:", NO_MEMORY)
_inactive("pthread_self sched_yield", "*:", INACCESSIBLE)
_inactive("pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock pthread_mutex_destroy", "i:p", UNKNOWN, own=8)
_inactive(
    "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock pthread_rwlock_destroy", "i:p", UNKNOWN, own=8
)
_inactive("pthread_mutex_init pthread_rwlock_init", "i:pp", UNKNOWN, own=8)

# --- never returning -------------------------------------------------------------------------------------------------

_inactive("abort __stack_chk_fail", "v:", INACCESSIBLE, noreturn=True)
_inactive("__chk_fail __fortify_fail", "v:.", INACCESSIBLE, noreturn=True)
_inactive("exit _exit _Exit quick_exit", "v:i", UNKNOWN, noreturn=True)
_inactive("__assert_fail", "v:ppip", replace(_IO, reads=(0, 1, 3)), noreturn=True)
_inactive("__assert_rtn", "v:ppip", replace(_IO, reads=(0, 1, 3)), noreturn=True)
_inactive("__assertfail", "v:ppipi", replace(_IO, reads=(0, 1, 3)), noreturn=True)
_inactive("__assert", "v:ppi", replace(_IO, reads=(0, 1)), noreturn=True)
_inactive("longjmp _longjmp siglongjmp", "v:pi", UNKNOWN, noreturn=True)

# --- floating-point environment and classification, integer results --------------------------------------------------

_ENVIRONMENT = INACCESSIBLE
_inactive("fegetround fegetexcept", "i:", _ENVIRONMENT)
_inactive("fesetround feclearexcept feraiseexcept fetestexcept feenableexcept fedisableexcept", "i:i", _ENVIRONMENT)
_inactive("fegetenv feholdexcept", "i:p", replace(_ENVIRONMENT, writes=(0,)))
_inactive("fesetenv feupdateenv", "i:p", replace(_ENVIRONMENT, reads=(0,)))
for _suffix in ("", "f", "l"):
    _inactive(f"lround{_suffix} llround{_suffix} lrint{_suffix} llrint{_suffix}", "i:f", ERRNO)
    _inactive(f"ilogb{_suffix} llogb{_suffix}", "i:f", ERRNO)
    _inactive(
        f"isnan{_suffix} isinf{_suffix} finite{_suffix} __isnan{_suffix} __isinf{_suffix} __finite{_suffix}",
        "i:f",
        NO_MEMORY,
    )
    _inactive(f"__fpclassify{_suffix} __signbit{_suffix} __issignaling{_suffix} signbit{_suffix}", "i:f", NO_MEMORY)
    _inactive(f"nan{_suffix}", "f:p", _effect((0,)))
_inactive(
    "__fpclassifyd __signbitd __isnand __isinfd __isfinited __isfinitef __isfinite __isnormalf __isnormald",
    "i:f",
    NO_MEMORY,
)

# --- parallel runtimes, queries only ---------------------------------------------------------------------------------

_inactive(
    "omp_get_thread_num omp_get_num_threads omp_get_max_threads omp_get_num_procs omp_in_parallel omp_get_level",
    "i:", INACCESSIBLE,
)  # fmt: skip
_inactive("omp_get_wtime omp_get_wtick MPI_Wtime MPI_Wtick", "f:", INACCESSIBLE)
_inactive("__kmpc_global_thread_num", "i:p", _effect((0,), inaccessible=True))
_inactive("MPI_Comm_rank MPI_Comm_size", "i:*p", _effect((), (1,), inaccessible=True))
_inactive("MPI_Init MPI_Finalize MPI_Initialized MPI_Abort", "i:.", UNKNOWN)

# --- C++ library and language runtimes, by pattern -------------------------------------------------------------------


def pattern(pattern: str, effect: MemoryEffect, shape: str = "", **facts: object) -> tuple[re.Pattern[str], Row]:
    callee = KnownCallee(pattern, effect, inactive=True, **facts)  # type: ignore[arg-type]
    return re.compile(pattern), Row(shape, callee)


def _rust(pattern: str, name: str) -> tuple[re.Pattern[str], Row]:
    """The mangled names of Rust's allocator entry points (``_RNvCs..._7___rustc12___rust_alloc``)."""
    return re.compile(pattern), ROWS[name]


PATTERNS: tuple[tuple[re.Pattern[str], Row], ...] = (
    _rust(r"_RNv.*7___rustc\d+___rust_alloc$", "__rust_alloc"),
    _rust(r"_RNv.*7___rustc\d+___rust_alloc_zeroed$", "__rust_alloc_zeroed"),
    _rust(r"_RNv.*7___rustc\d+___rust_dealloc$", "__rust_dealloc"),
    _rust(r"_RNv.*7___rustc\d+___rust_realloc$", "__rust_realloc"),
    _rust(r"_RNv.*7___rustc\d+___rust_no_alloc_shim_is_unstable_v2$", "__rust_no_alloc_shim_is_unstable_v2"),
    pattern(r"(_ZN4core9panicking|_RN.*4core9panicking|_ZN3std9panicking|_RN.*3std9panicking)", UNKNOWN, noreturn=True),
    pattern(r"(_ZN5alloc7raw_vec|_RN.*5alloc7raw_vec)\w*(capacity_overflow|handle_error)", UNKNOWN, noreturn=True),
    pattern(r"(_ZN|_RN\w*)(3std2io|4core3fmt|5alloc3fmt)", UNKNOWN),
    pattern(r"_FortranA(io|Stop|ErrorStop|PauseStatement|ReportFatal|ProgramStart|ProgramEnd)", UNKNOWN),
    pattern(r"_FortranA(CpuTime|SystemClock|DateAndTime)", UNKNOWN),
)
