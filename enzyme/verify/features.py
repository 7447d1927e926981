"""What random programs may be made of: forms of statements by feature, and ways of differentiating."""

from __future__ import annotations

from enzyme.verify.disguises import DISGUISES
from enzyme.verify.forms import FEATURES as PLAIN
from enzyme.verify.forms import Form

FEATURES: dict[str, tuple[Form, ...]] = {
    name: (*PLAIN.get(name, ()), *DISGUISES.get(name, ()))
    for name in (*PLAIN, *(n for n in DISGUISES if n not in PLAIN))
}
"""What programs may be made of beyond arithmetic, loops and arrays."""
CHECKS = ("width", "wide", "second")
"""Features without forms: derivatives of two lanes, of many (nests of loops alone), derivatives of derivatives."""
ALL = frozenset((*FEATURES, *CHECKS))
