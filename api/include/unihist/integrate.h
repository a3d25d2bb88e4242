/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file integrate.h
 * Integrals over boxes of 1 to 20 dimensions by VEGAS: Monte Carlo with importance sampling (a grid of bins on each
 * axis that follows the integrand) and stratification (the unit cube of the grid is cut into cubes, which all have
 * samples of their own). Integrals come with a standard deviation, and with a chi-square that says whether the
 * iterations agree.
 *
 * An iteration takes at most max_calls samples. With g intervals an axis there are m = g^dims cubes. Cube number c has
 * coordinate c / g^a % g on axis a. A sample in it is at y_a = (coordinate + u_a) / g on each axis, where u_a is
 * (w + 1/2) / 2^32 for a random word w; y_a lies in bin floor(bins y_a) of the axis's grid, in proportion between the
 * edges of that, and the sample counts by the product of the bins' widths times `bins`.
 *
 * Random words are those of Philox4x32-10 (random.h) with the seed as the key: word a % 4 of block j of stream
 * UH_INTEGRATE_STREAM + 8 i + a / 4, for axis a of sample j of iteration i, both numbered from 0; samples are numbered
 * from cube to cube. There is no other state, and sums are made in an order that depends on the number of samples
 * alone: the same call gives the same bits with any number of threads.
 *
 * Sources: G. P. Lepage, "A new algorithm for adaptive multidimensional integration" (J. Comput. Phys. 27, 1978), and
 * "Adaptive multidimensional integration: VEGAS enhanced" (J. Comput. Phys. 439, 2021, arXiv 2009.05112); I. Sakiotis
 * et al., "m-CUBES: an efficient and portable implementation of multi-dimensional integration for GPUs" (2022).
 */
#ifndef UNIHIST_INTEGRATE_H
#define UNIHIST_INTEGRATE_H

#include <unihist/kernel.h>

UH_BEGIN_C

enum {
    UH_INTEGRATE_MAX_DIMS = 20,
    UH_INTEGRATE_MAX_VALUES = 8,
    UH_INTEGRATE_MAX_BINS = 10000, /**< an axis */
    UH_INTEGRATE_BATCH = 256       /**< points that an integrand is given at once, at most */
};

/** Added to the number of a stream of random words. */
#define UH_INTEGRATE_STREAM UINT64_C(0x4d43554245530000)

/* ---- integrands -------------------------------------------------------------------------------------------------- */

/**
 * Evaluates n points, 1 to UH_INTEGRATE_BATCH: coordinate a of point i is x[a][i], and value k of it goes to
 * value[k][i]. All these arrays begin at a multiple of 64 bytes, and up to the next multiple of 16 points they hold
 * points too and may be written, so that loops over whole vectors need no end. Several threads call it at once.
 */
typedef void (*uh_integrand_function)(size_t n, const double *const *x, double *const *value, const void *context);

/** A text of integrand.h compiled for the host. */
typedef struct uh_integrand_host {
    size_t dims, values;
    uh_integrand_function function;
} uh_integrand_host;

/**
 * One text for the host and for devices: what unihist_add_integrand() defines as uh_integrand_NAME for NAME.c. All of
 * it is read in the call that it is given to, and may change or go when that returns: a text is known by the bytes of
 * its program, and up to 32 programs that were built last stay with the library.
 */
typedef struct uh_integrand_code {
    const char *name;                  /**< NAME */
    const uh_integrand_host *level[3]; /**< for x86-64-v2, v3 and v4; NULL where the one before serves */
    const uh_program *fp64, *fp32;     /**< for devices with and without float64; NULL where there is none */
} uh_integrand_code;

/** A pointer of the context to an array, of which devices get a copy. */
typedef struct uh_integrand_table {
    size_t offset;  /**< of the pointer, in bytes: offsetof */
    uh_dtype dtype; /**< of elements; UH_F64 become UH_REAL. Of structs UH_U8, and their bytes */
    size_t n;       /**< elements */
} uh_integrand_table;

/** What is integrated. A zeroed member means its default. */
typedef struct uh_integrand {
    size_t struct_size;              /**< sizeof(uh_integrand) */
    size_t dims;                     /**< 1 to UH_INTEGRATE_MAX_DIMS; by default that of `code` */
    size_t values;                   /**< integrands of one point, 1 to UH_INTEGRATE_MAX_VALUES; by default that of
                                          `code`, or 1 */
    uh_integrand_function function;  /**< in C: on the host; a queue of another device is UH_ERROR_UNSUPPORTED */
    const uh_integrand_code *code;   /**< or a text, for every device: one of both */
    const void *context;             /**< what the function is given: the state of a text. Devices get a copy */
    size_t context_size;             /**< its bytes, for devices */
    const uh_integrand_table *table; /**< its pointers, for devices; NULL where there are none */
    size_t tables;                   /**< how many */
} uh_integrand;

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/** The bins of all axes: edges that follow an integrand, for further integrals and for points. One thread at a time. */
typedef struct uh_grid uh_grid;

typedef struct uh_grid_properties {
    size_t struct_size;
    size_t dims, bins;
    const double *lower, *upper; /**< the box's sides, dims of each, lent */
    const double *edges;         /**< bins + 1 an axis, one axis behind the other, lent until the grid changes */
} uh_grid_properties;

/**
 * Makes a grid over a box. A side may be infinite: its axis then has edges from 0 to 1, of t in
 * x = lower + t / (1 - t), x = upper - t / (1 - t), or x = (2 t - 1) / (4 t (1 - t)) where both sides are.
 *
 * @param dims   1 to UH_INTEGRATE_MAX_DIMS
 * @param bins   of each axis, 1 to UH_INTEGRATE_MAX_BINS
 * @param lower, upper   the sides, dims of each, lower < upper, with a difference that is finite where both are, and so
 *               far apart that float64 has `bins` numbers between them; NULL for 0 and for 1
 * @param edges  dims rows of bins + 1 ascending edges from side to side (from 0 to 1), as uh_grid_get_properties lends
 *               them; or NULL for bins of equal width
 * @param grid   where to store it; the caller destroys it
 */
UH_API uh_status uh_grid_create(size_t dims, size_t bins, const double *lower, const double *upper, const double *edges,
                                uh_grid **grid);

UH_API uh_status uh_grid_destroy(uh_grid *grid);

UH_API uh_status uh_grid_get_properties(const uh_grid *grid, uh_grid_properties *properties);

/**
 * Writes a grid to a file, to the bit, which appears only when it is whole; unihist-format(5) describes it.
 *
 * @return UH_ERROR_IO for what cannot be written, with its name
 */
UH_API uh_status uh_grid_save(const uh_grid *grid, const char *path);

/**
 * Makes the grid that a file holds, for the caller to destroy. What is loaded is not trusted: foreign, truncated,
 * damaged or contradictory bytes are UH_ERROR_INVALID_ARGUMENT, a version that is newer than this library
 * UH_ERROR_UNSUPPORTED, and what cannot be read UH_ERROR_IO; the message names the file.
 */
UH_API uh_status uh_grid_load(const char *path, uh_grid **grid);

/**
 * Draws points as the grid distributes them: `n` rows of dims coordinates and a weight, the product of all axes' bins
 * times the width of the bin that the point lies in. The mean of weight times f(point) is the integral of f; weighted
 * so, the points are events of density f.
 *
 * @param queue   where to draw. A device without float64 is UH_ERROR_UNSUPPORTED.
 * @param seed    of the random words, which are those of iteration 2^12 - 1 above
 * @param offset  the number of the first point; all numbers are below 2^64
 * @param rows    room for n rows of dims + 1 float64, aligned as these are: memory of the host or USM; there on return
 */
UH_API uh_status uh_grid_points(uh_queue *queue, const uh_grid *grid, uint64_t seed, uint64_t offset, size_t n,
                                double *rows);

/* ---- integrals --------------------------------------------------------------------------------------------------- */

/** How samples are spread; the values are stable. */
typedef enum uh_integrate_variant {
    UH_INTEGRATE_AUTO = 0,       /**< vegas_plus */
    UH_INTEGRATE_MCUBES = 1,     /**< as many samples in each cube; g = floor((max_calls / 2)^(1 / dims)) */
    UH_INTEGRATE_MCUBES1D = 2,   /**< the same with one grid for all axes, which the first one's samples adjust: of
                                      integrands that do not change where coordinates are exchanged */
    UH_INTEGRATE_VEGAS_PLUS = 3, /**< more samples where values differ more: in proportion to their standard deviation
                                      to the power beta; g = floor((max_calls / 2.5)^(1 / dims)), of 2^24 cubes at
                                      most. Iterations that do not count have an eighth of the samples, 128 a
                                      bin at least */
    UH_INTEGRATE_PLAIN = 4       /**< plain Monte Carlo: one cube, and no grid */
} uh_integrate_variant;

/** Names are auto, mcubes, mcubes1d, vegas_plus and plain. */
UH_API const char *uh_integrate_variant_name(uh_integrate_variant variant);
UH_API uh_status uh_integrate_variant_from_name(const char *name, uh_integrate_variant *variant);

/** Why iterations ended. */
typedef enum uh_integrate_end {
    UH_INTEGRATE_CONVERGED = 0,  /**< the error is small enough, and chi-square acceptable */
    UH_INTEGRATE_ITERATIONS = 1, /**< all iterations were done */
    UH_INTEGRATE_TIME = 2,       /**< the time limit; the iteration that it fell in is not part of the result */
    UH_INTEGRATE_STOPPED = 3,    /**< by `report` or `progress` */
    UH_INTEGRATE_ALL_ZERO = 4 /**< all iterations were done, and every value was 0: value and error are 0, which tells
                                   nothing of what lies between the samples */
} uh_integrate_end;

/** What is known after an iteration, of the first integrand. */
typedef struct uh_iteration {
    size_t struct_size;
    size_t number;                    /**< from 0 */
    int counts;                       /**< not one of those that are skipped */
    double estimate, deviation;       /**< its own */
    double integral, error, chi2_dof; /**< of all that count; 0 before the first that does */
    uint64_t calls;                   /**< evaluations in it */
    uint64_t kernel_ns;               /**< what sampling took: on a device, in a queue with profiling, its kernels by
                                           the device's clock; else until the host had the samples' sums */
    uint64_t total_ns;                /**< and all of it */
} uh_iteration;

/** A zeroed member means its default, also what NULL options mean. Numbers below 0 are UH_ERROR_INVALID_ARGUMENT. */
typedef struct uh_integrate_options {
    size_t struct_size;
    const double *lower, *upper; /**< the box, as of uh_grid_create; not used where there is a grid */
    uh_integrate_variant variant;
    uint64_t max_calls; /**< samples of an iteration, at most: 4 to 2^40; 10^6 by default */
    size_t bins;        /**< of each axis of the grid; by default uh_integrate_default_bins; not used where there
                             is a grid */
    size_t iterations;  /**< at most: 1 to 4000, as each has random words of its own; 20 by default */
    size_t adjusting;   /**< so many of them, the first ones, adjust grid and samples; default: 10. More than there are
                             mean all; SIZE_MAX is none. Where the grid decides how many are skipped, at least five
                             more than these */
    size_t skipped;     /**< so many, the first ones, adjust but do not count. SIZE_MAX is none; default: 3, of plain
                             none, and of vegas_plus 2 to 8: until the deviation is at most a twentieth of the estimate
                             and hardly falls any more, or two iterations are left */
    double alpha;       /**< how fast the grid follows, finite: 1.5 by default */
    double beta;        /**< of vegas_plus, at most 2: 0.5 by default */
    double relative_error, absolute_error; /**< finite; either is enough; 10^-3 by default, where both are 0 */
    double max_chi2_dof;                   /**< what is acceptable; 1.5 by default */
    uint64_t seed;
    uint64_t time_limit_ns; /**< 0: none */
    int zero_not_finite;    /**< values that are NaN or infinite count as 0; else they are an error */
    uh_grid *grid;          /**< begins with this grid, of as many dims, and leaves it as it became; NULL: equal bins */
    int (*report)(const uh_iteration *iteration, void *context); /**< called after each; not 0 ends it. Or NULL */
    void *report_context;
    /** Called within long iterations, after each 2^24 of their `calls` samples; not 0 ends it without this iteration.
     * Or NULL. */
    int (*progress)(uint64_t done, uint64_t calls, void *context);
    void *progress_context;
} uh_integrate_options;

/** Returns how many bins an axis has by default, 500 or one for 200 samples: with fewer samples a bin, error bars
 * become too small. At least 10. */
UH_API size_t uh_integrate_default_bins(uint64_t max_calls);

typedef struct uh_integral {
    size_t struct_size;
    double value, error;          /**< of the first integrand: the integral, and its standard deviation */
    double chi2_dof;              /**< chi-square a degree of freedom, of which there are `dof`; 0 for none */
    size_t dof;                   /**< iterations that count, less one */
    uh_integrate_end end;         /**< why it ended: UH_INTEGRATE_CONVERGED for success */
    uh_integrate_variant variant; /**< at work, never UH_INTEGRATE_AUTO */
    uh_dtype dtype;               /**< of the integrand: UH_F64, or UH_F32 on a device without float64 */
    size_t iterations;
    uint64_t intervals;           /**< of each axis, g */
    uint64_t cubes;               /**< m = g^dims */
    uint64_t calls;               /**< evaluations, all together */
    uint64_t not_finite;          /**< values that counted as 0 */
    uint64_t kernel_ns, total_ns; /**< as those of iterations, of all together */
    double *values;               /**< NULL, or where to store the integrals of all integrands, by the caller */
    double *covariance;           /**< NULL, or where to store their covariances, values rows of as many */
} uh_integral;

/**
 * Integrates.
 *
 * The estimates of iterations are weighted by 1 / deviation^2 (Lepage 1978, equations 5 to 7). One that comes while the
 * grid is adjusted takes the place of those before it where it differs from them by more than five deviations or has
 * ten times their deviation, for the grid had missed something, or where it has less than half of the deviation that
 * they have together, and where those before had no values but 0. It ends as soon as two iterations count or more, the
 * error is at most relative_error |value| or absolute_error, and chi-square is acceptable. The result says whether that
 * was reached; where all values have been 0, it was not.
 *
 * A deviation is 0 only where all values were. Samples that are alike in each cube, as of a step, an area or a
 * constant, may have missed up to 1 / (n - 1) of one of m cubes with n samples each: the deviation of an iteration,
 * where they hardly differ in nearly all cubes, is at least 1 / (m (n - 1)) times the usual size of values that are not
 * 0. So a constant has a relative error of some 10^-6 with 10^6 samples, though it is exact.
 *
 * Relative errors are the same for integrands of any size, from 10^-308 to 10^308 and, with the digits that are left,
 * below; but covariances are products, and 0 where they are less than any float64.
 *
 * Before the first iteration 1,024 samples from all of the box tell how large values are, as many again where they are
 * tiny or 0, and an iteration that finds them far larger is done once more: `calls` has all.
 *
 * @return UH_ERROR_INVALID_ARGUMENT names the argument; a value that is not finite is told with its point, and how many
 *         there are. UH_ERROR_UNSUPPORTED for a queue of a device that cannot run the integrand.
 */
UH_API uh_status uh_integrate(uh_queue *queue, const uh_integrand *integrand, const uh_integrate_options *options,
                              uh_integral *integral);

UH_END_C

#endif
