"""The engine's one configuration object, and the one function that reads the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from enzyme.support.cache import Cache, cache_from_environment
from enzyme.support.diagnostics import UsageError
from enzyme.support.trace import Trace

Loops = Literal["auto", "recompute"]


@dataclass(frozen=True)
class Config:
    """Settings of the engine; frozen, passed explicitly, part of every request's memo key.

    What is true by default is an optimisation that can be turned off: see :func:`switches`.

    check_plan: also keep every value the reverse sweep needs, the naive way, and compare bit by bit at run time
        with what the tape plan recomputed or reloaded; a mismatch aborts the program with the value's name.
    count_tape: let the program count the bytes of its tapes, in ``enzyme_tape_now`` and ``enzyme_tape_peak``.
    strong_zero: in every derivative, zero times an infinite or NaN partial is zero.
    runtime_activity: in every derivative, a shadow pointer equal to its primal means, at run time, inactive memory.
    verify_each: run the engine's own IR verifier over every function it makes (LLVM's always runs before optimising).
    recompute: let the tape plan recompute values in the reverse sweep (off: keep everything the sweep needs).
    math: "strict" computes what the program's own flags say; "relaxed" lets the whole program and its derivatives be
        reassociated, contracted and approximated, as if compiled with -funsafe-math-optimizations.
    arrays_apart: give functions whose array parameters may overlap a version for when they do not, which the running
        program asks.
    slices_apart: ask so, too, of arrays that a function cuts out of one block it is given (``v = w + n``).
    checks_ahead: give loops whose indices are checked (``at`` in C++, all in Rust) a version without the checks, for
        when none can fail, which the running program asks in front of them.
    edges_apart: run the first and last iterations of a loop, where an index goes around (``(i + n - 1) % n``), stops at
        an edge, turns around there, or is left out beyond it, apart from those between, which then have plain indices
        and windows of neighbours as long as one another, unrolled.
    wide_indices: make indices of 32 bits whose sums might wrap, as those of rows and columns in short loops, in 64,
        where the running program finds in front of the nest that all of them are small.
    dependences: prove by the bounds of loops that what is read of a matrix is not overwritten later, as in a
        factorisation in place, so that nothing of it goes on the tape.
    windows: keep the shadows of neighbouring elements in registers from one reversed iteration to the next.
    ascending: let reversed loops whose iterations decide something (also whether a partial may be infinite), or add to
        windows, and are independent, run them in the order of the primal, so that vectors need not be turned around,
        and with them those beside them, or several that all may; works where ``reassociate`` is on as well.
    last_reads: set the shadow of what is read for the last time, instead of adding to the zero that is there, and do
        not clear what is set before it is read, nor fill a shadow with zeros of which nothing asks for any.
    cleared_shadows: where the program clears a shadow right in front of a derivative, and a loop of that adds to each
        element once, set the shadow there, and do not clear it.
    scaled_products: sums over lanes of products with very small factors are made of scaled products, on processors that
        are slow with subnormal numbers.
    skewed_rows: where each number of a row waits for the one before it, run up to four rows beside each other, each a
        round behind the one before.
    scattered_once: where a loop of the primal puts numbers into a large array of the function's own at places that it
        looks up, all different and a power of two apart, leave out the zeros that its reversal would put there.
    shadow_scopes: tell LLVM that numbers in shadows are apart from the memory of the primal, in forward mode also that
        those of one lane are apart from those of another.
    row_scopes: tell LLVM which rows of one shadow are apart (``w[i]``, ``w[n + i]``, ... for i below n).
    vector_math: call vector versions of mathematical functions (glibc's libmvec) where a call's flags allow
        approximations.
    exact_vectors: call vector versions of exp, expm1 and tanh that give the C library's very bits, where calls do not
        set ``errno`` and this machine's library (glibc, x86-64) is seen to compute them so.
    inner_checks: let LLVM compare what a vectorised inner loop touches in front of that loop: in front of the loop
        around it, it takes whatever runs backwards, as reversed loops do, for an overlap.
    reassociate: where each iteration of a loop adds to one and the same adjoint, let LLVM choose the order of that sum.
    bits: keep the decisions of loops as bits, where it is known in front how many there are: an eighth of the memory,
        but such loops do not run in vectors.
    warp_tapes: on a GPU (sm_70 or later), put what the threads of a warp keep side by side into one block of the heap,
        where it does not fit on their stacks.
    interchange: exchange the loops of reversed nests where the inner one would step over whole rows of a matrix and
        the outer one goes along them; works where ``reassociate`` is on as well.
    sunk_loops: run reversed loops that go along memory inside of the short loops that stand in them, as those of a
        convolution, some hundred iterations at a time; works where ``reassociate`` is on as well.
    strips: where a reversed loop adds to neighbouring elements, as that of a stencil does, put what many iterations add
        into arrays first, so that both that and adding it run in vectors; works where ``reassociate`` is on as well.
    ring_loads: where a loop beside reversed ones chooses in each iteration where a neighbour is, as a stencil on a ring
        does, load what one iteration has elsewhere in front of the loop, and what the others have with a mask.
    short_chains: where iterations of a reversed loop wait for the adjoints that others hand them, compute the matrices
        by which these are multiplied first, in vectors; works where ``reassociate`` is on as well.
    few_rounds: make versions of derivatives for one to four components, where a parameter says how many there are and
        all loops inside of a longer one run as often: what goes from step to step then stays in registers. And
        one without vectors for some more, where a step reads neighbours of what the one before wrote.
    rows_beside: run inner loops that add up numbers in their order for several rows beside each other, where
        one row does not wait for another.
    shared_rows: take the rows of two nests that change what lies along the same rows, one behind the other, through
        both a few at a time, so that they come from far away once; works where ``rows_beside`` and ``reassociate`` are
        on as well.
    late_stores: in innermost loops of derivatives, store what is computed of numbers that the iteration before handed
        on, which the tape keeps or a strip takes, behind what is handed on to the next one: LLVM makes such loops
        vectors only then. Off: where it is first had;
    rows_in_turn: tell loops of derivatives over short rows that are looked up to run row by row, in vectors along the
        rows, where LLVM would gather the elements of several.
    parted_sums: run short reversed loops that add to several rows of shadows, of which it is not known that they are
        apart, once for each row, so that vectors can be made of them; works where ``reassociate`` is on as well.
    fused_loops: run loops that stand one behind the other, as the stages of a step in time, as one loop in which they
        hand numbers on in registers; only sums that may be made in any order may change in the last bits.
    linear_maps: where the reverse sweep multiplies by one and the same matrix in each iteration of a loop that runs its
        iterations again, and only adds the results up, add up what it multiplies, and multiply once; works where
        ``reassociate`` is on as well.
    share_bytes: keep the decisions that one block of a loop makes as bits of one byte for each iteration.
    reload: let the tape plan reload values from primal memory that is proved not overwritten.
    handed_loads: also those that an iteration was handed by the one before, which loaded them there.
    idle_loops: pass by loops in which nothing is differentiated, and do not keep how often they ran.
    skip_unchosen: leave out reversed loops whose results a minimum or another choice did not take.
    aligned_blocks: let tapes, shadows and other blocks that one function allocates and frees begin with a line of the
        cache, if they have 2048 bytes and more (256 around nests of loops), and so arrays of numbers on the stack from
        256 bytes on.
    small_blocks: let blocks that one function allocates and frees lie on the stack, where they turn out to have less
        than 2048 bytes.
    lane_sums: make sums over lanes of vectors that are added to neighbouring numbers four at a time; works where
        ``reassociate`` is on as well.
    half_vectors: let derivatives and what asks for them work in vectors of 32 bytes on processors whose registers have
        64, if their units have 32 (AMD Zen 4), or if loops may be short (Zen 5), and in whole registers where they are
        long (Zen 5, Sapphire Rapids), unless the program says how wide its vectors are to be.
    short_sums: unroll loops inside of others that make sums in a fixed order four times, not eight, and run what is
        left without a loop.
    complex_pairs: let products of complex numbers, whose parts lie side by side, be made in one register each (x86-64).
    pairs_together: where a register holds two complex numbers, do not unroll loops whose products ``complex_pairs``
        makes in registers, and run two iterations at once of those that stand in no other loop.
    stack_sums: let a number that a loop hands on while it calls a function stay in one place of the stack (x86-64).
    inline_derivatives: take small derivatives apart into the functions that are then differentiated once more.
    simplify_again: optimise such functions once more before that, in programs that an optimiser has seen.
    partners: where a partial is a function of a number that the program calls itself (the cosine beside the sine), take
        that value.
    quotients: derive a quotient of a power of two, as a reciprocal is, without another division.
    squares: in reverse mode, derive the product of a number with itself once, and not once for each factor.
    roots: in reverse mode, derive products of a square root and what it is the root of without the root's partial.
    reciprocals: where derivatives divide several numbers by one, or the program has its reciprocal, multiply by that;
        also where a loop is a chain of quotients.
    pure_math: say that mathematical functions in derivatives touch no memory, so that LLVM drops, merges and moves
        their calls (errno is then not set), unless the program may look at errno.
    last_choice: where a loop takes what one of its iterations computed, as a minimum does, reverse that one alone. The
        largest or smallest number of an array, and where it stands, is found in vectors, bit by bit the same.
    direct_frees: what the primal frees once at most, free in the end without a list, so that LLVM sees what is apart.
    entries_together: put what each iteration of a loop keeps side by side, where its arrays grow as it goes on.
    one_block: let the arrays of a nest that grow share one block of memory, and those of functions that are called.
    stack_rooms: let the tape of a loop begin on the stack, where it grows as the loop goes on.
    remember_rooms: give arrays that grow room for as much as the last call of the same derivative used, so that they do
        not grow again and again, and move.
    small_frames: let numbers of ways that exclude each other share a place in the frame of a function that is called,
        keep nothing for parameters that the reversal of a recursion only hands on to itself, and let the caller keep
        what is in frames of up to 64 bytes, or 256 outside of loops.
    late_frames: let calls of functions that keep nothing on some ways, as recursions do at their end, allocate nothing
        there; which way it was is asked of the parameters, where these tell. Locals of recursions are part of that.
    keep_beside: store numbers that loops load and keep one by one, where they are loaded, and what reversed loops set
        likewise (off: LLVM makes block copies of such stores, by calls).
    large_pages: ask Linux for pages of two megabytes where a tape takes 32 and more, or an array that grows four.
    block_lists: let blocks of derivatives that take up to 112 KiB go to lists of the thread and come from there,
        not from the allocator. They are freed when the thread ends.
    kept_blocks: keep blocks of tapes that take 128 KiB and more for the next tape that fits, instead of giving them
        back to the system each time (Linux; see :func:`enzyme.free_tapes`).
    snapshots: keep a copy of a whole array, where loops find the same in many places of it and it is overwritten then.
    implied_branches: take branches that earlier branches decide, as that of a loop over n where n n is not positive.
    joined_counters: make counters of a loop that are always as far apart one, as of ``i`` and ``i + 1``, and
        compute once again what is the same on all ways through an iteration, as ``i + 1``.
    one_exit: join the ends that an optimiser gave a loop for the case that nothing in it is done, so that it is left
        from one place, and let the block that makes a loop's test be the one that goes back to its head.
    blocks_on_stack: make small blocks of the heap that a function gives back itself, and that nobody else sees, locals
        of it before it is differentiated: a vector of three numbers, as it is declared in a loop. Off: each of them is
        kept until the reverse sweep has been there, with a shadow;
    small_arrays: unroll loops of two, three and some other numbers of rounds over small arrays of a function's own, so
        that their elements are in registers; works where ``simplify_again`` is on as well.
    short_taps: unroll loops of a few rounds over the neighbours of an element, as those of a convolution, where the
        loop around them goes on by one of these; works where ``simplify_again`` is on as well.
    decided_loops: unroll loops of a few rounds whose counter is halved or the like and begins with a constant, as those
        of powers with constant exponents; works where ``simplify_again`` is on as well.
    matrix_steps: differentiate products of matrices and triangular solves that BLAS computes as such, which it computes
        as well (off: as the loops that they are).
    copies_in_loops: let a loop copy, element by element, what an optimiser has it copied by a call in front of it.
    keep_once: let all runs of an inner loop share what they keep, where it is the same in each of them.
    interleave: in forward mode of several lanes, let the lanes of a number lie side by side in shadows of memory that
        only the derivative sees, and compute them as vectors (off: every lane by itself).
    lane_group: how many lanes go into a vector; 0 means as many as a vector register of the machine holds, at most 32
        bytes of them where groups that have nothing to do are skipped.
    vector_bytes: of a vector register, for lanes that lie side by side: 16, 32 or 64; 0 means as many as ``cpu`` has.
    group_loops: where the lanes lie side by side, take one group of lanes after the other through a loop.
    lanes_ahead: do so in front of the loop, too, where it overwrites what it has read.
    skip_idle_lanes: in such loops, leave out what is added to memory in lanes with zero tangents.
    rows_together: where loops that add stand in a loop of two to four iterations, add for all of those in one loop; the
        numbers themselves, too, where rows are known to be apart.
    pack_iterations: let iterations of such a loop share vector registers, where a group of lanes fills a part of one.
    lane_vectors: in reverse mode of several lanes, compute the adjoints of a number in all of them as a vector, in
        functions without loops and in loops that LLVM does not make vectors of.
    idle_factors: leave out the terms of values from outside of such a loop that do not move in a group of lanes, and
        short nests of which nothing moves that they read; works where ``skip_idle_lanes`` is on as well.
    column_strips: in forward mode, where the inner loops of a nest all run over the same columns of what they write,
        run the nest for one strip of columns after the other, so that each stays in cache, and clear it only then.
    iterations: let a loop run its iterations again in the reverse sweep, in place of a tape (off: no loop does).
    stored_results: let the loop store the results of such iterations, and read for them what is overwritten later.
    scattered_sums: let it also add to numbers in memory where a table says, or the iteration, and run several at once
        there, and where numbers are looked up.
    fuse: leave such iterations out of the forward sweep where nothing asks for what they make.
    iterations_together: run eight of such iterations at once, in vectors, where all of them go the same way; works
        where ``reassociate`` is on as well.
    records_together: run innermost loops over records (``u[i].x``, ``u[i][k]``) so that read those of other iterations
        as well, whatever is on the tape.
    ways_together: run iterations so, too, that go different ways which only compute, as limiters and upwind fluxes do:
        both are computed, and what was not asked for is left; stores at the end of all ways are made behind them.
    at_once: reverse calls, and iterations of loops, where the forward sweep comes to them, if the adjoint of what they
        return is known then: it goes into a sum that is returned.
    packed_rows: where each of those reads a row of its own again and again, lay the rows side by side first.
    neighbour_calls: where those call a function of mathematics with what their neighbours call it with, and it has no
        version for vectors, call it once.
    loops: "auto" does so where it pays, "recompute" wherever it is right.
    tape_limit: bytes of tape that loops are to stay under, by keeping some of their states and running their steps
        again; 0 means no limit.
    cc: path of a clang to use in place of the one inside the ``ziglang`` wheel; None means the default.
    cache: where compiled derivatives are kept for the next time, or None; by default what the environment says.
    trace: what is measured and printed on the way; no part of what is asked for, and neither is ``cache``.
    cpu: target CPU name for code generation; "" is the target's generic CPU and "native" the host's.
    """

    check_plan: bool = False
    count_tape: bool = False
    strong_zero: bool = False
    runtime_activity: bool = False
    verify_each: bool = False
    recompute: bool = True
    bits: bool = False
    warp_tapes: bool = False
    reload: bool = True
    handed_loads: bool = True
    arrays_apart: bool = True
    slices_apart: bool = True
    checks_ahead: bool = True
    edges_apart: bool = True
    wide_indices: bool = True
    dependences: bool = True
    windows: bool = True
    ascending: bool = True
    last_reads: bool = True
    cleared_shadows: bool = True
    scaled_products: bool = True
    skewed_rows: bool = True
    scattered_once: bool = True
    shadow_scopes: bool = True
    row_scopes: bool = True
    reassociate: bool = True
    inner_checks: bool = True
    interchange: bool = True
    sunk_loops: bool = True
    strips: bool = True
    ring_loads: bool = True
    short_chains: bool = True
    few_rounds: bool = True
    rows_beside: bool = True
    shared_rows: bool = True
    late_stores: bool = True
    rows_in_turn: bool = True
    parted_sums: bool = True
    fused_loops: bool = True
    linear_maps: bool = True
    vector_math: bool = True
    exact_vectors: bool = True
    idle_loops: bool = True
    skip_unchosen: bool = True
    last_choice: bool = True
    direct_frees: bool = True
    entries_together: bool = True
    one_block: bool = True
    stack_rooms: bool = True
    remember_rooms: bool = True
    late_frames: bool = True
    small_frames: bool = True
    keep_beside: bool = True
    implied_branches: bool = True
    joined_counters: bool = True
    one_exit: bool = True
    blocks_on_stack: bool = True
    small_arrays: bool = True
    short_taps: bool = True
    decided_loops: bool = True
    matrix_steps: bool = True
    copies_in_loops: bool = True
    large_pages: bool = True
    kept_blocks: bool = True
    block_lists: bool = True
    snapshots: bool = True
    keep_once: bool = True
    share_bytes: bool = True
    pure_math: bool = True
    partners: bool = True
    quotients: bool = True
    squares: bool = True
    roots: bool = True
    reciprocals: bool = True
    stack_sums: bool = True
    short_sums: bool = True
    complex_pairs: bool = True
    pairs_together: bool = True
    lane_sums: bool = True
    half_vectors: bool = True
    aligned_blocks: bool = True
    small_blocks: bool = True
    inline_derivatives: bool = True
    simplify_again: bool = True
    math: str = "strict"
    interleave: bool = True
    lane_group: int = 0
    vector_bytes: int = 0
    group_loops: bool = True
    lanes_ahead: bool = True
    skip_idle_lanes: bool = True
    rows_together: bool = True
    pack_iterations: bool = True
    lane_vectors: bool = True
    idle_factors: bool = True
    column_strips: bool = True
    iterations: bool = True
    stored_results: bool = True
    scattered_sums: bool = True
    fuse: bool = True
    iterations_together: bool = True
    records_together: bool = True
    ways_together: bool = True
    packed_rows: bool = True
    neighbour_calls: bool = True
    at_once: bool = True
    loops: Loops = "auto"
    tape_limit: int = 0
    cc: str | None = None
    cpu: str = "native"
    cache: Cache | None = field(default_factory=cache_from_environment, compare=False, repr=False)
    trace: Trace = field(default_factory=Trace, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.math not in ("strict", "relaxed"):
            raise UsageError(f"there is no kind of mathematics '{self.math}'", hint='use "strict" or "relaxed"')
        if self.vector_bytes not in (0, 16, 32, 64):
            why = "vectors that lanes lie in are as large as vector registers"
            raise UsageError(f"no vectors of {self.vector_bytes} bytes", why=why, hint="use 16, 32 or 64")


def switches() -> tuple[str, ...]:
    """The optimisations that can be turned off one by one: every Boolean setting that is on by default.

    What runs the tests with each of them off, and what measures what each of them gains, go through this list.
    """
    return tuple(each.name for each in fields(Config) if each.default is True)


def turned_off(config: Config, words: str) -> Config:
    """``config`` without the optimisations named in ``words``, which commas or spaces separate; ``all`` names each."""
    names = [word for word in re.split(r"[,\s]+", words) if word]
    known = switches()
    for name in names:
        if name not in (*known, "all"):
            raise UsageError(f"there is no optimisation '{name}' to turn off", hint=f"use {', '.join(known)} or all")
    changes: dict[str, Any] = dict.fromkeys(known if "all" in names else names, False)
    return replace(config, **changes)


def read_bytes(words: str) -> int:
    """A number of bytes as people write it: ``4096``, ``64K``, ``64KiB``, ``1.5 GB``; ``0`` or nothing is none."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", words.lower() or "0")
    if found is None:
        raise UsageError(f"'{words}' is no number of bytes", hint="write it like 4096, 64KiB or 2GB")
    decimal = words.lower().rstrip().endswith("b") and not found[3]
    return int(float(found[1]) * (1000 if decimal else 1024) ** " kmgt".index(found[2] or " "))


def config_from_environment(environment: Mapping[str, str] | None = None) -> Config:
    """A :class:`Config` from ``ENZYME_CC``, ``ENZYME_CPU``, ``ENZYME_CHECK_PLAN``, ``ENZYME_BITS``,
    ``ENZYME_WARP_TAPES``, ``ENZYME_COUNT_TAPE``, ``ENZYME_VERIFY``, ``ENZYME_MATH``, ``ENZYME_LOOPS``,
    ``ENZYME_TAPE_LIMIT`` and ``ENZYME_OFF``, which names optimisations to turn off."""
    env = os.environ if environment is None else environment

    def flag(name: str) -> bool:
        return env.get(name, "").strip().lower() in {"1", "true", "yes", "on"}

    loops = env.get("ENZYME_LOOPS", "auto").strip().lower()
    config = Config(
        loops=loops if loops in get_args(Loops) else "auto",  # type: ignore[arg-type]
        check_plan=flag("ENZYME_CHECK_PLAN"),
        count_tape=flag("ENZYME_COUNT_TAPE"),
        bits=flag("ENZYME_BITS"),
        warp_tapes=flag("ENZYME_WARP_TAPES"),
        verify_each=flag("ENZYME_VERIFY"),
        cc=env.get("ENZYME_CC") or None,
        cpu=env.get("ENZYME_CPU", "native"),
        math=env.get("ENZYME_MATH", "").strip() or "strict",
        tape_limit=read_bytes(env.get("ENZYME_TAPE_LIMIT", "0")),
        cache=cache_from_environment(env),
    )
    return turned_off(config, env.get("ENZYME_OFF", ""))


def asked(config: Config) -> list[str]:
    """What of a configuration can change a result, for the keys that results are kept under."""
    return [f"{each.name}={getattr(config, each.name)!r}" for each in fields(config) if each.compare]
