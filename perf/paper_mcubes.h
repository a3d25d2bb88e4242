/* SPDX-License-Identifier: Apache-2.0 */
/* Tables 1 and 2 of "m-CUBES: an efficient and portable implementation of multi-dimensional integration for GPUs"
 * (sections 5 and 6), as printed there, and what its figures are of. */
#ifndef PERF_PAPER_MCUBES_H
#define PERF_PAPER_MCUBES_H

#include "tests/integrands.h"

#include <stddef.h>

/* The two integrands of the tables, to a relative error of 10^-3, and at most so many iterations. */
#define MCUBES_TABLED     2
#define MCUBES_TABLED_TAU 1e-3
struct mcubes_tabled {
    struct integrand_of f;
    size_t iterations;
    double truth;
};
extern const struct mcubes_tabled mcubes_tabled[MCUBES_TABLED];

/* Table 1: of one integrand by ZMCintegral and by m-CUBES. */
struct mcubes_table1 {
    const char *by;
    double estimate[MCUBES_TABLED], error[MCUBES_TABLED], milliseconds[MCUBES_TABLED];
};
#define MCUBES_TABLE1 2
extern const struct mcubes_table1 mcubes_table1[MCUBES_TABLE1];

/* Table 2: milliseconds of m-CUBES on its GPU, in kernels and in all. */
struct mcubes_table2 {
    const char *by;
    double kernel[MCUBES_TABLED], total[MCUBES_TABLED];
};
#define MCUBES_TABLE2 2
extern const struct mcubes_table2 mcubes_table2[MCUBES_TABLE2];

/* The integrands of the figures, and whether coordinates may be exchanged (figure 3). */
struct mcubes_plotted {
    struct integrand_of f;
    int symmetric;
};
#define MCUBES_PLOTTED 7
extern const struct mcubes_plotted mcubes_plotted[MCUBES_PLOTTED];

/* Relative errors: 10^-3, divided by 5 as long as it is not below 10^-9. */
#define MCUBES_LEVELS 9
double mcubes_tau(size_t level);

#endif
