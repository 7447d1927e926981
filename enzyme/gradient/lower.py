"""From a program with ``__enzyme_*`` calls to a program without: the entry point of the engine on text.

A call ``__enzyme_autodiff(f, arguments...)`` becomes a call of the combined reverse derivative of ``f``,
``__enzyme_fwddiff`` one of the forward derivative. Only the functions that ``f`` reaches are prepared and read; the
rest of the program passes through as text.

Derivatives of derivatives are made in rounds. A call waits while its function reaches another that has such calls
itself; when those have been replaced, the program is printed, read again, and their derivatives are functions like any
other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from enzyme.gradient.arrays_apart import with_arrays_apart
from enzyme.gradient.assembly import without_barriers
from enzyme.gradient.batch import replace_ahead
from enzyme.gradient.blas import bodies_inside, with_routines
from enzyme.gradient.blocks_on_stack import put_on_stack
from enzyme.gradient.candidates import AddressIndex
from enzyme.gradient.checks_ahead import with_checks_ahead
from enzyme.gradient.choices import Unfit, give_up, is_choice, make_choices
from enzyme.gradient.complex_abi import define_packed
from enzyme.gradient.complex_pairs import split_products
from enzyme.gradient.convention import ENTRY_POINTS, calls_of, entry_point
from enzyme.gradient.copies_in_loops import copy_in_loops
from enzyme.gradient.decided_loops import mark_decided
from enzyme.gradient.dense import NAMES as DENSE
from enzyme.gradient.dense import replace_dense
from enzyme.gradient.edges_apart import with_edges_apart
from enzyme.gradient.engine import Engine
from enzyme.gradient.extract import Importer, extract, mentioned_functions, reachable_functions, users_of
from enzyme.gradient.given_functions import hides_given, name_given
from enzyme.gradient.half_vectors import prefer_halves
from enzyme.gradient.hints import drop_hints, without_hints
from enzyme.gradient.implied_branches import take_implied_branches
from enzyme.gradient.joined_counters import join_counters, join_steps
from enzyme.gradient.joined_stores import join_stores
from enzyme.gradient.jumps import number_labels, read_prepared
from enzyme.gradient.lapack import with_factorisations
from enzyme.gradient.large_callers import keep_calls
from enzyme.gradient.library import with_bodies
from enzyme.gradient.lines import complete_calls
from enzyme.gradient.loop_choice import make_iterations, name_blocks, with_choices
from enzyme.gradient.loop_costs import BodyWish, Key
from enzyme.gradient.moved_blocks import with_moved_blocks
from enzyme.gradient.moved_bodies import direct_calls
from enzyme.gradient.one_exit import leave_once
from enzyme.gradient.other_names import by_definition
from enzyme.gradient.pointer_phis import with_pointer_phis
from enzyme.gradient.preconditions import refuse_hidden_numbers
from enzyme.gradient.products import with_small_products
from enzyme.gradient.pure_math import errno_matters, mark_pure
from enzyme.gradient.registrations import IGNORE, SAVED_LINKAGE, mentioned_by_rules, present
from enzyme.gradient.relative_tables import absolute_tables
from enzyme.gradient.replace import derivative_of, replace_sites
from enzyme.gradient.request import Mode, Request
from enzyme.gradient.settle import settled
from enzyme.gradient.short_sums import unroll_sums
from enzyme.gradient.short_taps import mark_stencils
from enzyme.gradient.sites import (
    Site,
    check_shape,
    names_subject,
    read_site,
    read_subject,
    refuse_unmatched,
    share_layout,
)
from enzyme.gradient.small_arrays import mark_small_loops
from enzyme.gradient.solves import with_steps
from enzyme.gradient.step_choice import make_time_loops
from enzyme.gradient.tape_count import with_counters
from enzyme.gradient.threads import finish
from enzyme.gradient.truncation import WORD as TRUNCATE
from enzyme.gradient.truncation import with_truncated
from enzyme.gradient.variadic import with_known_lists
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function, print_module
from enzyme.ir.values import CallBase, Function
from enzyme.ir.verifier import verify_function
from enzyme.llvm.codegen import triple_of
from enzyme.rules.hints import type_hint
from enzyme.support.collection import without_collection
from enzyme.support.config import Config
from enzyme.support.deep import deeply
from enzyme.support.devices import for_target
from enzyme.support.diagnostics import EnzymeError, SourceLocation, UnsupportedError, UsageError

Prepare = Callable[[str, Collection[str]], str]
"""Brings a program's text to the shape the engine assumes; the functions named are there afterwards."""


_DECLARED = re.compile(r'^declare [^@\n]*@"?((?:_Z[^"(\n]*\d)?__enzyme_\w+)', re.MULTILINE)
_KNOWN = (*ENTRY_POINTS, *DENSE, IGNORE, "__enzyme_digamma", "__enzyme_polygamma")


@dataclass(frozen=True)
class Asked:
    """A call that asks for a derivative: the derivative (as the engine calls it), the function with the call, where."""

    derivative: str
    caller: str
    place: SourceLocation | None


@dataclass
class Lowering:
    """What :func:`lower` did: the new text, the derivatives by name, the engines of the rounds with their plans."""

    text: str
    asked: list[Asked] = field(default_factory=list)
    engines: list[Engine] = field(default_factory=list)
    derivatives: list[str] = field(default_factory=list)


def lower_module(
    text: str, config: Config, prepare: Prepare | None = None, optimised: bool = False, more: bool = False
) -> str:
    """Replace every ``__enzyme_*`` call in a program. Raises :class:`EnzymeError` with the place and the way out.
    ``more``: further derivatives of it may be asked for, so calls that state types stay (:func:`without_hints`)."""
    return lower(text, config, prepare, optimised=optimised, more=more).text


@without_collection()
def lower(
    text: str,
    config: Config,
    prepare: Prepare | None = None,
    done: Lowering | None = None,
    optimised: bool = False,
    more: bool = False,
) -> Lowering:
    """Like :func:`lower_module`, and give what was made. ``done`` is filled where it is given: after a refusal it holds
    what there is. ``optimised``: an optimiser has been over the program, so it may go over what is made of it."""
    done = done or Lowering("")
    done.text = with_counters(text) if config.count_tape else text
    trace = config.trace
    if present(text) or SAVED_LINKAGE in text:
        done.text = settled(done.text)
    if TRUNCATE in done.text:
        done.text = with_truncated(by_definition(absolute_tables(done.text)))
    _refuse_unknown(done.text)
    if not any(name in done.text for name in ENTRY_POINTS):
        done.text = done.text if more else without_hints(done.text)
        return done
    config = for_target(config, triple_of(done.text))
    with trace.step("parse"):
        done.text = with_bodies(by_definition(absolute_tables(done.text)))
        module = parse_module(done.text)
        if _goes_through_helpers(module) or hides_given(module):
            from enzyme.llvm.pipelines import named_directly

            done.text = named_directly(done.text)
            module = parse_module(done.text)
        ahead = replace_ahead(module)
        named = name_given(module)
        if make_choices(module) or ahead or named:
            done.text = print_module(module)
    done.text = number_labels(done.text)
    asking: set[str] = set()
    again = optimised
    while True:
        with trace.step("parse"):
            module = parse_module(done.text)
            calls = _find_calls(module)
        rounds = len(done.engines)
        if not calls:
            done.text = done.text if more else without_hints(done.text)
            return done
        asking = asking or users_of(module, {call.caller.name or "" for call in calls})
        try:
            ready, index = _ready(module, calls, asking)
            waiting = len(ready) < len(calls)
            _round(module, ready, index, config, prepare, done, waiting, again)
        except UnsupportedError:
            if not (again and done.derivatives):
                raise
            again = False  # optimising what earlier derivatives are part of may take away what types are known by
            del done.engines[rounds:]
            continue
        except Unfit as unfit:
            del done.engines[rounds:]
            module = parse_module(done.text)
            give_up(module, unfit)
            done.text = print_module(module)
            continue
        again = optimised
        askers = [function for name, function in module.functions.items() if name in asking]
        made = [function for engine in done.engines[rounds:] for function in engine.made]
        prefer_halves(module, config, made, askers, optimised)
        _remove_declarations(module)
        if len(ready) == len(calls):
            if not more:
                drop_hints(module)
            replace_dense(module)
            keep_calls(module, askers, done.derivatives)
        with trace.step("print"):
            done.text = print_module(module)
        trace.program("lower", done.text)
        if len(ready) == len(calls):
            return done


def _goes_through_helpers(module: Module) -> bool:
    """Whether a call of an entry point stands in a function that is always inlined, or does not name its function."""
    return any(
        "alwaysinline" in module.fn_attributes(caller) or not names_subject(call)
        for caller, call, _ in calls_of(module, ENTRY_POINTS.values())
    )


@dataclass(frozen=True)
class _Call:
    """A call of an entry point that has not been replaced yet."""

    call: CallBase
    caller: Function
    kind: str
    subject: Function


def _refuse_unknown(text: str) -> None:
    for name in _DECLARED.findall(text) if "__enzyme_" in text else ():
        if type_hint(name) is None and not any(known in name for known in _KNOWN):
            raise UsageError(
                f"there is no entry point '{name}'",
                why="the program calls a function of that name and does not define it, and names like this are kept "
                "for what the engine answers",
                hint="see docs/calling-convention.md for those there are; give a function of your own another name",
            )


def _find_calls(module: Module) -> list[_Call]:
    return [
        _Call(call, caller, kind, read_subject(module, caller, call, kind))
        for caller, call, kind in calls_of(module, ENTRY_POINTS.values())
    ]


def _ready(module: Module, calls: list[_Call], asking: set[str]) -> tuple[list[_Call], AddressIndex]:
    """The calls whose function reaches no other such call, and what pointers to functions may lead to then.

    Pointers lead to functions ``asking`` for derivatives only where what is differentiated mentions these, and, where
    every call waits for another, not to any."""
    callers = {call.caller.name or "" for call in calls}
    named = [f.name or "" for call in calls for f in (call.subject, *call.call.args) if isinstance(f, Function)]
    away = asking - set(mentioned_functions(module, named))
    reached: dict[str, list[str]] = {}
    for without in (away, away | users_of(module, callers)):
        index = AddressIndex(module, without)
        reached.clear()
        for call in calls:
            name = call.subject.name or ""
            if name not in reached:
                reached[name] = [other for other in reachable_functions(module, [name], index) if other in callers]
        ready = [call for call in calls if not reached[call.subject.name or ""]]
        if ready:
            return ready, index
    error = _endless(calls, reached)
    for call in calls:
        if is_choice(call.caller):
            raise Unfit(call.caller.name or "", call.subject.name or "", error)
    raise error


def _endless(calls: list[_Call], reached: dict[str, list[str]]) -> UsageError:
    """Every call waits for another: follow them to the circle they stand in."""
    asks = {call.caller.name or "": call.subject.name or "" for call in calls}
    chain: list[str] = []
    at = next(iter(asks))
    while at not in chain:
        chain.append(at)
        at = reached[asks[at]][0]
    circle = chain[chain.index(at) :]
    steps = []
    for name, following in zip(circle, (*circle[1:], circle[0]), strict=True):
        calls_it = "" if following == asks[name] else f", which calls '{following}'"
        steps.append(f"'{name}' asks for the derivative of '{asks[name]}'{calls_it}")
    return UsageError(
        f"the derivative of '{asks[circle[-1]]}' is made of itself",
        function=circle[-1],
        why="; ".join(steps),
        hint="take one of the derivatives in a function that the others do not call",
    )


def _round(
    module: Module,
    calls: list[_Call],
    index: AddressIndex,
    config: Config,
    prepare: Prepare | None,
    done: Lowering,
    waiting: bool,
    optimised: bool,
) -> None:
    sites = [read_site(module, call.caller, call.call, call.kind, call.subject) for call in calls]
    share_layout(sites)
    refuse_unmatched(module, sites)
    asked: list[Asked] = []
    derivatives: list[str] = []
    for group in _apart(module, sites, index):
        made = _derive(module, group, index, config, prepare, done, waiting, optimised)
        for site, function in zip(group, made, strict=True):
            place = module.place_of(site.call, site.caller)
            asked.append(Asked(function.name or "", site.caller.name or "", place))
        with config.trace.step("lower"):
            replace_sites(module, group, made)
        derivatives += [function.name or "" for function in made]
    complete_calls(module)
    done.asked += asked
    done.derivatives += derivatives


def _apart(module: Module, sites: Sequence[Site], index: AddressIndex) -> list[list[Site]]:
    """Calls of which the functions differentiated reach no function in common, in groups. What is chosen for loops is
    tried out from one making of all derivatives to the next, and other groups need not be made again for that."""
    groups: list[tuple[set[str], list[Site]]] = []
    for site in sites:
        names = set(reachable_functions(module, [site.subject.name or ""], index))
        mine = [site]
        for group in [each for each in groups if not names.isdisjoint(each[0])]:
            groups.remove(group)
            names |= group[0]
            mine = [*group[1], *mine]
        groups.append((names, mine))
    return [mine for _, mine in groups]


def _derive(
    module: Module,
    sites: Sequence[Site],
    index: AddressIndex,
    config: Config,
    prepare: Prepare | None,
    done: Lowering,
    waiting: bool,
    optimised: bool,
) -> list[Function]:
    """The derivatives that some calls ask for, taken into the program."""
    roots = dict.fromkeys(site.subject.name or "" for site in sites)
    names = reachable_functions(module, roots, index)
    text = _prepared(module, names, config, prepare, roots, index, done.derivatives, optimised)
    made: list[Function] = []

    def derive(engine: Engine) -> None:
        made.clear()
        for site in sites:
            refuse_hidden_numbers(
                engine.subject(site.request.function), site.request, site.inferred_constant, site.quiet
            )
        made.extend(derivative_of(engine, site) for site in sites)

    reverse = any(site.request.mode != "forward" for site in sites)
    engine, importer = _derived(
        module, text, config, index, roots, len(names), derive, done, waiting, reverse, optimised
    )
    with config.trace.step("lower"):
        finish(engine)
        _take_all(engine, importer, config, done.text, names)
    return made


def _remove_declarations(module: Module) -> None:
    for name, declared in list(module.functions.items()):
        if entry_point(name) is not None and declared.is_declaration and not declared.users:
            module.remove(declared)


@without_collection()
def synthesize(
    text: str,
    function: str,
    mode: str,
    args: tuple[str, ...],
    ret: str,
    config: Config,
    prepare: Prepare | None = None,
    inferred: bool = False,
    width: int = 1,
    done: Lowering | None = None,
    again: bool = False,
    optimised: bool = False,
    with_value: bool = False,
) -> tuple[str, str]:
    """Add the derivative of one function to a program: the new text and the derivative's name.

    The signature is described in :mod:`enzyme.gradient.request`; ``ret`` is "active" for a float result. ``inferred``:
    the activities are guesses from the types, so an integer that turns out to carry numbers is refused.
    ``done`` is given the engine, also where it refuses. ``again``: the derivative is to be differentiated itself.
    ``optimised``: an optimiser has been over the program, so it may go over what is made of it. ``with_value``: the
    derivative returns the function's own result, too.
    """
    text = by_definition(absolute_tables(text))
    module = parse_module(number_labels(with_counters(text) if config.count_tape else text))
    subject = module.get_function(function)
    if subject is None or subject.is_declaration:
        raise UsageError(
            f"there is no function '{function}' to differentiate",
            why="the program does not define it",
            hint="check the name; C++ names are mangled",
        )
    way: Mode = "forward" if mode == "forward" else "reverse"
    request = Request(function, way, tuple(args), ret, width=width, return_primal=with_value)
    check_shape(request, subject, None)
    index = AddressIndex(module)
    names = reachable_functions(module, [function], index)
    prepared = _prepared(module, names, config, prepare, [function], index, optimised=optimised)
    guessed = tuple(i for i, kind in enumerate(request.args) if inferred and kind == "const")

    def derive(engine: Engine) -> None:
        refuse_hidden_numbers(engine.subject(request.function), request, guessed)
        engine.derivative(request)

    done = done or Lowering("")
    engine, importer = _derived(
        module, prepared, config, index, [function], len(names), derive, done, again, mode != "forward", optimised
    )
    made = engine.derivative(request)
    _take_all(engine, importer, config, text, names)
    prefer_halves(module, config, engine.made, ())
    made.prefix = ()
    return print_module(module), made.name or ""


def _take_all(engine: Engine, importer: Importer, config: Config, text: str, names: Iterable[str]) -> None:
    """Move what was made of the functions ``names`` into the program, which ``text`` was read from; with
    ``verify_each``, look at every function first."""
    config.trace.program("derivative", lambda: "\n".join(print_function(function) for function in engine.made))
    if config.verify_each:
        for function in engine.made:
            verify_function(function)
    versions = _called(engine.versions, engine.made)
    engine.matrices.finish((*engine.made, *versions))
    engine.made = list(dict.fromkeys(map(importer.take, engine.made)))
    for function in versions:
        importer.take(function)
    if config.pure_math and not errno_matters(importer.target, text, names):
        mark_pure(engine.made)
    if config.complex_pairs:
        split_products(engine.made)
    if config.short_sums:
        unroll_sums(importer.target, engine.made)
    define_packed(importer.target)


def _called(functions: Iterable[Function], callers: Collection[Function]) -> list[Function]:
    """Those functions that others call, to which no derivative is made of what they call."""
    return [each for each in functions if any(call.function in callers for call in direct_calls(each))]


def _prepared(
    module: Module,
    names: list[str],
    config: Config,
    prepare: Prepare | None,
    roots: Iterable[str],
    index: AddressIndex,
    earlier: Sequence[str] = (),
    optimised: bool = False,
) -> str:
    """The functions ``names`` of a program, ready for the engine; ``earlier`` are derivatives that were asked for
    inside of them, in a program that was ``optimised`` before or not."""
    if prepare is None:
        from enzyme.llvm.pipelines import prepare as default_prepare

        prepare = partial(default_prepare, optimised=optimised)
    trace = config.trace
    with trace.step("parse"):
        products = config.matrix_steps and not any(each in name for name in module.functions for each in DENSE)
        text = with_routines(extract(module, names, roots), products)
        text = with_moved_blocks(with_steps(with_factorisations(text, products)))
        text = without_barriers(with_known_lists(text, AddressIndex(module)))
        rules = (each for name in names for each in mentioned_by_rules(module, name))
        keep = {*roots, *index.taken, *rules}
    with trace.step("prepare"):
        short = bodies_inside(text)
        if short and optimised and config.simplify_again:
            from enzyme.llvm.pipelines import with_bodies_inside

            text = with_bodies_inside(text, short, keep)
        if earlier and config.inline_derivatives:
            from enzyme.llvm.pipelines import with_derivatives_inside

            text = with_derivatives_inside(text, earlier, keep, optimised and config.simplify_again)
        text = prepare(text, keep)
        small = with_small_products(text)
        text = with_pointer_phis(text if small is None else prepare(small, keep))
    trace.program("prepare", text)
    return text


def _derived(
    module: Module,
    text: str,
    config: Config,
    index: AddressIndex,
    roots: Iterable[str],
    depth: int,
    derive: Callable[[Engine], None],
    done: Lowering,
    again: bool = False,
    reverse: bool = True,
    optimised: bool = False,
) -> tuple[Engine, Importer]:
    """An engine for a prepared text that has made what ``derive`` asks for, after it has chosen what its loops do.
    Where it refuses, ``done`` has the engine that did. What is to be differentiated ``again`` keeps whole tapes,
    whatever the limit, and leaves nothing out where a tangent is zero: a zero has a derivative. ``reverse``: not
    only forward mode is asked for. ``optimised``: an optimiser has been over the program."""
    from enzyme.llvm.pipelines import rotated, shaped

    importers: list[tuple[Engine, Importer]] = []
    if again:
        config = replace(config, skip_idle_lanes=False, stack_rooms=False)
    at = len(done.engines)

    if config.tape_limit:
        with config.trace.step("prepare"):
            text = rotated(text)

    versions: list[str] = []

    def make(bodies: Mapping[Key, BodyWish], stepping: Iterable[Key]) -> Engine:
        nonlocal text
        with config.trace.step("parse"):
            prepared = read_prepared(text)
        if config.implied_branches and take_implied_branches(prepared):
            with config.trace.step("prepare"):
                text = shaped(print_module(prepared))
            prepared = read_prepared(text)
        name_blocks(prepared)
        if config.copies_in_loops:
            copy_in_loops(prepared, config.keep_beside)
        time_loops, whole = make_time_loops(prepared, stepping)
        iterations = make_iterations(prepared, bodies, config)
        engine = Engine(
            prepared,
            config,
            index,
            tuple(roots),
            iterations=iterations,
            time_loops=time_loops,
            whole=whole,
            versions=tuple(prepared.functions[name] for name in versions),
            again=again,
        )
        importers.append((engine, Importer(prepared, module)))
        return engine

    def run(engine: Engine) -> None:
        done.engines[at:] = [engine]
        deeply(depth, lambda: derive(engine))

    whole = "the program takes derivatives of derivatives" if again else ""
    refused: EnzymeError | None = None
    for shape in _shapes(text, config, optimised and config.simplify_again, reverse):
        text, versions = shape
        try:
            engine = with_choices(make, run, config, whole)
            break
        except EnzymeError as error:
            refused = error
    else:
        assert refused is not None
        raise refused
    done.engines[at:] = [engine]
    return next(pair for pair in importers if pair[0] is engine)


def _shapes(text: str, config: Config, optimised: bool, reverse: bool) -> Iterator[tuple[str, list[str]]]:
    """Prepared functions in the shapes in which they are to be differentiated, with the names of versions, and where
    that is refused in the next one: the last is the program's own, so that messages speak of that."""
    from enzyme.llvm.pipelines import shaped, simplified

    with config.trace.step("prepare"):
        prepared = read_prepared(text)
        if config.joined_counters and optimised and join_steps(prepared):
            text = print_module(prepared)
        names = put_on_stack(prepared) if config.blocks_on_stack and optimised else []
        if config.small_arrays and optimised:
            names += [each for each in mark_small_loops(prepared) if each not in names]
        if config.short_taps and optimised and reverse:
            names += [each for each in mark_stencils(prepared) if each not in names]
        if config.decided_loops and optimised:
            names += [each for each in mark_decided(prepared) if each not in names]
        small = shaped(simplified(print_module(prepared), names)) if names else text
    for each in dict.fromkeys((small, text)):
        with config.trace.step("prepare"):
            if names:
                prepared = read_prepared(each)
            ahead = with_checks_ahead(each) if config.checks_ahead and reverse and optimised else None
            if (config.edges_apart or config.wide_indices) and reverse and optimised:
                ahead = with_edges_apart(ahead or each, config.edges_apart, config.wide_indices) or ahead
            if ahead is not None:
                prepared = read_prepared(ahead)
            changed = config.one_exit and leave_once(prepared)
            ways = config.ways_together and optimised and reverse
            changed = (ways and join_stores(prepared)) or changed
            if config.joined_counters and optimised:
                changed = join_counters(prepared) or changed
            shape = print_module(prepared) if changed else ahead or each
            apart = (
                with_arrays_apart(shape, optimised, config.slices_apart) if config.arrays_apart and reverse else None
            )
            if apart is not None and optimised and (config.one_exit or ways):
                prepared = read_prepared(apart[0])  # an optimiser has been over the versions
                changed = config.one_exit and leave_once(prepared)
                changed = (ways and join_stores(prepared)) or changed
                apart = (print_module(prepared), apart[1]) if changed else apart
        if apart is not None:
            yield apart
        yield shape, []


__all__ = ["EnzymeError", "Lowering", "lower", "lower_module", "synthesize"]
