"""Reasons for facts, kept as references and spelt out when somebody reads them: printing costs more than solving."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.ir.printer import print_instruction
from enzyme.ir.values import Instruction


@dataclass(frozen=True)
class Note:
    """Words around an instruction, which stands where ``template`` has a pair of braces."""

    inst: Instruction
    template: str = "{}"

    def __str__(self) -> str:
        text = print_instruction(self.inst).strip().split(", !", 1)[0]
        return self.template.replace("{}", text, 1)


Reason = str | Note


def inside(template: str, reason: Reason) -> Reason:
    """``reason`` put where ``template`` has a pair of braces."""
    if isinstance(reason, str):
        return template.replace("{}", reason, 1)
    return Note(reason.inst, template.replace("{}", reason.template, 1))
