"""GradBench both ways: its harness drives our tools, and ours drives any tool packaged for it.

GradBench (github.com/gradbench/gradbench) starts a tool and an eval as two programs that exchange JSON lines. The eval
asks: start, define a module, evaluate one of its functions on an input, analysis of an answer. The tool answers each
with the message's id. Written from the published protocol; names of modules, functions and fields are GradBench's.
"""
