; ModuleID = 'FIRModule'
source_filename = "FIRModule"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%_QMsampleT.dp.node.next = type { { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } }
%_QM__fortran_type_infoTcomponent = type { { ptr, i64, i32, i8, i8, i8, i8 }, i8, i8, i8, i8, [4 x i8], i64, %_QM__fortran_type_infoTvalue, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] }, %_QM__fortran_builtinsT__builtin_c_ptr }
%_QM__fortran_type_infoTvalue = type { i8, [7 x i8], i64 }
%_QM__fortran_builtinsT__builtin_c_ptr = type { i64 }
%_QM__fortran_type_infoTderivedtype = type { { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, { ptr, i64, i32, i8, i8, i8, i8 }, i64, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, i32, i8, i8, i8, i8, i8, [3 x i8] }
%_QMsampleTlayer = type { { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, i32 }
%_QMsampleTleaf = type { double, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, i32 }

$_QMsampleEXnXw = comdat any

$_QMsampleEXnXb = comdat any

$_QMsampleEXnXkind = comdat any

$_QMsampleEXdiXlayerXkind = comdat any

$_QMsampleEXnXv = comdat any

$_QMsampleEXdiXleafXv = comdat any

$_QMsampleEXnXtag = comdat any

$_QMsampleEXdiXleafXtag = comdat any

$_QMsampleEXnXnode = comdat any

$_QMsampleEXnXvalue = comdat any

$_QMsampleEXnXnext = comdat any

$_QMsampleEXdiXnodeXnext = comdat any

$_QMsampleEXnXlayer = comdat any

$_QMsampleEXnXleaf = comdat any

$_QMsampleEXcXlayer = comdat any

$_QMsampleEXcXleaf = comdat any

$_QMsampleEXdtXnode = comdat any

$_QMsampleEXcXnode = comdat any

$_QMsampleEXdtXlayer = comdat any

$_QMsampleEXdtXleaf = comdat any

$_QQclX9902d474e40653c5dbfd6b3b89012dfe = comdat any

@_QMsampleEXnXw = linkonce_odr constant [1 x i8] c"w", comdat
@_QMsampleEXnXb = linkonce_odr constant [1 x i8] c"b", comdat
@_QMsampleEXnXkind = linkonce_odr constant [4 x i8] c"kind", comdat
@_QMsampleEXdiXlayerXkind = linkonce_odr constant i32 1, comdat
@_QMsampleEXnXv = linkonce_odr constant [1 x i8] c"v", comdat
@_QMsampleEXdiXleafXv = linkonce_odr constant double 2.000000e+00, comdat
@_QMsampleEXnXtag = linkonce_odr constant [3 x i8] c"tag", comdat
@_QMsampleEXdiXleafXtag = linkonce_odr constant i32 7, comdat
@_QMsampleEXnXnode = linkonce_odr constant [4 x i8] c"node", comdat
@_QMsampleEXnXvalue = linkonce_odr constant [5 x i8] c"value", comdat
@_QMsampleEXnXnext = linkonce_odr constant [4 x i8] c"next", comdat
@_QMsampleEXdiXnodeXnext = linkonce_odr constant %_QMsampleT.dp.node.next { { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 48, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr @_QMsampleEXdtXnode, [1 x i64] zeroinitializer } }, comdat
@_QMsampleEXnXlayer = linkonce_odr constant [5 x i8] c"layer", comdat
@_QMsampleEXnXleaf = linkonce_odr constant [4 x i8] c"leaf", comdat
@_QMsampleEXcXlayer = linkonce_odr constant [3 x %_QM__fortran_type_infoTcomponent] [%_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXw, i64 1, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 3, i8 2, i8 8, i8 2, [4 x i8] undef, i64 0, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr zeroinitializer }, %_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXb, i64 1, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 3, i8 2, i8 8, i8 1, [4 x i8] undef, i64 72, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr zeroinitializer }, %_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXkind, i64 4, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 1, i8 0, i8 4, i8 0, [4 x i8] undef, i64 120, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr { i64 ptrtoint (ptr @_QMsampleEXdiXlayerXkind to i64) } }], comdat
@_QMsampleEXcXleaf = linkonce_odr constant [3 x %_QM__fortran_type_infoTcomponent] [%_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXv, i64 1, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 1, i8 2, i8 8, i8 0, [4 x i8] undef, i64 0, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr { i64 ptrtoint (ptr @_QMsampleEXdiXleafXv to i64) } }, %_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXw, i64 1, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 3, i8 2, i8 8, i8 1, [4 x i8] undef, i64 8, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr zeroinitializer }, %_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXtag, i64 3, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 1, i8 0, i8 4, i8 0, [4 x i8] undef, i64 56, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr { i64 ptrtoint (ptr @_QMsampleEXdiXleafXtag to i64) } }], comdat
@_QMsampleEXdtXnode = linkonce_odr constant %_QM__fortran_type_infoTderivedtype { { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 32, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 32]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXnode, i64 4, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i64 48, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 8, i32 20240719, i8 1, i8 10, i8 1, i8 0, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 8]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 1, i32 20240719, i8 1, i8 7, i8 1, i8 0, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 1]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr @_QMsampleEXcXnode, i64 256, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 0, i64 2, i64 256]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 40, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 40]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, i32 0, i8 0, i8 0, i8 1, i8 1, i8 1, [3 x i8] undef }, comdat
@_QMsampleEXcXnode = linkonce_odr constant [2 x %_QM__fortran_type_infoTcomponent] [%_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXvalue, i64 5, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 1, i8 2, i8 8, i8 0, [4 x i8] undef, i64 0, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr zeroinitializer }, %_QM__fortran_type_infoTcomponent { { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXnext, i64 4, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i8 2, i8 6, i8 0, i8 0, [4 x i8] undef, i64 8, %_QM__fortran_type_infoTvalue { i8 1, [7 x i8] undef, i64 0 }, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr @_QMsampleEXdtXnode, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 2, i8 42, i8 1, i8 1, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16], [3 x i64] [i64 1, i64 0, i64 0]], ptr null, [1 x i64] zeroinitializer }, %_QM__fortran_builtinsT__builtin_c_ptr { i64 ptrtoint (ptr @_QMsampleEXdiXnodeXnext to i64) } }], comdat
@_QMsampleEXdtXlayer = linkonce_odr constant %_QM__fortran_type_infoTderivedtype { { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 32, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 32]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXlayer, i64 5, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i64 128, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 8, i32 20240719, i8 1, i8 10, i8 1, i8 0, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 8]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 1, i32 20240719, i8 1, i8 7, i8 1, i8 0, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 1]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr @_QMsampleEXcXlayer, i64 256, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 0, i64 3, i64 256]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 40, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 40]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, i32 0, i8 0, i8 0, i8 0, i8 1, i8 1, [3 x i8] undef }, comdat
@_QMsampleEXdtXleaf = linkonce_odr constant %_QM__fortran_type_infoTderivedtype { { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 32, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 32]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8 } { ptr @_QMsampleEXnXleaf, i64 4, i32 20240719, i8 0, i8 40, i8 1, i8 0 }, i64 64, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } { ptr null, i64 440, i32 20240719, i8 0, i8 42, i8 1, i8 1, ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 8, i32 20240719, i8 1, i8 10, i8 1, i8 0, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 8]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 1, i32 20240719, i8 1, i8 7, i8 1, i8 0, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 1]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr @_QMsampleEXcXleaf, i64 256, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 0, i64 3, i64 256]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 40, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 40]], ptr null, [1 x i64] zeroinitializer }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] } { ptr null, i64 16, i32 20240719, i8 1, i8 42, i8 1, i8 1, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 16]], ptr null, [1 x i64] zeroinitializer }, i32 0, i8 0, i8 0, i8 0, i8 1, i8 1, [3 x i8] undef }, comdat
@_QQclX9902d474e40653c5dbfd6b3b89012dfe = linkonce constant [11 x i8] c"sample.f90\00", comdat
@_QQ_QMsampleTlayerXDerivedInit = internal unnamed_addr constant %_QMsampleTlayer { { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]] } { ptr null, i64 8, i32 20240719, i8 2, i8 28, i8 2, i8 0, [2 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 8], [3 x i64] [i64 1, i64 0, i64 0]] }, { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] } { ptr null, i64 8, i32 20240719, i8 1, i8 28, i8 2, i8 0, [1 x [3 x i64]] [[3 x i64] [i64 1, i64 0, i64 8]] }, i32 1 }

; Function Attrs: mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @free(ptr allocptr noundef captures(none)) local_unnamed_addr #0

; Function Attrs: mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite)
declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #1

define double @heat(ptr %0, i32 %1) local_unnamed_addr #2 {
  %3 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %4 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %5 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  store ptr null, ptr %5, align 8, !tbaa !4
  %.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 8
  store i64 8, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !4
  %.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 16
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !4
  %.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 20
  store i8 1, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !4
  %.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 21
  store i8 28, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !4
  %.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 22
  store i8 2, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !4
  %.sroa.10.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 23
  store i8 0, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !4
  %.sroa.11.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 24
  store i64 1, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !4
  %.sroa.12.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 32
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !4
  %.sroa.13.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 40
  store i64 8, ptr %.sroa.13.0..sroa_idx, align 8, !tbaa !4
  %6 = sext i32 %1 to i64
  %7 = tail call i64 @llvm.smax.i64(i64 %6, i64 0)
  %8 = shl nuw nsw i64 %7, 3
  %.not = icmp slt i32 %1, 1
  %9 = select i1 %.not, i64 1, i64 %8
  %10 = tail call ptr @malloc(i64 %9)
  store ptr %10, ptr %5, align 8, !tbaa !4
  store i64 8, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !4
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !4
  store i8 1, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !4
  store i8 28, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !4
  store i8 2, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !4
  store i8 0, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !4
  store i64 1, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !4
  store i64 %7, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !4
  store i64 8, ptr %.sroa.13.0..sroa_idx, align 8, !tbaa !4
  %11 = tail call ptr @malloc(i64 %9)
  store ptr %0, ptr %4, align 8, !tbaa !4
  %.fca.1.gep = getelementptr inbounds nuw i8, ptr %4, i64 8
  store i64 8, ptr %.fca.1.gep, align 8, !tbaa !4
  %.fca.2.gep = getelementptr inbounds nuw i8, ptr %4, i64 16
  store i32 20240719, ptr %.fca.2.gep, align 8, !tbaa !4
  %.fca.3.gep = getelementptr inbounds nuw i8, ptr %4, i64 20
  store i8 1, ptr %.fca.3.gep, align 4, !tbaa !4
  %.fca.4.gep = getelementptr inbounds nuw i8, ptr %4, i64 21
  store i8 28, ptr %.fca.4.gep, align 1, !tbaa !4
  %.fca.5.gep = getelementptr inbounds nuw i8, ptr %4, i64 22
  store i8 0, ptr %.fca.5.gep, align 2, !tbaa !4
  %.fca.6.gep = getelementptr inbounds nuw i8, ptr %4, i64 23
  store i8 0, ptr %.fca.6.gep, align 1, !tbaa !4
  %.fca.7.0.0.gep = getelementptr inbounds nuw i8, ptr %4, i64 24
  store i64 1, ptr %.fca.7.0.0.gep, align 8, !tbaa !4
  %.fca.7.0.1.gep = getelementptr inbounds nuw i8, ptr %4, i64 32
  store i64 %7, ptr %.fca.7.0.1.gep, align 8, !tbaa !4
  %.fca.7.0.2.gep = getelementptr inbounds nuw i8, ptr %4, i64 40
  store i64 8, ptr %.fca.7.0.2.gep, align 8, !tbaa !4
  call void @_FortranAAssign(ptr nonnull %5, ptr nonnull %4, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 26)
  %12 = getelementptr double, ptr %11, i64 %6
  %13 = getelementptr i8, ptr %12, i64 -8
  %14 = call i32 @llvm.smax.i32(i32 %1, i32 2)
  %15 = zext nneg i32 %14 to i64
  %16 = add nsw i64 %15, -2
  %17 = icmp sgt i32 %1, 2
  %.fca.1.gep272 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %.fca.2.gep274 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %.fca.3.gep276 = getelementptr inbounds nuw i8, ptr %3, i64 20
  %.fca.4.gep278 = getelementptr inbounds nuw i8, ptr %3, i64 21
  %.fca.5.gep280 = getelementptr inbounds nuw i8, ptr %3, i64 22
  %.fca.6.gep282 = getelementptr inbounds nuw i8, ptr %3, i64 23
  %.fca.7.0.0.gep284 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %.fca.7.0.1.gep286 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %.fca.7.0.2.gep288 = getelementptr inbounds nuw i8, ptr %3, i64 40
  br label %18

18:                                               ; preds = %2, %._crit_edge
  %19 = phi i64 [ 20, %2 ], [ %44, %._crit_edge ]
  %.sroa.0214.0.copyload = load ptr, ptr %5, align 8, !tbaa !4
  %.sroa.2216.0.copyload = load i64, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !4
  %20 = sub nsw i64 1, %.sroa.2216.0.copyload
  %21 = getelementptr double, ptr %.sroa.0214.0.copyload, i64 %20
  %22 = load double, ptr %21, align 8, !tbaa !8
  store double %22, ptr %11, align 8, !tbaa !12
  %23 = sub nsw i64 %6, %.sroa.2216.0.copyload
  %24 = getelementptr double, ptr %.sroa.0214.0.copyload, i64 %23
  %25 = load double, ptr %24, align 8, !tbaa !8
  store double %25, ptr %13, align 8, !tbaa !12
  br i1 %17, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %18, %.lr.ph
  %26 = phi i64 [ %42, %.lr.ph ], [ %16, %18 ]
  %27 = phi i64 [ %41, %.lr.ph ], [ 1, %18 ]
  %28 = sub i64 %27, %.sroa.2216.0.copyload
  %29 = getelementptr double, ptr %.sroa.0214.0.copyload, i64 %28
  %30 = getelementptr i8, ptr %29, i64 8
  %31 = load double, ptr %30, align 8, !tbaa !8
  %32 = fmul contract double %31, 2.000000e+00
  %33 = load double, ptr %29, align 8, !tbaa !8
  %34 = fsub contract double %33, %32
  %35 = getelementptr i8, ptr %29, i64 16
  %36 = load double, ptr %35, align 8, !tbaa !8
  %37 = fadd contract double %34, %36
  %38 = fmul contract double %37, 2.000000e-01
  %39 = fadd contract double %31, %38
  %40 = getelementptr double, ptr %11, i64 %27
  store double %39, ptr %40, align 8, !tbaa !12
  %41 = add nuw nsw i64 %27, 1
  %42 = add nsw i64 %26, -1
  %43 = icmp sgt i64 %26, 1
  br i1 %43, label %.lr.ph, label %._crit_edge

._crit_edge:                                      ; preds = %.lr.ph, %18
  store ptr %11, ptr %3, align 8, !tbaa !4
  store i64 8, ptr %.fca.1.gep272, align 8, !tbaa !4
  store i32 20240719, ptr %.fca.2.gep274, align 8, !tbaa !4
  store i8 1, ptr %.fca.3.gep276, align 4, !tbaa !4
  store i8 28, ptr %.fca.4.gep278, align 1, !tbaa !4
  store i8 0, ptr %.fca.5.gep280, align 2, !tbaa !4
  store i8 0, ptr %.fca.6.gep282, align 1, !tbaa !4
  store i64 1, ptr %.fca.7.0.0.gep284, align 8, !tbaa !4
  store i64 %7, ptr %.fca.7.0.1.gep286, align 8, !tbaa !4
  store i64 8, ptr %.fca.7.0.2.gep288, align 8, !tbaa !4
  call void @_FortranAAssign(ptr nonnull %5, ptr nonnull %3, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 30)
  %44 = add nsw i64 %19, -1
  %45 = icmp samesign ugt i64 %19, 1
  br i1 %45, label %18, label %46

46:                                               ; preds = %._crit_edge
  %.sroa.0289.0.copyload = load ptr, ptr %5, align 8, !tbaa !4
  %.sroa.3292.0.copyload = load i64, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !4
  %47 = icmp sgt i64 %.sroa.3292.0.copyload, 0
  br i1 %47, label %.lr.ph323, label %._crit_edge324

.lr.ph323:                                        ; preds = %46, %.lr.ph323
  %48 = phi double [ %54, %.lr.ph323 ], [ 0.000000e+00, %46 ]
  %49 = phi i64 [ %55, %.lr.ph323 ], [ 1, %46 ]
  %50 = getelementptr double, ptr %.sroa.0289.0.copyload, i64 %49
  %51 = getelementptr i8, ptr %50, i64 -8
  %52 = load double, ptr %51, align 8, !tbaa !8
  %53 = fmul double %52, %52
  %54 = fadd contract double %48, %53
  %55 = add nuw i64 %49, 1
  %exitcond.not = icmp eq i64 %49, %.sroa.3292.0.copyload
  br i1 %exitcond.not, label %._crit_edge324, label %.lr.ph323

._crit_edge324:                                   ; preds = %.lr.ph323, %46
  %.lcssa = phi double [ 0.000000e+00, %46 ], [ %54, %.lr.ph323 ]
  call void @free(ptr %11)
  %.not321 = icmp eq ptr %.sroa.0289.0.copyload, null
  br i1 %.not321, label %57, label %56

56:                                               ; preds = %._crit_edge324
  call void @free(ptr %.sroa.0289.0.copyload)
  store ptr null, ptr %5, align 8, !tbaa !4
  store i64 8, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !4
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !4
  store i8 1, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !4
  store i8 28, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !4
  store i8 2, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !4
  store i8 0, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !4
  store i64 1, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !4
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !4
  store i64 8, ptr %.sroa.13.0..sroa_idx, align 8, !tbaa !4
  br label %57

57:                                               ; preds = %56, %._crit_edge324
  ret double %.lcssa
}

define double @list(ptr readonly captures(none) %0, i32 %1) local_unnamed_addr #2 {
  %3 = alloca { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] }, align 8
  %4 = alloca { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] }, align 8
  store ptr null, ptr %4, align 8, !tbaa !14
  %.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 8
  store i64 48, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !14
  %.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 16
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !14
  %.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 20
  store i8 0, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !14
  %.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 21
  store i8 42, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !14
  %.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 22
  store i8 1, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !14
  %.sroa.10.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 23
  store i8 1, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !14
  %.sroa.11.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 24
  store ptr @_QMsampleEXdtXnode, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !14
  %.sroa.12.0..sroa_idx = getelementptr inbounds nuw i8, ptr %4, i64 32
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !14
  store ptr null, ptr %3, align 8, !tbaa !14
  %.sroa.5.0..sroa_idx4 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i64 48, ptr %.sroa.5.0..sroa_idx4, align 8, !tbaa !14
  %.sroa.6.0..sroa_idx10 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i32 20240719, ptr %.sroa.6.0..sroa_idx10, align 8, !tbaa !14
  %.sroa.7.0..sroa_idx16 = getelementptr inbounds nuw i8, ptr %3, i64 20
  store i8 0, ptr %.sroa.7.0..sroa_idx16, align 4, !tbaa !14
  %.sroa.8.0..sroa_idx22 = getelementptr inbounds nuw i8, ptr %3, i64 21
  store i8 42, ptr %.sroa.8.0..sroa_idx22, align 1, !tbaa !14
  %.sroa.9.0..sroa_idx28 = getelementptr inbounds nuw i8, ptr %3, i64 22
  store i8 1, ptr %.sroa.9.0..sroa_idx28, align 2, !tbaa !14
  %.sroa.10.0..sroa_idx34 = getelementptr inbounds nuw i8, ptr %3, i64 23
  store i8 1, ptr %.sroa.10.0..sroa_idx34, align 1, !tbaa !14
  %.sroa.11.0..sroa_idx40 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store ptr @_QMsampleEXdtXnode, ptr %.sroa.11.0..sroa_idx40, align 8, !tbaa !14
  %.sroa.12.0..sroa_idx46 = getelementptr inbounds nuw i8, ptr %3, i64 32
  store i64 0, ptr %.sroa.12.0..sroa_idx46, align 8, !tbaa !14
  store ptr null, ptr %4, align 8, !tbaa !14
  store i64 48, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !14
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !14
  store i8 0, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !14
  store i8 42, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !14
  store i8 1, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !14
  store i8 1, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !14
  store ptr @_QMsampleEXdtXnode, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !14
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !14
  %5 = icmp sgt i32 %1, 0
  br i1 %5, label %.lr.ph.preheader, label %._crit_edge

.lr.ph.preheader:                                 ; preds = %2
  %6 = zext nneg i32 %1 to i64
  br label %.lr.ph

.lr.ph:                                           ; preds = %.lr.ph.preheader, %.lr.ph
  %indvars.iv = phi i64 [ 1, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  store ptr null, ptr %3, align 8, !tbaa !14
  store i64 48, ptr %.sroa.5.0..sroa_idx4, align 8, !tbaa !14
  store i32 20240719, ptr %.sroa.6.0..sroa_idx10, align 8, !tbaa !14
  store i8 0, ptr %.sroa.7.0..sroa_idx16, align 4, !tbaa !14
  store i8 42, ptr %.sroa.8.0..sroa_idx22, align 1, !tbaa !14
  store i8 1, ptr %.sroa.9.0..sroa_idx28, align 2, !tbaa !14
  store i8 1, ptr %.sroa.10.0..sroa_idx34, align 1, !tbaa !14
  store ptr @_QMsampleEXdtXnode, ptr %.sroa.11.0..sroa_idx40, align 8, !tbaa !14
  store i64 0, ptr %.sroa.12.0..sroa_idx46, align 8, !tbaa !14
  %7 = call i32 @_FortranAPointerAllocate(ptr nonnull %3, i1 false, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 41, ptr null)
  %8 = getelementptr double, ptr %0, i64 %indvars.iv
  %9 = getelementptr i8, ptr %8, i64 -8
  %10 = load double, ptr %9, align 8, !tbaa !18
  %.sroa.056.0.copyload = load ptr, ptr %3, align 8, !tbaa !14
  store double %10, ptr %.sroa.056.0.copyload, align 8, !tbaa !22
  %11 = getelementptr i8, ptr %.sroa.056.0.copyload, i64 8
  call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 1 dereferenceable(40) %11, ptr noundef nonnull align 8 dereferenceable(40) %4, i32 40, i1 false)
  call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 8 dereferenceable(40) %4, ptr noundef nonnull align 8 dereferenceable(40) %3, i32 40, i1 false), !tbaa !14
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv, %6
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph

._crit_edge:                                      ; preds = %.lr.ph, %2
  call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 8 dereferenceable(40) %3, ptr noundef nonnull align 8 dereferenceable(40) %4, i32 40, i1 false), !tbaa !14
  %.sroa.059.0.copyload71 = load ptr, ptr %3, align 8, !tbaa !14
  %.not72 = icmp eq ptr %.sroa.059.0.copyload71, null
  br i1 %.not72, label %.preheader, label %.lr.ph76

.preheader:                                       ; preds = %.lr.ph76, %._crit_edge
  %.0.lcssa = phi double [ 0.000000e+00, %._crit_edge ], [ %15, %.lr.ph76 ]
  %.sroa.065.0.copyload77 = load ptr, ptr %4, align 8, !tbaa !14
  %.not7078 = icmp eq ptr %.sroa.065.0.copyload77, null
  br i1 %.not7078, label %._crit_edge81, label %.lr.ph80

.lr.ph76:                                         ; preds = %._crit_edge, %.lr.ph76
  %.sroa.059.0.copyload74 = phi ptr [ %.sroa.059.0.copyload, %.lr.ph76 ], [ %.sroa.059.0.copyload71, %._crit_edge ]
  %.073 = phi double [ %15, %.lr.ph76 ], [ 0.000000e+00, %._crit_edge ]
  %12 = fmul contract double %.073, 5.000000e-01
  %13 = load double, ptr %.sroa.059.0.copyload74, align 8, !tbaa !22
  %14 = call contract double @llvm.sin.f64(double %13)
  %15 = fadd contract double %12, %14
  %16 = getelementptr i8, ptr %.sroa.059.0.copyload74, i64 8
  call void @llvm.memmove.p0.p0.i32(ptr noundef nonnull align 8 dereferenceable(40) %3, ptr noundef nonnull align 1 dereferenceable(40) %16, i32 40, i1 false)
  %.sroa.059.0.copyload = load ptr, ptr %3, align 8, !tbaa !14
  %.not = icmp eq ptr %.sroa.059.0.copyload, null
  br i1 %.not, label %.preheader, label %.lr.ph76

.lr.ph80:                                         ; preds = %.preheader, %.lr.ph80
  %.sroa.065.0.copyload79 = phi ptr [ %.sroa.065.0.copyload, %.lr.ph80 ], [ %.sroa.065.0.copyload77, %.preheader ]
  %17 = getelementptr i8, ptr %.sroa.065.0.copyload79, i64 8
  call void @llvm.memmove.p0.p0.i32(ptr noundef nonnull align 8 dereferenceable(40) %3, ptr noundef nonnull align 1 dereferenceable(40) %17, i32 40, i1 false)
  %18 = call i32 @_FortranAPointerDeallocate(ptr nonnull %4, i1 false, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 54)
  call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 8 dereferenceable(40) %4, ptr noundef nonnull align 8 dereferenceable(40) %3, i32 40, i1 false), !tbaa !14
  %.sroa.065.0.copyload = load ptr, ptr %4, align 8, !tbaa !14
  %.not70 = icmp eq ptr %.sroa.065.0.copyload, null
  br i1 %.not70, label %._crit_edge81, label %.lr.ph80

._crit_edge81:                                    ; preds = %.lr.ph80, %.preheader
  ret double %.0.lcssa
}

define double @packed(ptr %0, i32 %1) local_unnamed_addr #2 {
  %3 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %4 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %5 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %6 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %7 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  store ptr null, ptr %6, align 8, !tbaa !24
  %.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 8
  store i64 8, ptr %.sroa.4.0..sroa_idx, align 8, !tbaa !24
  %.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 16
  store i32 20240719, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !24
  %.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 20
  store i8 1, ptr %.sroa.6.0..sroa_idx, align 4, !tbaa !24
  %.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 21
  store i8 28, ptr %.sroa.7.0..sroa_idx, align 1, !tbaa !24
  %.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 22
  store i8 2, ptr %.sroa.8.0..sroa_idx, align 2, !tbaa !24
  %.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 23
  store i8 0, ptr %.sroa.9.0..sroa_idx, align 1, !tbaa !24
  %.sroa.10.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 1, ptr %.sroa.10.0..sroa_idx, align 8, !tbaa !24
  %.sroa.11.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 32
  store i64 0, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !24
  %.sroa.12.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 40
  store i64 8, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !24
  %8 = tail call i32 @llvm.smax.i32(i32 %1, i32 0)
  %9 = zext nneg i32 %8 to i64
  %10 = shl nuw nsw i64 %9, 2
  %.not = icmp slt i32 %1, 1
  %11 = select i1 %.not, i64 1, i64 %10
  %12 = tail call ptr @malloc(i64 %11)
  %.not9294 = icmp slt i32 %1, 1
  br i1 %.not9294, label %._crit_edge, label %.lr.ph

.lr.ph:                                           ; preds = %2, %.lr.ph
  %13 = phi i64 [ %22, %.lr.ph ], [ %9, %2 ]
  %14 = phi i64 [ %21, %.lr.ph ], [ 1, %2 ]
  %15 = add nsw i64 %14, -1
  %16 = getelementptr double, ptr %0, i64 %15
  %17 = load double, ptr %16, align 8, !tbaa !28
  %18 = fcmp contract ogt double %17, 4.000000e-01
  %19 = zext i1 %18 to i32
  %20 = getelementptr i32, ptr %12, i64 %15
  store i32 %19, ptr %20, align 4, !tbaa !32
  %21 = add nuw nsw i64 %14, 1
  %22 = add nsw i64 %13, -1
  %.not92 = icmp eq i64 %22, 0
  br i1 %.not92, label %._crit_edge, label %.lr.ph

._crit_edge:                                      ; preds = %.lr.ph, %2
  store ptr %0, ptr %5, align 8, !tbaa !24
  %.fca.1.gep = getelementptr inbounds nuw i8, ptr %5, i64 8
  store i64 8, ptr %.fca.1.gep, align 8, !tbaa !24
  %.fca.2.gep = getelementptr inbounds nuw i8, ptr %5, i64 16
  store i32 20240719, ptr %.fca.2.gep, align 8, !tbaa !24
  %.fca.3.gep = getelementptr inbounds nuw i8, ptr %5, i64 20
  store i8 1, ptr %.fca.3.gep, align 4, !tbaa !24
  %.fca.4.gep = getelementptr inbounds nuw i8, ptr %5, i64 21
  store i8 28, ptr %.fca.4.gep, align 1, !tbaa !24
  %.fca.5.gep = getelementptr inbounds nuw i8, ptr %5, i64 22
  store i8 0, ptr %.fca.5.gep, align 2, !tbaa !24
  %.fca.6.gep = getelementptr inbounds nuw i8, ptr %5, i64 23
  store i8 0, ptr %.fca.6.gep, align 1, !tbaa !24
  %.fca.7.0.0.gep = getelementptr inbounds nuw i8, ptr %5, i64 24
  store i64 1, ptr %.fca.7.0.0.gep, align 8, !tbaa !24
  %.fca.7.0.1.gep = getelementptr inbounds nuw i8, ptr %5, i64 32
  store i64 %9, ptr %.fca.7.0.1.gep, align 8, !tbaa !24
  %.fca.7.0.2.gep = getelementptr inbounds nuw i8, ptr %5, i64 40
  store i64 8, ptr %.fca.7.0.2.gep, align 8, !tbaa !24
  store ptr %12, ptr %4, align 8, !tbaa !24
  %.fca.1.gep42 = getelementptr inbounds nuw i8, ptr %4, i64 8
  store i64 4, ptr %.fca.1.gep42, align 8, !tbaa !24
  %.fca.2.gep44 = getelementptr inbounds nuw i8, ptr %4, i64 16
  store i32 20240719, ptr %.fca.2.gep44, align 8, !tbaa !24
  %.fca.3.gep46 = getelementptr inbounds nuw i8, ptr %4, i64 20
  store i8 1, ptr %.fca.3.gep46, align 4, !tbaa !24
  %.fca.4.gep48 = getelementptr inbounds nuw i8, ptr %4, i64 21
  store i8 14, ptr %.fca.4.gep48, align 1, !tbaa !24
  %.fca.5.gep50 = getelementptr inbounds nuw i8, ptr %4, i64 22
  store i8 0, ptr %.fca.5.gep50, align 2, !tbaa !24
  %.fca.6.gep52 = getelementptr inbounds nuw i8, ptr %4, i64 23
  store i8 0, ptr %.fca.6.gep52, align 1, !tbaa !24
  %.fca.7.0.0.gep54 = getelementptr inbounds nuw i8, ptr %4, i64 24
  store i64 1, ptr %.fca.7.0.0.gep54, align 8, !tbaa !24
  %.fca.7.0.1.gep56 = getelementptr inbounds nuw i8, ptr %4, i64 32
  store i64 %9, ptr %.fca.7.0.1.gep56, align 8, !tbaa !24
  %.fca.7.0.2.gep58 = getelementptr inbounds nuw i8, ptr %4, i64 40
  store i64 4, ptr %.fca.7.0.2.gep58, align 8, !tbaa !24
  store ptr null, ptr %7, align 8, !tbaa !24
  %.sroa.4.0..sroa_idx3 = getelementptr inbounds nuw i8, ptr %7, i64 8
  store i64 8, ptr %.sroa.4.0..sroa_idx3, align 8, !tbaa !24
  %.sroa.5.0..sroa_idx7 = getelementptr inbounds nuw i8, ptr %7, i64 16
  store i32 20240719, ptr %.sroa.5.0..sroa_idx7, align 8, !tbaa !24
  %.sroa.6.0..sroa_idx11 = getelementptr inbounds nuw i8, ptr %7, i64 20
  store i8 1, ptr %.sroa.6.0..sroa_idx11, align 4, !tbaa !24
  %.sroa.7.0..sroa_idx15 = getelementptr inbounds nuw i8, ptr %7, i64 21
  store i8 28, ptr %.sroa.7.0..sroa_idx15, align 1, !tbaa !24
  %.sroa.8.0..sroa_idx19 = getelementptr inbounds nuw i8, ptr %7, i64 22
  store i8 2, ptr %.sroa.8.0..sroa_idx19, align 2, !tbaa !24
  %.sroa.9.0..sroa_idx23 = getelementptr inbounds nuw i8, ptr %7, i64 23
  store i8 0, ptr %.sroa.9.0..sroa_idx23, align 1, !tbaa !24
  %.sroa.10.0..sroa_idx27 = getelementptr inbounds nuw i8, ptr %7, i64 24
  store i64 1, ptr %.sroa.10.0..sroa_idx27, align 8, !tbaa !24
  %.sroa.11.0..sroa_idx31 = getelementptr inbounds nuw i8, ptr %7, i64 32
  store i64 0, ptr %.sroa.11.0..sroa_idx31, align 8, !tbaa !24
  %.sroa.12.0..sroa_idx35 = getelementptr inbounds nuw i8, ptr %7, i64 40
  store i64 8, ptr %.sroa.12.0..sroa_idx35, align 8, !tbaa !24
  call void @_FortranAPack(ptr nonnull %7, ptr nonnull %5, ptr nonnull %4, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 62)
  %.sroa.059.0.copyload = load ptr, ptr %7, align 8, !tbaa !24
  %.sroa.260.0.copyload = load i64, ptr %.sroa.10.0..sroa_idx27, align 8, !tbaa !24
  %.sroa.3.0.copyload = load i64, ptr %.sroa.11.0..sroa_idx31, align 8, !tbaa !24
  %23 = icmp eq i64 %.sroa.3.0.copyload, 0
  %24 = select i1 %23, i64 1, i64 %.sroa.260.0.copyload
  store ptr %.sroa.059.0.copyload, ptr %3, align 8, !tbaa !24
  %.fca.1.gep65 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i64 8, ptr %.fca.1.gep65, align 8, !tbaa !24
  %.fca.2.gep67 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i32 20240719, ptr %.fca.2.gep67, align 8, !tbaa !24
  %.fca.3.gep69 = getelementptr inbounds nuw i8, ptr %3, i64 20
  store i8 1, ptr %.fca.3.gep69, align 4, !tbaa !24
  %.fca.4.gep71 = getelementptr inbounds nuw i8, ptr %3, i64 21
  store i8 28, ptr %.fca.4.gep71, align 1, !tbaa !24
  %.fca.5.gep73 = getelementptr inbounds nuw i8, ptr %3, i64 22
  store i8 0, ptr %.fca.5.gep73, align 2, !tbaa !24
  %.fca.6.gep75 = getelementptr inbounds nuw i8, ptr %3, i64 23
  store i8 0, ptr %.fca.6.gep75, align 1, !tbaa !24
  %.fca.7.0.0.gep77 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store i64 %24, ptr %.fca.7.0.0.gep77, align 8, !tbaa !24
  %.fca.7.0.1.gep79 = getelementptr inbounds nuw i8, ptr %3, i64 32
  store i64 %.sroa.3.0.copyload, ptr %.fca.7.0.1.gep79, align 8, !tbaa !24
  %.fca.7.0.2.gep81 = getelementptr inbounds nuw i8, ptr %3, i64 40
  store i64 8, ptr %.fca.7.0.2.gep81, align 8, !tbaa !24
  call void @_FortranAAssign(ptr nonnull %6, ptr nonnull %3, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 62)
  call void @free(ptr %.sroa.059.0.copyload)
  call void @free(ptr %12)
  %.sroa.082.0.copyload = load ptr, ptr %6, align 8, !tbaa !24
  %.sroa.385.0.copyload = load i64, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !24
  %25 = icmp sgt i64 %.sroa.385.0.copyload, 0
  br i1 %25, label %.lr.ph96, label %._crit_edge97

.lr.ph96:                                         ; preds = %._crit_edge, %.lr.ph96
  %26 = phi double [ %32, %.lr.ph96 ], [ 0.000000e+00, %._crit_edge ]
  %27 = phi i64 [ %33, %.lr.ph96 ], [ 1, %._crit_edge ]
  %28 = getelementptr double, ptr %.sroa.082.0.copyload, i64 %27
  %29 = getelementptr i8, ptr %28, i64 -8
  %30 = load double, ptr %29, align 8, !tbaa !35
  %31 = fmul double %30, %30
  %32 = fadd contract double %26, %31
  %33 = add nuw i64 %27, 1
  %exitcond.not = icmp eq i64 %27, %.sroa.385.0.copyload
  br i1 %exitcond.not, label %._crit_edge97, label %.lr.ph96

._crit_edge97:                                    ; preds = %.lr.ph96, %._crit_edge
  %.lcssa = phi double [ 0.000000e+00, %._crit_edge ], [ %32, %.lr.ph96 ]
  %.not93 = icmp eq ptr %.sroa.082.0.copyload, null
  br i1 %.not93, label %35, label %34

34:                                               ; preds = %._crit_edge97
  call void @free(ptr %.sroa.082.0.copyload)
  store ptr null, ptr %6, align 8, !tbaa !24
  store i64 8, ptr %.sroa.4.0..sroa_idx, align 8, !tbaa !24
  store i32 20240719, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !24
  store i8 1, ptr %.sroa.6.0..sroa_idx, align 4, !tbaa !24
  store i8 28, ptr %.sroa.7.0..sroa_idx, align 1, !tbaa !24
  store i8 2, ptr %.sroa.8.0..sroa_idx, align 2, !tbaa !24
  store i8 0, ptr %.sroa.9.0..sroa_idx, align 1, !tbaa !24
  store i64 1, ptr %.sroa.10.0..sroa_idx, align 8, !tbaa !24
  store i64 0, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !24
  store i64 8, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !24
  br label %35

35:                                               ; preds = %34, %._crit_edge97
  %36 = trunc i64 %.sroa.385.0.copyload to i32
  %37 = sitofp i32 %36 to double
  %38 = fmul contract double %.lcssa, %37
  ret double %38
}

define double @layers(ptr %0, i32 %1) local_unnamed_addr #2 {
  %3 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %4 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %5 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %6 = alloca { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]] }, align 8
  %7 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, align 8
  %8 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  store ptr null, ptr %8, align 8, !tbaa !37
  %.sroa.3.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 8
  store i64 8, ptr %.sroa.3.0..sroa_idx, align 8, !tbaa !37
  %.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 16
  store i32 20240719, ptr %.sroa.4.0..sroa_idx, align 8, !tbaa !37
  %.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 20
  store i8 1, ptr %.sroa.5.0..sroa_idx, align 4, !tbaa !37
  %.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 21
  store i8 28, ptr %.sroa.6.0..sroa_idx, align 1, !tbaa !37
  %.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 22
  store i8 2, ptr %.sroa.7.0..sroa_idx, align 2, !tbaa !37
  %.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 23
  store i8 0, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !37
  %.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 24
  store i64 1, ptr %.sroa.9.0..sroa_idx, align 8, !tbaa !37
  %.sroa.10.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 32
  store i64 0, ptr %.sroa.10.0..sroa_idx, align 8, !tbaa !37
  %.sroa.11.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 40
  store i64 8, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !37
  store ptr null, ptr %7, align 8, !tbaa !37
  %.sroa.2.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 8
  store i64 128, ptr %.sroa.2.0..sroa_idx, align 8, !tbaa !37
  %.sroa.333.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 16
  store i32 20240719, ptr %.sroa.333.0..sroa_idx, align 8, !tbaa !37
  %.sroa.434.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 20
  store i8 1, ptr %.sroa.434.0..sroa_idx, align 4, !tbaa !37
  %.sroa.535.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 21
  store i8 42, ptr %.sroa.535.0..sroa_idx, align 1, !tbaa !37
  %.sroa.636.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 22
  store i8 2, ptr %.sroa.636.0..sroa_idx, align 2, !tbaa !37
  %.sroa.737.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 23
  store i8 1, ptr %.sroa.737.0..sroa_idx, align 1, !tbaa !37
  %.sroa.838.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 24
  store i64 1, ptr %.sroa.838.0..sroa_idx, align 8, !tbaa !37
  %.sroa.939.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 32
  store i64 0, ptr %.sroa.939.0..sroa_idx, align 8, !tbaa !37
  %.sroa.1040.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 40
  store i64 128, ptr %.sroa.1040.0..sroa_idx, align 8, !tbaa !37
  %.sroa.1141.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 48
  store ptr @_QMsampleEXdtXlayer, ptr %.sroa.1141.0..sroa_idx, align 8, !tbaa !37
  %.sroa.12.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 56
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !37
  call void @_FortranAAllocatableSetBounds(ptr nonnull %7, i32 0, i64 1, i64 3)
  %9 = call i32 @_FortranAAllocatableAllocate(ptr nonnull %7, ptr nonnull inttoptr (i64 -1 to ptr), i1 false, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 71, ptr null)
  %.fca.1.gep = getelementptr inbounds nuw i8, ptr %6, i64 8
  %.fca.2.gep = getelementptr inbounds nuw i8, ptr %6, i64 16
  %.fca.3.gep = getelementptr inbounds nuw i8, ptr %6, i64 20
  %.fca.4.gep = getelementptr inbounds nuw i8, ptr %6, i64 21
  %.fca.5.gep = getelementptr inbounds nuw i8, ptr %6, i64 22
  %.fca.6.gep = getelementptr inbounds nuw i8, ptr %6, i64 23
  %.fca.7.0.0.gep = getelementptr inbounds nuw i8, ptr %6, i64 24
  %.fca.7.0.1.gep = getelementptr inbounds nuw i8, ptr %6, i64 32
  %.fca.7.0.2.gep = getelementptr inbounds nuw i8, ptr %6, i64 40
  %.fca.7.1.0.gep = getelementptr inbounds nuw i8, ptr %6, i64 48
  %.fca.7.1.1.gep = getelementptr inbounds nuw i8, ptr %6, i64 56
  %.fca.7.1.2.gep = getelementptr inbounds nuw i8, ptr %6, i64 64
  %.fca.1.gep164 = getelementptr inbounds nuw i8, ptr %5, i64 8
  %.fca.2.gep166 = getelementptr inbounds nuw i8, ptr %5, i64 16
  %.fca.3.gep168 = getelementptr inbounds nuw i8, ptr %5, i64 20
  %.fca.4.gep170 = getelementptr inbounds nuw i8, ptr %5, i64 21
  %.fca.5.gep172 = getelementptr inbounds nuw i8, ptr %5, i64 22
  %.fca.6.gep174 = getelementptr inbounds nuw i8, ptr %5, i64 23
  %.fca.7.0.0.gep176 = getelementptr inbounds nuw i8, ptr %5, i64 24
  %.fca.7.0.1.gep178 = getelementptr inbounds nuw i8, ptr %5, i64 32
  %.fca.7.0.2.gep180 = getelementptr inbounds nuw i8, ptr %5, i64 40
  br label %10

10:                                               ; preds = %2, %10
  %indvars.iv349 = phi i64 [ 0, %2 ], [ %indvars.iv.next350, %10 ]
  %indvars.iv = phi i64 [ 1, %2 ], [ %indvars.iv.next, %10 ]
  %indvar345 = phi i64 [ 0, %2 ], [ %indvar.next346, %10 ]
  %11 = mul nuw nsw i64 %indvar345, 160
  %scevgep348 = getelementptr i8, ptr %0, i64 %11
  %.sroa.042.0.copyload = load ptr, ptr %7, align 8, !tbaa !37
  %.sroa.244.0.copyload = load i64, ptr %.sroa.838.0..sroa_idx, align 8, !tbaa !37
  %12 = sub nsw i64 %indvars.iv, %.sroa.244.0.copyload
  %13 = getelementptr %_QMsampleTlayer, ptr %.sroa.042.0.copyload, i64 %12
  %14 = call dereferenceable_or_null(128) ptr @malloc(i64 128)
  store ptr %14, ptr %13, align 1, !tbaa !37
  %.sroa.249.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 8
  store i64 8, ptr %.sroa.249.0..sroa_idx, align 1, !tbaa !37
  %.sroa.350.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 16
  store i32 20240719, ptr %.sroa.350.0..sroa_idx, align 1, !tbaa !37
  %.sroa.451.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 20
  store i8 2, ptr %.sroa.451.0..sroa_idx, align 1, !tbaa !37
  %.sroa.552.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 21
  store i8 28, ptr %.sroa.552.0..sroa_idx, align 1, !tbaa !37
  %.sroa.653.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 22
  store i8 2, ptr %.sroa.653.0..sroa_idx, align 1, !tbaa !37
  %.sroa.754.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 23
  store i8 0, ptr %.sroa.754.0..sroa_idx, align 1, !tbaa !37
  %.sroa.855.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 24
  store i64 1, ptr %.sroa.855.0..sroa_idx, align 1, !tbaa !37
  %.sroa.956.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 32
  store i64 4, ptr %.sroa.956.0..sroa_idx, align 1, !tbaa !37
  %.sroa.1057.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 40
  store i64 8, ptr %.sroa.1057.0..sroa_idx, align 1, !tbaa !37
  %.sroa.1158.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 48
  store i64 1, ptr %.sroa.1158.0..sroa_idx, align 1, !tbaa !37
  %.sroa.1259.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 56
  store i64 4, ptr %.sroa.1259.0..sroa_idx, align 1, !tbaa !37
  %.sroa.13.0..sroa_idx = getelementptr inbounds nuw i8, ptr %13, i64 64
  store i64 32, ptr %.sroa.13.0..sroa_idx, align 1, !tbaa !37
  %.sroa.060.0.copyload = load ptr, ptr %7, align 8, !tbaa !37
  %.sroa.262.0.copyload = load i64, ptr %.sroa.838.0..sroa_idx, align 8, !tbaa !37
  %15 = sub nsw i64 %indvars.iv, %.sroa.262.0.copyload
  %16 = getelementptr %_QMsampleTlayer, ptr %.sroa.060.0.copyload, i64 %15
  %17 = getelementptr i8, ptr %16, i64 72
  %18 = call dereferenceable_or_null(32) ptr @malloc(i64 32)
  store ptr %18, ptr %17, align 1, !tbaa !37
  %.sroa.277.0..sroa_idx = getelementptr i8, ptr %16, i64 80
  store i64 8, ptr %.sroa.277.0..sroa_idx, align 1, !tbaa !37
  %.sroa.378.0..sroa_idx = getelementptr i8, ptr %16, i64 88
  store i32 20240719, ptr %.sroa.378.0..sroa_idx, align 1, !tbaa !37
  %.sroa.479.0..sroa_idx = getelementptr i8, ptr %16, i64 92
  store i8 1, ptr %.sroa.479.0..sroa_idx, align 1, !tbaa !37
  %.sroa.580.0..sroa_idx = getelementptr i8, ptr %16, i64 93
  store i8 28, ptr %.sroa.580.0..sroa_idx, align 1, !tbaa !37
  %.sroa.681.0..sroa_idx = getelementptr i8, ptr %16, i64 94
  store i8 2, ptr %.sroa.681.0..sroa_idx, align 1, !tbaa !37
  %.sroa.782.0..sroa_idx = getelementptr i8, ptr %16, i64 95
  store i8 0, ptr %.sroa.782.0..sroa_idx, align 1, !tbaa !37
  %.sroa.883.0..sroa_idx = getelementptr i8, ptr %16, i64 96
  store i64 1, ptr %.sroa.883.0..sroa_idx, align 1, !tbaa !37
  %.sroa.984.0..sroa_idx = getelementptr i8, ptr %16, i64 104
  store i64 4, ptr %.sroa.984.0..sroa_idx, align 1, !tbaa !37
  %.sroa.1085.0..sroa_idx = getelementptr i8, ptr %16, i64 112
  store i64 8, ptr %.sroa.1085.0..sroa_idx, align 1, !tbaa !37
  %19 = call dereferenceable_or_null(128) ptr @malloc(i64 128)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %19, ptr noundef nonnull align 8 dereferenceable(128) %scevgep348, i64 128, i1 false), !tbaa !41
  %.sroa.0106.0.copyload = load ptr, ptr %7, align 8, !tbaa !37
  %.sroa.2108.0.copyload = load i64, ptr %.sroa.838.0..sroa_idx, align 8, !tbaa !37
  %20 = sub nsw i64 %indvars.iv, %.sroa.2108.0.copyload
  %21 = getelementptr %_QMsampleTlayer, ptr %.sroa.0106.0.copyload, i64 %20
  store ptr %19, ptr %6, align 8, !tbaa !37
  store i64 8, ptr %.fca.1.gep, align 8, !tbaa !37
  store i32 20240719, ptr %.fca.2.gep, align 8, !tbaa !37
  store i8 2, ptr %.fca.3.gep, align 4, !tbaa !37
  store i8 28, ptr %.fca.4.gep, align 1, !tbaa !37
  store i8 0, ptr %.fca.5.gep, align 2, !tbaa !37
  store i8 0, ptr %.fca.6.gep, align 1, !tbaa !37
  store i64 1, ptr %.fca.7.0.0.gep, align 8, !tbaa !37
  store i64 4, ptr %.fca.7.0.1.gep, align 8, !tbaa !37
  store i64 8, ptr %.fca.7.0.2.gep, align 8, !tbaa !37
  store i64 1, ptr %.fca.7.1.0.gep, align 8, !tbaa !37
  store i64 4, ptr %.fca.7.1.1.gep, align 8, !tbaa !37
  store i64 32, ptr %.fca.7.1.2.gep, align 8, !tbaa !37
  call void @_FortranAAssign(ptr %21, ptr nonnull %6, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 75)
  call void @free(ptr %19)
  %indvars.iv.next350 = add nuw nsw i64 %indvars.iv349, 20
  %22 = getelementptr double, ptr %0, i64 %indvars.iv349
  %23 = getelementptr i8, ptr %22, i64 128
  %.sroa.0155.0.copyload = load ptr, ptr %7, align 8, !tbaa !37
  %.sroa.2157.0.copyload = load i64, ptr %.sroa.838.0..sroa_idx, align 8, !tbaa !37
  %24 = sub nsw i64 %indvars.iv, %.sroa.2157.0.copyload
  %25 = getelementptr %_QMsampleTlayer, ptr %.sroa.0155.0.copyload, i64 %24
  %26 = getelementptr i8, ptr %25, i64 72
  store ptr %23, ptr %5, align 8, !tbaa !37
  store i64 8, ptr %.fca.1.gep164, align 8, !tbaa !37
  store i32 20240719, ptr %.fca.2.gep166, align 8, !tbaa !37
  store i8 1, ptr %.fca.3.gep168, align 4, !tbaa !37
  store i8 28, ptr %.fca.4.gep170, align 1, !tbaa !37
  store i8 0, ptr %.fca.5.gep172, align 2, !tbaa !37
  store i8 0, ptr %.fca.6.gep174, align 1, !tbaa !37
  store i64 1, ptr %.fca.7.0.0.gep176, align 8, !tbaa !37
  store i64 4, ptr %.fca.7.0.1.gep178, align 8, !tbaa !37
  store i64 8, ptr %.fca.7.0.2.gep180, align 8, !tbaa !37
  call void @_FortranAAssign(ptr %26, ptr nonnull %5, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 76)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %indvar.next346 = add nuw nsw i64 %indvar345, 1
  %exitcond.not = icmp eq i64 %indvar.next346, 3
  br i1 %exitcond.not, label %27, label %10

27:                                               ; preds = %10
  %28 = getelementptr i8, ptr %0, i64 480
  store ptr %28, ptr %4, align 8, !tbaa !37
  %.fca.1.gep214 = getelementptr inbounds nuw i8, ptr %4, i64 8
  store i64 8, ptr %.fca.1.gep214, align 8, !tbaa !37
  %.fca.2.gep216 = getelementptr inbounds nuw i8, ptr %4, i64 16
  store i32 20240719, ptr %.fca.2.gep216, align 8, !tbaa !37
  %.fca.3.gep218 = getelementptr inbounds nuw i8, ptr %4, i64 20
  store i8 1, ptr %.fca.3.gep218, align 4, !tbaa !37
  %.fca.4.gep220 = getelementptr inbounds nuw i8, ptr %4, i64 21
  store i8 28, ptr %.fca.4.gep220, align 1, !tbaa !37
  %.fca.5.gep222 = getelementptr inbounds nuw i8, ptr %4, i64 22
  store i8 0, ptr %.fca.5.gep222, align 2, !tbaa !37
  %.fca.6.gep224 = getelementptr inbounds nuw i8, ptr %4, i64 23
  store i8 0, ptr %.fca.6.gep224, align 1, !tbaa !37
  %.fca.7.0.0.gep226 = getelementptr inbounds nuw i8, ptr %4, i64 24
  store i64 1, ptr %.fca.7.0.0.gep226, align 8, !tbaa !37
  %.fca.7.0.1.gep228 = getelementptr inbounds nuw i8, ptr %4, i64 32
  store i64 4, ptr %.fca.7.0.1.gep228, align 8, !tbaa !37
  %.fca.7.0.2.gep230 = getelementptr inbounds nuw i8, ptr %4, i64 40
  store i64 8, ptr %.fca.7.0.2.gep230, align 8, !tbaa !37
  call void @_FortranAAssign(ptr nonnull %8, ptr nonnull %4, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 78)
  %.sroa.2232.0.copyload = load i64, ptr %.sroa.939.0..sroa_idx, align 8, !tbaa !37
  %sext = shl i64 %.sroa.2232.0.copyload, 32
  %29 = ashr exact i64 %sext, 32
  %30 = icmp sgt i64 %29, 0
  br i1 %30, label %.lr.ph338, label %._crit_edge339

.lr.ph338:                                        ; preds = %27
  %.fca.1.gep292 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %.fca.2.gep294 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %.fca.3.gep296 = getelementptr inbounds nuw i8, ptr %3, i64 20
  %.fca.4.gep298 = getelementptr inbounds nuw i8, ptr %3, i64 21
  %.fca.5.gep300 = getelementptr inbounds nuw i8, ptr %3, i64 22
  %.fca.6.gep302 = getelementptr inbounds nuw i8, ptr %3, i64 23
  %.fca.7.0.0.gep304 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %.fca.7.0.1.gep306 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %.fca.7.0.2.gep308 = getelementptr inbounds nuw i8, ptr %3, i64 40
  br label %31

31:                                               ; preds = %.lr.ph338, %._crit_edge336
  %indvars.iv357 = phi i64 [ 1, %.lr.ph338 ], [ %indvars.iv.next358, %._crit_edge336 ]
  %.sroa.0235.0.copyload = load ptr, ptr %7, align 8, !tbaa !37
  %.sroa.2237.0.copyload = load i64, ptr %.sroa.838.0..sroa_idx, align 8, !tbaa !37
  %32 = sub nsw i64 %indvars.iv357, %.sroa.2237.0.copyload
  %33 = getelementptr %_QMsampleTlayer, ptr %.sroa.0235.0.copyload, i64 %32
  %.sroa.0241.0.copyload = load ptr, ptr %33, align 1, !tbaa !37
  %.sroa.3244.0..sroa_idx = getelementptr inbounds nuw i8, ptr %33, i64 32
  %.sroa.3244.0.copyload = load i64, ptr %.sroa.3244.0..sroa_idx, align 1, !tbaa !37
  %.sroa.6247.0..sroa_idx = getelementptr inbounds nuw i8, ptr %33, i64 56
  %.sroa.6247.0.copyload = load i64, ptr %.sroa.6247.0..sroa_idx, align 1, !tbaa !37
  %.sroa.0249.0.copyload = load ptr, ptr %8, align 8, !tbaa !37
  %34 = shl i64 %.sroa.3244.0.copyload, 3
  %35 = call i64 @llvm.smax.i64(i64 %34, i64 1)
  %36 = call ptr @malloc(i64 %35)
  %37 = icmp sgt i64 %.sroa.3244.0.copyload, 0
  br i1 %37, label %.lr.ph.preheader, label %.preheader329

.lr.ph.preheader:                                 ; preds = %31
  %38 = shl nuw i64 %.sroa.3244.0.copyload, 3
  call void @llvm.memset.p0.i64(ptr align 8 %36, i8 0, i64 %38, i1 false), !tbaa !43
  br label %.preheader329

.preheader329:                                    ; preds = %.lr.ph.preheader, %31
  %39 = icmp sgt i64 %.sroa.6247.0.copyload, 0
  br i1 %39, label %.preheader.lr.ph, label %._crit_edge333

.preheader.lr.ph:                                 ; preds = %.preheader329
  %40 = icmp sgt i64 %.sroa.3244.0.copyload, 0
  br label %.preheader

.preheader:                                       ; preds = %.preheader.lr.ph, %._crit_edge
  %41 = phi i64 [ 1, %.preheader.lr.ph ], [ %59, %._crit_edge ]
  br i1 %40, label %.lr.ph332, label %._crit_edge

.lr.ph332:                                        ; preds = %.preheader
  %42 = add nsw i64 %41, -1
  %43 = mul nsw i64 %42, %.sroa.3244.0.copyload
  %44 = getelementptr double, ptr %.sroa.0241.0.copyload, i64 %43
  %45 = getelementptr double, ptr %.sroa.0249.0.copyload, i64 %41
  %46 = getelementptr i8, ptr %45, i64 -8
  %47 = load double, ptr %46, align 8, !tbaa !46
  br label %48

48:                                               ; preds = %.lr.ph332, %48
  %49 = phi i64 [ 1, %.lr.ph332 ], [ %58, %48 ]
  %50 = getelementptr double, ptr %36, i64 %49
  %51 = getelementptr i8, ptr %50, i64 -8
  %52 = load double, ptr %51, align 8, !tbaa !43
  %53 = getelementptr double, ptr %44, i64 %49
  %54 = getelementptr i8, ptr %53, i64 -8
  %55 = load double, ptr %54, align 8, !tbaa !41
  %56 = fmul contract double %55, %47
  %57 = fadd contract double %52, %56
  store double %57, ptr %51, align 8, !tbaa !43
  %58 = add nuw i64 %49, 1
  %exitcond354.not = icmp eq i64 %49, %.sroa.3244.0.copyload
  br i1 %exitcond354.not, label %._crit_edge, label %48

._crit_edge:                                      ; preds = %48, %.preheader
  %59 = add nuw i64 %41, 1
  %exitcond355.not = icmp eq i64 %41, %.sroa.6247.0.copyload
  br i1 %exitcond355.not, label %._crit_edge333, label %.preheader

._crit_edge333:                                   ; preds = %._crit_edge, %.preheader329
  %60 = getelementptr i8, ptr %33, i64 72
  %.sroa.0284.0.copyload = load ptr, ptr %60, align 1, !tbaa !37
  %61 = call ptr @malloc(i64 %35)
  store ptr %61, ptr %3, align 8, !tbaa !37
  store i64 8, ptr %.fca.1.gep292, align 8, !tbaa !37
  store i32 20240719, ptr %.fca.2.gep294, align 8, !tbaa !37
  store i8 1, ptr %.fca.3.gep296, align 4, !tbaa !37
  store i8 28, ptr %.fca.4.gep298, align 1, !tbaa !37
  store i8 0, ptr %.fca.5.gep300, align 2, !tbaa !37
  store i8 0, ptr %.fca.6.gep302, align 1, !tbaa !37
  store i64 1, ptr %.fca.7.0.0.gep304, align 8, !tbaa !37
  store i64 %.sroa.3244.0.copyload, ptr %.fca.7.0.1.gep306, align 8, !tbaa !37
  store i64 8, ptr %.fca.7.0.2.gep308, align 8, !tbaa !37
  %62 = icmp sgt i64 %.sroa.3244.0.copyload, 0
  br i1 %62, label %.lr.ph335, label %._crit_edge336

.lr.ph335:                                        ; preds = %._crit_edge333, %.lr.ph335
  %63 = phi i64 [ %73, %.lr.ph335 ], [ 1, %._crit_edge333 ]
  %64 = add nsw i64 %63, -1
  %65 = getelementptr double, ptr %36, i64 %64
  %66 = load double, ptr %65, align 8, !tbaa !43
  %67 = getelementptr double, ptr %.sroa.0284.0.copyload, i64 %63
  %68 = getelementptr i8, ptr %67, i64 -8
  %69 = load double, ptr %68, align 8, !tbaa !41
  %70 = fadd contract double %66, %69
  %71 = call contract double @llvm.tanh.f64(double %70)
  %72 = getelementptr double, ptr %61, i64 %64
  store double %71, ptr %72, align 8, !tbaa !43
  %73 = add nuw i64 %63, 1
  %exitcond356.not = icmp eq i64 %63, %.sroa.3244.0.copyload
  br i1 %exitcond356.not, label %._crit_edge336, label %.lr.ph335

._crit_edge336:                                   ; preds = %.lr.ph335, %._crit_edge333
  call void @_FortranAAssign(ptr nonnull %8, ptr nonnull %3, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 80)
  call void @free(ptr %61)
  call void @free(ptr %36)
  %indvars.iv.next358 = add nuw nsw i64 %indvars.iv357, 1
  %exitcond360.not = icmp eq i64 %indvars.iv357, %29
  br i1 %exitcond360.not, label %._crit_edge339, label %31

._crit_edge339:                                   ; preds = %._crit_edge336, %27
  %.sroa.0309.0.copyload = load ptr, ptr %8, align 8, !tbaa !37
  %.sroa.3312.0.copyload = load i64, ptr %.sroa.10.0..sroa_idx, align 8, !tbaa !37
  %74 = icmp sgt i64 %.sroa.3312.0.copyload, 0
  br i1 %74, label %.lr.ph341, label %._crit_edge342

.lr.ph341:                                        ; preds = %._crit_edge339, %.lr.ph341
  %75 = phi double [ %80, %.lr.ph341 ], [ 0.000000e+00, %._crit_edge339 ]
  %76 = phi i64 [ %81, %.lr.ph341 ], [ 1, %._crit_edge339 ]
  %77 = getelementptr double, ptr %.sroa.0309.0.copyload, i64 %76
  %78 = getelementptr i8, ptr %77, i64 -8
  %79 = load double, ptr %78, align 8, !tbaa !46
  %80 = fadd contract double %75, %79
  %81 = add nuw i64 %76, 1
  %exitcond361.not = icmp eq i64 %76, %.sroa.3312.0.copyload
  br i1 %exitcond361.not, label %._crit_edge342, label %.lr.ph341

._crit_edge342:                                   ; preds = %.lr.ph341, %._crit_edge339
  %.lcssa = phi double [ 0.000000e+00, %._crit_edge339 ], [ %80, %.lr.ph341 ]
  %.sroa.0314.0.copyload = load ptr, ptr %7, align 8, !tbaa !37
  %.not = icmp eq ptr %.sroa.0314.0.copyload, null
  br i1 %.not, label %84, label %82

82:                                               ; preds = %._crit_edge342
  %83 = call i32 @_FortranAAllocatableDeallocate(ptr nonnull %7, i1 false, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 65)
  br label %84

84:                                               ; preds = %82, %._crit_edge342
  %.sroa.0316.0.copyload = load ptr, ptr %8, align 8, !tbaa !37
  %.not327 = icmp eq ptr %.sroa.0316.0.copyload, null
  br i1 %.not327, label %86, label %85

85:                                               ; preds = %84
  call void @free(ptr %.sroa.0316.0.copyload)
  store ptr null, ptr %8, align 8, !tbaa !37
  store i64 8, ptr %.sroa.3.0..sroa_idx, align 8, !tbaa !37
  store i32 20240719, ptr %.sroa.4.0..sroa_idx, align 8, !tbaa !37
  store i8 1, ptr %.sroa.5.0..sroa_idx, align 4, !tbaa !37
  store i8 28, ptr %.sroa.6.0..sroa_idx, align 1, !tbaa !37
  store i8 2, ptr %.sroa.7.0..sroa_idx, align 2, !tbaa !37
  store i8 0, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !37
  store i64 1, ptr %.sroa.9.0..sroa_idx, align 8, !tbaa !37
  store i64 0, ptr %.sroa.10.0..sroa_idx, align 8, !tbaa !37
  store i64 8, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !37
  br label %86

86:                                               ; preds = %85, %84
  ret double %.lcssa
}

define double @copies(ptr %0, i32 %1) local_unnamed_addr #2 {
  %3 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %4 = alloca { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] }, align 8
  %5 = alloca { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] }, align 8
  %6 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %7 = alloca %_QMsampleTlayer, align 8
  %8 = alloca %_QMsampleTlayer, align 8
  %9 = alloca { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] }, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %8, ptr noundef nonnull align 16 dereferenceable(128) @_QQ_QMsampleTlayerXDerivedInit, i64 128, i1 false), !tbaa !48
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %7, ptr noundef nonnull align 16 dereferenceable(128) @_QQ_QMsampleTlayerXDerivedInit, i64 128, i1 false), !tbaa !48
  %10 = tail call i32 @llvm.smax.i32(i32 %1, i32 0)
  %11 = zext nneg i32 %10 to i64
  %12 = getelementptr inbounds nuw i8, ptr %8, i64 72
  store ptr %0, ptr %6, align 8, !tbaa !51
  %.fca.1.gep = getelementptr inbounds nuw i8, ptr %6, i64 8
  store i64 8, ptr %.fca.1.gep, align 8, !tbaa !51
  %.fca.2.gep = getelementptr inbounds nuw i8, ptr %6, i64 16
  store i32 20240719, ptr %.fca.2.gep, align 8, !tbaa !51
  %.fca.3.gep = getelementptr inbounds nuw i8, ptr %6, i64 20
  store i8 1, ptr %.fca.3.gep, align 4, !tbaa !51
  %.fca.4.gep = getelementptr inbounds nuw i8, ptr %6, i64 21
  store i8 28, ptr %.fca.4.gep, align 1, !tbaa !51
  %.fca.5.gep = getelementptr inbounds nuw i8, ptr %6, i64 22
  store i8 0, ptr %.fca.5.gep, align 2, !tbaa !51
  %.fca.6.gep = getelementptr inbounds nuw i8, ptr %6, i64 23
  store i8 0, ptr %.fca.6.gep, align 1, !tbaa !51
  %.fca.7.0.0.gep = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 1, ptr %.fca.7.0.0.gep, align 8, !tbaa !51
  %.fca.7.0.1.gep = getelementptr inbounds nuw i8, ptr %6, i64 32
  store i64 %11, ptr %.fca.7.0.1.gep, align 8, !tbaa !51
  %.fca.7.0.2.gep = getelementptr inbounds nuw i8, ptr %6, i64 40
  store i64 8, ptr %.fca.7.0.2.gep, align 8, !tbaa !51
  call void @_FortranAAssign(ptr nonnull %12, ptr nonnull %6, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 88)
  store ptr %7, ptr %5, align 8, !tbaa !51
  %.fca.1.gep4 = getelementptr inbounds nuw i8, ptr %5, i64 8
  store i64 128, ptr %.fca.1.gep4, align 8, !tbaa !51
  %.fca.2.gep6 = getelementptr inbounds nuw i8, ptr %5, i64 16
  store i32 20240719, ptr %.fca.2.gep6, align 8, !tbaa !51
  %.fca.3.gep8 = getelementptr inbounds nuw i8, ptr %5, i64 20
  store i8 0, ptr %.fca.3.gep8, align 4, !tbaa !51
  %.fca.4.gep10 = getelementptr inbounds nuw i8, ptr %5, i64 21
  store i8 42, ptr %.fca.4.gep10, align 1, !tbaa !51
  %.fca.5.gep12 = getelementptr inbounds nuw i8, ptr %5, i64 22
  store i8 0, ptr %.fca.5.gep12, align 2, !tbaa !51
  %.fca.6.gep14 = getelementptr inbounds nuw i8, ptr %5, i64 23
  store i8 1, ptr %.fca.6.gep14, align 1, !tbaa !51
  %.fca.7.gep = getelementptr inbounds nuw i8, ptr %5, i64 24
  store ptr @_QMsampleEXdtXlayer, ptr %.fca.7.gep, align 8, !tbaa !51
  %.fca.8.0.gep = getelementptr inbounds nuw i8, ptr %5, i64 32
  store i64 0, ptr %.fca.8.0.gep, align 8, !tbaa !51
  store ptr %8, ptr %4, align 8, !tbaa !51
  %.fca.1.gep18 = getelementptr inbounds nuw i8, ptr %4, i64 8
  store i64 128, ptr %.fca.1.gep18, align 8, !tbaa !51
  %.fca.2.gep20 = getelementptr inbounds nuw i8, ptr %4, i64 16
  store i32 20240719, ptr %.fca.2.gep20, align 8, !tbaa !51
  %.fca.3.gep22 = getelementptr inbounds nuw i8, ptr %4, i64 20
  store i8 0, ptr %.fca.3.gep22, align 4, !tbaa !51
  %.fca.4.gep24 = getelementptr inbounds nuw i8, ptr %4, i64 21
  store i8 42, ptr %.fca.4.gep24, align 1, !tbaa !51
  %.fca.5.gep26 = getelementptr inbounds nuw i8, ptr %4, i64 22
  store i8 0, ptr %.fca.5.gep26, align 2, !tbaa !51
  %.fca.6.gep28 = getelementptr inbounds nuw i8, ptr %4, i64 23
  store i8 1, ptr %.fca.6.gep28, align 1, !tbaa !51
  %.fca.7.gep30 = getelementptr inbounds nuw i8, ptr %4, i64 24
  store ptr @_QMsampleEXdtXlayer, ptr %.fca.7.gep30, align 8, !tbaa !51
  %.fca.8.0.gep32 = getelementptr inbounds nuw i8, ptr %4, i64 32
  store i64 0, ptr %.fca.8.0.gep32, align 8, !tbaa !51
  call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 8 dereferenceable(40) %9, ptr noundef nonnull align 8 dereferenceable(40) %5, i32 40, i1 false), !tbaa !51
  call void @_FortranAAssign(ptr nonnull %9, ptr nonnull %4, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 89)
  %13 = getelementptr inbounds nuw i8, ptr %7, i64 72
  %.sroa.0.0.copyload = load ptr, ptr %13, align 8, !tbaa !51
  %.sroa.233.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 96
  %.sroa.233.0.copyload = load i64, ptr %.sroa.233.0..sroa_idx, align 8, !tbaa !51
  %14 = sub nsw i64 1, %.sroa.233.0.copyload
  %15 = getelementptr double, ptr %.sroa.0.0.copyload, i64 %14
  %16 = load double, ptr %15, align 8, !tbaa !53
  %17 = fmul double %16, %16
  store double %17, ptr %15, align 8, !tbaa !53
  %.sroa.034.0.copyload = load ptr, ptr %12, align 8, !tbaa !51
  %.sroa.337.0..sroa_idx = getelementptr inbounds nuw i8, ptr %8, i64 104
  %.sroa.337.0.copyload = load i64, ptr %.sroa.337.0..sroa_idx, align 8, !tbaa !51
  %18 = shl i64 %.sroa.337.0.copyload, 3
  %19 = call i64 @llvm.smax.i64(i64 %18, i64 1)
  %20 = call ptr @malloc(i64 %19)
  store ptr %20, ptr %3, align 8, !tbaa !51
  %.fca.1.gep42 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i64 8, ptr %.fca.1.gep42, align 8, !tbaa !51
  %.fca.2.gep44 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i32 20240719, ptr %.fca.2.gep44, align 8, !tbaa !51
  %.fca.3.gep46 = getelementptr inbounds nuw i8, ptr %3, i64 20
  store i8 1, ptr %.fca.3.gep46, align 4, !tbaa !51
  %.fca.4.gep48 = getelementptr inbounds nuw i8, ptr %3, i64 21
  store i8 28, ptr %.fca.4.gep48, align 1, !tbaa !51
  %.fca.5.gep50 = getelementptr inbounds nuw i8, ptr %3, i64 22
  store i8 0, ptr %.fca.5.gep50, align 2, !tbaa !51
  %.fca.6.gep52 = getelementptr inbounds nuw i8, ptr %3, i64 23
  store i8 0, ptr %.fca.6.gep52, align 1, !tbaa !51
  %.fca.7.0.0.gep54 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store i64 1, ptr %.fca.7.0.0.gep54, align 8, !tbaa !51
  %.fca.7.0.1.gep56 = getelementptr inbounds nuw i8, ptr %3, i64 32
  store i64 %.sroa.337.0.copyload, ptr %.fca.7.0.1.gep56, align 8, !tbaa !51
  %.fca.7.0.2.gep58 = getelementptr inbounds nuw i8, ptr %3, i64 40
  store i64 8, ptr %.fca.7.0.2.gep58, align 8, !tbaa !51
  %21 = icmp sgt i64 %.sroa.337.0.copyload, 0
  br i1 %21, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %2, %.lr.ph
  %22 = phi i64 [ %29, %.lr.ph ], [ 1, %2 ]
  %23 = getelementptr double, ptr %.sroa.034.0.copyload, i64 %22
  %24 = getelementptr i8, ptr %23, i64 -8
  %25 = load double, ptr %24, align 8, !tbaa !57
  %26 = fmul contract double %25, 2.000000e+00
  %27 = getelementptr double, ptr %20, i64 %22
  %28 = getelementptr i8, ptr %27, i64 -8
  store double %26, ptr %28, align 8, !tbaa !59
  %29 = add nuw i64 %22, 1
  %exitcond.not = icmp eq i64 %22, %.sroa.337.0.copyload
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph

._crit_edge:                                      ; preds = %.lr.ph, %2
  call void @_FortranAAssign(ptr nonnull %12, ptr nonnull %3, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 91)
  call void @free(ptr %20)
  %.sroa.059.0.copyload = load ptr, ptr %12, align 8, !tbaa !51
  %.sroa.362.0.copyload = load i64, ptr %.sroa.337.0..sroa_idx, align 8, !tbaa !51
  %.sroa.064.0.copyload = load ptr, ptr %13, align 8, !tbaa !51
  %30 = icmp sgt i64 %.sroa.362.0.copyload, 0
  br i1 %30, label %.lr.ph71, label %._crit_edge72

.lr.ph71:                                         ; preds = %._crit_edge, %.lr.ph71
  %31 = phi double [ %40, %.lr.ph71 ], [ 0.000000e+00, %._crit_edge ]
  %32 = phi i64 [ %41, %.lr.ph71 ], [ 1, %._crit_edge ]
  %33 = getelementptr double, ptr %.sroa.059.0.copyload, i64 %32
  %34 = getelementptr i8, ptr %33, i64 -8
  %35 = getelementptr double, ptr %.sroa.064.0.copyload, i64 %32
  %36 = getelementptr i8, ptr %35, i64 -8
  %37 = load double, ptr %34, align 8, !tbaa !57
  %38 = load double, ptr %36, align 8, !tbaa !53
  %39 = fmul contract double %37, %38
  %40 = fadd contract double %31, %39
  %41 = add nuw i64 %32, 1
  %exitcond74.not = icmp eq i64 %32, %.sroa.362.0.copyload
  br i1 %exitcond74.not, label %._crit_edge72, label %.lr.ph71

._crit_edge72:                                    ; preds = %.lr.ph71, %._crit_edge
  %.lcssa = phi double [ 0.000000e+00, %._crit_edge ], [ %40, %.lr.ph71 ]
  call void @_FortranADestroy(ptr nonnull %5)
  call void @_FortranADestroy(ptr nonnull %4)
  ret double %.lcssa
}

define double @grown(ptr readonly captures(none) %0, i32 %1) local_unnamed_addr #2 {
  %3 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %4 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %5 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %6 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %7 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %8 = alloca [10 x i64], align 8
  %9 = alloca double, align 8
  store ptr null, ptr %6, align 8, !tbaa !61
  %.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 8
  store i64 8, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !61
  %.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 16
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !61
  %.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 20
  store i8 1, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !61
  %.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 21
  store i8 28, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !61
  %.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 22
  store i8 2, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !61
  %.sroa.10.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 23
  store i8 0, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !61
  %.sroa.11.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 1, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !61
  %.sroa.12.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 32
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !61
  %.sroa.13.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 40
  store i64 8, ptr %.sroa.13.0..sroa_idx, align 8, !tbaa !61
  store ptr null, ptr %5, align 8, !tbaa !61
  %.sroa.5.0..sroa_idx10 = getelementptr inbounds nuw i8, ptr %5, i64 8
  store i64 8, ptr %.sroa.5.0..sroa_idx10, align 8, !tbaa !61
  %.sroa.6.0..sroa_idx16 = getelementptr inbounds nuw i8, ptr %5, i64 16
  store i32 20240719, ptr %.sroa.6.0..sroa_idx16, align 8, !tbaa !61
  %.sroa.7.0..sroa_idx22 = getelementptr inbounds nuw i8, ptr %5, i64 20
  store i8 1, ptr %.sroa.7.0..sroa_idx22, align 4, !tbaa !61
  %.sroa.8.0..sroa_idx28 = getelementptr inbounds nuw i8, ptr %5, i64 21
  store i8 28, ptr %.sroa.8.0..sroa_idx28, align 1, !tbaa !61
  %.sroa.9.0..sroa_idx34 = getelementptr inbounds nuw i8, ptr %5, i64 22
  store i8 2, ptr %.sroa.9.0..sroa_idx34, align 2, !tbaa !61
  %.sroa.10.0..sroa_idx40 = getelementptr inbounds nuw i8, ptr %5, i64 23
  store i8 0, ptr %.sroa.10.0..sroa_idx40, align 1, !tbaa !61
  %.sroa.11.0..sroa_idx46 = getelementptr inbounds nuw i8, ptr %5, i64 24
  store i64 1, ptr %.sroa.11.0..sroa_idx46, align 8, !tbaa !61
  %.sroa.12.0..sroa_idx52 = getelementptr inbounds nuw i8, ptr %5, i64 32
  store i64 0, ptr %.sroa.12.0..sroa_idx52, align 8, !tbaa !61
  %.sroa.13.0..sroa_idx58 = getelementptr inbounds nuw i8, ptr %5, i64 40
  store i64 8, ptr %.sroa.13.0..sroa_idx58, align 8, !tbaa !61
  %10 = sext i32 %1 to i64
  %11 = tail call i64 @llvm.smax.i64(i64 %10, i64 0)
  %12 = tail call dereferenceable_or_null(1) ptr @malloc(i64 1)
  store ptr %12, ptr %5, align 8, !tbaa !61
  store i64 8, ptr %.sroa.5.0..sroa_idx10, align 8, !tbaa !61
  store i32 20240719, ptr %.sroa.6.0..sroa_idx16, align 8, !tbaa !61
  store i8 1, ptr %.sroa.7.0..sroa_idx22, align 4, !tbaa !61
  store i8 28, ptr %.sroa.8.0..sroa_idx28, align 1, !tbaa !61
  store i8 2, ptr %.sroa.9.0..sroa_idx34, align 2, !tbaa !61
  store i8 0, ptr %.sroa.10.0..sroa_idx40, align 1, !tbaa !61
  store i64 1, ptr %.sroa.11.0..sroa_idx46, align 8, !tbaa !61
  store i64 0, ptr %.sroa.12.0..sroa_idx52, align 8, !tbaa !61
  store i64 8, ptr %.sroa.13.0..sroa_idx58, align 8, !tbaa !61
  %13 = icmp sgt i32 %1, 0
  br i1 %13, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %2
  %.fca.1.gep = getelementptr inbounds nuw i8, ptr %4, i64 8
  %.fca.2.gep = getelementptr inbounds nuw i8, ptr %4, i64 16
  %.fca.3.gep = getelementptr inbounds nuw i8, ptr %4, i64 20
  %.fca.4.gep = getelementptr inbounds nuw i8, ptr %4, i64 21
  %.fca.5.gep = getelementptr inbounds nuw i8, ptr %4, i64 22
  %.fca.6.gep = getelementptr inbounds nuw i8, ptr %4, i64 23
  %.fca.7.0.0.gep = getelementptr inbounds nuw i8, ptr %4, i64 24
  %.fca.7.0.1.gep = getelementptr inbounds nuw i8, ptr %4, i64 32
  %.fca.7.0.2.gep = getelementptr inbounds nuw i8, ptr %4, i64 40
  %.sroa.2105.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 8
  %.sroa.3106.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 16
  %.sroa.4107.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 20
  %.sroa.5108.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 21
  %.sroa.6109.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 22
  %.sroa.7110.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 23
  %.sroa.8111.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 24
  %.sroa.9112.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 32
  %.sroa.10113.0..sroa_idx = getelementptr inbounds nuw i8, ptr %7, i64 40
  %.fca.1.gep122 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %.fca.2.gep124 = getelementptr inbounds nuw i8, ptr %3, i64 16
  %.fca.3.gep126 = getelementptr inbounds nuw i8, ptr %3, i64 20
  %.fca.4.gep128 = getelementptr inbounds nuw i8, ptr %3, i64 21
  %.fca.5.gep130 = getelementptr inbounds nuw i8, ptr %3, i64 22
  %.fca.6.gep132 = getelementptr inbounds nuw i8, ptr %3, i64 23
  %.fca.7.0.0.gep134 = getelementptr inbounds nuw i8, ptr %3, i64 24
  %.fca.7.0.1.gep136 = getelementptr inbounds nuw i8, ptr %3, i64 32
  %.fca.7.0.2.gep138 = getelementptr inbounds nuw i8, ptr %3, i64 40
  br label %14

14:                                               ; preds = %.lr.ph, %14
  %indvars.iv = phi i64 [ 1, %.lr.ph ], [ %indvars.iv.next, %14 ]
  %.sroa.272.0.copyload = load i64, ptr %.sroa.12.0..sroa_idx52, align 8, !tbaa !61
  %15 = add i64 %.sroa.272.0.copyload, 1
  %16 = shl i64 %15, 3
  %17 = call i64 @llvm.smax.i64(i64 %16, i64 1)
  %18 = call ptr @malloc(i64 %17)
  store ptr %18, ptr %4, align 8, !tbaa !61
  store i64 8, ptr %.fca.1.gep, align 8, !tbaa !61
  store i32 20240719, ptr %.fca.2.gep, align 8, !tbaa !61
  store i8 1, ptr %.fca.3.gep, align 4, !tbaa !61
  store i8 28, ptr %.fca.4.gep, align 1, !tbaa !61
  store i8 0, ptr %.fca.5.gep, align 2, !tbaa !61
  store i8 0, ptr %.fca.6.gep, align 1, !tbaa !61
  store i64 1, ptr %.fca.7.0.0.gep, align 8, !tbaa !61
  store i64 %15, ptr %.fca.7.0.1.gep, align 8, !tbaa !61
  store i64 8, ptr %.fca.7.0.2.gep, align 8, !tbaa !61
  store ptr %18, ptr %7, align 8, !tbaa !61
  store i64 8, ptr %.sroa.2105.0..sroa_idx, align 8, !tbaa !61
  store i32 20240719, ptr %.sroa.3106.0..sroa_idx, align 8, !tbaa !61
  store i8 1, ptr %.sroa.4107.0..sroa_idx, align 4, !tbaa !61
  store i8 28, ptr %.sroa.5108.0..sroa_idx, align 1, !tbaa !61
  store i8 2, ptr %.sroa.6109.0..sroa_idx, align 2, !tbaa !61
  store i8 0, ptr %.sroa.7110.0..sroa_idx, align 1, !tbaa !61
  store i64 1, ptr %.sroa.8111.0..sroa_idx, align 8, !tbaa !61
  store i64 %15, ptr %.sroa.9112.0..sroa_idx, align 8, !tbaa !61
  store i64 8, ptr %.sroa.10113.0..sroa_idx, align 8, !tbaa !61
  call void @_FortranAInitArrayConstructorVector(ptr nonnull %8, ptr nonnull %7, i1 false, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 101)
  %.sroa.0114.0.copyload = load ptr, ptr %5, align 8, !tbaa !61
  %.sroa.2116.0.copyload = load i64, ptr %.sroa.11.0..sroa_idx46, align 8, !tbaa !61
  %.sroa.3117.0.copyload = load i64, ptr %.sroa.12.0..sroa_idx52, align 8, !tbaa !61
  %19 = icmp eq i64 %.sroa.3117.0.copyload, 0
  %20 = select i1 %19, i64 1, i64 %.sroa.2116.0.copyload
  store ptr %.sroa.0114.0.copyload, ptr %3, align 8, !tbaa !61
  store i64 8, ptr %.fca.1.gep122, align 8, !tbaa !61
  store i32 20240719, ptr %.fca.2.gep124, align 8, !tbaa !61
  store i8 1, ptr %.fca.3.gep126, align 4, !tbaa !61
  store i8 28, ptr %.fca.4.gep128, align 1, !tbaa !61
  store i8 0, ptr %.fca.5.gep130, align 2, !tbaa !61
  store i8 0, ptr %.fca.6.gep132, align 1, !tbaa !61
  store i64 %20, ptr %.fca.7.0.0.gep134, align 8, !tbaa !61
  store i64 %.sroa.3117.0.copyload, ptr %.fca.7.0.1.gep136, align 8, !tbaa !61
  store i64 8, ptr %.fca.7.0.2.gep138, align 8, !tbaa !61
  call void @_FortranAPushArrayConstructorValue(ptr nonnull %8, ptr nonnull %3)
  %21 = getelementptr double, ptr %0, i64 %indvars.iv
  %22 = getelementptr i8, ptr %21, i64 -8
  %23 = load double, ptr %22, align 8, !tbaa !65
  %24 = fmul double %23, %23
  store double %24, ptr %9, align 8, !tbaa !69
  call void @_FortranAPushArrayConstructorSimpleScalar(ptr nonnull %8, ptr nonnull %9)
  call void @_FortranAAssign(ptr nonnull %5, ptr nonnull %4, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 101)
  call void @free(ptr %18)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv, %10
  br i1 %exitcond.not, label %._crit_edge, label %14

._crit_edge:                                      ; preds = %14, %2
  %25 = shl i32 %1, 1
  %26 = call i32 @llvm.smax.i32(i32 %25, i32 0)
  %27 = zext nneg i32 %26 to i64
  %28 = shl nuw nsw i64 %27, 3
  %.not = icmp slt i32 %25, 1
  %29 = select i1 %.not, i64 1, i64 %28
  %30 = call ptr @malloc(i64 %29)
  store ptr %30, ptr %6, align 8, !tbaa !61
  store i64 8, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !61
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !61
  store i8 1, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !61
  store i8 28, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !61
  store i8 2, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !61
  store i8 0, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !61
  store i64 1, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !61
  store i64 %27, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !61
  store i64 8, ptr %.sroa.13.0..sroa_idx, align 8, !tbaa !61
  %.sroa.0169.0.copyload = load ptr, ptr %5, align 8, !tbaa !61
  %.not200204 = icmp slt i32 %1, 1
  br i1 %.not200204, label %._crit_edge207, label %.lr.ph206

.lr.ph206:                                        ; preds = %._crit_edge, %.lr.ph206
  %31 = phi i64 [ %39, %.lr.ph206 ], [ %11, %._crit_edge ]
  %32 = phi i64 [ %38, %.lr.ph206 ], [ 1, %._crit_edge ]
  %33 = getelementptr double, ptr %.sroa.0169.0.copyload, i64 %32
  %34 = getelementptr i8, ptr %33, i64 -8
  %35 = load double, ptr %34, align 8, !tbaa !71
  %36 = getelementptr double, ptr %30, i64 %32
  %37 = getelementptr i8, ptr %36, i64 -8
  store double %35, ptr %37, align 8, !tbaa !73
  %38 = add nuw nsw i64 %32, 1
  %39 = add nsw i64 %31, -1
  %.not200 = icmp eq i64 %39, 0
  br i1 %.not200, label %._crit_edge207, label %.lr.ph206

._crit_edge207:                                   ; preds = %.lr.ph206, %._crit_edge
  %40 = add nsw i32 %1, 1
  %41 = sext i32 %40 to i64
  %reass.sub = sub nsw i64 %27, %41
  %42 = call i64 @llvm.smax.i64(i64 %reass.sub, i64 -1)
  %43 = add nsw i64 %42, 1
  %.not201208 = icmp eq i64 %43, 0
  br i1 %.not201208, label %._crit_edge211, label %.lr.ph210

.lr.ph210:                                        ; preds = %._crit_edge207, %.lr.ph210
  %44 = phi i64 [ %50, %.lr.ph210 ], [ %43, %._crit_edge207 ]
  %45 = phi i64 [ %49, %.lr.ph210 ], [ 1, %._crit_edge207 ]
  %46 = getelementptr double, ptr %30, i64 %45
  %47 = getelementptr i8, ptr %46, i64 -16
  %48 = getelementptr double, ptr %47, i64 %41
  store double 1.000000e+00, ptr %48, align 8, !tbaa !73
  %49 = add nuw nsw i64 %45, 1
  %50 = add nsw i64 %44, -1
  %.not201 = icmp eq i64 %50, 0
  br i1 %.not201, label %._crit_edge211, label %.lr.ph210

._crit_edge211:                                   ; preds = %.lr.ph210, %._crit_edge207
  %51 = call i32 @_FortranAMoveAlloc(ptr nonnull %5, ptr nonnull %6, ptr null, i1 false, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 105)
  %.sroa.0184.0.copyload = load ptr, ptr %5, align 8, !tbaa !61
  %.sroa.3187.0.copyload = load i64, ptr %.sroa.12.0..sroa_idx52, align 8, !tbaa !61
  %52 = icmp sgt i64 %.sroa.3187.0.copyload, 0
  br i1 %52, label %.lr.ph213, label %._crit_edge214

.lr.ph213:                                        ; preds = %._crit_edge211, %.lr.ph213
  %53 = phi double [ %59, %.lr.ph213 ], [ 0.000000e+00, %._crit_edge211 ]
  %54 = phi i64 [ %60, %.lr.ph213 ], [ 1, %._crit_edge211 ]
  %55 = getelementptr double, ptr %.sroa.0184.0.copyload, i64 %54
  %56 = getelementptr i8, ptr %55, i64 -8
  %57 = load double, ptr %56, align 8, !tbaa !71
  %58 = fmul contract double %57, %57
  %59 = fadd contract double %53, %58
  %60 = add nuw i64 %54, 1
  %exitcond217.not = icmp eq i64 %54, %.sroa.3187.0.copyload
  br i1 %exitcond217.not, label %._crit_edge214, label %.lr.ph213

._crit_edge214:                                   ; preds = %.lr.ph213, %._crit_edge211
  %.lcssa = phi double [ 0.000000e+00, %._crit_edge211 ], [ %59, %.lr.ph213 ]
  %.not202 = icmp eq ptr %.sroa.0184.0.copyload, null
  br i1 %.not202, label %62, label %61

61:                                               ; preds = %._crit_edge214
  call void @free(ptr %.sroa.0184.0.copyload)
  store ptr null, ptr %5, align 8, !tbaa !61
  store i64 8, ptr %.sroa.5.0..sroa_idx10, align 8, !tbaa !61
  store i32 20240719, ptr %.sroa.6.0..sroa_idx16, align 8, !tbaa !61
  store i8 1, ptr %.sroa.7.0..sroa_idx22, align 4, !tbaa !61
  store i8 28, ptr %.sroa.8.0..sroa_idx28, align 1, !tbaa !61
  store i8 2, ptr %.sroa.9.0..sroa_idx34, align 2, !tbaa !61
  store i8 0, ptr %.sroa.10.0..sroa_idx40, align 1, !tbaa !61
  store i64 1, ptr %.sroa.11.0..sroa_idx46, align 8, !tbaa !61
  store i64 0, ptr %.sroa.12.0..sroa_idx52, align 8, !tbaa !61
  store i64 8, ptr %.sroa.13.0..sroa_idx58, align 8, !tbaa !61
  br label %62

62:                                               ; preds = %61, %._crit_edge214
  %.sroa.0193.0.copyload = load ptr, ptr %6, align 8, !tbaa !61
  %.not203 = icmp eq ptr %.sroa.0193.0.copyload, null
  br i1 %.not203, label %64, label %63

63:                                               ; preds = %62
  call void @free(ptr %.sroa.0193.0.copyload)
  store ptr null, ptr %6, align 8, !tbaa !61
  store i64 8, ptr %.sroa.5.0..sroa_idx, align 8, !tbaa !61
  store i32 20240719, ptr %.sroa.6.0..sroa_idx, align 8, !tbaa !61
  store i8 1, ptr %.sroa.7.0..sroa_idx, align 4, !tbaa !61
  store i8 28, ptr %.sroa.8.0..sroa_idx, align 1, !tbaa !61
  store i8 2, ptr %.sroa.9.0..sroa_idx, align 2, !tbaa !61
  store i8 0, ptr %.sroa.10.0..sroa_idx, align 1, !tbaa !61
  store i64 1, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !61
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !61
  store i64 8, ptr %.sroa.13.0..sroa_idx, align 8, !tbaa !61
  br label %64

64:                                               ; preds = %63, %62
  ret double %.lcssa
}

define double @shifted(ptr readonly captures(none) %0, i32 %1) local_unnamed_addr #2 {
  %3 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, align 8
  %4 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, align 8
  %5 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, align 8
  %6 = alloca { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]], ptr, [1 x i64] }, align 8
  store ptr null, ptr %5, align 8, !tbaa !75
  %.sroa.2.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 8
  store i64 64, ptr %.sroa.2.0..sroa_idx, align 8, !tbaa !75
  %.sroa.3.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 16
  store i32 20240719, ptr %.sroa.3.0..sroa_idx, align 8, !tbaa !75
  %.sroa.4.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 20
  store i8 1, ptr %.sroa.4.0..sroa_idx, align 4, !tbaa !75
  %.sroa.5.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 21
  store i8 42, ptr %.sroa.5.0..sroa_idx, align 1, !tbaa !75
  %.sroa.6.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 22
  store i8 2, ptr %.sroa.6.0..sroa_idx, align 2, !tbaa !75
  %.sroa.7.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 23
  store i8 1, ptr %.sroa.7.0..sroa_idx, align 1, !tbaa !75
  %.sroa.8.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 24
  store i64 1, ptr %.sroa.8.0..sroa_idx, align 8, !tbaa !75
  %.sroa.9.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 32
  store i64 0, ptr %.sroa.9.0..sroa_idx, align 8, !tbaa !75
  %.sroa.10.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 40
  store i64 64, ptr %.sroa.10.0..sroa_idx, align 8, !tbaa !75
  %.sroa.11.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 48
  store ptr @_QMsampleEXdtXleaf, ptr %.sroa.11.0..sroa_idx, align 8, !tbaa !75
  %.sroa.12.0..sroa_idx = getelementptr inbounds nuw i8, ptr %5, i64 56
  store i64 0, ptr %.sroa.12.0..sroa_idx, align 8, !tbaa !75
  %7 = sext i32 %1 to i64
  call void @_FortranAAllocatableSetBounds(ptr nonnull %5, i32 0, i64 1, i64 %7)
  %8 = call i32 @_FortranAAllocatableAllocate(ptr nonnull %5, ptr nonnull inttoptr (i64 -1 to ptr), i1 false, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 113, ptr null)
  %9 = icmp sgt i32 %1, 0
  br i1 %9, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %2
  %.fca.1.gep = getelementptr inbounds nuw i8, ptr %4, i64 8
  %.fca.2.gep = getelementptr inbounds nuw i8, ptr %4, i64 16
  %.fca.3.gep = getelementptr inbounds nuw i8, ptr %4, i64 20
  %.fca.4.gep = getelementptr inbounds nuw i8, ptr %4, i64 21
  %.fca.5.gep = getelementptr inbounds nuw i8, ptr %4, i64 22
  %.fca.6.gep = getelementptr inbounds nuw i8, ptr %4, i64 23
  %.fca.7.0.0.gep = getelementptr inbounds nuw i8, ptr %4, i64 24
  %.fca.7.0.1.gep = getelementptr inbounds nuw i8, ptr %4, i64 32
  %.fca.7.0.2.gep = getelementptr inbounds nuw i8, ptr %4, i64 40
  br label %10

10:                                               ; preds = %.lr.ph, %32
  %indvars.iv = phi i64 [ 1, %.lr.ph ], [ %indvars.iv.next, %32 ]
  %11 = getelementptr double, ptr %0, i64 %indvars.iv
  %12 = getelementptr i8, ptr %11, i64 -8
  %13 = load double, ptr %12, align 8, !tbaa !79
  %14 = fmul double %13, %13
  %.sroa.014.0.copyload = load ptr, ptr %5, align 8, !tbaa !75
  %.sroa.216.0.copyload = load i64, ptr %.sroa.8.0..sroa_idx, align 8, !tbaa !75
  %15 = sub nsw i64 %indvars.iv, %.sroa.216.0.copyload
  %16 = getelementptr %_QMsampleTleaf, ptr %.sroa.014.0.copyload, i64 %15
  store double %14, ptr %16, align 8, !tbaa !83
  %17 = getelementptr i8, ptr %16, i64 8
  %18 = shl nuw nsw i64 %indvars.iv, 3
  %19 = call ptr @malloc(i64 %18)
  store ptr %19, ptr %17, align 8, !tbaa !75
  %.sroa.227.0..sroa_idx = getelementptr i8, ptr %16, i64 16
  store i64 8, ptr %.sroa.227.0..sroa_idx, align 8, !tbaa !75
  %.sroa.328.0..sroa_idx = getelementptr i8, ptr %16, i64 24
  store i32 20240719, ptr %.sroa.328.0..sroa_idx, align 8, !tbaa !75
  %.sroa.429.0..sroa_idx = getelementptr i8, ptr %16, i64 28
  store i8 1, ptr %.sroa.429.0..sroa_idx, align 4, !tbaa !75
  %.sroa.530.0..sroa_idx = getelementptr i8, ptr %16, i64 29
  store i8 28, ptr %.sroa.530.0..sroa_idx, align 1, !tbaa !75
  %.sroa.631.0..sroa_idx = getelementptr i8, ptr %16, i64 30
  store i8 2, ptr %.sroa.631.0..sroa_idx, align 2, !tbaa !75
  %.sroa.732.0..sroa_idx = getelementptr i8, ptr %16, i64 31
  store i8 0, ptr %.sroa.732.0..sroa_idx, align 1, !tbaa !75
  %.sroa.833.0..sroa_idx = getelementptr i8, ptr %16, i64 32
  store i64 1, ptr %.sroa.833.0..sroa_idx, align 8, !tbaa !75
  %.sroa.934.0..sroa_idx = getelementptr i8, ptr %16, i64 40
  store i64 %indvars.iv, ptr %.sroa.934.0..sroa_idx, align 8, !tbaa !75
  %.sroa.1035.0..sroa_idx = getelementptr i8, ptr %16, i64 48
  store i64 8, ptr %.sroa.1035.0..sroa_idx, align 8, !tbaa !75
  %20 = call ptr @malloc(i64 %18)
  store ptr %20, ptr %4, align 8, !tbaa !75
  store i64 8, ptr %.fca.1.gep, align 8, !tbaa !75
  store i32 20240719, ptr %.fca.2.gep, align 8, !tbaa !75
  store i8 1, ptr %.fca.3.gep, align 4, !tbaa !75
  store i8 28, ptr %.fca.4.gep, align 1, !tbaa !75
  store i8 0, ptr %.fca.5.gep, align 2, !tbaa !75
  store i8 0, ptr %.fca.6.gep, align 1, !tbaa !75
  store i64 1, ptr %.fca.7.0.0.gep, align 8, !tbaa !75
  store i64 %indvars.iv, ptr %.fca.7.0.1.gep, align 8, !tbaa !75
  store i64 8, ptr %.fca.7.0.2.gep, align 8, !tbaa !75
  br label %21

21:                                               ; preds = %10, %21
  %22 = phi i64 [ %indvars.iv, %10 ], [ %31, %21 ]
  %23 = phi i64 [ 1, %10 ], [ %30, %21 ]
  %24 = trunc i64 %23 to i32
  %25 = shl i32 %24, 1
  %26 = sitofp i32 %25 to double
  %27 = fmul contract double %13, %26
  %28 = getelementptr double, ptr %20, i64 %23
  %29 = getelementptr i8, ptr %28, i64 -8
  store double %27, ptr %29, align 8, !tbaa !86
  %30 = add nuw nsw i64 %23, 1
  %31 = add nsw i64 %22, -1
  %.not146 = icmp eq i64 %31, 0
  br i1 %.not146, label %32, label %21

32:                                               ; preds = %21
  %.sroa.046.0.copyload = load ptr, ptr %5, align 8, !tbaa !75
  %.sroa.248.0.copyload = load i64, ptr %.sroa.8.0..sroa_idx, align 8, !tbaa !75
  %33 = sub nsw i64 %indvars.iv, %.sroa.248.0.copyload
  %34 = getelementptr %_QMsampleTleaf, ptr %.sroa.046.0.copyload, i64 %33
  %35 = getelementptr i8, ptr %34, i64 8
  call void @_FortranAAssign(ptr %35, ptr nonnull %4, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 117)
  call void @free(ptr %20)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv, %7
  br i1 %exitcond.not, label %._crit_edge, label %10

._crit_edge:                                      ; preds = %32, %2
  %.sroa.052.0.copyload = load ptr, ptr %5, align 8, !tbaa !75
  %.sroa.254.0.copyload = load i64, ptr %.sroa.8.0..sroa_idx, align 8, !tbaa !75
  %36 = sub i64 1, %.sroa.254.0.copyload
  %37 = call i32 @llvm.smax.i32(i32 %1, i32 1)
  %38 = add nsw i32 %37, -1
  %39 = zext nneg i32 %38 to i64
  %40 = getelementptr %_QMsampleTleaf, ptr %.sroa.052.0.copyload, i64 %36
  store ptr %40, ptr %3, align 8, !tbaa !75
  %.fca.1.gep61 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i64 64, ptr %.fca.1.gep61, align 8, !tbaa !75
  %.fca.2.gep63 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i32 20240719, ptr %.fca.2.gep63, align 8, !tbaa !75
  %.fca.3.gep65 = getelementptr inbounds nuw i8, ptr %3, i64 20
  store i8 1, ptr %.fca.3.gep65, align 4, !tbaa !75
  %.fca.4.gep67 = getelementptr inbounds nuw i8, ptr %3, i64 21
  store i8 42, ptr %.fca.4.gep67, align 1, !tbaa !75
  %.fca.5.gep69 = getelementptr inbounds nuw i8, ptr %3, i64 22
  store i8 0, ptr %.fca.5.gep69, align 2, !tbaa !75
  %.fca.6.gep71 = getelementptr inbounds nuw i8, ptr %3, i64 23
  store i8 1, ptr %.fca.6.gep71, align 1, !tbaa !75
  %.fca.7.0.0.gep73 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store i64 1, ptr %.fca.7.0.0.gep73, align 8, !tbaa !75
  %.fca.7.0.1.gep75 = getelementptr inbounds nuw i8, ptr %3, i64 32
  store i64 %39, ptr %.fca.7.0.1.gep75, align 8, !tbaa !75
  %.fca.7.0.2.gep77 = getelementptr inbounds nuw i8, ptr %3, i64 40
  store i64 64, ptr %.fca.7.0.2.gep77, align 8, !tbaa !75
  %.fca.8.gep = getelementptr inbounds nuw i8, ptr %3, i64 48
  store ptr @_QMsampleEXdtXleaf, ptr %.fca.8.gep, align 8, !tbaa !75
  %.fca.9.0.gep = getelementptr inbounds nuw i8, ptr %3, i64 56
  store i64 0, ptr %.fca.9.0.gep, align 8, !tbaa !75
  %41 = sub i64 2, %.sroa.254.0.copyload
  %42 = call i64 @llvm.smax.i64(i64 %7, i64 1)
  %43 = add nsw i64 %42, -1
  %44 = getelementptr %_QMsampleTleaf, ptr %.sroa.052.0.copyload, i64 %41
  store ptr %44, ptr %6, align 8, !tbaa !75
  %.sroa.2103.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 8
  store i64 64, ptr %.sroa.2103.0..sroa_idx, align 8, !tbaa !75
  %.sroa.3104.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 16
  store i32 20240719, ptr %.sroa.3104.0..sroa_idx, align 8, !tbaa !75
  %.sroa.4105.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 20
  store i8 1, ptr %.sroa.4105.0..sroa_idx, align 4, !tbaa !75
  %.sroa.5106.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 21
  store i8 42, ptr %.sroa.5106.0..sroa_idx, align 1, !tbaa !75
  %.sroa.6107.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 22
  store i8 0, ptr %.sroa.6107.0..sroa_idx, align 2, !tbaa !75
  %.sroa.7108.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 23
  store i8 1, ptr %.sroa.7108.0..sroa_idx, align 1, !tbaa !75
  %.sroa.8109.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 24
  store i64 1, ptr %.sroa.8109.0..sroa_idx, align 8, !tbaa !75
  %.sroa.9110.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 32
  store i64 %43, ptr %.sroa.9110.0..sroa_idx, align 8, !tbaa !75
  %.sroa.10111.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 40
  store i64 64, ptr %.sroa.10111.0..sroa_idx, align 8, !tbaa !75
  %.sroa.11112.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 48
  store ptr @_QMsampleEXdtXleaf, ptr %.sroa.11112.0..sroa_idx, align 8, !tbaa !75
  %.sroa.12113.0..sroa_idx = getelementptr inbounds nuw i8, ptr %6, i64 56
  store i64 0, ptr %.sroa.12113.0..sroa_idx, align 8, !tbaa !75
  call void @_FortranAAssign(ptr nonnull %6, ptr nonnull %3, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 119)
  %45 = icmp sgt i32 %1, 0
  br i1 %45, label %.lr.ph152, label %._crit_edge153

.lr.ph152:                                        ; preds = %._crit_edge
  %.sroa.0114.0.copyload = load ptr, ptr %5, align 8, !tbaa !75
  %.sroa.2116.0.copyload = load i64, ptr %.sroa.8.0..sroa_idx, align 8, !tbaa !75
  br label %46

46:                                               ; preds = %.lr.ph152, %66
  %indvars.iv158 = phi i64 [ 1, %.lr.ph152 ], [ %indvars.iv.next159, %66 ]
  %.0150 = phi double [ 0.000000e+00, %.lr.ph152 ], [ %.1, %66 ]
  %47 = trunc nuw nsw i64 %indvars.iv158 to i32
  %48 = uitofp nneg i32 %47 to double
  %49 = sub nsw i64 %indvars.iv158, %.sroa.2116.0.copyload
  %50 = getelementptr %_QMsampleTleaf, ptr %.sroa.0114.0.copyload, i64 %49
  %51 = load double, ptr %50, align 8, !tbaa !83
  %52 = fmul contract double %51, %48
  %53 = fadd contract double %.0150, %52
  %54 = getelementptr i8, ptr %50, i64 8
  %.sroa.0126.0.copyload = load ptr, ptr %54, align 8, !tbaa !75
  %.not145 = icmp eq ptr %.sroa.0126.0.copyload, null
  br i1 %.not145, label %66, label %55

55:                                               ; preds = %46
  %.sroa.3137.0..sroa_idx = getelementptr i8, ptr %50, i64 40
  %.sroa.3137.0.copyload = load i64, ptr %.sroa.3137.0..sroa_idx, align 1, !tbaa !75
  %56 = icmp sgt i64 %.sroa.3137.0.copyload, 0
  br i1 %56, label %.lr.ph148, label %._crit_edge149

.lr.ph148:                                        ; preds = %55, %.lr.ph148
  %57 = phi double [ %63, %.lr.ph148 ], [ 0.000000e+00, %55 ]
  %58 = phi i64 [ %64, %.lr.ph148 ], [ 1, %55 ]
  %59 = getelementptr double, ptr %.sroa.0126.0.copyload, i64 %58
  %60 = getelementptr i8, ptr %59, i64 -8
  %61 = load double, ptr %60, align 8, !tbaa !88
  %62 = fmul double %61, %61
  %63 = fadd contract double %57, %62
  %64 = add nuw i64 %58, 1
  %exitcond157.not = icmp eq i64 %58, %.sroa.3137.0.copyload
  br i1 %exitcond157.not, label %._crit_edge149, label %.lr.ph148

._crit_edge149:                                   ; preds = %.lr.ph148, %55
  %.lcssa = phi double [ 0.000000e+00, %55 ], [ %63, %.lr.ph148 ]
  %65 = fadd contract double %53, %.lcssa
  br label %66

66:                                               ; preds = %._crit_edge149, %46
  %.1 = phi double [ %65, %._crit_edge149 ], [ %53, %46 ]
  %indvars.iv.next159 = add nuw nsw i64 %indvars.iv158, 1
  %exitcond161.not = icmp eq i64 %indvars.iv158, %7
  br i1 %exitcond161.not, label %._crit_edge153, label %46

._crit_edge153:                                   ; preds = %66, %._crit_edge
  %.0.lcssa = phi double [ 0.000000e+00, %._crit_edge ], [ %.1, %66 ]
  %.sroa.0139.0.copyload = load ptr, ptr %5, align 8, !tbaa !75
  %.not = icmp eq ptr %.sroa.0139.0.copyload, null
  br i1 %.not, label %69, label %67

67:                                               ; preds = %._crit_edge153
  %68 = call i32 @_FortranAAllocatableDeallocate(ptr nonnull %5, i1 false, ptr null, ptr nonnull @_QQclX9902d474e40653c5dbfd6b3b89012dfe, i32 108)
  br label %69

69:                                               ; preds = %67, %._crit_edge153
  ret double %.0.lcssa
}

declare i32 @_FortranAPointerAllocate(ptr, i1 zeroext, ptr, ptr, i32, ptr) local_unnamed_addr

declare i32 @_FortranAPointerDeallocate(ptr, i1 zeroext, ptr, ptr, i32) local_unnamed_addr

declare void @_FortranAPack(ptr, ptr, ptr, ptr, ptr, i32) local_unnamed_addr

declare void @_FortranAAllocatableSetBounds(ptr, i32, i64, i64) local_unnamed_addr

declare i32 @_FortranAAllocatableAllocate(ptr, ptr, i1 zeroext, ptr, ptr, i32, ptr) local_unnamed_addr

declare i32 @_FortranAAllocatableDeallocate(ptr, i1 zeroext, ptr, ptr, i32) local_unnamed_addr

declare void @_FortranADestroy(ptr) local_unnamed_addr

declare void @_FortranAInitArrayConstructorVector(ptr, ptr, i1 zeroext, ptr, i32) local_unnamed_addr

declare void @_FortranAPushArrayConstructorValue(ptr, ptr) local_unnamed_addr

declare void @_FortranAPushArrayConstructorSimpleScalar(ptr, ptr) local_unnamed_addr

declare i32 @_FortranAMoveAlloc(ptr, ptr, ptr, i1 zeroext, ptr, ptr, i32) local_unnamed_addr

declare void @_FortranAAssign(ptr, ptr, ptr, i32) local_unnamed_addr

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i32(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i32, i1 immarg) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sin.f64(double) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.tanh.f64(double) #5

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #6

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i32(ptr writeonly captures(none), ptr readonly captures(none), i32, i1 immarg) #7

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #8

attributes #0 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" }
attributes #1 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" }
attributes #2 = { "target-cpu"="x86-64" }
attributes #3 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #8 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!llvm.ident = !{!0}
!llvm.module.flags = !{!1, !2, !3}

!0 = !{!"Debian flang version 22.1.8"}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 7, !"PIE Level", i32 2}
!4 = !{!5, !5, i64 0}
!5 = !{!"descriptor member", !6, i64 0}
!6 = !{!"any access", !7, i64 0}
!7 = !{!"Flang function root heat"}
!8 = !{!9, !9, i64 0}
!9 = !{!"allocated data/_QMsampleFheatEu", !10, i64 0}
!10 = !{!"allocated data", !11, i64 0}
!11 = !{!"any data access", !6, i64 0}
!12 = !{!13, !13, i64 0}
!13 = !{!"allocated data/_QMsampleFheatEv", !10, i64 0}
!14 = !{!15, !15, i64 0}
!15 = !{!"descriptor member", !16, i64 0}
!16 = !{!"any access", !17, i64 0}
!17 = !{!"Flang function root list"}
!18 = !{!19, !19, i64 0}
!19 = !{!"dummy arg data/_QMsampleFlistEx", !20, i64 0}
!20 = !{!"dummy arg data", !21, i64 0}
!21 = !{!"any data access", !16, i64 0}
!22 = !{!23, !23, i64 0}
!23 = !{!"target data", !21, i64 0}
!24 = !{!25, !25, i64 0}
!25 = !{!"descriptor member", !26, i64 0}
!26 = !{!"any access", !27, i64 0}
!27 = !{!"Flang function root packed"}
!28 = !{!29, !29, i64 0}
!29 = !{!"dummy arg data/_QMsampleFpackedEx", !30, i64 0}
!30 = !{!"dummy arg data", !31, i64 0}
!31 = !{!"any data access", !26, i64 0}
!32 = !{!33, !33, i64 0}
!33 = !{!"allocated data/", !34, i64 0}
!34 = !{!"allocated data", !31, i64 0}
!35 = !{!36, !36, i64 0}
!36 = !{!"allocated data/_QMsampleFpackedEp", !34, i64 0}
!37 = !{!38, !38, i64 0}
!38 = !{!"descriptor member", !39, i64 0}
!39 = !{!"any access", !40, i64 0}
!40 = !{!"Flang function root layers"}
!41 = !{!42, !42, i64 0}
!42 = !{!"any data access", !39, i64 0}
!43 = !{!44, !44, i64 0}
!44 = !{!"allocated data/", !45, i64 0}
!45 = !{!"allocated data", !42, i64 0}
!46 = !{!47, !47, i64 0}
!47 = !{!"allocated data/_QMsampleFlayersEh", !45, i64 0}
!48 = !{!49, !49, i64 0}
!49 = !{!"any access", !50, i64 0}
!50 = !{!"Flang function root copies"}
!51 = !{!52, !52, i64 0}
!52 = !{!"descriptor member", !49, i64 0}
!53 = !{!54, !54, i64 0}
!54 = !{!"allocated data/_QMsampleFcopiesEb", !55, i64 0}
!55 = !{!"allocated data", !56, i64 0}
!56 = !{!"any data access", !49, i64 0}
!57 = !{!58, !58, i64 0}
!58 = !{!"allocated data/_QMsampleFcopiesEa", !55, i64 0}
!59 = !{!60, !60, i64 0}
!60 = !{!"allocated data/", !55, i64 0}
!61 = !{!62, !62, i64 0}
!62 = !{!"descriptor member", !63, i64 0}
!63 = !{!"any access", !64, i64 0}
!64 = !{!"Flang function root grown"}
!65 = !{!66, !66, i64 0}
!66 = !{!"dummy arg data/_QMsampleFgrownEx", !67, i64 0}
!67 = !{!"dummy arg data", !68, i64 0}
!68 = !{!"any data access", !63, i64 0}
!69 = !{!70, !70, i64 0}
!70 = !{!"allocated data", !68, i64 0}
!71 = !{!72, !72, i64 0}
!72 = !{!"allocated data/_QMsampleFgrownEv", !70, i64 0}
!73 = !{!74, !74, i64 0}
!74 = !{!"allocated data/_QMsampleFgrownEt", !70, i64 0}
!75 = !{!76, !76, i64 0}
!76 = !{!"descriptor member", !77, i64 0}
!77 = !{!"any access", !78, i64 0}
!78 = !{!"Flang function root shifted"}
!79 = !{!80, !80, i64 0}
!80 = !{!"dummy arg data/_QMsampleFshiftedEx", !81, i64 0}
!81 = !{!"dummy arg data", !82, i64 0}
!82 = !{!"any data access", !77, i64 0}
!83 = !{!84, !84, i64 0}
!84 = !{!"allocated data/_QMsampleFshiftedEt", !85, i64 0}
!85 = !{!"allocated data", !82, i64 0}
!86 = !{!87, !87, i64 0}
!87 = !{!"allocated data/", !85, i64 0}
!88 = !{!82, !82, i64 0}
