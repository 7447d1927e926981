"""Derivatives where other tools expect them: as functions of Numba."""
