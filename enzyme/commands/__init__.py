"""Commands of `python -m enzyme`, one module each, loaded when asked for."""
