"""The configuration and what the environment says of it."""

from __future__ import annotations

import pytest

from enzyme.support.config import Config, config_from_environment, switches, turned_off
from enzyme.support.diagnostics import UsageError


def test_what_is_on_by_default_can_be_turned_off() -> None:
    assert {"recompute", "reload"} <= set(switches())
    for name in switches():
        assert getattr(turned_off(Config(), name), name) is False
    all_off = turned_off(Config(), "all")
    assert not any(getattr(all_off, name) for name in switches())
    assert turned_off(Config(), "recompute, reload") == Config(recompute=False, reload=False)
    assert turned_off(Config(), "") == Config()


def test_unknown_optimisation() -> None:
    with pytest.raises(UsageError, match="no optimisation 'check_plan' to turn off"):
        turned_off(Config(), "check_plan")


def test_environment() -> None:
    config = config_from_environment({"ENZYME_OFF": "recompute", "ENZYME_CHECK_PLAN": "1", "ENZYME_CPU": ""})
    assert config == Config(recompute=False, check_plan=True, cpu="")
    assert config_from_environment({}) == Config()
