/* What derivatives by Enzyme's forward mode in lanes declare: LANES partial derivatives of one number at a time. */
#ifndef ADBENCH_LANES_H
#define ADBENCH_LANES_H

enum { LANES = 8 };

struct lanes {
    double each[LANES];
};

extern int enzyme_width, enzyme_const, enzyme_dupv;
#ifdef __cplusplus
extern "C"
#endif
struct lanes __enzyme_fwddiff_lanes(void *, ...);

#endif
