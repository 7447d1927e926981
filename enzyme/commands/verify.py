"""``python -m enzyme verify``: derivatives of random programs against differences and against each other."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from enzyme.commands.parser import Parser


def run(words: Sequence[str]) -> int:
    """The command. Returns the exit status: 1 when a derivative was wrong."""
    parser = Parser(
        prog="python -m enzyme verify",
        description="Check derivatives of random programs: reverse against forward mode against differences.",
    )
    parser.add_argument("--fuzz", type=_count, required=True, metavar="N", help="how many random functions to check")
    parser.add_argument("--seed", type=int, default=0, help="of the random functions (default 0)")
    parser.add_argument(
        "--level", type=int, choices=(0, 1, 2, 3), action="append", help="optimisation level, repeatable (default: all)"
    )
    parser.add_argument(
        "--pipeline", choices=("post", "pre"), action="append", help="pipeline, repeatable (default: both)"
    )
    parser.add_argument(
        "--settings", type=_count, metavar="N", help="of the levels and pipelines, N for each function (default: all)"
    )
    parser.add_argument(
        "--without", metavar="F,...", default="", help="leave features of programs out: lists, structs, second, ..."
    )
    parser.add_argument(
        "--nests", action="store_true", help="programs of loops over matrices and vectors, in place of all kinds of C"
    )
    parser.add_argument("--check-plan", action="store_true", help="compare what the plan recomputes with values kept")
    parser.add_argument(
        "--oracle", choices=("enzyme-ad",), help="compare gradients with those of another tool, where it is installed"
    )
    parser.add_argument("--jobs", type=_count, help="processes (default: one per core)")
    options = parser.parse_args(list(words))
    from enzyme.support.config import config_from_environment
    from enzyme.verify.features import ALL
    from enzyme.verify.fuzz import fuzz_main
    from enzyme.verify.generator import generate
    from enzyme.verify.nests import generate_nests

    without = frozenset(word for word in options.without.split(",") if word)
    if without - ALL:
        parser.error(f"--without takes {', '.join(sorted(ALL))}")
    if options.oracle and options.nests:
        parser.error("--oracle compares programs of all kinds; leave --nests out")
    if options.oracle:
        from enzyme.verify.original import compare

        level = options.level[0] if options.level else 2
        return 1 if compare(options.fuzz, options.seed, level, print, ALL - without) else 0
    config = config_from_environment()
    failed = fuzz_main(
        options.fuzz,
        seed=options.seed,
        levels=options.level or (0, 1, 2, 3),
        pipelines=options.pipeline or ("post", "pre"),
        config=replace(config, check_plan=config.check_plan or options.check_plan, cache=None),
        jobs=options.jobs,
        features=ALL - without,
        share=options.settings,
        make=generate_nests if options.nests else generate,
    )
    return 1 if failed else 0


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return number
