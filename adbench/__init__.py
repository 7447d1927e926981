"""The benchmark harness: times, checks, stores and draws automatic differentiation tools on shared workloads."""

from __future__ import annotations

__all__ = ["SCHEMA_VERSION"]

SCHEMA_VERSION = 2
"""Version of the lines in ``results.jsonl``; ``adbench/schema.py`` has the list and the upgrades."""
