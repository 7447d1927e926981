"""Tool processes: GradBench's JSON lines, the server inside the process and the client outside."""
