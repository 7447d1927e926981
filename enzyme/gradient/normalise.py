"""Small rewritings of prepared functions, so that the synthesis need not know about them.

A ``byval`` parameter is the callee's own copy of a struct, made by the call. A derivative is called without that
convention; so the copy is made explicit: a local of the struct's type, filled from the parameter at entry.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.gradient.addresses import addresses_as_pointers
from enzyme.gradient.atomics import plain_atomics
from enzyme.gradient.complex_abi import unpack_complex
from enzyme.gradient.exceptions import calls_of_invokes
from enzyme.gradient.exponents import multiply_for_exponents
from enzyme.gradient.first_rounds import count_rounds
from enzyme.gradient.masked import plain_masked
from enzyme.gradient.mixed_loads import separate_mixed_loads
from enzyme.gradient.mixed_results import results_to_memory
from enzyme.gradient.processor import plain_processor
from enzyme.gradient.shuffles import whole_shuffles
from enzyme.gradient.steps import steps_from_null, steps_that_may_be
from enzyme.gradient.undefined import define_undefined
from enzyme.gradient.union_moves import words_as_integers
from enzyme.gradient.variadic import fix_parameters
from enzyme.gradient.wide_shuffles import widen_shuffles
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMCPY
from enzyme.ir.lexer import tokenize
from enzyme.ir.module import Module
from enzyme.ir.reader import Reader
from enzyme.ir.types import I1, I64, PTR, FunctionType, IntType, Type
from enzyme.ir.values import (
    Argument,
    CallBase,
    ConstantInt,
    ConstantToken,
    Function,
    GlobalVariable,
)

_OUT_OF_MEMORY = 12  # ENOMEM


def attribute_type(module: Module, words: tuple[str, ...], attribute: str) -> Type | None:
    """The type in an attribute such as ``byval(T)`` or ``sret(T)``."""
    for word in words:
        if word.startswith(f"{attribute}("):
            return Reader(module, tokenize(word[len(attribute) + 1 : -1])).type()
    return None


def normalise(module: Module, runtime: Callable[[str], Function], message: Callable[[str], GlobalVariable]) -> None:
    """Rewrite every function of a prepared module; ``runtime`` gives functions that derivative code calls, ``message``
    texts for them."""
    _return_allocated(module)
    fix_parameters(module)
    for function in list(module.functions.values()):
        if not function.is_declaration:
            for argument in function.args:
                _copy_byval(module, function, argument)
            if "personality" in function.suffix:
                calls_of_invokes(module, function)
    separate_mixed_loads(module)
    words_as_integers(module)
    multiply_for_exponents(module, lambda: runtime("insist"), message)
    steps_from_null(module)
    words = addresses_as_pointers(module)
    steps_that_may_be(module, lambda: runtime("based"))
    results_to_memory(module, words)
    plain_atomics(module)
    whole_shuffles(module)
    plain_processor(module)
    widen_shuffles(module)
    plain_masked(module)
    define_undefined(module)
    unpack_complex(module)
    count_rounds(module)


def _return_allocated(module: Module) -> None:
    """``posix_memalign(&p, a, n)`` becomes ``p = aligned_alloc(a, n)``, where C asks for multiples of ``a``: ``n`` is
    rounded up. The block is a value then."""
    through = module.get_function("posix_memalign")
    if through is None or not through.is_declaration:
        return
    size = through.function_type.params[1]
    allocate = module.declare_function("aligned_alloc", FunctionType(PTR, (size, size)))
    allocate.result_attrs = ("noalias",)
    for function in list(module.functions.values()):
        for inst in list(function.instructions()):
            if isinstance(inst, CallBase) and inst.callee is through and isinstance(inst.type, IntType):
                place, align, length = inst.args
                build = Builder(inst.block, before=inst)  # type: ignore[arg-type]
                padded = build.add(length, build.sub(align, ConstantInt(size, 1)))
                rounded = build.and_(padded, build.sub(ConstantInt(size, 0), align))
                block = build.call(allocate, [align, rounded])
                build.store(block, place)
                missing = build.icmp("eq", block, ConstantToken(PTR, "null"))
                status = build.select(missing, ConstantInt(inst.type, _OUT_OF_MEMORY), ConstantInt(inst.type, 0))
                inst.replace_all_uses_with(status)
                inst.erase()


def _copy_byval(module: Module, function: Function, argument: Argument) -> None:
    type = attribute_type(module, argument.attrs, "byval")
    if type is None:
        return
    argument.attrs = tuple(w for w in argument.attrs if not w.startswith("byval"))
    entry = function.entry  # reads the body, so that the uses are there
    if not argument.users:
        return
    build = Builder(entry, before=entry.instructions[0])
    local = build.alloca(type, align=max(module.datalayout.abi_align(type), 8), name=argument.name)
    argument.replace_all_uses_with(local)
    copy = module.declare_function(*MEMCPY)
    size = module.datalayout.alloc_size(type)
    build.call(copy, [local, argument, ConstantInt(I64, size), ConstantInt(I1, 0)])
