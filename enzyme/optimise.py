"""The optimisation that follows differentiation."""

from __future__ import annotations

from functools import lru_cache

from enzyme.support.collection import without_collection
from enzyme.support.config import Config
from enzyme.support.devices import for_target

_MASKED = 32
"""Processors of x86-64 whose vectors have so many bytes can load some elements of one and leave the others alone."""


@without_collection()
def optimise_program(text: str, opt_level: int, pipeline: str, config: Config) -> str:
    """What follows differentiation: -O3 with vectorisers (``pre``: after -O2); -O1 at level 1, nothing at level 0."""
    from enzyme.gradient.cleared_shadows import may_clear, with_cleared_shadows
    from enzyme.gradient.few_rounds import MANY, MANY_ON_INTEL, may_have_few, name_few, with_few
    from enzyme.gradient.fused_loops import with_fused_loops
    from enzyme.gradient.hoisted_divisions import may_divide, may_divide_in_loops, with_hoisted_divisions
    from enzyme.gradient.interchange import interchanged, may_have_nests
    from enzyme.gradient.kept_loads import has_reversed_loops
    from enzyme.gradient.lane_sums import with_lane_sums
    from enzyme.gradient.late_stores import with_late_stores
    from enzyme.gradient.looked_up_rows import with_rows_in_turn
    from enzyme.gradient.loop_pragmas import without_pragmas
    from enzyme.gradient.pairs_together import with_pairs_together
    from enzyme.gradient.parted_sums import with_parted_sums
    from enzyme.gradient.read_once import read_once
    from enzyme.gradient.ring_loads import may_have_rings, with_ring_loads
    from enzyme.gradient.rows_beside import may_have_rows, with_rows_beside
    from enzyme.gradient.scaled_products import may_scale, with_scaled_products
    from enzyme.gradient.scattered_once import may_scatter, with_scattered_once
    from enzyme.gradient.shared_rows import with_shared_rows
    from enzyme.gradient.short_chains import with_short_chains
    from enzyme.gradient.short_copies import with_short_copies
    from enzyme.gradient.short_sums import may_have_sums
    from enzyme.gradient.skewed_rows import with_skewed_rows
    from enzyme.gradient.strips import in_strips, may_have_strips
    from enzyme.gradient.sunk_loops import with_sunk_loops
    from enzyme.gradient.windows import may_have_windows
    from enzyme.llvm.aligned_blocks import with_aligned_blocks
    from enzyme.llvm.block_lists import with_block_lists
    from enzyme.llvm.codegen import is_slow_with_subnormals, prefers_halves, triple_of, vector_bytes
    from enzyme.llvm.exact_vectors import may_call_versions, with_versions
    from enzyme.llvm.handed_on import with_slots
    from enzyme.llvm.kept_blocks import with_kept_blocks
    from enzyme.llvm.pipelines import LOOP_FORMS, optimise, run_passes
    from enzyme.llvm.small_blocks import with_small_blocks
    from enzyme.llvm.vector_math import with_vector_functions, without_leftovers

    triple = triple_of(text)
    config = for_target(config, triple)
    cpu = config.cpu
    text = without_pragmas(text)
    if opt_level == 0:
        return text
    if opt_level == 1:
        return optimise(text, 1, vectorise=False, cpu=cpu)
    windows = config.windows and may_have_windows(text)  # before LLVM has taken the names away
    copying = config.keep_beside and has_reversed_loops(text)
    halves = prefers_halves(cpu, triple)
    if pipeline == "pre":
        text = optimise(text, 2, vectorise=False, unroll=False, cpu=cpu)
    if pipeline == "post" and may_have_few(text, config.few_rounds):  # while loops are as they were made
        text = name_few(text, config.few_rounds, halves) or text
    if config.rows_beside and pipeline == "post" and may_have_rows(text):  # before LLVM unrolls the sums
        text = with_rows_beside(run_passes(text, LOOP_FORMS)) or text
    reversed_nests = may_have_nests(text)
    nests = config.interchange and config.reassociate and reversed_nests
    sunk = config.sunk_loops and config.reassociate and reversed_nests
    strips = config.strips and config.reassociate and may_have_strips(text)
    updates = config.rows_beside and pipeline == "post" and reversed_nests
    cleared = config.cleared_shadows and may_clear(text)
    scattered = config.scattered_once and may_scatter(text)
    chains = config.short_chains and config.reassociate and not config.check_plan and has_reversed_loops(text)
    scaled = config.scaled_products and config.reassociate and may_scale(text) and is_slow_with_subnormals(cpu, triple)
    skewed = config.skewed_rows and pipeline == "post" and has_reversed_loops(text)
    rings = config.ring_loads and may_have_rings(text) and vector_bytes(cpu, triple) >= _MASKED
    parted = config.parted_sums and config.reassociate and pipeline == "post" and has_reversed_loops(text)
    in_turn = config.rows_in_turn and pipeline == "post" and has_reversed_loops(text)
    fused = config.fused_loops and pipeline == "post" and has_reversed_loops(text)
    asked = fused or parted or in_turn or rings or skewed or nests or sunk or strips or updates or cleared or scattered
    late = config.late_stores and pipeline == "post" and has_reversed_loops(text)
    asked = asked or chains or scaled or late
    if asked or (may_divide(text) if pipeline == "pre" else may_divide_in_loops(text)):
        ready = text if pipeline == "pre" else optimise(text, 2, False, False, cpu, copying=copying)
        ready = read_once(run_passes(ready, ("loop_simplify",)))
        formed = lru_cache(1)(
            lambda text: read_once(run_passes(text, LOOP_FORMS))
        )  # asked again where nothing has changed
        changed = with_hoisted_divisions(ready)
        if sunk:
            changed = with_sunk_loops(formed(changed or ready), exchange=nests) or changed
        changed = (interchanged(changed or ready) if nests else None) or changed
        if strips:
            changed = in_strips(formed(changed or ready)) or changed
        if fused:  # before loops have versions of their own
            changed = with_fused_loops(formed(changed or ready)) or changed
        if updates and config.shared_rows:
            changed = with_shared_rows(formed(changed or ready)) or changed
        if updates:
            changed = with_rows_beside(formed(changed or ready), updates=True) or changed
        if cleared:
            changed = with_cleared_shadows(formed(changed or ready)) or changed
        if skewed:
            changed = with_skewed_rows(formed(changed or ready)) or changed
        if scattered:
            changed = with_scattered_once(formed(changed or ready)) or changed
        if parted:
            changed = with_parted_sums(formed(changed or ready)) or changed
        if in_turn:
            changed = with_rows_in_turn(formed(changed or ready)) or changed
        if chains:
            changed = with_short_chains(formed(changed or ready), config.half_vectors and halves) or changed
        if scaled:
            changed = with_scaled_products(formed(changed or ready)) or changed
        if rings and may_have_rings(changed or ready):
            changed = with_ring_loads(formed(changed or ready)) or changed
        if late:
            changed = with_late_stores(formed(changed or ready)) or changed
        text = changed or text
    text = with_few(text, MANY_ON_INTEL if halves else MANY)
    text = with_vector_functions(text, cpu, config.vector_math, config.exact_vectors)
    text = optimise(
        text,
        3,
        cpu=cpu,
        inner_checks=config.inner_checks,
        whole_rest=config.short_sums and may_have_sums(text),
        windows=windows,
        sums_in_order=may_call_versions(text),
        copying=copying,
    )
    text = without_leftovers(text)
    text = with_pairs_together(text) if config.pairs_together else text
    text = with_lane_sums(text) if config.lane_sums and config.reassociate else text
    text = with_short_copies(text) if halves else text
    text = with_versions(text)
    text = with_small_blocks(text) if config.small_blocks else text
    text = with_aligned_blocks(text) if config.aligned_blocks else text
    text = with_kept_blocks(text, config.large_pages) if config.kept_blocks and not config.count_tape else text
    text = with_block_lists(text) if config.block_lists and not config.count_tape else text
    return with_slots(text) if config.stack_sums else text
