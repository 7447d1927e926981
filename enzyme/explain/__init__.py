"""What the engine did to a program, in the program's own lines: ``python -m enzyme explain``.

``model`` holds the facts, ``collect`` reads them off the engine, ``text`` and ``page`` show them, ``costs`` picks those
worth a warning.
"""
