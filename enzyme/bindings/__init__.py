"""Derivatives where other tools expect them: functions of Numba, and operations of PyTorch, JAX and TensorFlow."""
