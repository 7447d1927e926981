source_filename = "corners \22quoted\22.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl odd; \22text\22"
module asm ".text"

%0 = type { i32, %1 }
%1 = type <{ i8, ptr }>
%opaque = type opaque
%"quoted type" = type { %"quoted type.2", [0 x i8] }
%"quoted type.2" = type { {}, <{}>, <4 x float>, [2 x { i1, half }], ptr addrspace(3) }
%list = type { ptr, %list.tail }
%list.tail = type { i64 }

$group = comdat any
$"other group" = comdat nodeduplicate

@0 = private unnamed_addr constant [4 x i8] c"a\22b\00", align 1
@1 = internal global i32 7
@"0" = global i32 1
@"spaced name" = external global %opaque
@"e\5Cscaped" = global double 0x7FF8000000000001
@packed = global <{ i8, [3 x i16], { i32, ptr } }> <{ i8 -1, [3 x i16] [i16 1, i16 2, i16 3], { i32, ptr } { i32 4, ptr @1 } }>
@tls = thread_local(initialexec) global i32 0, section ".tdata", align 4
@spaced = addrspace(3) global [10 x float] undef
@hidden = linkonce_odr hidden local_unnamed_addr global i64 ptrtoint (ptr @1 to i64), comdat($group), align 8
@expr = global ptr getelementptr inbounds nuw (i8, ptr @0, i64 2)
@table = constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @simple, ptr @floats] }
@inside = constant ptr getelementptr inbounds inrange(-16, 8) ({ [3 x ptr] }, ptr @table, i32 0, i32 0, i32 2)
@relative = constant i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @simple to i64), i64 ptrtoint (ptr @relative to i64)) to i32)
@nocfi = constant ptr no_cfi @simple
@labels = constant [2 x ptr] [ptr blockaddress(@computed, %3), ptr blockaddress(@computed, %named)]
@vec = constant <4 x i32> <i32 1, i32 2, i32 poison, i32 undef>
@spl = constant <8 x float> splat (float 1.5)
@cast = constant ptr addrspacecast (ptr addrspace(3) @spaced to ptr)
@weak = extern_weak global i32
@common = common global [3 x double] zeroinitializer, align 16
@externally = externally_initialized global i32 0, !annotated !0
@sanitised = global i32 0, no_sanitize_address

@alias = weak_odr unnamed_addr alias i32, ptr @1
@far_alias = alias [10 x float], ptr addrspace(3) @spaced
@fn_alias = alias void (), ptr @simple
@chooser = ifunc i32 (i32), ptr @resolver

declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare void @may_throw(ptr)
declare extern_weak dllimport void @imported()
declare i32 @printf(ptr noundef readonly captures(none), ...) #0
declare void @use(i32)
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @allocate(i64, i64) allocsize(0,1) "alloc-family"="malloc"
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
declare void @llvm.assume(i1 noundef)
declare i64 @llvm.read_register.i64(metadata)
declare <vscale x 2 x i64> @llvm.stepvector.nxv2i64()
declare void @"declared with spaces \22 and quotes"()
declare token @llvm.coro.id(i32, ptr, ptr, ptr)

define void @simple() {
  ret void
}

define void @result(ptr noalias sret(%list) align 8 %r) {
  ret void
}

define internal ptr @resolver() {
  ret ptr @imported
}

define fastcc noundef nonnull align 16 dereferenceable(64) ptr @attributes(ptr noalias writable align 8 captures(none) dereferenceable(16) initializes((0, 8), (12, 16)) %out, ptr byval([4 x i32]) align 4 %0, i8 signext range(i8 -3, 7) %"quoted arg", double nofpclass(nan inf) %1, ptr swiftself %s, ptr swifterror %e) local_unnamed_addr #0 section ".hot" comdat($group) align 32 gc "statepoint-example" prefix i32 123 prologue i8 -112 personality ptr @__gxx_personality_v0 !prof !12 {
  ret ptr %out
}

define cc 42 void @odd_convention() unnamed_addr #1 {
  call cc 42 void @odd_convention()
  tail call fastcc void @simple() #2
  ret void
}

define amdgpu_kernel void @kernel(ptr addrspace(1) inreg %p) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %v = load volatile i32, ptr addrspace(1) %p, align 1, !tbaa !3, !nontemporal !5
  store volatile i32 %v, ptr %q, align 2
  ret void
}

define void @floats(ptr %p) {
  store half 0xH3C00, ptr %p
  store bfloat 0xR3F80, ptr %p
  store float 1.000000e+00, ptr %p
  store float 0x3FB99999A0000000, ptr %p
  store float 0x7FF8000000000000, ptr %p
  store float 0xFFF0000000000000, ptr %p
  store double -1.5, ptr %p
  store double 1.000000e-300, ptr %p
  store double 0x3FB999999999999A, ptr %p
  store x86_fp80 0xK4000C90FDAA22168C235, ptr %p
  store fp128 0xL00000000000000003FFF000000000000, ptr %p
  store ppc_fp128 0xM3FF00000000000000000000000000000, ptr %p
  store i128 -170141183460469231731687303715884105728, ptr %p
  store i7 -3, ptr %p
  store <2 x double> <double 1.0, double 0x7FF0000000000000>, ptr %p
  store <4 x bfloat> splat (bfloat 0xRC000), ptr %p
  store x86_fp80 0xKFFFF8000000000000000, ptr %p
  ret void
}

define double @arithmetic(double %a, double %b, i32 %i, i32 %j, <4 x i16> %v) {
  %1 = fadd fast double %a, %b
  %2 = fsub nnan ninf nsz arcp contract afn reassoc double %1, -0.0
  %3 = fmul reassoc nsz double %2, %2
  %4 = fdiv arcp double %3, 3.0
  %5 = frem double %4, %b
  %6 = fneg nsz double %5
  %i1 = add nuw nsw i32 %i, %j
  %i2 = sub nsw i32 %i1, 1
  %i3 = mul nuw i32 %i2, %j
  %i4 = udiv exact i32 %i3, 3
  %i5 = sdiv exact i32 %i4, %j
  %i6 = urem i32 %i5, 17
  %i7 = srem i32 %i6, %i
  %i8 = shl nuw nsw i32 %i7, 1
  %i9 = lshr exact i32 %i8, 1
  %i10 = ashr exact i32 %i9, 2
  %i11 = and i32 %i10, -256
  %i12 = or disjoint i32 %i11, 3
  %i13 = xor i32 %i12, -1
  %c1 = icmp samesign ult i32 %i13, 4
  %c2 = fcmp nnan ninf uno double %6, 0.0
  %c3 = xor i1 %c1, true
  %w = add <4 x i16> %v, <i16 1, i16 2, i16 3, i16 4>
  %wc = icmp eq <4 x i16> %w, zeroinitializer
  %any = extractelement <4 x i1> %wc, i32 %i
  %both = select i1 %c2, i1 %c3, i1 %any, !prof !1
  %t = trunc nuw nsw i32 %i13 to i8
  %z = zext nneg i8 %t to i64
  %s = sext i8 %t to i16
  %u = uitofp nneg i64 %z to double
  %g = sitofp i16 %s to float
  %h = fpext nnan float %g to double
  %k = fptrunc fast double %h to half
  %l = fptoui half %k to i32
  %m = fptosi double %u to i64
  %n = bitcast i64 %m to double
  %o = inttoptr i64 %m to ptr
  %p = ptrtoint ptr %o to i32
  %q = freeze double %n
  %r = select fast i1 %both, double %q, double %u
  ret double %r
}

define <vscale x 4 x i32> @scalable(<vscale x 4 x i32> %v, ptr %p, i64 %n) {
  %g = getelementptr <vscale x 4 x i32>, ptr %p, i64 %n
  %l = load <vscale x 4 x i32>, ptr %g, align 16
  %i = insertelement <vscale x 4 x i32> poison, i32 3, i64 0
  %s = shufflevector <vscale x 4 x i32> %i, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %a = add <vscale x 4 x i32> %l, %s
  %b = add <vscale x 4 x i32> %a, splat (i32 5)
  ret <vscale x 4 x i32> %b
}

define <4 x ptr> @vectors(<4 x ptr> %ps, <4 x i64> %is, <4 x float> %v) {
  %a = getelementptr inbounds nuw [8 x double], <4 x ptr> %ps, i64 0, <4 x i64> %is
  %b = getelementptr nusw i8, ptr @0, <4 x i64> %is
  %s = shufflevector <4 x float> %v, <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 poison, i32 3, i32 0, i32 0, i32 1, i32 1>
  %e = extractelement <8 x float> %s, i64 2
  %i = insertelement <8 x float> %s, float %e, i32 7
  %c = icmp ugt <4 x ptr> %a, %b
  %r = select <4 x i1> %c, <4 x ptr> %a, <4 x ptr> %b
  ret <4 x ptr> %r
}

define i32 @memory(i32 %n, ptr %p) {
  %a = alloca i32, i32 %n, align 16
  %b = alloca inalloca %0, align 8
  %c = alloca [3 x %list], i64 2, align 8
  %d = alloca swifterror ptr, align 8
  %e = load atomic volatile i32, ptr %p syncscope("agent") acquire, align 4
  store atomic i32 %e, ptr %p release, align 4
  fence syncscope("singlethread") seq_cst
  fence acq_rel
  %x = cmpxchg weak volatile ptr %p, i32 %e, i32 %n syncscope("agent") acq_rel monotonic, align 4, !tbaa !3
  %y = extractvalue { i32, i1 } %x, 0
  %z = atomicrmw volatile umin ptr %p, i32 %y syncscope("one-as") monotonic, align 4
  %w = atomicrmw fadd ptr %p, float 1.0 seq_cst, align 4
  %v = atomicrmw uinc_wrap ptr %p, i32 9 seq_cst, align 4, !amdgpu.no.remote.memory !5
  %agg = insertvalue { i32, { [2 x i32], ptr } } poison, i32 %v, 1, 0, 1
  %back = extractvalue { i32, { [2 x i32], ptr } } %agg, 1, 0, 1
  %arg = va_arg ptr %a, i32
  ret i32 %back
}

define i32 @calls(ptr %f, i32 %x, ptr %0) personality ptr @__gxx_personality_v0 {
  %r = call i32 (ptr, ...) @printf(ptr noundef nonnull @0, i32 signext %x, double 1.0)
  %s = notail call noundef i32 %f(i32 zeroext inreg %x, ptr byval(%list) align 8 null) #2
  %t = call i32 asm sideeffect alignstack inteldialect "mov {$0}, [eax + '{0}']; \22q\22", "=r,r,~{dirflag}"(i32 %s)
  %u = call { i32, i64 } asm "x", "=r,=r,*m"(ptr elementtype(i32) %f)
  call void @llvm.assume(i1 true) [ "align"(ptr %0, i64 64), "nonnull"(ptr %f), "dereferenceable"(ptr %0, i32 %x) ]
  %w = call double @llvm.experimental.constrained.fadd.f64(double 1.0, double 2.5, metadata !"round.tonearest", metadata !"fpexcept.strict") #2
  %q = call i64 @llvm.read_register.i64(metadata !6)
  call void inttoptr (i64 4096 to ptr)(i32 1)
  %fp = fadd double %w, 1.0
  call void @use(i32 undef), !srcloc !7, !annotation !8
  %ff = call fast nofpclass(nan) double %f(double nofpclass(inf) %fp)
  invoke void @may_throw(ptr %0) [ "deopt"(i32 %x, ptr null) ]
          to label %fine unwind label %bad

fine:
  ret i32 %r

bad:
  %pad = landingpad { ptr, i32 }
          cleanup
          catch ptr @0
          catch ptr null
          filter [1 x ptr] [ptr @1]
  %p0 = extractvalue { ptr, i32 } %pad, 0
  %is = icmp eq ptr %p0, null
  br i1 %is, label %fine2, label %"the end", !prof !1, !llvm.loop !9

fine2:
  %ind = invoke fastcc i32 (i32, ...) %f(i32 3, ptr %p0)
          to label %fine unwind label %bad

"the end":
  resume { ptr, i32 } %pad
}

define void @windows() personality ptr @__CxxFrameHandler3 {
  %obj = alloca i32
  invoke void @may_throw(ptr %obj)
          to label %exit unwind label %dispatch

dispatch:
  %cs = catchswitch within none [label %handler, label %handler2] unwind label %cleanup

handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr %obj]
  call void @may_throw(ptr %obj) [ "funclet"(token %cp) ]
  catchret from %cp to label %exit

handler2:
  %cp2 = catchpad within %cs [ptr @0, i32 8, ptr null]
  invoke void @may_throw(ptr %obj) [ "funclet"(token %cp2) ]
          to label %impossible unwind label %nested

impossible:
  unreachable

nested:
  %cs2 = catchswitch within %cp2 [label %inner] unwind to caller

inner:
  %cp3 = catchpad within %cs2 [ptr null, i32 64, ptr null]
  unreachable

cleanup:
  %cl = cleanuppad within none []
  cleanupret from %cl unwind to caller

exit:
  ret void
}

define i32 @computed(i32 %0) {
  %2 = sext i32 %0 to i64
  %p = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %2
  %q = load ptr, ptr %p
  %same = icmp eq ptr %q, blockaddress(@computed, %named)
  indirectbr ptr %q, [label %3, label %named]

3:
  %4 = phi i32 [ 1, %1 ], [ %5, %named ]
  ret i32 %4

named:
  %5 = zext i1 %same to i32
  br label %3
}

define i32 @callbr(i32 %x) {
  %1 = callbr i32 asm sideeffect "test {0} $1; ${2:l}", "=r,r,!i,!i"(i32 %x) #2
          to label %2 [label %3, label %other]

2:
  ret i32 %1

3:
  ret i32 0

other:
  ret i32 2
}

define i32 @switches(i32 %x, i64 %y) {
entry:
  switch i32 %x, label %default [
    i32 0, label %"7"
    i32 -5, label %"7"
    i32 2147483647, label %b
  ], !prof !10
"7":
  switch i64 %y, label %default [
  ]
b:
  %"3" = phi i32 [ %x, %entry ]
  %"a b" = add i32 %"3", %"3"
  ret i32 %"a b"
default:
  %m = phi i32 [ 0, %entry ], [ 1, %"7" ]
  ret i32 %m
}

define void @backwards() {
  br label %last
middle:
  call void @use(i32 %late)
  ret void
last:
  %late = add i32 1, 2
  br label %middle
}

define ptr @musttailed(ptr %p, ...) {
  %r = musttail call ptr (ptr, ...) @musttailed(ptr %p, ...)
  ret ptr %r
}

define i64 @tokens(ptr %p) presplitcoroutine {
  %t = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %f = call ptr @llvm.coro.begin(token %t, ptr %p)
  %s = call token @llvm.coro.save(ptr %f)
  %r = call i8 @llvm.coro.suspend(token %s, i1 true)
  %e = call i8 @llvm.coro.suspend(token none, i1 false)
  call void @llvm.coro.end(ptr %f, i1 false, token none)
  ret i64 0
}

define void @target_types(target("spirv.Image", void, 1, 1, 0, 0, 0, 0, 0) %img) {
  %x = alloca target("aarch64.svcount")
  ret void
}

attributes #0 = { nounwind memory(argmem: readwrite, inaccessiblemem: read) vscale_range(1,16) uwtable(sync) alignstack=16 "frame-pointer"="all" "no-value" }
attributes #1 = { noinline optnone "patchable-function"="prologue-short-redirect" "quoted"="a\22b" }
attributes #2 = { nounwind }

!named = !{!0, !1}
!0 = !{}
!1 = !{!"branch_weights", i32 1, i32 2000}
!2 = !{!"int", !4, i64 0}
!3 = !{!2, !2, i64 0}
!4 = !{!"root"}
!5 = !{i32 1}
!6 = !{!"rsp"}
!7 = !{i64 123}
!8 = !{!"auto-init"}
!9 = distinct !{!9, !11}
!10 = !{!"branch_weights", i32 1, i32 2, i32 3, i32 4}
!12 = !{!"function_entry_count", i64 7}
!11 = !{!"llvm.loop.unroll.disable"}
