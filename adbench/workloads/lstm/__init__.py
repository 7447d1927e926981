"""LSTM: the loss of a diagonal long short-term memory network over a sequence, ADBench's recurrent problem."""

from __future__ import annotations

from adbench.workloads.lstm.workload import LSTM

__all__ = ["WORKLOAD"]

WORKLOAD = LSTM()
