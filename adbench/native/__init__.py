"""Compiled tools: building C sources, entering them through one struct, timing them with one native loop."""
