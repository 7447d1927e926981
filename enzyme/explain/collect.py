"""Facts for ``explain``, read off the engine after it has made the derivatives (or has refused to)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from enzyme.analysis.symbolic import constant
from enzyme.explain.calls import describe_call
from enzyme.explain.model import KINDS, Derivative, LoopTape, Note, Parameter, Refusal
from enzyme.explain.peak import Sizes, evaluated, shown
from enzyme.gradient.arrays_apart import APART, OTHERWISE, asked_of, version_of
from enzyme.gradient.engine import Engine
from enzyme.gradient.loop_costs import LoopChoice, StepChoice
from enzyme.gradient.lower import Lowering
from enzyme.gradient.places import loop_place
from enzyme.gradient.plan import GUESSED_TRIPS, Origin, TapePlan
from enzyme.gradient.plan import LoopTape as PlannedTape
from enzyme.gradient.preconditions import mixed_places
from enzyme.gradient.primal import PrimalCopy
from enzyme.ir.printer import print_instruction
from enzyme.ir.values import Argument, CallBase, DebugRecord, Function, Instruction, Load, Phi, Store, Value
from enzyme.support.demangle import demangle, demangle_quoted
from enzyme.support.diagnostics import EnzymeError, SourceLocation

_SIZING = {
    "constant": "on the stack: few and known at compile time",
    "exact": "one allocation of the exact size before the loop",
    "grow per entry": "array enlarged each time the loop is entered",
    "grow per iteration": "array doubled as the loop runs, for its trip count is not known before it",
}
_METADATA = re.compile(r"(?:, ![\w.]+ !\d+| #\d+)+")


def collect(
    done: Lowering, wanted: Sequence[str] = (), sizes: Mapping[str, int] = MappingProxyType({})
) -> list[Derivative]:
    """One record per derivative: the ones asked for (``wanted``, or those of the program's calls) first, each followed
    by those that it calls. ``sizes`` gives numbers for names in the sizes of tapes."""
    asked: dict[str, list[str]] = {name: [] for name in wanted}
    for each in done.asked:
        where = f" at {each.place}" if each.place else ""
        asked.setdefault(each.derivative, []).append(f"asked for in {demangle(each.caller)}{where}")
    found: dict[str, Derivative] = {}
    for engine in done.engines:
        order = [name for name in asked if name in engine.copies] or list(engine.copies)[:1]
        tapes = Sizes(engine)
        for name in order:
            _follow(engine, name, asked, found, tapes, sizes)
    return list(found.values())


def _follow(
    engine: Engine,
    name: str,
    asked: dict[str, list[str]],
    found: dict[str, Derivative],
    tapes: Sizes,
    sizes: Mapping[str, int],
) -> None:
    work = [name]
    while work:
        at = work.pop(0)
        if at in found or at not in engine.copies:
            continue
        tape = tapes.of(at) if at in engine.plans else None
        made = _derivative(engine, at, engine.copies[at], tuple(asked.get(at, ())))
        if tape is not None:
            bytes, missing = evaluated(tape, sizes)
            made = replace(made, peak=shown(tape), peak_bytes=bytes, peak_missing=missing if sizes else ())
            room = tapes.room(at)
            if room != constant(0, 64):
                made = replace(made, room=shown(room), room_bytes=evaluated(room, sizes)[0])
        found[at] = made
        work += found[at].callees


def refusal(error: EnzymeError) -> Refusal:
    """A refusal as the report shows it."""
    where = f"in function '{error.function}'" if error.function else ""
    return Refusal(
        demangle_quoted(error.what),
        demangle_quoted(where),
        demangle_quoted(error.why or ""),
        demangle_quoted(error.hint or ""),
        error.location,
    )


def read_sources(derivatives: Iterable[Derivative], beside: str) -> dict[str, tuple[str, ...]]:
    """The text of every file that has notes, looked for where the compiler found it and beside ``beside``."""
    names = {file for each in derivatives for file, _ in each.lines}
    names |= {each.place.file for each in derivatives if each.place is not None}
    sources: dict[str, tuple[str, ...]] = {}
    for name in names:
        for path in (Path(name), Path(beside).parent / Path(name).name):
            try:
                sources[name] = tuple(path.read_text(encoding="utf-8", errors="replace").expandtabs(4).split("\n"))
                break
            except OSError:
                continue
    return sources


class _Lines:
    """Notes by source line, one of a kind and wording each."""

    def __init__(self, copy: PrimalCopy) -> None:
        self.copy, self.module = copy, copy.subject.module
        self.notes: dict[tuple[str, int], dict[tuple[str, str], Note]] = {}
        self.nowhere: dict[tuple[str, str], Note] = {}

    def place(self, inst: Instruction | None) -> SourceLocation | None:
        return self.module.place_of(inst, self.copy.subject.function) if inst is not None else None

    def add(self, inst: Instruction | None, note: Note) -> None:
        self.add_at(self.place(inst), note)

    def add_at(self, place: SourceLocation | None, note: Note) -> None:
        into = self.nowhere if place is None else self.notes.setdefault((place.file, place.line), {})
        old = into.get((note.kind, note.text))
        into[note.kind, note.text] = (
            note if old is None else Note(note.kind, note.text, note.why, old.bytes + note.bytes)
        )

    def sorted(self) -> dict[tuple[str, int], tuple[Note, ...]]:
        return {key: _ordered(self.notes[key].values()) for key in sorted(self.notes)}


def _ordered(notes: Iterable[Note]) -> tuple[Note, ...]:
    order = list(KINDS)
    return tuple(sorted(notes, key=lambda note: order.index(note.kind)))


def _derivative(engine: Engine, name: str, copy: PrimalCopy, asked: tuple[str, ...]) -> Derivative:
    subject, request = copy.subject, copy.request
    lines = _Lines(copy)
    for block in subject.cfg.blocks:
        for inst in block.instructions:
            if not isinstance(inst, DebugRecord):
                _instruction(lines, copy, inst)
    for each in mixed_places(copy.activity, request) if request.mixed else ():
        lines.add(each.instruction, Note("memory", f"{each.what}: the program finds out which", (each.why,)))
    plan = engine.plans[name][0] if name in engine.plans else None
    loops: tuple[LoopTape, ...] = ()
    counts: dict[str, int] = {}
    if plan is not None:
        counts = _plan(lines, copy, plan)
        loops = tuple(_loop(lines, copy, plan, tape) for tape in plan.tapes)
    result = {"active": "active", "dup": "a pointer with a shadow"}.get(request.ret, "no derivative")
    if subject.function.result_type.is_void:
        result = "none"
    return Derivative(
        name,
        _function_name(subject.function.name or ""),
        request.mode,
        request.width,
        tuple(_parameter(copy, argument) for argument in subject.function.args),
        result,
        subject.module.function_location(subject.function),
        asked,
        lines.sorted(),
        _ordered(lines.nowhere.values()),
        loops,
        sum(plan.sizes[value] for value in plan.scalars) if plan is not None else 0,
        counts,
        tuple(sorted(dict.fromkeys(copy.callees.values()), key=lambda called: f".{OTHERWISE}." in called)),
        (
            *_asked(subject.function),
            *(_choice(each) for each in engine.choices if each.key[0] == subject.function.name),
        ),
    )


def _function_name(name: str) -> str:
    """A function, or the version of one, in words."""
    base, version = version_of(name)
    where = {APART: ", where its arrays are apart", OTHERWISE: ", where its arrays may overlap"}
    return demangle(base) + where.get(version, "")


def _asked(function: Function) -> tuple[str, ...]:
    names = asked_of(function)
    if not names:
        return ()
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return (
        f"asks, when it is called, whether the arrays that {listed} lead to are apart; each version has its own tape",
    )


def _choice(choice: LoopChoice | StepChoice) -> str:
    place = f" at line {choice.place.line}" if choice.place else ""
    return f"loop{place} {choice}"


def _parameter(copy: PrimalCopy, argument: Argument) -> Parameter:
    tree = copy.subject.types.of(argument)
    behind = tree.pointee
    contents = ""
    if argument.type.is_pointer:
        parts = [
            ("every element" if path[0] == -1 else f"byte {path[0]}", kind.label())
            for path, kind in (behind.paths() if behind is not None else {}).items()
            if len(path) == 1
        ]
        words = [f"{kind}s" if at == "every element" else f"{kind} at {at}" for at, kind in parts[:8]]
        contents = ", ".join(words) + (", ..." if len(parts) > 8 else "") if words else "unknown contents"
    name = argument.name or f"parameter {argument.index + 1}"
    type = "pointer" if argument.type.is_pointer else str(argument.type)
    if argument.index in copy.request.overwritten:
        contents += ", which may be overwritten before the reverse part runs"
    return Parameter(name, copy.request.args[argument.index], type, contents)


# --- instructions ----------------------------------------------------------------------------------------------------


def _shown(value: Value) -> str:
    text = print_instruction(value).strip() if isinstance(value, Instruction) else f"%{value.name}"
    text = _METADATA.sub("", text)
    return demangle_quoted(text if len(text) <= 160 else text[:157] + "...")


def _why(copy: PrimalCopy, value: Value) -> tuple[str, ...]:
    chain = copy.activity.reason_chain(value).split("\n")[1:]
    lines = [_METADATA.sub("", line)[2:] for line in chain]
    if len(lines) > 14:
        lines[7:-7] = ["  ..."]
    return tuple(demangle_quoted(line if len(line) <= 180 else line[:177] + "...") for line in lines)


def _summary(copy: PrimalCopy, value: Value) -> str:
    """Where activity starts and where it ends, in one phrase."""
    words = []
    for known, verb in ((copy.activity.varied, "depends on"), (copy.activity.useful, "reaches")):
        node = value
        seen = 0
        while node in known and known[node][0] is not None and seen < 10_000:
            node = known[node][0]  # type: ignore[assignment]
            seen += 1
        label = getattr(node, "label", None)
        if node is copy.subject.function:
            words.append(f"{verb} the return value")
        elif isinstance(label, str):
            words.append(f"{verb} {_memory(label)}")
        elif isinstance(node, Argument):
            words.append(f"{verb} argument {node.name or node.index + 1}")
    return ", ".join(words)


def _memory(label: str) -> str:
    """An abstract object of the analyses in words."""
    kind, _, name = label.partition(" ")
    name = name.lstrip("%@")
    words = {"arg": f"what {name} points to", "alloca": f"the local variable {name}", "global": f"the global {name}"}
    return words.get(kind, f"memory ({label})")


def _instruction(lines: _Lines, copy: PrimalCopy, inst: Instruction) -> None:
    activity, types = copy.activity, copy.subject.types
    if isinstance(inst, CallBase):
        found = describe_call(copy, inst)
        if found is not None:
            lines.add(inst, Note(found[0], found[1], (_shown(inst),)))
    if isinstance(inst, (Load, Store)):
        shadowed = activity.needs_shadow(inst.pointer)
        moved = inst.value if isinstance(inst, Store) else inst
        if shadowed:
            size = copy.subject.module.datalayout.size_of(moved.type)
            kinds = "; ".join(str(segment) for segment in types.memory_kinds(inst.pointer, size))
            verb = "writes" if isinstance(inst, Store) else "reads"
            lines.add(
                inst, Note("memory", f"{verb} memory with a shadow ({moved.type})", (_shown(inst), f"bytes {kinds}"))
            )
            if "unknown" in kinds or "conflict" in kinds:
                lines.add(inst, Note("unknown", f"what these bytes hold: {kinds}", (_shown(inst),)))
    if inst.type.is_void or inst.is_terminator:
        return
    if activity.active_value(inst):
        name = f"%{inst.name}" if inst.name else inst.opcode
        why = (_shown(inst), f"type {types.of(inst)}", *_why(copy, inst))
        lines.add(inst, Note("active", f"{name} ({inst.opcode}): {_summary(copy, inst)}", why))
    elif types.value_carries_float(inst) and not isinstance(inst, Phi):
        name = f"%{inst.name}" if inst.name else inst.opcode
        missing = "no active input reaches it" if inst not in activity.varied else "no active output depends on it"
        lines.add(inst, Note("inactive", f"{name} ({inst.opcode}): {missing}", (_shown(inst), *_why(copy, inst))))


# --- the tape --------------------------------------------------------------------------------------------------------


def _primal(copy: PrimalCopy, value: Value) -> tuple[Instruction | None, str]:
    """The subject's instruction behind a value of the copy, and what the value is."""
    made = copy.origin.get(value)
    if made is not None:
        return made, f"%{made.name}" if made.name else made.opcode
    shadow = copy.shadow_origin.get(value)
    if shadow is not None:
        return shadow, f"the shadow of %{shadow.name}" if shadow.name else "a shadow"
    block = copy.back.get(value.block) if isinstance(value, Instruction) and value.block is not None else None
    near = next((i for i in block.instructions if i.metadata.get("dbg")), None) if block is not None else None
    if isinstance(value, Phi):
        for loop, counter in copy.counters.items():
            if counter is value:
                return next((i for i in loop.header.instructions if i.metadata.get("dbg")), None), "the loop's counter"
        if value in copy.exit_counters.values():
            return near, "how often the loop ran"
        if value in copy.arrivals.values():
            return near, "the way by which this place was reached"
    return near, f"%{value.name}" if value.name else "a value of the engine"


def _plan(lines: _Lines, copy: PrimalCopy, plan: TapePlan) -> dict[str, int]:
    counts = {"kept": 0, "recomputed": 0, "reloaded": 0}
    for value, origin in plan.origins.items():
        inst, what = _primal(copy, value)
        size = plan.sizes.get(value, 0)
        if value in plan.kept or value in plan.checked:
            counts["kept"] += 1
            why = "only to be compared" if value in plan.checked else origin.reason
            why = why or "takes fewer bytes than what it is computed from"
            much = f"{size} byte{'s' if size != 1 else ''}" if size else "in a byte with another decision"
            if value in plan.places:
                much = f"at the place of {_primal(copy, plan.places[value])[1]}, which no call makes as well"
            lines.add(inst, Note("keep", f"{what}: {much}, {why}", (_shown(value),), size))
        elif origin.source in ("reload", "snapshot"):
            counts["reloaded"] += 1
            lines.add(inst, Note("reload", f"{what}: {origin.reason}", (_shown(value),)))
        elif origin.source != "free":
            counts["recomputed"] += 1
            lines.add(inst, Note("recompute", f"{what}: {_from(copy, origin)}", (_shown(value),)))
    return counts


def _from(copy: PrimalCopy, origin: Origin) -> str:
    if origin.source == "affine":
        return "from the iteration's number"
    if origin.source == "count":
        return "from the loop's bounds"
    names = list(dict.fromkeys(_primal(copy, value)[1] for value in origin.inputs if isinstance(value, Instruction)))
    return f"from {', '.join(names)}" if names else "from constants and parameters"


def _loop(lines: _Lines, copy: PrimalCopy, plan: TapePlan, tape: PlannedTape) -> LoopTape:
    size = sum(plan.sizes[value] for value in tape.values)
    place = loop_place(copy.subject, tape.loop)
    grows = tape.sizing.startswith("grow")
    total = f", {tape.total} iterations in all, {tape.total * size} bytes" if tape.total is not None else ""
    sizing = _SIZING[tape.sizing]
    if tape.around is not None:
        line = loop_place(copy.subject, tape.around)
        sizing += f", for all runs in the loop{f' at line {line.line}' if line is not None else ' around it'} at once"
    if tape.snapshot is not None:
        known = (
            "" if not tape.snapshot.factors else f", with {GUESSED_TRIPS} for what is not known before the program runs"
        )
        how = "copied" if tape.snapshot.writer is None else "written there in the first place"
        sizing += f", for the whole of %{tape.snapshot.home.name}, {how}{known}"
    text = f"keeps {size} bytes per iteration{total}: {sizing}"
    names = tuple(f"{_primal(copy, value)[1]} ({plan.sizes[value]} bytes)" for value in tape.values)
    lines.add_at(place, Note("loop", text, names, size))
    if grows:
        what = "the tape of this loop grows while it runs: a bound known before the loop would size it once"
        lines.add_at(place, Note("cost", what))
    overwritten = [v for v in tape.values if plan.origins[v].reason.startswith("overwritten")]
    for value in overwritten:
        inst, what = _primal(copy, value)
        lines.add(inst, Note("cost", f"{what} is kept because its memory is overwritten later: results in an array of "
                             "their own would let it be read again"))  # fmt: skip
    return LoopTape(place, tape.loop.depth, size, tape.total, sizing, grows, names)
