/* SPDX-License-Identifier: Apache-2.0 */
/** @file integrate.h
 * Integrals over boxes of 1 to 20 dimensions by VEGAS: Monte Carlo with importance sampling (a grid of bins on each
 * axis that adapts to the integrand) and stratification (the unit cube of the grid is divided into cubes, each with its
 * own samples). Results include a standard deviation, and a chi-square that says whether the iterations agree. Or by
 * quasi-Monte Carlo, for smooth integrands: the points of a randomised sequence. Or by cubature, without random
 * numbers, in few dimensions.
 *
 * An iteration takes at most max_calls samples. With g_a intervals on axis a there are m = g_0 g_1 ... cubes. Cube
 * number c has coordinate c / (g_0 ... g_(a-1)) % g_a on axis a. A sample in it is at y_a = (coordinate + u_a) / g_a on
 * each axis, where u_a is (w + 1/2) / 2^32 for a random word w; y_a lies in bin floor(bins y_a) of the axis's grid,
 * interpolated linearly between its edges, and the sample's weight is the product of the bins' widths times `bins`.
 *
 * Random words are those of Philox4x32-10 (random.h) with the seed as the key: word a % 4 of block j of stream
 * UH_INTEGRATE_STREAM + 8 i + a / 4, for axis a of sample j of iteration i, both numbered from 0; samples are numbered
 * from cube to cube. There is no other state, and the order of sums depends only on the number of samples: the same
 * call gives the same bits with any number of threads.
 *
 * Quasi-Monte Carlo has R randomisations of a sequence, which are cubes of the whole box (g_a = 1, m = R). Iteration 0
 * takes points 0 to 1023 of each, and each further iteration as many as there were before: point i of randomisation r
 * is sample r n + i - first of an iteration that takes n points of each from number `first` on. Its word on axis a is,
 * with words key and shift 0 and 1 of block a of stream UH_INTEGRATE_STREAM + 2^15 + r,
 * - variant sobol: the word of uh_random_sobol for this stream, whose point of the same number it is, but not in Gray's
 *   order: the numbers of points up to a power of two are the same in both orders;
 * - variant lattice: w = reverse(i) z_a + shift modulo 2^32, where reverse(i) has the bits of i in the opposite order
 *   (the van der Corput sequence), and z the generating vector that perf/lattice.py makes for 2^10 to 2^24 points. To
 *   make it periodic, the integrand is folded by the baker's map, w becomes 2 w or, from 2^31 on, 2^32 - 1 - 2 (w -
 *   2^31); or by Korobov's, w becomes floor(2^32 (3 u^2 - 2 u^3)), and the weight is multiplied by 6 u (1 - u).
 * The integral is the mean of R means over all points so far; their scatter gives its error, sqrt(sum (mean_r -
 * integral)^2 / (R (R - 1))), with R - 1 degrees of freedom.
 *
 * Sources: G. P. Lepage, "A new algorithm for adaptive multidimensional integration" (J. Comput. Phys. 27, 1978), and
 * "Adaptive multidimensional integration: VEGAS enhanced" (J. Comput. Phys. 439, 2021, arXiv 2009.05112); I. Sakiotis
 * et al., "m-CUBES: an efficient and portable implementation of multi-dimensional integration for GPUs" (2022); A. B.
 * Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences" (1995); P. L'Ecuyer and C. Lemieux, "Variance reduction
 * via lattice rules" (Management Science 46, 2000); F. J. Hickernell, "Obtaining O(N^(-2+e)) convergence for lattice
 * quadrature rules" (2002). */
#ifndef UNIHIST_INTEGRATE_H
#define UNIHIST_INTEGRATE_H

#include <unihist/exchange.h>
#include <unihist/gpu.h>
#include <unihist/random.h>

UH_BEGIN_C

enum {
    UH_INTEGRATE_MAX_DIMS = 20,
    UH_INTEGRATE_MAX_VALUES = 1000, /**< of a C function */
    UH_INTEGRAND_MAX_VALUES = 64,   /**< of a source, which devices sum in registers */
    UH_INTEGRATE_CORRELATED = 16,   /**< maximum number of values whose covariances are all known */
    UH_INTEGRATE_MAX_BINS = 10000,  /**< per axis */
    UH_INTEGRATE_BATCH = 256        /**< maximum number of points per call of an integrand */
};

/** Maximum dimensions and passes of cubature. */
enum { UH_INTEGRATE_CUBATURE_DIMS = 8, UH_INTEGRATE_PASSES = 4000 };

/** Added to the stream number of random words. */
#define UH_INTEGRATE_STREAM UINT64_C(0x4d43554245530000)

/* ---- integrands -------------------------------------------------------------------------------------------------- */

/** Evaluates n points, 1 to UH_INTEGRATE_BATCH: coordinate a of point i is x[a][i], and its value k goes to
 * value[k][i]. All these arrays begin at a multiple of 64 bytes, and up to the next multiple of 16 points they hold
 * points too and may be written, so that vector loops need no remainder. Several threads call it at once. */
typedef void (*uh_integrand_function)(size_t n, const double *const *x, double *const *value, const void *context);

/** An integrand source (integrand.h) compiled for the host. */
typedef struct uh_integrand_host {
    size_t dims, values;
    uh_integrand_function function;
} uh_integrand_host;

/** One source for the host and for devices: unihist_add_integrand() defines it as uh_integrand_NAME for NAME.c. It is
 * read completely in the call that it is passed to, and may change or be freed afterwards: it is identified by the
 * bytes of its program, and the library keeps up to 32 most recently built programs. */
typedef struct uh_integrand_code {
    const char *name;                  /**< NAME */
    const uh_integrand_host *level[3]; /**< for x86-64-v2, v3 and v4; NULL if the previous one is used */
    const uh_program *fp64, *fp32;     /**< for devices with and without float64, or NULL */
} uh_integrand_code;

/** A pointer in the context to an array, of which devices get a copy. */
typedef struct uh_integrand_table {
    size_t offset;  /**< offset of the pointer in bytes: offsetof */
    uh_dtype dtype; /**< of elements; UH_F64 become UH_REAL. For structs UH_U8, and their bytes */
    size_t n;       /**< elements */
} uh_integrand_table;

/** An integrand. A zeroed member means its default. */
typedef struct uh_integrand {
    size_t struct_size;              /**< sizeof(uh_integrand) */
    size_t dims;                     /**< 1 to UH_INTEGRATE_MAX_DIMS; by default that of `code` */
    size_t values;                   /**< integrands per point, 1 to UH_INTEGRATE_MAX_VALUES, of a source 1 to
                                          UH_INTEGRAND_MAX_VALUES; by default that of `code`, or 1 */
    uh_integrand_function function;  /**< a C function, for the host; a queue of another device is
                                          UH_ERROR_UNSUPPORTED */
    const uh_integrand_code *code;   /**< or a source, for every device: exactly one of the two */
    const void *context;             /**< passed to the function; the state of a source. Devices get a copy */
    size_t context_size;             /**< its size in bytes, for devices */
    const uh_integrand_table *table; /**< its pointers, for devices, or NULL */
    size_t tables;                   /**< number of `table` entries */
} uh_integrand;

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/** The bins of all axes: edges adapted to an integrand, for further integrals and for points. One thread at a time. */
typedef struct uh_grid uh_grid;

typedef struct uh_grid_properties {
    size_t struct_size;
    size_t dims, bins;
    const double *lower, *upper; /**< the box's sides, dims of each, owned by the grid */
    const double *edges;         /**< bins + 1 per axis, axis by axis; owned by the grid, valid until it changes */
} uh_grid_properties;

/** Makes a grid over a box. A side may be infinite: its axis then has edges from 0 to 1, of t in x = lower + s, x =
 * upper - s or, if both sides are infinite, x = s. There s = r (1 + (r / q)^2)^k with r = t / (1 - t), or with both
 * sides r = (2 t - 1) / (4 t (1 - t)); q = 2 k + 1; and k = 0 with one such axis, 1 with 2 to 5, 2 with 6 to 9, 3 with
 * more. So the density of samples falls like |x|^-(1 + 1 / q) along each axis, and the
 * variance is finite if the integrand falls in all directions like |x|^-(n + 1), with n such axes up to 13.
 *
 * @param dims   1 to UH_INTEGRATE_MAX_DIMS
 * @param bins   of each axis, 1 to UH_INTEGRATE_MAX_BINS
 * @param lower, upper   the sides, dims of each, lower < upper, with a finite difference if both are finite, and so
 *               distant that float64 has `bins` numbers between them; NULL for 0 and for 1
 * @param edges  dims rows of bins + 1 ascending edges from side to side (from 0 to 1), as in uh_grid_get_properties; or
 *               NULL for bins of equal width
 * @param grid   where to store it; the caller destroys it */
UH_API uh_status uh_grid_create(size_t dims, size_t bins, const double *lower, const double *upper, const double *edges,
                                uh_grid **grid);

UH_API void uh_grid_destroy(uh_grid *grid);

UH_API uh_status uh_grid_get_properties(const uh_grid *grid, uh_grid_properties *properties);

/** Writes a grid to a file, to the bit. The file appears only when it is complete; unihist-format(5) describes it.
 *
 * @return UH_ERROR_IO if the file cannot be written; the message names it */
UH_API uh_status uh_grid_save(const uh_grid *grid, const char *path);

/** Makes the grid that a file holds; the caller destroys it. The file is not trusted: foreign, truncated, damaged or
 * contradictory bytes are UH_ERROR_INVALID_ARGUMENT, a version newer than this library UH_ERROR_UNSUPPORTED, and a read
 * failure UH_ERROR_IO; the message names the file. */
UH_API uh_status uh_grid_load(const char *path, uh_grid **grid);

/** Points that a grid distributes: their numbers begin with `offset`, and all are below 2^64. */
typedef struct uh_points {
    const uh_integrand *integrand; /**< to be evaluated at each point, or NULL */
    uint64_t seed;                 /**< of the random words, which are those of iteration 2^12 - 1 above */
    uint64_t offset;
    size_t n;
} uh_points;

/** Draws points as the grid distributes them, in rows of dims coordinates, a weight, and the integrand's values.
 * Without an integrand the weight is the product of all axes' bins times the width of the bin that the point lies in:
 * the mean of weight times f(point) is the integral of f. With one it is multiplied by value 0, and the points are
 * events of that density: their mean weight is its integral, and means so weighted are expectation values. For
 * histograms, uh_histogram_fill reads weights, values and coordinates at a stride of a row. Values that are not finite
 * are stored.
 *
 * @param queue   where to draw. A device without float64, or that cannot run the integrand, is UH_ERROR_UNSUPPORTED.
 * @param points  their number may be 0
 * @param rows    room for n rows of dims + 1 + values float64, aligned as float64: host memory or USM; complete on
 *                return */
UH_API uh_status uh_grid_points(uh_queue *queue, const uh_grid *grid, const uh_points *points, double *rows);

/** Makes points unweighted: accepts each with the probability |weight| / maximum, moves the accepted rows to the front,
 * and makes their weights 1, or -1 if they were negative. A weight beyond the maximum becomes weight / maximum, so that
 * expectation values stay right, and maximum times the sum of the accepted weights, divided by n, is the integral.
 * Pieces of the same maximum make one sample. A point is compared with (w0 2^21 + floor(w1 / 2^11)) / 2^53, of words 0
 * and 1 of its block in the last stream of iteration 2^12 - 1.
 *
 * @param points    those that uh_grid_points was given, and `rows` what it has stored, in memory that the host reads
 * @param maximum   the largest weight; 0 is replaced by the largest one in the rows
 * @param accepted  where to store the number of rows that remain
 * @return UH_ERROR_INVALID_ARGUMENT for a weight that is not finite; the rows are then unchanged */
UH_API uh_status uh_points_unweight(const uh_grid *grid, const uh_points *points, double *rows, double *maximum,
                                    size_t *accepted);

/* ---- integrals --------------------------------------------------------------------------------------------------- */

/** How samples are distributed; the values are stable. */
typedef enum uh_integrate_variant {
    UH_INTEGRATE_AUTO = 0,       /**< chosen by the integrand: see uh_integrate_choice */
    UH_INTEGRATE_MCUBES = 1,     /**< equal numbers of samples per cube; g_a = floor((max_calls / 2)^(1 / dims)) */
    UH_INTEGRATE_MCUBES1D = 2,   /**< the same with one grid for all axes, adjusted by the samples of the first: for
                                      integrands that are symmetric in their coordinates */
    UH_INTEGRATE_VEGAS_PLUS = 3, /**< more samples where values differ more: in proportion to their standard
                                      deviation to the power beta; g_a = floor((max_calls / 2.5)^(1 / dims)), at most
                                      2^24 cubes; if it exceeds the number of bins, a multiple of that. If all g_a are,
                                      the cubes' variances adjust the grid, otherwise squares of values. Iterations
                                      that do not count have an eighth of the samples, at least 128 per bin, and with
                                      `strata` 2 per cube */
    UH_INTEGRATE_PLAIN = 4,      /**< plain Monte Carlo: one cube, and no grid */
    UH_INTEGRATE_SOBOL = 5,      /**< quasi-Monte Carlo by Sobol points, at most 2^32 of each randomisation */
    UH_INTEGRATE_LATTICE = 6,    /**< quasi-Monte Carlo by an extensible rank-1 lattice, at most 2^24 points */
    UH_INTEGRATE_CUBATURE = 7    /**< deterministic, for up to UH_INTEGRATE_CUBATURE_DIMS dimensions */
} uh_integrate_variant;

/** How an integrand is made periodic for a lattice: otherwise its error decreases as 1 / n only. */
typedef enum uh_periodise {
    UH_PERIODISE_BAKER = 0,  /**< by the baker's map: about 1 / n^2 for smooth integrands */
    UH_PERIODISE_NONE = 1,   /**< not: for integrands that are periodic */
    UH_PERIODISE_KOROBOV = 2 /**< by Korobov's map of degree 3, whose weights vary more with each dimension */
} uh_periodise;

/** Why iterations ended. */
typedef enum uh_integrate_end {
    UH_INTEGRATE_CONVERGED = 0,  /**< the error is small enough, and chi-square is acceptable */
    UH_INTEGRATE_ITERATIONS = 1, /**< all iterations were done; of quasi-Monte Carlo, all that do not exceed
                                      max_calls times iterations in total, or the sequence */
    UH_INTEGRATE_TIME = 2,       /**< the time limit; the interrupted iteration is not part of the result */
    UH_INTEGRATE_STOPPED = 3     /**< stopped by `report` or `progress` */
} uh_integrate_end;

/** Why the error may be too small, in which case integration never ends as converged. */
typedef enum uh_integrate_warning {
    UH_INTEGRATE_NO_WARNING = 0,
    UH_INTEGRATE_ALL_ZERO = 1,     /**< every value was 0: value and error are 0, which says nothing about the integrand
                                        between the samples */
    UH_INTEGRATE_HEAVY_TAILS = 2,  /**< one of the samples that count has more than a twentieth of the sum of their
                                        squares: the effective number of samples is small, and the variance may be
                                        infinite */
    UH_INTEGRATE_SEVERAL_PEAKS = 3 /**< two pilots ended at different places, and there may be more peaks that neither
                                        has seen */
} uh_integrate_warning;

/** Why the variant was used. Auto is vegas_plus if an option of VEGAS is given: grid, strata, bins,
 * adjusting, skipped, alpha, beta or max_chi2_dof. Otherwise it tries cubature with up to 5 axes, for a quarter of
 * max_calls; then, with up to 12, if relative_error is at most 10^-4, a lattice of 16 randomisations, for max_calls.
 * The result of either is taken if it has converged and an eighth of max_calls random samples, at least 4,096, confirms
 * it: their estimate has no warning, and differs by at most five deviations and the error. Otherwise vegas_plus
 * integrates.
 */
typedef enum uh_integrate_choice {
    UH_INTEGRATE_GIVEN = 0,     /**< it was requested, or vegas_plus by its options */
    UH_INTEGRATE_SMOOTH = 1,    /**< cubature or the lattice converged, and samples confirm it */
    UH_INTEGRATE_ROUGH = 2,     /**< vegas_plus, because it did not converge */
    UH_INTEGRATE_UNSEEN = 3,    /**< because it converged to what samples do not confirm */
    UH_INTEGRATE_MANY_AXES = 4, /**< because there are too many axes for the error asked */
    UH_INTEGRATE_REFUSED = 5    /**< because it cannot integrate this: values that are not finite at its points, too few
                                     evaluations, or a device without float64 */
} uh_integrate_choice;

/** State after an iteration, for the first integrand. */
typedef struct uh_iteration {
    size_t struct_size;
    size_t number;                    /**< from 0 */
    int counts;                       /**< 1 if the iteration contributes to the result, of the present variant */
    double estimate, deviation;       /**< of this iteration; of all points so far in quasi-Monte Carlo */
    double integral, error, chi2_dof; /**< of all that count; 0 before the first of them */
    uint64_t calls;                   /**< evaluations in it */
    uint64_t kernel_ns;               /**< time of sampling: on a device, in a queue with profiling, of its kernels by
                                           the device's clock; otherwise until the host had the samples' sums */
    uint64_t total_ns;                /**< time of the whole iteration */
    size_t integrand;                 /**< in uh_integrate_many the number of the integrand; otherwise 0 */
} uh_iteration;

/** A zeroed member means its default, and so do NULL options. Negative numbers are UH_ERROR_INVALID_ARGUMENT. */
typedef struct uh_integrate_options {
    size_t struct_size;
    const double *lower, *upper; /**< the box, as in uh_grid_create; ignored if there is a grid */
    uh_integrate_variant variant;
    uint64_t max_calls; /**< maximum number of samples per iteration: 4 to 2^40; 10^6 by default. Quasi-Monte Carlo
                             and cubature take at most this times iterations in total */
    size_t bins;        /**< of each axis of the grid; by default uh_integrate_default_bins; ignored if there is a
                             grid */
    size_t iterations;  /**< maximum number: 1 to 4000, because each has its own random words; 20 by default */
    size_t adjusting;   /**< number of first iterations that adjust grid and samples; default: 10. More than there are
                             means all; SIZE_MAX means 0. If the grid determines `skipped`, at least five more than are
                             skipped. Of quasi-Monte Carlo: iterations of mcubes in front, as large as the first of
                             vegas_plus, which adjust the grid and do not count; none by default, and no grid then */
    size_t skipped;     /**< number of first iterations that adjust but do not count. SIZE_MAX means 0; default: 3; for
                             plain none, for vegas_plus 2 to 8: until the deviation is at most a twentieth of the
                             estimate and hardly decreases, or two iterations are left. If one sample of the
                             first iteration has a twentieth of the sum of squares, a second pilot from the initial grid, of
                             at most as many iterations as the first took until its deviation was at most a quarter of
                             the estimate, tells whether there are several peaks; then the grid becomes one of both */
    double alpha;       /**< how fast the grid adapts, finite: 1.5 by default */
    double beta;        /**< for vegas_plus, at most 2: 0.5 by default */
    double relative_error, absolute_error; /**< finite; reaching one of them is enough; 10^-3 by default, if both are
                                                0 */
    double max_chi2_dof;                   /**< maximum acceptable value; 1.5 by default */
    uint64_t seed;
    uint64_t time_limit_ns; /**< 0: none */
    int zero_not_finite;    /**< NaN and infinite values count as 0; otherwise they are an error */
    uh_grid *grid;          /**< initial grid, of the same dims, updated to the final one; NULL: equal bins */
    int (*report)(const uh_iteration *iteration, void *context); /**< called after each iteration; not 0 stops. Or
                                                                      NULL */
    void *report_context;
    /** Called within long iterations, after each 2^24 of their `calls` samples; not 0 stops and discards this
     * iteration. Or NULL. */
    int (*progress)(uint64_t done, uint64_t calls, void *context);
    void *progress_context;
    const uh_exchange *exchange; /**< integrate by all processes together; NULL: by this one */
    const uint64_t *strata; /**< for mcubes, mcubes1d and vegas_plus: g_a of all axes, 1 to 2^32 - 1, in all at most
                                 max_calls / 2 cubes, of vegas_plus also 2^24. NULL: by the variant's rule */
    size_t randomisations;  /**< of quasi-Monte Carlo, 16 to 1024; 16 by default. Otherwise 0 */
    uh_scramble scramble;   /**< of sobol: owen or shift */
    uh_periodise periodise; /**< of lattice */
} uh_integrate_options;

/** Returns the default number of bins per axis: 500, with one or two axes 50 (so that cubes fit them), or one per 200
 * samples, at least 10. With fewer samples per bin, error bars become too small. */
UH_API size_t uh_integrate_default_bins(size_t dims, uint64_t max_calls);

typedef struct uh_integral {
    size_t struct_size;
    double value, error;          /**< of the first integrand: the integral and its standard deviation */
    double chi2_dof;              /**< chi-square per degree of freedom, of which there are `dof`; 0 for none */
    size_t dof;                   /**< number of iterations that count, or of randomisations, minus one */
    uh_integrate_end end;         /**< why it ended: UH_INTEGRATE_CONVERGED for success */
    uh_integrate_warning warning; /**< UH_INTEGRATE_NO_WARNING for success */
    uh_integrate_variant variant; /**< the variant used, never UH_INTEGRATE_AUTO */
    uh_integrate_choice choice;   /**< why */
    uh_dtype dtype;               /**< of the integrand: UH_F64, or UH_F32 on a device without float64 */
    size_t iterations;
    /** g_a of each axis, and then 0; of cubature 0. */
    uint64_t intervals[UH_INTEGRATE_MAX_DIMS];
    uint64_t cubes;               /**< m, their product */
    uint64_t calls;               /**< total evaluations */
    uint64_t not_finite;          /**< number of values that counted as 0 */
    uint64_t kernel_ns, total_ns; /**< as those of iterations, summed */
    double *values;               /**< NULL, or set by the caller: where to store the integrals of all integrands */
    double *covariance;           /**< NULL, or where to store their covariances, a matrix of values rows and columns.
                                       Of more than UH_INTEGRATE_CORRELATED values it has the variances and the
                                       covariances with the first value, and NaN elsewhere */
} uh_integral;

/** Integrates.
 *
 * Estimates of iterations are weighted by 1 / deviation^2 of the iteration before, the first one by its own: an
 * iteration's own deviation (Lepage 1978, equation 5) would give more weight to those that missed a peak, because they
 * have both too small values and too small deviations. The error is that of the weighted average by the iterations' own
 * deviations, or by their scatter if that is larger. While the grid is adjusted, an estimate replaces those before it
 * if it differs from them by more than five deviations or has ten times their deviation, because the grid had missed
 * something, or if all values before were 0. Integration ends as soon as at least two iterations count, the error is at
 * most relative_error |value| or absolute_error, and chi-square is acceptable, unless there is a warning. The result
 * says whether that was reached.
 *
 * A deviation is 0 only if all values were. Samples that are equal in each cube, as of a step, an area or a constant,
 * may have missed up to 1 / (n - 1) of one of m cubes with n samples each: the deviation of an iteration whose samples
 * hardly differ in nearly all cubes is at least 1 / (m (n - 1)) times the usual size of non-zero values. So a constant
 * has a relative error of about 10^-6 with 10^6 samples, though it is exact. With one axis a deviation is at least that
 * of the place of the largest step between two samples.
 * In quasi-Monte Carlo, if all means are equal but for rounding, the deviation is 3 / (R n) times the usual size of
 * values, for n points of each randomisation.
 *
 * Relative errors are the same for integrands of any size, from 10^-308 to 10^308 and, with the remaining digits,
 * below; but covariances are products, and 0 if they are smaller than any float64.
 *
 * With `exchange` (exchange.h) each process takes a part of every iteration's samples: all get the integral that one
 * process would get, to the bit, and so does the grid of `options`. Options, integrand and the floating-point type of
 * the devices must be the same on all, otherwise UH_ERROR_INCOMPATIBLE; queues may differ. `report`, `progress` or the
 * time limit of one process stops all; `kernel_ns` and `total_ns` are per process. An iteration of n samples of one
 * value sends three numbers by `maximum` per 2^28 samples, 14 words per 1024 samples, one word per bin and adjusted
 * axis, and with vegas_plus one word per cube; an integral of several values sends more.
 *
 * Before the first iteration 1,024 samples from the whole box estimate the size of values, and as many again if they
 * are tiny or 0; an iteration that finds them far larger is repeated. `calls` includes all of these.
 *
 * Cubature divides the box, or that of a grid, into regions and evaluates a rule in each: of degree 22 in one dimension
 * (Kronrod, 15 nodes), 9 in two to four (33 to 153 nodes), 7 in up to eight (103 to 417), with a few nodes near the
 * ends of a region that show steps. Null rules, which are 0 for polynomials of lower degrees, estimate the region's
 * error; where they fall quickly with the degree, so does the error. A pass halves all regions but those of the
 * smallest errors, which together have at most half of the requested error, along the axis of the largest fourth
 * difference, and adds to the errors of both halves by how much they differ from their parent. `error` is the sum of
 * the regions' errors, no standard deviation: usually it is far too large, and for steps, poles and kinks about as
 * large as the true error can be. It says nothing of peaks between all nodes. Each pass is reported as an iteration.
 * Cubature ends when the error is small enough, after at least two passes, or when another pass would exceed max_calls
 * times iterations evaluations in total or 2^20 regions, or float64 cannot halve regions any more. If the first value
 * was 0 at all nodes of the last pass, its error is 0, and the warning UH_INTEGRATE_ALL_ZERO. `cubes` is the number of
 * regions at the end; `intervals`, `dof` and `chi2_dof` are 0, and the covariance has the squares of errors on its
 * diagonal, otherwise 0. Regions are added up in a fixed order: the same bits with any number of threads, devices and
 * processes and on each x86-64 level and, if the integrand calls no mathematical function, on devices. Devices without
 * float64 are UH_ERROR_UNSUPPORTED. Sources: A. C. Genz and A. A. Malik (J. Comput. Appl. Math. 6, 1980; SIAM J.
 * Numer. Anal. 20, 1983), J. Berntsen, T. O. Espelid and A. Genz (ACM TOMS 17, 1991), I. Sakiotis et al., "PAGANI"
 * (2021, arXiv 2104.06494).
 *
 * @return UH_ERROR_INVALID_ARGUMENT names the argument; for values that are not finite, a point and their number.
 *         UH_ERROR_UNSUPPORTED for a queue of a device that cannot run the integrand. */
UH_API uh_status uh_integrate(uh_queue *queue, const uh_integrand *integrand, const uh_integrate_options *options,
                              uh_integral *integral);

/** Integrates n integrands in one call: one text with n states, as in a scan of its parameters, or different texts and
 * functions. Each integral, and each grid, is to the bit that of uh_integrate with the same options. But small
 * integrals do not wait for each other: on the host each takes one thread; of a device, and of all parts of a combined
 * one that are of the lead's kind, each keeps several in flight (uh_queue_get_share does not count these). Large ones
 * follow one another. Several threads at once call `report` and `progress`, which stop one integral, and ask the
 * queue's `cancelled`. If a part fails, its integral begins anew, and so do its reports. Time limits are those of each
 * integral.
 *
 * @param integrands  n of them; each takes as many of the sides in the options as it has dimensions
 * @param options     as of uh_integrate, but a grid in which all integrals begin does not change, and processes with an
 *                    `exchange` call uh_integrate, or this for integrals of their own
 * @param grids       NULL, or options->grid of each integral, different ones, which are updated
 * @param integrals   where to store n results, each with its own struct_size, `values` and `covariance`
 * @return the failure of the first integrand that fails, as of uh_integrate, with its number: "integrands[3]: ...". All
 *         integrals and grids are unchanged then. Results take some 800 bytes each until all are known. */
UH_API uh_status uh_integrate_many(uh_queue *queue, const uh_integrand *integrands, size_t n,
                                   const uh_integrate_options *options, uh_grid *const *grids, uh_integral *integrals);

/** Divides the integrals of several values by one of them: value k then is the expectation value of f_k / f_by under
 * the density f_by. Their covariance takes into account that all have the same samples, in linear order of the errors
 * (the delta method): cov(r_k, r_l) = (C_kl - r_k C_bl - r_l C_kb + r_k r_l C_bb) / v_b^2.
 *
 * @param integral    a result with `values` and `covariance`
 * @param values      their number, 1 to UH_INTEGRATE_MAX_VALUES
 * @param by          the divisor, which is not 0; its own ratio is 1, with covariances of 0
 * @param ratios      where to store the ratios
 * @param covariance  and their covariance, a matrix of values rows and columns, with NaN for those made of NaN: of many
 *                    values divided by the first one, all but the variances */
UH_API uh_status uh_integral_ratios(const uh_integral *integral, size_t values, size_t by, double *ratios,
                                    double *covariance);

UH_END_C

#endif
