/* SPDX-License-Identifier: Apache-2.0 */
/* What the mean shift paper (G. Bindi, "Parallel Computing Final-Term: Mean Shift", 2021) prints: its experiments, and
 * of each of its figures of speed-ups the largest and the smallest. The figures themselves have no numbers. */
#ifndef PERF_PAPER_MEANSHIFT_H
#define PERF_PAPER_MEANSHIFT_H

#include <stddef.h>

#define PAPER_MEANSHIFT_MACHINE "Intel i7-860 (4 cores, 8 threads) and NVIDIA GTX 980"

/* Points, of each dimensionality; the last is not in the paper. */
#define PAPER_MEANSHIFT_SIZES 5
extern const size_t paper_meanshift_sizes[PAPER_MEANSHIFT_SIZES];

/* Two and three dimensions: the kernel's bandwidth, the radius as it is compared with squared distances, and the
 * squared distance at which a point is another centroid. */
#define PAPER_MEANSHIFT_DIMS 2
struct paper_meanshift_set {
    size_t dims;
    double sigma, radius_squared, delta_squared;
};
extern const struct paper_meanshift_set paper_meanshift_sets[PAPER_MEANSHIFT_DIMS];

/* An extreme speed-up, and of which experiments: points, dimensions and threads (of CUDA those of a block). */
struct paper_meanshift_extreme {
    double speedup;
    const char *of;
};

/* Figures 2 to 5. */
#define PAPER_MEANSHIFT_FIRST    2
#define PAPER_MEANSHIFT_SPEEDUPS 4
struct paper_meanshift_figure {
    const char *title;
    struct paper_meanshift_extreme most, least;
};
extern const struct paper_meanshift_figure paper_meanshift_figures[PAPER_MEANSHIFT_SPEEDUPS];

#endif
