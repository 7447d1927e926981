"""Known functions of the C++ standard libraries, libc++ and libstdc++, and of their common runtime, by mangled name.

What is compiled into the libraries is little: exceptions, streams, text, locales, locks, clocks. All of it works on
memory of its own kind, never on numbers that have derivatives; the rest is templates, whose code the program has.
"""

from __future__ import annotations

import re

from enzyme.rules.known import (
    INACCESSIBLE,
    UNKNOWN,
    Allocation,
    KnownCallee,
    MemoryEffect,
    Row,
    Rows,
)

ROWS = Rows()
_add, _inactive = ROWS.add, ROWS.inactive


# --- the runtime ------------------------------------------------------------------------------------------------------

_add("__cxa_allocate_exception", "p:i", INACCESSIBLE, allocation=Allocation((0,), deallocator="__cxa_free_exception"))
_inactive("__cxa_free_exception", "v:p", INACCESSIBLE)
_inactive("__cxa_begin_catch __cxa_get_exception_ptr", "p:p", UNKNOWN, self_contained=True)
_inactive("__cxa_end_catch", "v:", UNKNOWN, self_contained=True)
# What is thrown is the runtime's from then on; the program's code that runs before it is caught is landing pads.
_THROWN = MemoryEffect(reads=(0,), writes=(0,), inaccessible=True)
_inactive("__cxa_throw", "v:ppp", _THROWN, noreturn=True, self_contained=True, captures=(0,))
_inactive("__cxa_rethrow", "v:", INACCESSIBLE, noreturn=True, self_contained=True)
_inactive("_Unwind_Resume", "v:p", _THROWN, noreturn=True, self_contained=True, captures=(0,))
_inactive("__clang_call_terminate", "v:p", INACCESSIBLE, noreturn=True)
_inactive("_ZSt9terminatev __cxa_pure_virtual __cxa_deleted_virtual __cxa_bad_cast __cxa_bad_typeid", "v:",
          INACCESSIBLE, noreturn=True)  # fmt: skip
_inactive("__cxa_throw_bad_array_new_length", "v:", INACCESSIBLE, noreturn=True)
_GUARD = MemoryEffect(reads=(0,), writes=(0,), inaccessible=True)
_inactive("__cxa_guard_acquire", "i:p", _GUARD)
_inactive("__cxa_guard_release __cxa_guard_abort", "v:p", _GUARD)
_inactive("__cxa_atexit __cxa_thread_atexit", "i:ppp", INACCESSIBLE, captures=(0, 1, 2))
_inactive("__dynamic_cast", "p:pppi", MemoryEffect(reads=(0, 1, 2)), returns_argument=0, returns_inside=True)
_inactive("_ZSt18uncaught_exceptionv _ZSt19uncaught_exceptionsv", "i:", INACCESSIBLE)
_OWN = MemoryEffect(reads=(0,), writes=(0,), inaccessible=True)
_inactive("_ZSt17current_exceptionv", "v:p", _OWN, self_contained=True, own=8)
_inactive("_ZSt17rethrow_exceptionSt13exception_ptr _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", "v:p",
          UNKNOWN, noreturn=True, self_contained=True)  # fmt: skip
_inactive("_ZSt15get_new_handlerv", "p:", INACCESSIBLE)

# Hashing and the shape of hash tables and trees: the keys' bits, and pointers between nodes.
_inactive("_ZSt11_Hash_bytesPKvmm _ZSt15_Fnv_hash_bytesPKvmm", "i:pii", MemoryEffect(reads=(0,)))
_inactive("_ZNSt3__113__hash_memoryEPKvm", "i:pi", MemoryEffect(reads=(0,)))
_inactive("_ZNSt3__112__next_primeEm", "i:i", INACCESSIBLE)

# --- whole families, by pattern ---------------------------------------------------------------------------------------


def _family(pattern: str, effect: MemoryEffect = UNKNOWN, **facts: object) -> tuple[re.Pattern[str], Row]:
    callee = KnownCallee(pattern, effect, inactive=True, self_contained=True, **facts)  # type: ignore[arg-type]
    return re.compile(pattern), Row("", callee)


_ALL = tuple(range(8))
_OF_AN_EXCEPTION = MemoryEffect(reads=(0, 1, 2), writes=(0,), inaccessible=True)
_EXCEPTIONS = (
    r"(?:exception|bad_alloc|bad_cast|bad_typeid|bad_exception|bad_array_new_length|bad_function_call|bad_weak_ptr|"
    r"bad_optional_access|bad_variant_access|bad_any_cast|logic_error|domain_error|invalid_argument|length_error|"
    r"out_of_range|runtime_error|range_error|overflow_error|underflow_error|system_error|nested_exception|exception_ptr)"
)

TEXT: tuple[tuple[re.Pattern[str], Row], ...] = (
    _family(r"_ZNKSt(?:7__cxx11|3__1)12basic_stringI|_ZNKSs", MemoryEffect(reads=_ALL, writes=(0,)), text=True),
    _family(r"_ZNSt(?:7__cxx11|3__1)12basic_stringI|_ZNSs", text=True),
)
"""Members of strings: calls of them stay calls although the program has their code."""


def stays_call(name: str) -> bool:
    """Whether a function that a header of the C++ library defines is known well enough not to look at its code."""
    return any(pattern.match(name) for pattern, _ in TEXT)


PATTERNS: tuple[tuple[re.Pattern[str], Row], ...] = (
    # a counted pointer to an exception, which coroutines keep beside what they yield
    _family(
        r"_ZNSt(?:15__exception_ptr)?13exception_ptr(?:[CD]\d|aS)", MemoryEffect((0, 1), (0,), inaccessible=True), own=8
    ),
    # the exceptions of the standard library: made, destroyed, asked for their text
    _family(rf"_ZNK?St(?:3__1|13__exception_ptr)?\d+{_EXCEPTIONS}(?:B\w+?)?(?:[CD]\d|aS|4what)", _OF_AN_EXCEPTION),
    # what throws them
    _family(r"_ZSt\d+__throw_\w+$", INACCESSIBLE, noreturn=True),
    _family(r"_ZNSt3__1\d+__throw_\w+", INACCESSIBLE, noreturn=True),
    _family(r"_ZNKSt3__1\d+__vector_base_common|_ZNSt3__1\d+__basic_string_common", INACCESSIBLE, noreturn=True),
    _family(r"_ZNSt3__122__libcpp_verbose_abort|_ZSt21__glibcxx_assert_fail", INACCESSIBLE, noreturn=True),
    *TEXT,
    # streams: operator<<, put, flush, width...; input streams read constant data
    _family(
        r"_ZNK?So|_ZNK?Si|_ZNK?Sd|_ZSt(?:ls|rs)I|_ZSt4endlI|_ZSt4endsI|_ZSt5flushI|_ZSt16__ostream_insert|_ZSt2wsI"
    ),
    _family(r"_ZNK?St(?:3__1)?\d+basic_(?:ostream|istream|iostream|ios|streambuf|filebuf|stringbuf)"),
    _family(r"_ZNK?St(?:3__1|7__cxx11)?\d+basic_(?:[io]?stringstream|[io]?fstream|stringbuf)"),
    _family(r"_ZNSt3__124__put_character_sequence|_ZNSt3__1(?:ls|rs)I|_ZNSt3__1(?:4endl|4ends|5flush|2ws)"),
    _family(
        r"_ZNK?St(?:3__1)?6locale|_ZNK?St(?:3__1)?8ios_base|_ZNK?St9basic_ios|_ZNK?St(?:3__1)?5ctype|_ZSt9use_facet"
    ),
    # text beside the members of strings
    _family(r"_ZNSt(?:3__1|7__cxx11)\d+(?:to_string|to_wstring)E"),
    _family(r"_ZNSt(?:3__1|7__cxx11)\d+(?:stoi|stol|stoul|stoll|stoull|stof|stod|stold)E"),
    _family(r"_ZNSt3__1(?:8to_chars|10from_chars)|_ZSt(?:8to_chars|10from_chars)"),
    # integers sorted (numbers with derivatives: see enzyme.gradient.library)
    _family(r"_ZNSt3__16__sortIRNS_6__lessI[abchijlmstwxy]", MemoryEffect(reads=(0, 1), writes=(0, 1))),
    # clocks, random devices, threads of execution and their locks
    _family(r"_ZNSt(?:3__1)?6chrono\w*3nowEv$", INACCESSIBLE),
    _family(r"_ZNSt(?:3__1)?13random_device", UNKNOWN),
    _family(
        r"_ZNSt3__1(?:5mutex|11timed_mutex|15recursive_mutex|21recursive_timed_mutex|19__shared_mutex_base|"
        r"18condition_variable)(?:[CD]\d|\d+(?:try_)?(?:un)?lock(?:_shared)?E|10notify_)",
        UNKNOWN,  # what others wrote before can be seen behind it
        own=8,
    ),
    _family(r"_ZNSt3__1(?:5mutex|15recursive_mutex|18condition_variable|11this_thread)", UNKNOWN),
)
