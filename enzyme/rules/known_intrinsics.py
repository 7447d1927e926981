"""Known LLVM intrinsics that are not mathematical functions. Rows are data; see :mod:`enzyme.rules.known`.

A row named ``llvm.x.*`` covers every intrinsic whose name starts so.
"""

from __future__ import annotations

from dataclasses import replace

from enzyme.ir.barriers import NAMES
from enzyme.ir.shuffles import MODES, WHOLE
from enzyme.rules.known import INACCESSIBLE, NO_MEMORY, UNKNOWN, MemoryEffect, Rows, Transfer

ROWS = Rows()
SHUFFLES = Rows()
"""Doubles that threads of a warp hand to one another, which the engine has functions of its own for."""


def _add(names: str, effect: MemoryEffect, shape: str = "", **facts: object) -> None:
    ROWS.add(" ".join(f"llvm.{short}" for short in names.split()), shape, effect, **facts)


def _inactive(names: str, effect: MemoryEffect = NO_MEMORY, **facts: object) -> None:
    _add(names, effect, "", inactive=True, **facts)


_ORDERS = ("eq", "lt", "le", "gt", "ge", "neq")

# block transfers: (destination, source or value, length, volatile)
_COPY = MemoryEffect(reads=(1,), writes=(0,))
_FILL = MemoryEffect(writes=(0,))
_add("memcpy memcpy.inline memcpy.element.unordered.atomic", _COPY, "v:ppii", transfer=Transfer("copy", 0, 1, None, 2))
_add("memmove memmove.element.unordered.atomic", _COPY, "v:ppii", transfer=Transfer("move", 0, 1, None, 2))
_add("memset memset.inline memset.element.unordered.atomic", _FILL, "v:piii", transfer=Transfer("set", 0, None, 1, 2))

# integers in, integers out
_inactive("abs smax smin umax umin ctpop ctlz cttz bswap bitreverse fshl fshr scmp ucmp clmul")
_inactive("sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat")
_inactive("sadd.with.overflow uadd.with.overflow ssub.with.overflow usub.with.overflow")
_inactive("smul.with.overflow umul.with.overflow")
_inactive("smul.fix umul.fix smul.fix.sat umul.fix.sat sdiv.fix udiv.fix sdiv.fix.sat udiv.fix.sat")
_inactive("vector.reduce.add vector.reduce.mul vector.reduce.and vector.reduce.or vector.reduce.xor")
_inactive("vector.reduce.smax vector.reduce.smin vector.reduce.umax vector.reduce.umin vector.partial.reduce.add")
_inactive("vscale stepvector get.active.lane.mask experimental.get.vector.length experimental.cttz.elts")
_inactive("experimental.vector.match alloc.token.id localaddress")
_inactive("loop.dependence.raw.mask loop.dependence.war.mask")

# floating point in, integers or booleans out; integers in, floating point out
_inactive("lround llround lrint llrint fptosi.sat fptoui.sat is.fpclass")
_inactive(
    "experimental.constrained.lround experimental.constrained.llround experimental.constrained.lrint "
    "experimental.constrained.llrint experimental.constrained.fptosi experimental.constrained.fptoui "
    "experimental.constrained.fcmp experimental.constrained.fcmps",
    INACCESSIBLE,
)

# the same of x86, whose masks and tests are integers
_inactive("x86.sse.movmsk.ps x86.sse2.movmsk.pd x86.avx.movmsk.ps.256 x86.avx.movmsk.pd.256")
_inactive("x86.sse2.pmovmskb.128 x86.avx2.pmovmskb")
_inactive(" ".join(f"x86.sse.{u}comi{c}.ss x86.sse2.{u}comi{c}.sd" for u in ("", "u") for c in _ORDERS))
_inactive(" ".join(f"x86.avx.vtest{t}.{f}{w}" for t in ("z", "c", "nzc") for f in ("ps", "pd") for w in ("", ".256")))
_inactive(" ".join(f"x86.{f}" for t in ("z", "c", "nzc") for f in (f"sse41.ptest{t}", f"avx.ptest{t}.256")))
_inactive("x86.sse.cvtss2si x86.sse.cvtss2si64 x86.sse.cvttss2si x86.sse.cvttss2si64")
_inactive("x86.sse2.cvtsd2si x86.sse2.cvtsd2si64 x86.sse2.cvttsd2si x86.sse2.cvttsd2si64")
_inactive("x86.sse2.cvtps2dq x86.sse2.cvttps2dq x86.sse2.cvtpd2dq x86.sse2.cvttpd2dq")
_inactive("x86.avx.cvt.ps2dq.256 x86.avx.cvtt.ps2dq.256 x86.avx.cvt.pd2dq.256 x86.avx.cvtt.pd2dq.256")
_inactive("x86.avx.vzeroupper x86.sse.sfence x86.sse2.lfence x86.sse2.mfence x86.sse2.pause", INACCESSIBLE)

# the floating-point environment
_inactive("get.rounding set.rounding get.fpenv set.fpenv reset.fpenv get.fpmode set.fpmode reset.fpmode", INACCESSIBLE)

# hints, debug information, markers
_inactive("dbg.* sideeffect donothing assume experimental.noalias.scope.decl pseudoprobe", INACCESSIBLE)
_inactive("lifetime.start lifetime.end prefetch invariant.end fake.use experimental.widenable.condition", INACCESSIBLE)
_inactive("var.annotation codeview.annotation pcmarker instrprof.* experimental.stackmap", INACCESSIBLE)
_inactive("is.constant objectsize allow.runtime.check allow.ubsan.check type.test public.type.test")
_inactive("allow.sanitize.* experimental.convergence.* reloc.none")
_inactive("invariant.start", INACCESSIBLE)
_inactive("expect expect.with.probability annotation", returns_argument=0)

# addresses: the value points into the object of argument 0
_add("ptr.annotation launder.invariant.group strip.invariant.group ssa.copy", NO_MEMORY, returns_argument=0)
_add("threadlocal.address", NO_MEMORY, "p:p", returns_argument=0)
_add("ptrmask", NO_MEMORY, returns_argument=0, returns_inside=True)
_add("preserve.array.access.index preserve.struct.access.index", NO_MEMORY, returns_argument=0, returns_inside=True)
_add("preserve.union.access.index preserve.static.offset", NO_MEMORY, returns_argument=0)

# machine state
_inactive("readcyclecounter readsteadycounter read_register read_volatile_register write_register", INACCESSIBLE)
_inactive(
    "returnaddress addressofreturnaddress frameaddress sponentry stackaddress thread.pointer get.dynamic.area.offset"
)
_inactive("stacksave stackrestore clear_cache", INACCESSIBLE)
_inactive("debugtrap", INACCESSIBLE)
_inactive("trap ubsantrap", INACCESSIBLE, noreturn=True)
_inactive("experimental.guard", UNKNOWN)
_inactive("eh.typeid.for eh.exceptioncode eh.exceptionpointer eh.dwarf.cfa")
_inactive("va_start va_end", replace(NO_MEMORY, writes=(0,)))
_inactive("va_copy", MemoryEffect(reads=(1,), writes=(0,)))
_inactive("xray.customevent xray.typedevent", INACCESSIBLE)

# lanes and masked memory: active, the gradient drivers' business; here only what memory they touch
_add("vector.reduce.fadd vector.reduce.fmul vector.reduce.fmin vector.reduce.fmax", NO_MEMORY)
_add("vector.reduce.fminimum vector.reduce.fmaximum vector.partial.reduce.fadd", NO_MEMORY)
_add("vector.insert vector.extract vector.reverse vector.splice.left vector.splice.right", NO_MEMORY)
_add("experimental.vector.compress matrix.multiply matrix.transpose", NO_MEMORY)
for _count in range(2, 9):
    _add(f"vector.interleave{_count} vector.deinterleave{_count}", NO_MEMORY)
_add("masked.load masked.expandload", MemoryEffect(reads=(0,)))
_add("masked.store masked.compressstore", MemoryEffect(writes=(1,)))
_add("masked.gather", MemoryEffect(reads=(0,)))
_add("masked.scatter", MemoryEffect(writes=(1,)))

# graphics processors: barriers, which memory an address is in, indices of threads
_inactive(NAMES, UNKNOWN)
_inactive("nvvm.activemask nvvm.vote.* nvvm.match.* nvvm.redux.sync.*")
for _mode in MODES:
    _add(f"nvvm.shfl.sync.{_mode}", NO_MEMORY, "*:i*ii")
    SHUFFLES.add(f"{WHOLE}.{_mode}.f64", "f:ifii", NO_MEMORY)
_inactive("nvvm.isspacep.local nvvm.isspacep.shared nvvm.isspacep.global nvvm.isspacep.const")
_inactive("nvvm.read.ptx.sreg.* amdgcn.workitem.id.* amdgcn.workgroup.id.* amdgcn.dispatch.* amdgcn.implicitarg.*")
