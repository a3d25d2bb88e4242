/* SPDX-License-Identifier: Apache-2.0 */
/** @file bins.h
 * Counts, statistics, quantiles and indices of arrays in one call, with the results of NumPy, SciPy and PyTorch; bins
 * that the data choose; counts of integers; the Parboil histogram. For data in pieces: a histogram (histogram.h). */
#ifndef UNIHIST_BINS_H
#define UNIHIST_BINS_H

#include <unihist/histogram.h>

UH_BEGIN_C

/* ---- one call ---------------------------------------------------------------------------------------------------
 * Arrays such as `x` are those of uh_histogram_fill. Errors as that call and as the creation of the axis. */

/** Bins of one axis: a number of equal ones, or those between edges. */
typedef struct uh_axis_bins {
    size_t count;          /**< number of equal bins, 1 to UH_MAX_BINS; 0 with `edges` */
    const double *range;   /**< first and last edge of equal bins; NULL: the data's own range, 0 to 1 for no values.
                                One of width 0 is extended by 0.5 on both sides */
    const uh_array *edges; /**< NULL, or contiguous edges as in uh_axis_create_edges */
} uh_axis_bins;

/** Returns equal bins; `range` may be NULL, and must stay valid. */
static inline uh_axis_bins uh_axis_bins_equal(size_t count, const double *range) {
    const uh_axis_bins bins = {count, range, NULL};
    return bins;
}

/** Returns the bins between edges, an array that must stay valid. */
static inline uh_axis_bins uh_axis_bins_between(const uh_array *edges) {
    const uh_axis_bins bins = {0, NULL, edges};
    return bins;
}

/** Results of uh_histogram_of: where to store them. NULL: not wanted. Arrays of cells are row-major. */
typedef struct uh_cells {
    size_t struct_size;         /**< sizeof(uh_cells) */
    uint64_t *counts;           /**< number of points of each cell */
    double *sums;               /**< exact sum of their weights, rounded once; 0 for no points */
    double *means;              /**< sum divided by number, rounded once; NaN for no points */
    double *deviations;         /**< root of the mean squared deviation from the mean; NaN for no points */
    double *edges[UH_MAX_AXES]; /**< edges of each axis, one more than bins, as float64 */
    uh_flow *flows;             /**< for each axis, the numbers of points in none of its bins */
} uh_cells;

/** Returns results of counts alone. */
static inline uh_cells uh_cells_of(uint64_t *counts) {
    const uh_cells cells = {sizeof(uh_cells), counts, NULL, NULL, NULL, {NULL}, NULL};
    return cells;
}

/** numpy.histogramdd(points, bins, range, weights=weights), with one array per axis as in uh_histogram_fill: over one
 * axis numpy.histogram, over two numpy.histogram2d, and for means, sums and deviations scipy.stats.binned_statistic_dd.
 * Axis a has the bins bins[a]; the last one includes its right edge. Points in no cell are not counted. `weights`, one
 * per point, are float32, float64, int32 or int64; they are for sums, means and deviations, and NULL if only counts are
 * stored. NaN and infinite weights, which SciPy rejects, enter their cell's results.
 *
 * torch.histc(x, bins, min, max) is one axis, with range NULL if min equals max; but values and edges are compared as
 * real numbers here, where PyTorch computes (x - min) * bins / (max - min) in the data's type and may put a value
 * within rounding of an edge into the adjacent bin.
 *
 * UH_ERROR_INVALID_ARGUMENT: no array of cells to store; both edges and a number or range of equal bins; a range that
 * decreases or is not finite, or whose difference is not finite; without a range, NaN or infinite values, or equal
 * values so large that 0.5 makes no difference; weights for counts only, or none for others; more than
 * UH_MAX_CELLS cells, detected before anything is allocated. */
UH_API uh_status uh_histogram_of(uh_queue *queue, const uh_array *arrays, const uh_axis_bins *bins, size_t naxes,
                                 const uh_array *weights, const uh_cells *cells);

/** Stores the smallest and largest value of an array and the number of NaN, which are skipped. If all are NaN, or there
 * are no values, min is infinity and max minus infinity. 64-bit integers that float64 cannot represent are rounded
 * outwards: all values lie in min to max. A zero of either sign is +0. Values that the queue's device can access are
 * processed there, after the queue's earlier work (float64 also on a device without double); others by the host. `x`
 * may be reused on return. UH_ERROR_INVALID_ARGUMENT also for memory that the queue's device cannot access, and errors
 * of uh_histogram_fill for a device. */
UH_API uh_status uh_min_max(uh_queue *queue, const uh_array *x, double *min, double *max, uint64_t *nan);

/** numpy.digitize(x, edges, right): stores for each value the number of edges at or below it (`right` 0), or below it
 * (`right` not 0); `nedges` for NaN. Edges do not decrease; a single edge is allowed. `x`, `dtype` and `index` as in
 * uh_histogram_digitize, contiguous `edges` as in uh_axis_create_edges; errors as both. */
UH_API uh_status uh_digitize(uh_queue *queue, const uh_array *x, const uh_array *edges, int right, uh_dtype dtype,
                             void *index);

/** Codes of a table of values: that of row i in column j lies i * row_stride + j * column_stride bytes after `data`.
 */
typedef struct uh_codes {
    uh_dtype dtype; /**< UH_U8, UH_U16, UH_I32 or UH_I64, which holds the largest number of bins */
    void *data;
    ptrdiff_t row_stride, column_stride;
} uh_codes;

/** Stores the bin of each value of a table as a code, as gradient boosting reads them: 0 to k - 1 of the k bins of the
 * column's axis; k for NaN, a missing value. A value before the first bin has code 0, one after the last k - 1.
 *
 * @param columns `ncolumns` arrays of the same count, of any types, as in uh_histogram_fill
 * @param axes of the columns, with the same axis as often as one likes; of edges, not of categories
 * @param codes where to store them, in memory that overlaps no column, of the host or USM of the queue's device; on a
 *     device other than the host that the host can write, if codes of a column do not lie densely
 * @return UH_ERROR_INVALID_ARGUMENT (the message names the column), and errors of uh_histogram_fill
 *
 * Source: scikit-learn's _BinMapper, LightGBM's and XGBoost's histogram algorithms. */
UH_API uh_status uh_digitize_columns(uh_queue *queue, const uh_array *columns, uh_axis *const *axes, size_t ncolumns,
                                     const uh_codes *codes);

/* ---- bins that the data choose --------------------------------------------------------------------------------------
 * Values are added piece by piece; then rules make axes of them, as often as one likes. Results do not depend on the
 * order of values, pieces, merges and processes.
 *
 * Kept is each value once, with the number of times that it occurs or the sum of its weights, up to a maximum of
 * different values. Beyond it the lowest bits of their float64 representation are dropped, as many as necessary, which
 * joins adjacent values; the smallest and largest value stay exact. Until then rules are exact. Beyond, quantiles and
 * the rules that need them are exact after a second pass (uh_bins_refine).
 *
 * Weights of an integer type repeat their value. Of other weights the effective number of values, (sum of w)^2 / sum of
 * w^2 (L. Kish, Survey Sampling, 1965), is what rules take as n; equal weights make no difference. Sums of weights are
 * exact to 159 bits, and rounded once.
 *
 * One thread at a time uses an object. */

/** Values from which bins are made. */
typedef struct uh_bins uh_bins;

/** A zeroed member means its default, and so do NULL options. */
typedef struct uh_bins_options {
    size_t struct_size;
    const double *range; /**< first and last value that count; NULL: all finite ones */
    size_t max_values;   /**< maximum number of different values kept, 16 bytes each, 32 with weights that are not
                              whole: 1024 to 2^28; 2^22 by default */
    uh_queue *queue;     /**< of a device whose memory arrays may be in; those without weights, of 2^18 numbers and
                              more, are counted there, and others copied to the host in pieces. NULL: the host can access
                            them. It must outlive the object */
} uh_bins_options;

typedef struct uh_bins_properties {
    size_t struct_size;
    uint64_t n;       /**< values that count, of weights above 0, */
    uint64_t beyond;  /**< infinite ones and those outside the range, */
    uint64_t nan;     /**< and NaN */
    double weight;    /**< sum of weights; without weights n */
    double effective; /**< effective number of values */
    size_t values;    /**< different values kept */
    uint64_t joined;  /**< lowest bits of values that are dropped; 0: all values are exact */
    double min, max;  /**< infinity and minus infinity for none */
} uh_bins_properties;

/** Makes an object without values; the caller destroys it. */
UH_API uh_status uh_bins_create(const uh_bins_options *options, uh_bins **bins);

UH_API void uh_bins_destroy(uh_bins *bins);

/** Adds the values of an array, with weights of any type, one per value, or NULL.
 * 64-bit integers that float64 cannot represent are rounded. Values of weight 0 do not count. After a failure the
 * object can only be destroyed. UH_ERROR_INVALID_ARGUMENT: a weight that is negative or not finite, or integer weights
 * whose sum exceeds 2^53. */
UH_API uh_status uh_bins_add(uh_bins *bins, const uh_array *x, const uh_array *weights);

/** Adds the values of another object of the same options, otherwise UH_ERROR_INCOMPATIBLE. */
UH_API uh_status uh_bins_merge(uh_bins *bins, const uh_bins *from);

/** Adds the values of all other processes, which call it together with objects of the same options. All receive. */
UH_API uh_status uh_bins_exchange(uh_bins *bins, const uh_exchange *exchange);

UH_API uh_status uh_bins_get_properties(uh_bins *bins, uh_bins_properties *properties);

/** Maximum number of quantiles per call. */
#define UH_MAX_QUANTILES ((size_t)1 << 20)

/** Stores quantiles, without weights those of numpy.quantile to the bit. Of weights that are not whole, types 1 and 2
 * invert the distribution function, and types 4 to 9 average it over one of the effective number of values: A.
 * Akinshin, "Weighted quantile estimators" (arXiv 2304.07265).
 *
 * @param q       n non-decreasing numbers from 0 to 1, at most UH_MAX_QUANTILES
 * @param type    1 to 9 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages" (The American
 *                Statistician 50, 1996); 0 means 7
 * @param values  receives n numbers
 * @return UH_ERROR_INVALID_ARGUMENT without values, for invalid q, and for type 3 with weights that are not whole */
UH_API uh_status uh_bins_quantiles(uh_bins *bins, const double *q, size_t n, int type, double *values);

/** Finds whether quantiles need another pass over the values because lowest bits are dropped. If so, the same values
 * are added again next (and exchanged), of which only those near the quantiles are kept, and then this is called again,
 * until it stores 0 in `*again`. Nothing else can be added afterwards. UH_ERROR_INCOMPATIBLE: the values differ from
 * those of the first pass. Other errors as uh_bins_quantiles. */
UH_API uh_status uh_bins_refine(uh_bins *bins, const double *q, size_t n, int type, int *again);

/** Fits a distribution by maximum likelihood: location and scale, and the Weibull distribution's shape. Those of
 * positive values have the location 0. UH_ERROR_INVALID_ARGUMENT: equal values, values that the distribution does not
 * have, a table. */
UH_API uh_status uh_bins_fit(uh_bins *bins, uh_distribution_kind kind, uh_distribution *distribution);

/** Rules that make bins; the values are stable. Bins extend from the smallest to the largest value; those of equal
 * width over the range of the options if there is one. The first eight are those of numpy.histogram_bin_edges. */
typedef enum uh_rule {
    UH_RULE_AUTO = 0,           /**< the narrower bins of sturges, and of fd limited to twice sqrt's number */
    UH_RULE_SQRT = 1,           /**< the square root of n equal bins */
    UH_RULE_STURGES = 2,        /**< log2(n) + 1: H. A. Sturges (J. Am. Stat. Assoc. 21, 1926) */
    UH_RULE_RICE = 3,           /**< 2 n^(1/3) */
    UH_RULE_DOANE = 4,          /**< sturges for skewed data: D. P. Doane (The American Statistician 30, 1976) */
    UH_RULE_SCOTT = 5,          /**< a width of 3.49 n^(-1/3) deviations: D. W. Scott (Biometrika 66, 1979) */
    UH_RULE_FD = 6,             /**< of 2 n^(-1/3) interquartile ranges: D. Freedman and P. Diaconis (Z.
                                     Wahrscheinlichkeitstheorie 57, 1981) */
    UH_RULE_STONE = 7,          /**< of the smallest estimated squared error, by leave-one-out cross-validation: C. J.
                                     Stone, "An asymptotically optimal histogram selection rule" (1984) */
    UH_RULE_KNUTH = 8,          /**< the number of equal bins of the highest posterior probability: K. H. Knuth,
                                     "Optimal data-based binning for histograms" (arXiv physics/0605197) */
    UH_RULE_SHIMAZAKI = 9,      /**< of the smallest (2 mean - variance) / width^2 of counts: H. Shimazaki and S.
                                     Shinomoto, "A method for selecting the bin size of a time histogram" (Neural
                                     Comput. 19, 2007) */
    UH_RULE_NICE = 10,          /**< about `bins` equal bins, by default those of auto, with edges at multiples of 1,
                                     2 or 5 times a power of ten */
    UH_RULE_QUANTILE = 11,      /**< `bins` bins of equal content: edges at quantiles, equal ones once */
    UH_RULE_BLOCKS = 12,        /**< Bayesian blocks: bins of constant rates that maximise the fitness of events, J. D.
                                     Scargle et al. (Astrophys. J. 764, 2013); edges lie midway between values */
    UH_RULE_CLUSTERS = 13,      /**< `bins` bins with the smallest sum of squared distances to their means (natural
                                     breaks): H. Wang and M. Song, "Ckmeans.1d.dp" (The R Journal 3, 2011); edges lie
                                     midway between values */
    UH_RULE_DENBY_MALLOWS = 14, /**< `bins` bins between those of equal width and of equal content: edges at equal
                                     steps of x + slant F(x), L. Denby and C. Mallows, "Variations on the histogram"
                                     (J. Comput. Graph. Stat. 18, 2009) */
    UH_RULE_EQUAL_PROBABILITY = 15 /**< `bins` bins of equal probability of a distribution, by default 2 n^(2/5) for
                                        uh_chi_square (D. S. Moore, in Goodness-of-Fit Techniques, 1986); the ends of an
                                        unbounded one are infinite */
} uh_rule;

/** A zeroed member means its default, and so do NULL options. */
typedef struct uh_rule_options {
    size_t struct_size;
    size_t bins;       /**< number of bins: required for quantile, clusters and denby_mallows, at most max_bins; 0 for
                            rules that find it */
    size_t max_bins;   /**< at most 2^20; no rule makes more bins than this, or than there are values, except that rice
                            and doane may have one more for two or three. By default 65,536; but stone, knuth and
                            shimazaki then try at most the square root of n, or 100 */
    double p0;         /**< of blocks: probability of a false change in noise, 0.05 by default; sets the prior to
                            4 - log(73.53 p0 N^-0.478), with N different values (equation 21, as corrected) */
    double gamma;      /**< of blocks, instead of p0: the prior is -log(gamma) */
    double ncp_prior;  /**< of blocks, instead of p0: the prior itself, above 0 */
    double slant;      /**< of denby_mallows: 0 means 5 times the interquartile range, infinity equal content */
    int quantile_type; /**< of quantile: `type` of uh_bins_quantiles */
    const uh_distribution *distribution; /**< of equal_probability, such as one of uh_bins_fit */
    uh_closed closed;                    /**< of the axis */
} uh_rule_options;

/** Why a rule made these bins. */
typedef struct uh_rule_result {
    size_t struct_size;
    size_t bins;
    size_t tried;    /**< largest number of bins tried by stone, knuth and shimazaki; otherwise 0 */
    int limited;     /**< not 0: the best number was the largest allowed, and may be too small */
    unsigned joined; /**< lowest bits that the values seen by the rule lack; 0: the bins are exact */
    double wanted;   /**< number of bins of the rule without limits, if a formula gives it; otherwise 0 */
    double score;    /**< what the rule maximises or, with stone, shimazaki and clusters, minimises; otherwise 0 */
} uh_rule_result;

/** Makes an axis by a rule. Equal values give one bin that extends half a unit to both sides.
 *
 * @param options  or NULL
 * @param axis     the caller destroys it
 * @param result   or NULL
 * @return UH_ERROR_INVALID_ARGUMENT without values, for options that the rule does not have, or a number of clusters
 *         or of bins of denby_mallows above the number of different values */
UH_API uh_status uh_bins_axis(uh_bins *bins, uh_rule rule, const uh_rule_options *options, uh_axis **axis,
                              uh_rule_result *result);

/** Makes Bayesian blocks of measures: bins of constant value, for numbers `x` measured at `t` with normal errors of the
 * deviations `sigma`, in any order. Options and result as for UH_RULE_BLOCKS; edges lie midway between different t.
 * UH_ERROR_INVALID_ARGUMENT: fewer than 2 different t, sizes that differ, numbers that are not finite, a sigma that is
 * not above 0. */
UH_API uh_status uh_blocks_of_measures(const uh_array *t, const uh_array *x, const uh_array *sigma,
                                       const uh_rule_options *options, uh_axis **axis, uh_rule_result *result);

/** Stores the quantiles that a rule needs, for uh_bins_refine: at most UH_MAX_QUANTILES, the number in `*n`. `q` may be
 * NULL, for the number alone. */
UH_API uh_status uh_rule_quantiles(uh_rule rule, const uh_rule_options *options, double *q, size_t *n);

/** Makes bins that separate classes best, for `nclasses` objects with the values of one class each: each cut has the
 * smallest entropy of classes, and is made if it shortens their description (U. M. Fayyad and K. B. Irani, 13th IJCAI,
 * 1993). Edges lie midway between values; without a cut there is one bin. At most 2^20 bins. */
UH_API uh_status uh_bins_mdlp(uh_bins *const *classes, size_t nclasses, uh_closed closed, uh_axis **axis);

/** Stores the bandwidth of a Gaussian kernel, at most the range, of the smallest mean squared error: H. Shimazaki and
 * S. Shinomoto, "Kernel bandwidth optimization in spike rate estimation" (J. Comput. Neurosci. 29, 2010), equation (8),
 * over values rounded to 2^13 steps of their range. UH_ERROR_INVALID_ARGUMENT: fewer than two different values. */
UH_API uh_status uh_bins_bandwidth(uh_bins *bins, double *bandwidth);

/** Result of uh_chi_square. */
typedef struct uh_chi_square_result {
    size_t struct_size;
    double statistic; /**< sum of (count - expected)^2 / expected */
    size_t cells;     /**< bins after pooling */
    size_t freedom;   /**< degrees of freedom: cells - 1 - fitted */
    double p;         /**< probability of this statistic or a larger one, if the values follow the distribution */
} uh_chi_square_result;

/** Pearson's test of whether values follow a distribution. Adjacent bins are pooled, from the first on, until each has
 * an expected count of `min_expected` (0 means 5), and the rest joins the last: NIST/SEMATECH e-Handbook of
 * Statistical Methods, 1.3.5.15. Probability beyond the axis counts as bins without values. If numbers of the
 * distribution were fitted to the values, p is an approximation for estimates from the counts, and otherwise lies
 * between those of freedom and freedom + fitted.
 *
 * @param counts  one per bin of the axis
 * @param fitted  how many numbers of the distribution were fitted
 * @return UH_ERROR_INVALID_ARGUMENT: no counts above 0, fewer than fitted + 2 cells after pooling */
UH_API uh_status uh_chi_square(const uh_axis *axis, const uint64_t *counts, const uh_distribution *distribution,
                               size_t fitted, double min_expected, uh_chi_square_result *result);
/** Makes an axis with the bins of `axis`, which may have any edges, that carries the distribution of the values: 4,096
 * equal steps of F, and the extremes. Counts are the same, and of 10^5 or more bins made faster on the host, if the
 * data to count are distributed like these values, of which a sample will do. For the values of a histogram, a table
 * of uh_histogram_quantiles serves in uh_axis_create_with_distribution. Errors as there, and without values. */
UH_API uh_status uh_axis_create_with_data(const uh_axis *axis, uh_bins *bins, uh_axis **made);

/* ---- counts of integers -------------------------------------------------------------------------------------------
 * Counts of integers in one call. Value v is counted in bin v. Valid types and values, and the limit on large values,
 * are those of an axis that grows (histogram.h); a histogram over one takes data in pieces and weights, and finds the
 * number of bins while it counts, without another pass over the data.
 *
 * A queue selects the device. Results are stored in memory that the host can write, and are complete on return. Every
 * call may also return the errors of uh_histogram_fill for the queue's device.
 *
 * Source: NumPy's and PyTorch's documentation of bincount. */

/** numpy.bincount(x, minlength=bins): stores in counts[v], for v from 0 to bins - 1, how often v occurs, and in
 * `*length`, unless NULL, the largest value + 1, 0 for no values. Values are read once. With `counts` NULL and `bins` 0
 * it stores `*length` alone, the number of bins of numpy.bincount(x). UH_ERROR_INVALID_ARGUMENT for a negative value
 * and, if counts are stored, one of `bins` or more; the message names the index and value of the first. */
UH_API uh_status uh_bincount(uh_queue *queue, const uh_array *x, uint64_t *counts, size_t bins, size_t *length);

/** numpy.add.at(out, index, values), torch.Tensor.scatter_add_ and index_add_ in one dimension: adds each value to the
 * element of `out` that its index names. An element becomes the sum of the real numbers, its own and those added to it,
 * rounded once, so that no order, device or number of threads changes a bit; -0 becomes 0.
 *
 * @param index integers of any type, below n
 * @param values as many, of float32, float64, int32, int64 or, on the host alone, uint64
 * @param dtype of `out`: UH_F32, UH_F64, UH_I64 or UH_U64
 * @param out n contiguous elements in memory that the host can write, which overlap no input; unchanged on failure
 * @return UH_ERROR_INVALID_ARGUMENT (a negative index or one of n or more: the message names the first),
 * UH_ERROR_OVERFLOW (a sum that is not of an integer `dtype`: out of range, not an integer, NaN) */
UH_API uh_status uh_scatter_add(uh_queue *queue, const uh_array *index, const uh_array *values, uh_dtype dtype,
                                void *out, size_t n);

/* ---- the Parboil histogram ----------------------------------------------------------------------------------------
 * The Parboil / SPEC ACCEL 116 histogram: counts of each index of an array, in a table of bytes that saturate at 255.
 *
 * Bin i of the table, `height` consecutive rows of `width` bins, holds exactly min(255, number of indices equal to i),
 * for any number of indices. Indices of width * height or more are counted in `beyond` and not stored. Nearly all
 * indices may fall into a few rows, the "eye", as in Parboil's pictures of silicon wafers: a sample finds it, and those
 * rows are counted in fast memory. Any other input takes longer and gives the same counts.
 *
 * Indices and `out` are plain host memory, or USM that the queue's device can access. Times and reports are host
 * memory.
 *
 * Source: the benchmark histo of Parboil, 116.histo of SPEC ACCEL; devices use the algorithm of its description. */

/** Nanoseconds, by the host's clock. */
typedef struct uh_histo_times {
    uint64_t prescan; /**< finding the eye from a sample; 0 if no eye is needed */
    uint64_t count;   /**< clearing and counting; on devices other than the host including the copy of the indices */
    uint64_t reduce;  /**< merging the partial histograms */
    uint64_t total;   /**< all of these, and the time between them */
} uh_histo_times;

/** What uh_histo counts in, and how often. Width and height are required. */
typedef struct uh_histo_options {
    size_t struct_size;   /**< sizeof(uh_histo_options) */
    size_t width, height; /**< of the table, in bins, at least 1 each */
    size_t iterations;    /**< number of iterations, each from an empty table; 0 is 1 */
    uh_histo_times *each; /**< room for the times of each iteration, or NULL */
} uh_histo_options;

/** Report of uh_histo. */
typedef struct uh_histo_report {
    size_t struct_size;   /**< in: sizeof(uh_histo_report) */
    uint64_t beyond;      /**< number of indices beyond the table */
    size_t iterations;    /**< number of iterations done */
    uh_histo_times times; /**< sum over all iterations */
    uint64_t total;       /**< nanoseconds of the whole call: includes work before the first and after the last
                               iteration, such as making buffers and storing the counts */
    size_t eye_first;     /**< first row of the eye */
    size_t eye_rows;      /**< rows of the eye; all if one host thread counts, which needs no eye; 0 for none */
    char plan[160];       /**< method of counting, in words; ends in 0 */
} uh_histo_report;

/** Counts `indices`, of type UH_U32, into width * height bytes at `out`, as many times as `options` say, and fills in
 * `*report` unless it is NULL. The table is that of one iteration. Returns when all is done. On devices other than the
 * host, phases are timed separately by waiting for each, only if a report or times are requested. If the queue's
 * `cancelled` stops the call between two iterations on the host, `out` has the counts of the earlier one.
 * UH_ERROR_INVALID_ARGUMENT (indices of another dtype, a width or height of 0, more bins than SIZE_MAX, an `out` that
 * overlaps the indices, memory that the queue's device cannot access or that crosses the bounds of an allocation),
 * UH_ERROR_OUT_OF_DEVICE_MEMORY, UH_ERROR_UNSUPPORTED (a build without kernels for devices, or a queue for copies),
 * UH_ERROR_BUILD. */
UH_API uh_status uh_histo(uh_queue *queue, const uh_array *indices, const uh_histo_options *options, uint8_t *out,
                          uh_histo_report *report);

UH_END_C

#endif
