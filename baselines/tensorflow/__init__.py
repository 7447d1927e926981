"""TensorFlow: reverse mode on graphs."""

from __future__ import annotations

from dataclasses import replace

from adbench.tools.base import Tool

SINGLE = Tool(
    name="tensorflow",
    title="TensorFlow, tf.function and GradientTape",
    runner="baselines.tensorflow.runner:TensorflowRunner",
    requires=("tensorflow",),
    install="pip install tensorflow-cpu",
)

TOOLS = (SINGLE, replace(SINGLE, name="tensorflow-threads", title="TensorFlow, all threads", all_threads=True))
