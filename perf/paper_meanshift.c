/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/paper_meanshift.h"

const size_t paper_meanshift_sizes[PAPER_MEANSHIFT_SIZES] = {500, 1000, 2000, 5000, 10000};

const struct paper_meanshift_set paper_meanshift_sets[PAPER_MEANSHIFT_DIMS] = {{2, 3, 30, 60}, {3, 4, 60, 60}};

const struct paper_meanshift_figure paper_meanshift_figures[PAPER_MEANSHIFT_SPEEDUPS] = {
    {"Threads against sequential", {4.82, "N = 1000, D = 2, T = 8"}, {0.91, "N = 500, 1000, 5000, D = 3, T = 1"}},
    {"Threads against one thread", {5.10, "N = 2000, D = 2, T = 8"}, {1, "all N and D, T = 1"}},
    {"Naive on a device against sequential",
     {297.1, "N = 5000, D = 3, T = 64"},
     {8.46, "N = 500, D = 2, T = 32, 256, 1024"}},
    {"Tiles on a device against sequential",
     {441.32, "N = 5000, D = 3, T = 64"},
     {11.85, "N = 500, D = 2, T = 32, 512"}}};
