"""Pass pipelines: the shape the engine assumes, and the optimisation before and after it.

``post``: front end at -O2 with vectorisers and unrolling off -> AD -> -O3 with vectorisers on.
``pre``: the front end's raw output -> :func:`prepare` -> AD -> -O2 -> -O3 with vectorisers on.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import llvmlite.binding as llvm

from enzyme.llvm.codegen import target_machine
from enzyme.llvm.context import LLVMModule, parse
from enzyme.llvm.inlining import mark_derivatives, mark_small, users_of_functions

# Order matters: memory is promoted, unreachable blocks go, then returns are unified, and the loop forms come last
# because every other pass may break them.
PROMOTE = ("simplify_cfg", "sroa", "simplify_cfg", "unify_function_exit_nodes")
LOOP_FORMS = ("loop_simplify", "lcssa")
# Programs with invokes: attributes first, because simplify_cfg makes a call of an invoke whose callee cannot throw. The
# normal edge of an invoke gets a block of its own, where code that uses the call's result can stand.
THROWING = ("post_order_function_attributes", *PROMOTE, "break_critical_edges")
RESTORE = ("sroa", *LOOP_FORMS)
"""What prepared functions need after blocks were put in by hand. Simplifying the graph would undo such work."""
_ROTATED = 16
"""Instructions of a loop's head that LLVM copies at most to have the loop ask at its end: its own default."""
_INVOKE = re.compile(r"^  (?:%\S+ = )?invoke ", re.MULTILINE)
_DROPPED = (
    llvm.Linkage.internal,
    llvm.Linkage.private,
    llvm.Linkage.linkonce_any,
    llvm.Linkage.linkonce_odr,
    llvm.Linkage.available_externally,
)
_BLOCKING_ATTRIBUTES = re.compile(r"\b(?:optnone|noinline)\b ?")


def run_passes(text: str, names: tuple[str, ...]) -> str:
    """Run single passes by llvmlite's names, in order."""
    module = parse(text)
    _run(module, names)
    return str(module)


def _run(module: LLVMModule, names: tuple[str, ...]) -> None:
    machine = target_machine(module, "")
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    manager = llvm.create_new_module_pass_manager()
    for name in names:
        getattr(manager, f"add_{name}_pass")()
    manager.run(module.handle, builder)


def plain_passes(machine: llvm.TargetMachine, level: int) -> llvm.PassBuilder:
    """What makes the passes of a level, without vectors and unrolled loops, for another front end over llvmlite."""
    options = llvm.create_pipeline_tuning_options()
    options.speed_level = level
    options.loop_vectorization = options.slp_vectorization = False
    options.loop_unrolling = options.loop_interleaving = False
    return llvm.create_pass_builder(machine, options)


def prepare(text: str, keep: Collection[str] | None = None, optimised: bool = False) -> str:
    """Bring every function to the shape the engine assumes: promoted memory, one return, invokes whose normal
    successor has no other predecessor, loops with preheader, one latch and dedicated exits, in LCSSA form. Nothing is
    optimised: a ``pre`` derivative stays one. Functions that are not in ``keep`` may be gone when nothing calls them
    any more; None keeps all. ``optimised``: an optimiser has been over them."""
    small = mark_small(text, keep, optimised)
    module = parse(_unblocked(small or text))
    if small is not None:
        _inline_always(module, keep)
    _run(module, _shaping(text))
    return str(module)


def _shaping(text: str) -> tuple[str, ...]:
    return (*(THROWING if _INVOKE.search(text) is not None else PROMOTE), *LOOP_FORMS)


def shaped(text: str) -> str:
    """Prepared functions of which branches have become constant, prepared again."""
    return run_passes(text, _shaping(text))


def with_derivatives_inside(
    text: str, names: Collection[str], keep: Collection[str] | None = None, again: bool = False
) -> str:
    """With small derivatives among the functions ``names`` in the place of their calls. Of the others those in ``keep``
    stay, also where nothing calls them. ``again``: the functions that were given some are optimised once more, as all
    were before, each by itself: constants have come to derivatives, and neighbours have values in common."""
    marked = mark_derivatives(text, names)
    if marked is None:
        return text
    module = parse(marked)
    _inline_always(module, set() if keep is None else keep)
    if again:
        _simplify(module, users_of_functions(text, names))
    return str(module)


def with_bodies_inside(text: str, names: Collection[str], keep: Collection[str]) -> str:
    """With the functions ``names``, which are always inlined, in the place of their calls, and the functions that
    called them optimised once more, each by itself. Of others those in ``keep`` stay, also where nothing calls them."""
    users = users_of_functions(text, names)
    module = parse(text)
    _inline_always(module, keep)
    _simplify(module, users)
    return str(module)


def simplified(text: str, names: Collection[str]) -> str:
    """With functions that have been optimised before optimised once more, each by itself."""
    module = parse(text)
    _simplify(module, names)
    return str(module)


def _simplify(module: LLVMModule, names: Collection[str]) -> None:
    """What the optimiser does to single functions, without vectors and without unrolling: both come later. Loops keep
    their shape: those that ask at their head have been left so by the optimiser before."""
    llvm.set_option("enzyme", "-rotation-max-header-size=0")
    try:
        _simplify_each(module, names, unroll=False)
    finally:
        llvm.set_option("enzyme", f"-rotation-max-header-size={_ROTATED}")


def unrolled(text: str, names: Collection[str]) -> str:
    """Functions without the loops of which LLVM knows that they run a few times, each optimised by itself."""
    module = parse(text)
    _simplify_each(module, names, unroll=True)
    return str(module)


def _simplify_each(module: LLVMModule, names: Collection[str], unroll: bool) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = False
    options.loop_unrolling = unroll
    builder = llvm.create_pass_builder(target_machine(module, "", 2), options)
    passes = builder.getFunctionPassManager()
    for function in module.handle.functions:
        if function.name in names and not function.is_declaration:
            passes.run(function, builder)


def _inline_always(module: LLVMModule, keep: Collection[str] | None) -> None:
    """Run the inliner of what is always inlined. It drops such functions where nothing calls them and no other file
    can; those in ``keep`` (all with None) are seen by other files while it runs."""
    held = []
    for function in module.handle.functions:
        if function.linkage in _DROPPED and not function.is_declaration and (keep is None or function.name in keep):
            held.append((function, function.linkage))
            function.linkage = llvm.Linkage.weak_odr
    _run(module, ("always_inliner",))
    for function, linkage in held:
        function.linkage = linkage


def always_inlined(text: str) -> str:
    """With functions that are always inlined in the place of their calls, and nothing else changed."""
    module = parse(text)
    module.verify()
    _inline_always(module, set())
    return str(module)


def at_level_zero(text: str) -> str:
    """What LLVM does at any level: coroutines become the functions that begin, go on with and destroy them, and what is
    always inlined is."""
    module = parse(text)
    module.verify()
    builder = llvm.create_pass_builder(target_machine(module, "", 0), llvm.create_pipeline_tuning_options(0))
    builder.getModulePassManager().run(module.handle, builder)
    return str(module)


def rotated(text: str) -> str:
    """Prepared functions whose loops ask at their end, where that can be: a body that is entered is then run whole."""
    return run_passes(text, ("loop_rotate", *LOOP_FORMS))


def named_directly(text: str) -> str:
    """With helpers that are always inlined in their place, and memory promoted: what a call is given is then seen at
    the call, where it went through locals and the parameters of such helpers before."""
    module = parse(_unblocked(text))
    _run(module, ("always_inliner", "sroa"))
    return str(module)


def with_known_branches(text: str) -> str:
    """Memory promoted, and branches on what is constant then taken."""
    module = parse(_unblocked(text))
    _run(module, ("sroa", "sccp", "simplify_cfg", "sroa"))
    return str(module)


def _unblocked(text: str) -> str:
    """Without ``optnone`` (passes would skip the function); only in attribute groups, where printed IR has it."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.startswith("attributes #") and "optnone" in line:
            lines[index] = _BLOCKING_ATTRIBUTES.sub("", line)
    return "\n".join(lines)


def optimise(
    text: str,
    level: int = 3,
    vectorise: bool = True,
    unroll: bool = True,
    cpu: str = "native",
    inner_checks: bool = False,
    whole_rest: bool = False,
    windows: bool = False,
    sums_in_order: bool = False,
    copying: bool = False,
) -> str:
    """LLVM's default pipeline at ``level``, for ``cpu`` ("native", "" for generic, or a name); ``inner_checks``: what
    an inner loop touches is compared in front of it, not in front of the loop around it. ``whole_rest``: what unrolled
    loops leave is run without a loop. ``windows``: there are loops that keep neighbouring elements in registers.
    ``sums_in_order``: a loop may become one of vectors where these are then added up number by number, as before.
    ``copying``: loops that copy arrays stay loops. The program is verified first: LLVM's passes abort the process on
    malformed IR."""
    module = parse(text)
    module.verify()
    if level == 0:
        return str(module)
    if vectorise:
        # A vectorised loop asks first whether its arrays overlap. In a nest LLVM asks once, in front of the outer loop,
        # but counts every outer loop that runs backwards as an overlap: reversed nests would never run vectorised.
        llvm.set_option("enzyme", f"-hoist-runtime-checks={str(not inner_checks).lower()}")
    llvm.set_option("enzyme", f"-unroll-remainder={str(whole_rest).lower()}")
    llvm.set_option("enzyme", f"-force-ordered-reductions={str(sums_in_order).lower()}")
    # Of two elements that go on by one in each iteration LLVM makes a pair, which is then made anew in each iteration:
    # it reckons that to gain one instruction, and loses up to a sixth of the time.
    llvm.set_option("enzyme", f"-slp-threshold={2 if windows else 0}")
    llvm.set_option("enzyme", f"-disable-loop-idiom-memcpy={str(copying).lower()}")
    machine = target_machine(module, cpu, level)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = vectorise and level >= 2
    options.slp_vectorization = vectorise and level >= 2
    options.loop_interleaving = vectorise and level >= 2
    options.loop_unrolling = unroll
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module.handle, builder)
    return str(module)
