"""What checkpointed loops call when the program runs: where to keep a state, and what to do next on the way back.

A frame holds the places for states and what is known of the steps, as 64-bit words: the most states, bytes of a state,
steps that are expected, counting what is behind the loop as one (0: not known), states kept, the step in front of which
the next state is kept, their distance, steps that are still to be reversed, the step that the memory is in front of
(-1: none), the place that the last answer speaks of, the place of the final state, places allocated, how the last step
ended; then the steps of the states kept, then their places.

Where to keep states when the number of steps is known, and on the way back: A. Griewank and A. Walther, Algorithm 799:
Revolve, ACM Transactions on Mathematical Software 26 (2000). With s places and r runs of a step, beta(s, r), the
binomial coefficient of s + r over s, is the most steps that can be reversed. When it is not known, the states are kept
at equal distances, which double whenever half of the places are taken.
"""

from __future__ import annotations

CHECKPOINTS = """
define internal i64 @enzyme.rt.revolve(i64 %steps, i64 %places) nounwind {
entry:
  %less = sub i64 %places, 1
  %short = icmp ule i64 %steps, 1
  br i1 %short, label %one, label %loop
one:
  ret i64 1
loop:
  %r = phi i64 [ 1, %entry ], [ %r.next, %more ]
  %before = phi i64 [ 1, %entry ], [ %reach, %more ]
  %side.before = phi i64 [ 1, %entry ], [ %side, %more ]
  %factor = add i64 %less, %r
  %wide = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %side.before, i64 %factor)
  %product = extractvalue { i64, i1 } %wide, 0
  %over = extractvalue { i64, i1 } %wide, 1
  %side = udiv i64 %product, %r
  %reach = add i64 %before, %side
  %enough = icmp uge i64 %reach, %steps
  %stop = or i1 %enough, %over
  br i1 %stop, label %found, label %more
more:
  %r.next = add i64 %r, 1
  br label %loop
found:
  %rest = sub i64 %steps, %side.before
  %m = call i64 @llvm.umin.i64(i64 %before, i64 %rest)
  ret i64 %m
}

define internal ptr @enzyme.rt.checkpoint.begin(i64 %limit, i64 %size, i64 %expected) nounwind {
entry:
  %cost = add i64 %size, 48
  %fit = udiv i64 %limit, %cost
  %spare = call i64 @llvm.usub.sat.i64(i64 %fit, i64 1)
  %some = call i64 @llvm.umax.i64(i64 %spare, i64 1)
  %unknown = icmp eq i64 %expected, 0
  %needed = call i64 @llvm.umin.i64(i64 %some, i64 %expected)
  %count = select i1 %unknown, i64 %some, i64 %needed
  %lists = shl i64 %count, 4
  %bytes = add i64 %lists, 96
  %frame = call ptr @malloc(i64 %bytes) "enzyme_block"
  store i64 %count, ptr %frame
  %size.at = getelementptr i64, ptr %frame, i64 1
  store i64 %size, ptr %size.at
  %expected.at = getelementptr i64, ptr %frame, i64 2
  store i64 %expected, ptr %expected.at
  %used.at = getelementptr i64, ptr %frame, i64 3
  store i64 0, ptr %used.at
  %target.at = getelementptr i64, ptr %frame, i64 4
  store i64 0, ptr %target.at
  %distance.at = getelementptr i64, ptr %frame, i64 5
  store i64 1, ptr %distance.at
  %at.at = getelementptr i64, ptr %frame, i64 7
  store i64 -1, ptr %at.at
  %have.at = getelementptr i64, ptr %frame, i64 10
  store i64 0, ptr %have.at
  ret ptr %frame
}

define internal ptr @enzyme.rt.checkpoint.take(ptr %frame, i64 %step) nounwind {
entry:
  %count = load i64, ptr %frame
  %used.at = getelementptr i64, ptr %frame, i64 3
  %used = load i64, ptr %used.at
  %step.index = add i64 %used, 12
  %step.at = getelementptr i64, ptr %frame, i64 %step.index
  store i64 %step, ptr %step.at
  %place.index = add i64 %step.index, %count
  %place.at = getelementptr i64, ptr %frame, i64 %place.index
  %more = add i64 %used, 1
  store i64 %more, ptr %used.at
  %have.at = getelementptr i64, ptr %frame, i64 10
  %have = load i64, ptr %have.at
  %new = icmp uge i64 %used, %have
  br i1 %new, label %allocate, label %done
allocate:
  %size.at = getelementptr i64, ptr %frame, i64 1
  %size = load i64, ptr %size.at
  %some = call i64 @llvm.umax.i64(i64 %size, i64 1)
  %block = call ptr @malloc(i64 %some) "enzyme_block"
  store ptr %block, ptr %place.at
  store i64 %more, ptr %have.at
  br label %done
done:
  %place = load ptr, ptr %place.at
  ret ptr %place
}

define internal ptr @enzyme.rt.checkpoint.due(ptr %frame, i64 %step) nounwind {
entry:
  %target.at = getelementptr i64, ptr %frame, i64 4
  %target = load i64, ptr %target.at
  %now = icmp eq i64 %step, %target
  br i1 %now, label %due, label %none
none:
  ret ptr null
due:
  %count = load i64, ptr %frame
  %expected.at = getelementptr i64, ptr %frame, i64 2
  %expected = load i64, ptr %expected.at
  %used.at = getelementptr i64, ptr %frame, i64 3
  %used = load i64, ptr %used.at
  %distance.at = getelementptr i64, ptr %frame, i64 5
  %unknown = icmp eq i64 %expected, 0
  br i1 %unknown, label %spread, label %planned
planned:
  %planned.place = call ptr @enzyme.rt.checkpoint.take(ptr %frame, i64 %step)
  %free = sub i64 %count, %used
  %several = icmp ugt i64 %free, 1
  br i1 %several, label %further, label %last
further:
  %rest = call i64 @llvm.usub.sat.i64(i64 %expected, i64 %step)
  %way = call i64 @enzyme.rt.revolve(i64 %rest, i64 %free)
  %next = add i64 %step, %way
  store i64 %next, ptr %target.at
  ret ptr %planned.place
last:
  store i64 -1, ptr %target.at
  ret ptr %planned.place
spread:
  %half = lshr i64 %count, 1
  %full = icmp uge i64 %used, %half
  %first = icmp eq i64 %used, 0
  %room = xor i1 %full, true
  %allowed = or i1 %room, %first
  br i1 %allowed, label %take, label %crowd
crowd:
  %thin = icmp ugt i64 %half, 1
  br i1 %thin, label %thinning, label %never
never:
  store i64 -1, ptr %target.at
  ret ptr null
thinning:
  %k = phi i64 [ 1, %crowd ], [ %k.next, %move ]
  %twice = shl i64 %k, 1
  %there = icmp ult i64 %twice, %used
  br i1 %there, label %move, label %thinned
move:
  %low = add i64 %k, 12
  %high = add i64 %twice, 12
  %low.step = getelementptr i64, ptr %frame, i64 %low
  %high.step = getelementptr i64, ptr %frame, i64 %high
  %kept = load i64, ptr %high.step
  store i64 %kept, ptr %low.step
  %low.place = getelementptr i64, ptr %low.step, i64 %count
  %high.place = getelementptr i64, ptr %high.step, i64 %count
  %one = load ptr, ptr %low.place
  %other = load ptr, ptr %high.place
  store ptr %other, ptr %low.place
  store ptr %one, ptr %high.place
  %k.next = add i64 %k, 1
  br label %thinning
thinned:
  store i64 %k, ptr %used.at
  %old = load i64, ptr %distance.at
  %wider = shl i64 %old, 1
  store i64 %wider, ptr %distance.at
  %over = urem i64 %step, %wider
  %even = icmp eq i64 %over, 0
  br i1 %even, label %take, label %later
later:
  %left = sub i64 %wider, %over
  %later.step = add i64 %step, %left
  store i64 %later.step, ptr %target.at
  ret ptr null
take:
  %place = call ptr @enzyme.rt.checkpoint.take(ptr %frame, i64 %step)
  %distance = load i64, ptr %distance.at
  %following = add i64 %step, %distance
  store i64 %following, ptr %target.at
  ret ptr %place
}

define internal void @enzyme.rt.checkpoint.end(ptr %frame, i64 %steps, i32 %way) nounwind {
entry:
  %left.at = getelementptr i64, ptr %frame, i64 6
  store i64 %steps, ptr %left.at
  %size.at = getelementptr i64, ptr %frame, i64 1
  %size = load i64, ptr %size.at
  %some = call i64 @llvm.umax.i64(i64 %size, i64 1)
  %block = call ptr @malloc(i64 %some) "enzyme_block"
  %final.at = getelementptr i64, ptr %frame, i64 9
  store ptr %block, ptr %final.at
  %way.at = getelementptr i64, ptr %frame, i64 11
  %wide = zext i32 %way to i64
  store i64 %wide, ptr %way.at
  ret void
}

define internal i64 @enzyme.rt.checkpoint.next(ptr %frame) nounwind {
entry:
  %left.at = getelementptr i64, ptr %frame, i64 6
  %left = load i64, ptr %left.at
  %over = icmp eq i64 %left, 0
  br i1 %over, label %done, label %look
done:
  ret i64 0
look:
  %count = load i64, ptr %frame
  %used.at = getelementptr i64, ptr %frame, i64 3
  %used = load i64, ptr %used.at
  %target.at = getelementptr i64, ptr %frame, i64 4
  %at.at = getelementptr i64, ptr %frame, i64 7
  %at = load i64, ptr %at.at
  %place.out = getelementptr i64, ptr %frame, i64 8
  %top.index = add i64 %used, 11
  %top.at = getelementptr i64, ptr %frame, i64 %top.index
  %top = load i64, ptr %top.at
  %lost = icmp eq i64 %at, -1
  br i1 %lost, label %restore, label %have
restore:
  %place.at = getelementptr i64, ptr %top.at, i64 %count
  %place = load ptr, ptr %place.at
  store ptr %place, ptr %place.out
  store i64 %top, ptr %at.at
  ret i64 1
have:
  %last = sub i64 %left, 1
  %here = icmp eq i64 %at, %last
  br i1 %here, label %derive, label %walk
derive:
  store i64 %last, ptr %left.at
  store i64 -1, ptr %at.at
  %useless = icmp uge i64 %top, %last
  %gone = zext i1 %useless to i64
  %used.less = sub i64 %used, %gone
  store i64 %used.less, ptr %used.at
  ret i64 4
walk:
  %kept = icmp eq i64 %at, %top
  br i1 %kept, label %plan, label %going
plan:
  %free = sub i64 %count, %used
  %full = icmp eq i64 %free, 0
  br i1 %full, label %never, label %further
never:
  store i64 -1, ptr %target.at
  br label %advance
further:
  %places = add i64 %free, 1
  %steps = sub i64 %left, %at
  %way = call i64 @enzyme.rt.revolve(i64 %steps, i64 %places)
  %target.new = add i64 %at, %way
  store i64 %target.new, ptr %target.at
  br label %advance
going:
  %target = load i64, ptr %target.at
  %reached = icmp eq i64 %at, %target
  br i1 %reached, label %keep, label %advance
keep:
  %taken = call ptr @enzyme.rt.checkpoint.take(ptr %frame, i64 %at)
  store ptr %taken, ptr %place.out
  ret i64 2
advance:
  %at.next = add i64 %at, 1
  store i64 %at.next, ptr %at.at
  ret i64 3
}

define internal void @enzyme.rt.checkpoint.finish(ptr %frame) nounwind {
entry:
  %count = load i64, ptr %frame
  %have.at = getelementptr i64, ptr %frame, i64 10
  %have = load i64, ptr %have.at
  %first = add i64 %count, 12
  %places = getelementptr i64, ptr %frame, i64 %first
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %more ]
  %there = icmp ult i64 %k, %have
  br i1 %there, label %more, label %done
more:
  %place.at = getelementptr ptr, ptr %places, i64 %k
  %place = load ptr, ptr %place.at
  call void @free(ptr %place) "enzyme_block"
  %k.next = add i64 %k, 1
  br label %loop
done:
  %final.at = getelementptr i64, ptr %frame, i64 9
  %final = load ptr, ptr %final.at
  call void @free(ptr %final) "enzyme_block"
  call void @free(ptr %frame) "enzyme_block"
  ret void
}

declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)
declare ptr @malloc(i64)
declare void @free(ptr)
"""

RESTORE, KEEP, ADVANCE, DERIVE = 1, 2, 3, 4
"""What ``enzyme.rt.checkpoint.next`` asks for; 0 when all steps are reversed."""
PLACE, FINAL, WAY = 8, 9, 11
"""Words of the frame."""


def binomial_reach(places: int, runs: int) -> int:
    """The most steps that can be reversed with ``places`` states kept and no step run more than ``runs`` times."""
    reach = 1
    for r in range(1, runs + 1):
        reach = reach * (places + r) // r
    return reach


def repetitions(steps: int, places: int) -> int:
    """How often a step is run at most on the way to its reversal."""
    runs = 0
    while binomial_reach(places, runs) < steps:
        runs += 1
    return runs
