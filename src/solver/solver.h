/* SPDX-License-Identifier: MIT
 *
 * solver.h -- argument checks shared by the files of libkelso-solve.
 *
 * Pure functions; any thread. */
#ifndef KELSO_SOLVER_SOLVER_H
#define KELSO_SOLVER_SOLVER_H

#include "kelso_solve.h"

#include <stdbool.h>

/* NULL is valid: the defaults. */
bool resources_good(const kelso_resources *r);

/* Is any limit set? */
bool limits_good(const kelso_limits *l);

#endif
