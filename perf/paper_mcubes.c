/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/paper_mcubes.h"

const struct mcubes_tabled mcubes_tabled[MCUBES_TABLED] = {{{FA, 6}, 10, -49.165073}, {{FB, 9}, 15, 1.0}};

const struct mcubes_table1 mcubes_table1[MCUBES_TABLE1] = {
    {"ZMCintegral", {-48.64740, 0.99939}, {1.98669, 0.00133}, {4.75e4, 8.30e3}},
    {"m-CUBES", {-49.27284, 1.00008}, {1.19551, 0.00005}, {1.07e3, 9.80e2}}};

const struct mcubes_table2 mcubes_table2[MCUBES_TABLE2] = {
    {"m-CUBES, CUDA", {829.760, 664.977}, {1280.318, 1126.529}},
    {"m-CUBES, Kokkos", {968.880, 726.766}, {1001.035, 767.343}}};

/* The dimensions of f2 to f5 are those that the paper's text names. f1, of which it shows nothing, has 8 here, and f6
 * has 6, the most with which every axis is cut. */
const struct mcubes_plotted mcubes_plotted[MCUBES_PLOTTED] = {{{F1, 8}, 0}, {{F2, 6}, 1}, {{F3, 3}, 0}, {{F4, 5}, 1},
                                                              {{F4, 8}, 1}, {{F5, 8}, 1}, {{F6, 6}, 0}};

double mcubes_tau(size_t level) {
    double tau = 1e-3;
    while (level-- > 0)
        tau /= 5;
    return tau;
}
