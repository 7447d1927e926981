; Small functions with named values. Each has a tape plan in NAME.txt; those in goldens.PRINTED their derivative too.

target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare double @llvm.sin.f64(double)
declare double @llvm.fmuladd.f64(double, double, double)

define double @square(double %x) {
entry:
  %y = fmul double %x, %x
  ret double %y
}

define void @overwrite(ptr noalias %x, ptr noalias %y) {
entry:
  %a = load double, ptr %x, align 8
  %b = call double @llvm.sin.f64(double %a)
  store double %b, ptr %y, align 8
  store double 1.0, ptr %x, align 8
  ret void
}

define double @choose(double %x, double %y) {
entry:
  %less = fcmp olt double %x, %y
  br i1 %less, label %left, label %right
left:
  %p = fmul double %x, %y
  br label %join
right:
  %q = fdiv double %x, %y
  br label %join
join:
  %r = phi double [ %p, %left ], [ %q, %right ]
  ret double %r
}

; counted: reloaded with a proof, nothing kept
define double @sum_of_squares(ptr noalias readonly %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %w = fmul double %v, %v
  %s.next = fadd double %s, %w
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret double %s.next
}

; counted, depth 2, bounds known before: one exact array
define double @product(ptr noalias readonly %x, i64 %n, i64 %m) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %p = phi double [ 1.0, %entry ], [ %q.next, %outer.latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = phi double [ %p, %outer ], [ %q.next, %inner ]
  %at = getelementptr inbounds double, ptr %x, i64 %j
  %v = load double, ptr %at, align 8
  %q.next = fmul double %q, %v
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp slt i64 %j.next, %m
  br i1 %j.more, label %inner, label %outer.latch
outer.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %outer, label %done
done:
  ret double %q.next
}

; the inner loop runs i + 1 times: grown as it is entered
define double @triangular(ptr noalias readonly %x, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %p = phi double [ 1.0, %entry ], [ %q.next, %outer.latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = phi double [ %p, %outer ], [ %q.next, %inner ]
  %at = getelementptr inbounds double, ptr %x, i64 %j
  %v = load double, ptr %at, align 8
  %q.next = fmul double %q, %v
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp sle i64 %j.next, %i
  br i1 %j.more, label %inner, label %outer.latch
outer.latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %outer, label %done
done:
  ret double %q.next
}

; how often it runs is known when it has run: grown in every iteration
define double @newton(double %a, double %start) {
entry:
  br label %loop
loop:
  %y = phi double [ %start, %entry ], [ %y.next, %loop ]
  %t = fdiv double %a, %y
  %u = fadd double %y, %t
  %y.next = fmul double %u, 0.5
  %y2 = fmul double %y.next, %y.next
  %more = fcmp ogt double %y2, %a
  br i1 %more, label %loop, label %done
done:
  ret double %y.next
}

; eight iterations: on the stack
define double @power8(double %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %p = phi double [ 1.0, %entry ], [ %p.next, %loop ]
  %p.next = fmul double %p, %x
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %loop, label %done
done:
  ret double %p.next
}

; in place: what is loaded is overwritten
define void @in_place(ptr noalias %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %w = call double @llvm.sin.f64(double %v)
  store double %w, ptr %at, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; indices that advance by a fixed step are computed from the counter
define double @strided(ptr noalias readonly %x, i32 %n, i32 %step) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %k = phi i32 [ 5, %entry ], [ %k.next, %loop ]
  %p = phi ptr [ %x, %entry ], [ %p.next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %loop ]
  %wide = sext i32 %k to i64
  %at = getelementptr inbounds double, ptr %x, i64 %wide
  %v = load double, ptr %at, align 8
  %w = load double, ptr %p, align 8
  %vw = fmul double %v, %w
  %s.next = fadd double %s, %vw
  %k.next = sub nsw i32 %k, %step
  %p.next = getelementptr inbounds double, ptr %p, i64 3
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret double %s.next
}

; a decision on a number that may round differently when computed again is kept, one on loaded numbers is not
define double @decisions(ptr noalias readonly %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %latch ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %f = call double @llvm.fmuladd.f64(double %v, double %v, double -1.0)
  %rounded = fcmp olt double %f, 0.5
  %a = select i1 %rounded, double %v, double 0.0
  %exact = fcmp olt double %v, 0.5
  br i1 %exact, label %then, label %latch
then:
  %b = fmul double %a, %v
  br label %latch
latch:
  %c = phi double [ %a, %loop ], [ %b, %then ]
  %s.next = fadd double %s, %c
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret double %s.next
}

; the way into a block with three predecessors is noted; the minimum cut keeps one number in place of two
define double @ways(ptr noalias readonly %x, double %y, i32 %k) {
entry:
  %v = load volatile double, ptr %x, align 8
  %u = fmul double %v, 2.0
  %w = fadd double %v, 1.0
  switch i32 %k, label %join [ i32 0, label %zero
                               i32 1, label %one
                               i32 7, label %join ]
zero:
  %a = fmul double %u, %y
  br label %join
one:
  %b = fmul double %w, %y
  br label %join
join:
  %r = phi double [ %y, %entry ], [ %y, %entry ], [ %a, %zero ], [ %b, %one ]
  ret double %r
}

; split: the callee's caller overwrites what it has read
define internal double @callee(ptr %x, double %y) noinline {
entry:
  %v = load double, ptr %x, align 8
  %w = fmul double %v, %y
  ret double %w
}

define double @caller(ptr noalias %x, double %y) {
entry:
  %a = call double @callee(ptr %x, double %y)
  store double %a, ptr %x, align 8
  %b = call double @callee(ptr %x, double %a)
  ret double %b
}

; linear: nothing is kept of the numbers, also where their memory is written again
define void @linear(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %w = fmul double %v, 3.0
  %to = getelementptr inbounds double, ptr %y, i64 %i
  %u = load double, ptr %to, align 8
  %t = fadd double %w, %u
  store double %t, ptr %to, align 8
  store double 0.0, ptr %at, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; what is a float takes four bytes
define void @single(ptr noalias %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %at = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %at, align 4
  %w = fmul float %v, %v
  store float %w, ptr %at, align 4
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; the counter's next value comes from either side as one and the same sum: still counted, and not kept
define void @merged(ptr noalias %x, i64 %n, i1 %c) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %join ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %w = fmul double %v, %v
  store double %w, ptr %at, align 8
  br i1 %c, label %left, label %right
left:
  %i.left = add nuw nsw i64 %i, 1
  %after = getelementptr inbounds double, ptr %x, i64 %i.left
  store double 0.0, ptr %after, align 8
  br label %join
right:
  %i.right = add nuw nsw i64 %i, 1
  br label %join
join:
  %i.next = phi i64 [ %i.left, %left ], [ %i.right, %right ]
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; a decision of each iteration takes a byte
define double @rectified(ptr noalias %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at, align 8
  %positive = fcmp ogt double %v, 0.0
  %kept = select i1 %positive, double %v, double 0.0
  store double %kept, ptr %at, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret double 0.0
}
