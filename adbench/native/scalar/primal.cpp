/* Entry point of a scalar objective alone. The workload's folder is on the include path; its objective.hpp defines
 *
 *   struct problem              fields as its workload.py lists them: x, dx, tx are the parameter, its gradient and its
 *                               tangent; value and dvalue receive the objective and its tangent
 *   template <class T> T objective(const T *x, ...)
 *   ARGUMENTS(p, mark)          what follows x in a call, each wrapped in mark(...)
 *   PARAMETERS(p)               how many numbers x has
 */
#ifndef ADBENCH_SCALAR_PRIMAL
#define ADBENCH_SCALAR_PRIMAL

#include "objective.hpp"

#define ADBENCH_PLAIN(value) value

extern "C" int adbench_problem_bytes(void) { return (int)sizeof(struct problem); }

extern "C" void adbench_primal(struct problem *p) { *p->value = objective<double>(p->x, ARGUMENTS(p, ADBENCH_PLAIN)); }

#endif
