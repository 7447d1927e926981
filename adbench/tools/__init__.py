"""The tools: a registry of runners, each run in a process of its own."""
