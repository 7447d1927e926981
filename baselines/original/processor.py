"""The processor of this machine, in the words of a compiler that is run without its driver."""

from __future__ import annotations

import os
import re
import subprocess

from adbench.native.build import compiler


def processor(name: str) -> tuple[str, list[str]]:
    """What the compiler that the others are built with makes of ``-march=name``: a processor, and its features, each
    after ``+`` or ``-``."""
    asked = [*compiler(), f"-march={name}", "-###", "-c", "-x", "c", os.devnull, "-o", os.devnull]
    said = subprocess.run(asked, capture_output=True, text=True, errors="replace", check=False).stderr
    found = re.findall(r'"-target-cpu" "([\w.-]+)"', said)
    return found[-1] if found else "", re.findall(r'"-target-feature" "([+-][\w.-]+)"', said)


def target() -> list[str]:
    """The flags that name this machine's processor to a compiler without a driver, which ``native`` does not.

    What the machine lacks of it is said too: a virtual machine may hide what its processor's name stands for (AVX-512
    of a Zen 4), and code that has it dies of SIGILL.
    """
    name, features = processor("native")
    if not name:
        return []
    usual = processor(name)[1]
    differ = [feature for feature in features if feature not in usual]
    return ["-target-cpu", name, *(word for feature in differ for word in ("-target-feature", feature))]
