"""The flags of the tool ``original``, which runs without a driver."""

from __future__ import annotations

import pytest

from baselines.original import processor


def test_what_a_virtual_machine_hides_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = ["+avx2", "+avx512f", "+fma"]
    shown = ["+avx2", "-avx512f", "+fma"]
    monkeypatch.setattr(processor, "processor", lambda name: ("znver4", shown if name == "native" else usual))
    assert processor.target() == ["-target-cpu", "znver4", "-target-feature", "-avx512f"]


def test_an_unknown_processor_gets_no_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "processor", lambda name: ("", []))
    assert processor.target() == []


def test_the_compiler_says_what_it_makes_of_this_machine() -> None:
    name, features = processor.processor("native")
    assert name
    assert features
    assert all(feature[0] in "+-" for feature in features)
