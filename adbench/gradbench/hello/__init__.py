"""GradBench's module `hello`, a tool's smoke test."""
