/* What the engine's entry points declare: markers of arguments and the two calls. */
#ifndef ADBENCH_SCALAR_ENZYME_HPP
#define ADBENCH_SCALAR_ENZYME_HPP

extern int enzyme_const, enzyme_dup;
extern "C" double __enzyme_autodiff(void *, ...);
extern "C" double __enzyme_fwddiff(void *, ...);

#define ADBENCH_CONSTANT(value) enzyme_const, value

#endif
