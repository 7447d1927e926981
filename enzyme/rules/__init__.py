"""Derivative tables: what the partials of every function are, and what is known about functions without a definition.

``expr`` is the language of the partials; ``arithmetic``, ``elementary``, ``special`` and ``hooks`` hold the rows;
``scalar`` finds the row of an instruction; ``names`` knows all spellings of a function; ``known`` (with ``known_libc``
and ``known_intrinsics``) states memory effects, allocation, inactivity; ``unsupported`` words the refusals;
``coverage`` maps every LLVM instruction and intrinsic to one of these; ``emit`` turns a partial into IR, with the
functions of ``runtime`` where the C library has none. ``python -m enzyme.rules [NAME...]`` prints the table.
"""
