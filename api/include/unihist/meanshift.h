/* SPDX-License-Identifier: Apache-2.0 */
/** @file meanshift.h
 * Mean shift: points move to the modes of their density, and points that end at the same mode form a cluster. Also the
 * density itself (a kernel density estimate).
 *
 * A point at x moves to the mean of its neighbours, each weighted by the kernel K of its distance:
 *
 *     m(x) = x + sum of K(x_j - x) (x_j - x) / sum of K(x_j - x),   over all j with |x_j - x| <= radius
 *
 * With `modes` neighbours are the original points, and each point climbs until it hardly moves (Comaniciu and Meer
 * 2002, doi:10.1109/34.1000236); with `blurring` they are the points as moved by the previous iteration, so that
 * clusters shrink (Fukunaga and Hostetler 1975, doi:10.1109/TIT.1975.1055330).
 *
 * Differences, squared distances (summed in the order of axes) and products have the type of the points. Each K and
 * each product is then rounded to a multiple of 2^-21 (products: of radius 2^-21) for float32, and for float64 of
 * 2^-40, or of 2^(log2(n) - 62) rounded up if there are more than 2^22 points; so weights below half of that are
 * ignored. Sums are of integers: results do not depend on the order of neighbours, threads, methods or devices. All
 * give the same bits for the same points. exp is the library's own, with a relative error below 2^-22 (float32) and
 * 2^-44 (float64).
 *
 * Points are passed as one array per coordinate, all of float32 or all of float64 and of the same number of elements
 * (less than 2^31): rows of coordinates are arrays whose stride is that of a row (uh_arrays_of_rows). They are read
 * before a call returns. Calls take memory in proportion to the number of points times axes. */
#ifndef UNIHIST_MEANSHIFT_H
#define UNIHIST_MEANSHIFT_H

#include <unihist/base.h>
#include <unihist/device.h>
#include <unihist/exchange.h>

UH_BEGIN_C

/** Maximum number of axes of points; of more than 16 the host computes all sums. */
#define UH_MEAN_SHIFT_MAX_DIMS 256

/** The density whose modes points move to; the values are stable. */
typedef enum uh_mean_shift_algorithm {
    UH_MEAN_SHIFT_MODES = 0,   /**< that of the original points, which is fixed */
    UH_MEAN_SHIFT_BLURRING = 1 /**< that of the moved points */
} uh_mean_shift_algorithm;

/** The kernel of a distance r, 0 beyond the radius; the values are stable. */
typedef enum uh_density_kernel {
    UH_KERNEL_GAUSSIAN = 0,    /**< exp(-r^2 / (2 sigma^2)) */
    UH_KERNEL_FLAT = 1,        /**< 1 */
    UH_KERNEL_EPANECHNIKOV = 2 /**< 1 - r^2 / radius^2 */
} uh_density_kernel;

/** How neighbours are found: affects speed, never results; the values are stable. */
typedef enum uh_mean_shift_method {
    UH_MEAN_SHIFT_AUTO = 0,  /**< cells, or tiles if cells would exclude little */
    UH_MEAN_SHIFT_CELLS = 1, /**< points sorted by cells as wide as the radius on up to three axes: a point is compared
                                  with those of the cells around it */
    UH_MEAN_SHIFT_TILES = 2, /**< all pairs of points; a device's groups share tiles of them in local memory */
    UH_MEAN_SHIFT_NAIVE = 3  /**< the same, each work-item separately; on the host as tiles */
} uh_mean_shift_method;

/** Which moved points form one cluster; the values are stable. */
typedef enum uh_mean_shift_reduction {
    UH_MEAN_SHIFT_COMPONENTS = 0, /**< connected components: points connected by steps of at most delta, in any order;
                                       the centroid is their mean. A point belongs to the cluster that it moved to; with
                                       seeds, to the nearest centroid */
    UH_MEAN_SHIFT_GREEDY = 1,     /**< in the order of points: a moved point farther than delta from all centroids so
                                       far becomes a centroid. Points belong to the centroid nearest to their moved
                                       position */
    UH_MEAN_SHIFT_DENSEST = 2     /**< the same in the order of the density, the sum of K at the place of the last move,
                                       largest first, then of coordinates, largest first; without neighbours there is
                                       no centroid. Points belong to the centroid nearest to their original position
                                       (scikit-learn's MeanShift) */
} uh_mean_shift_reduction;

/** Why iterations ended. */
typedef enum uh_mean_shift_end {
    UH_MEAN_SHIFT_CONVERGED = 0,  /**< no point moves any more */
    UH_MEAN_SHIFT_ITERATIONS = 1, /**< all iterations were done */
    UH_MEAN_SHIFT_STOPPED = 2 /**< stopped by `report` or `progress`; an incomplete iteration is not in the result */
} uh_mean_shift_end;

/** State after an iteration. */
typedef struct uh_mean_shift_iteration {
    size_t struct_size;
    size_t number;         /**< from 0 */
    size_t moved, moving;  /**< points that took part, and those of them that have not ended */
    double largest;        /**< largest distance that a point moved */
    uint64_t interactions; /**< pairs of a point and a candidate that were examined */
    uint64_t kernel_ns;    /**< time of sums over neighbours */
    uint64_t total_ns;     /**< time of the whole iteration */
} uh_mean_shift_iteration;

/** A zeroed member means its default; radius or sigma is required. All are finite, and all but eps 0 or more. */
typedef struct uh_mean_shift_options {
    size_t struct_size;
    uh_mean_shift_algorithm algorithm;
    uh_density_kernel kernel;
    uh_mean_shift_method method;
    uh_mean_shift_reduction reduction;
    double radius;         /**< a distance; by default three sigma. Its square, and that of the Gaussian kernel's sigma,
                                must be normal numbers of the points' type */
    double sigma;          /**< of the Gaussian kernel; by default a third of the radius */
    double delta;          /**< distance for the reduction; by default sigma of the Gaussian kernel, otherwise the
                                radius */
    int squared;           /**< `radius` and `delta` are the squares of those distances */
    double eps;            /**< `modes`: a point that moves by at most this has ended, and costs nothing any more.
                                `blurring`: all end when none moves by more; until then points around which nothing has
                                moved cost nothing. Default: radius 1e-3. Below 0: as 0, until nothing moves at all */
    size_t iterations;     /**< maximum number; 300 by default. SIZE_MAX: none, points do not move */
    double seed_bins;      /**< instead of points, move the centres of bins of this width, around its multiples, with at
                                least `seed_points` points (at least one such bin is required; all points are below 2^53
                                bins from 0); `modes` only. 0: all points move. A seed without neighbours stays, and is a
                                cluster, but not of `densest` */
    size_t seed_points;    /**< 1 by default */
    const uh_array *seeds; /**< `dims` arrays of 1 or more coordinates each, of the points' type: instead of points,
                                move these; `modes` only, without `seed_bins` and `exchange`. Or NULL */
    /** Called after each iteration; not 0 stops. Or NULL. */
    int (*report)(const uh_mean_shift_iteration *iteration, void *context);
    void *report_context;
    /** Called within long iterations, after parts of their `interactions`; not 0 stops and discards this iteration. Or
     * NULL. */
    int (*progress)(uint64_t done, uint64_t interactions, void *context);
    void *progress_context;
    const uh_exchange *exchange; /**< find clusters of the points of all processes together; NULL: of this one's */
} uh_mean_shift_options;

/** Result of mean shift. Immutable: any thread may read it. */
typedef struct uh_clusters uh_clusters;

/** Pointers are valid until the clusters are destroyed. */
typedef struct uh_clusters_properties {
    size_t struct_size;
    size_t n, dims;          /**< of the points */
    uh_dtype dtype;          /**< UH_F32 or UH_F64 */
    size_t clusters;         /**< number of clusters: components are ordered by their numbers of points, most first,
                                  then by coordinates, smallest first; others in the order found */
    const double *centroids; /**< one row of dims coordinates per cluster */
    const uint64_t *counts;  /**< number of points per cluster */
    const uint32_t *labels;  /**< the cluster of each point */
    size_t moved;            /**< number of rows of `shifted`: n, or the number of seeds */
    const void *shifted;     /**< where points, or seeds, have moved: rows of dims coordinates of dtype */
    size_t iterations;       /**< number of iterations done */
    uh_mean_shift_end end;
    uh_mean_shift_method method;                /**< of the last iteration, never UH_MEAN_SHIFT_AUTO */
    double radius, sigma, delta;                /**< distances */
    uint64_t interactions, kernel_ns, total_ns; /**< as those of iterations, summed, including the reduction */
    const char *plan; /**< how the last iteration found neighbours, by which costs that was chosen, and among which of
                           several devices it was divided */
} uh_clusters_properties;

/** Moves points to the modes of their density and finds the clusters.
 *
 * With `exchange` (exchange.h) the points are those of all processes together, in rank order. Each has its own points,
 * or none, and finds, to the bit, what one process would find with all: all clusters, with their centroids and counts,
 * and the labels and moved points of its own; of seeds, which all make from the bins of all, its part, in rank order.
 * `n` and `moved` are per process; numbers of points and of interactions in iterations and clusters are totals;
 * nanoseconds and the arguments of `progress` are per process. Options, dims and the type must be the same on all,
 * otherwise UH_ERROR_INCOMPATIBLE; all must receive; queues may differ. Stopping one process stops all.
 *
 * Points are divided by cells of the radius into one slab per process, of equal numbers of points. The places to sum
 * for in an iteration are divided too, by the cost of their sums. A process visits the slabs that its places need, at
 * most four at a time: it holds that many blocks of others, and also memory in proportion to its own points and to its
 * share of all, the clusters, and the bins of seeds. An iteration of P processes sends, for each place that another
 * process sums, its coordinates, and dims + 2 words back; the points next to slabs, to each process that needs them; 8
 * bytes to each other process; 515 P + 2 words, and about 14 numbers by `maximum`. With `blurring`, points also change
 * slabs.
 *
 * @param queue    where sums over neighbours are computed. A device without float64 rejects float64:
 *                 UH_ERROR_UNSUPPORTED. Cells, reductions and seeds are computed on the host.
 * @param points   `dims` arrays of n > 0 coordinates each (with `exchange` n >= 0)
 * @param dims     1 to UH_MEAN_SHIFT_MAX_DIMS
 * @param options  radius or sigma, and other choices
 * @param clusters where to store the result; the caller destroys it
 * @return UH_ERROR_INVALID_ARGUMENT names the argument; a coordinate that is not finite is reported as
 *         "points[axis].data ... row"; differences whose squares overflow are rejected, too;
 *         UH_ERROR_NOT_FOUND: by `densest`, no seed has neighbours */
UH_API uh_status uh_mean_shift(uh_queue *queue, const uh_array *points, size_t dims,
                               const uh_mean_shift_options *options, uh_clusters **clusters);

UH_API void uh_clusters_destroy(uh_clusters *clusters);

UH_API uh_status uh_clusters_get_properties(const uh_clusters *clusters, uh_clusters_properties *properties);

/** A zeroed member means its default; radius or sigma is required. */
typedef struct uh_kde_options {
    size_t struct_size;
    uh_density_kernel kernel;
    uh_mean_shift_method method;
    double radius, sigma; /**< as in mean shift */
    int squared;          /**< `radius` is the square of the distance */
    int grid; /**< `at` has the coordinates of a grid's lines, one array per axis of any length; densities are those of
                   all their crossings, below 2^31, the last axis's fastest */
} uh_kde_options;

/** Estimates the density at places (the paper's equation 1):
 *
 *     f(x) = 1 / (n c) sum of K(x_j - x),   over all j with |x_j - x| <= radius
 *
 * where c is the integral of K over all x, so that f is a density: its integral is 1. (In the paper's terms c = h^D
 * with K_h scaled to 1; scikit-learn's KernelDensity has the same kernels, its Gaussian without a radius.)
 *
 * @param points  `dims` arrays of n > 0 coordinates each
 * @param at      `dims` arrays of coordinates, of equal length (but see `grid`), of the points' type
 * @param density room for as many float64, plain memory */
UH_API uh_status uh_kde(uh_queue *queue, const uh_array *points, size_t dims, const uh_array *at,
                        const uh_kde_options *options, double *density);

/** A zeroed member means its default, and so do NULL options. */
typedef struct uh_bandwidth_options {
    size_t struct_size;
    double quantile; /**< above 0, at most 1; 0.3 by default, as in scikit-learn */
    size_t samples;  /**< number of points, evenly spread over their order, whose distances are used; 0: all */
    const uh_exchange *exchange; /**< estimate for the points of all processes together; NULL: of this one's */
} uh_bandwidth_options;

/** Estimates a bandwidth: the mean distance of points to their k-th nearest neighbour, k = max(1, floor(n quantile)),
 * where each point is its own first neighbour (scikit-learn's estimate_bandwidth). Time is in proportion to n times
 * `samples`; the threads of the host share it, on any queue. UH_ERROR_INVALID_ARGUMENT: points as for
 * uh_mean_shift, a quantile out of range. On failure `bandwidth` is untouched.
 *
 * With `exchange` (exchange.h) the points are those of all processes together, in rank order: all get the result of one
 * process, to the bit. Each has its own points, 0 or more; dims, the points' type, quantile and samples must be the
 * same on all, otherwise UH_ERROR_INCOMPATIBLE; all must receive; queues may differ. No distances are sent. P processes
 * send P words and 2 dims + 5 numbers by `maximum`; then, per b = floor(2^22 / largest number of points of a process)
 * samples, 1 to 4096, b dims words, and in each pass 64 b words and 2 b + 1 numbers by `maximum`, for those whose
 * neighbour is not found yet: mostly 3 to 5 passes, at most 12. Takes memory for b samples' distances to the process's
 * own points. UH_ERROR_INVALID_ARGUMENT also for no points at all; UH_ERROR_CANCELLED if one is cancelled. Source: D.
 * E. Knuth, The Art of Computer Programming 3, 5.2.5, from the most significant digit. */
UH_API uh_status uh_estimate_bandwidth(uh_queue *queue, const uh_array *points, size_t dims,
                                       const uh_bandwidth_options *options, double *bandwidth);

UH_END_C

#endif
