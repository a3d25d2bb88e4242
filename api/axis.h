/* SPDX-License-Identifier: Apache-2.0 */
/* Internal form of an axis: shared by the histograms that use it, freed with the last of them. */
#pragma once

#include <math.h>
#include <stdatomic.h>

#include <unihist/histogram.h>

#include "kernels/common/keys.h"
#include "kernels/plan/thresholds.h"

struct uh_axis {
    atomic_size_t references;
    struct uhi_edges edges; /* exact values, owned */
    double *as_f64;         /* edges as float64; edges.values itself for UH_F64 */
    uh_axis *lender;        /* owner of the shared edges; NULL if the axis owns them */
};

/* Holds every int64_t and uint64_t. */
__extension__ typedef __int128 uhi_int_128;

/* Rounds a 64-bit integer to float64 towards one of the infinities. */
static inline double uhi_round_outwards(uhi_int_128 value, double infinity) {
    const double x = (double)value;
    return (infinity < 0 ? (uhi_int_128)x > value : (uhi_int_128)x < value) ? nextafter(x, infinity) : x;
}

/* Whether the axis grows, i.e. bins are created as values require them: one edge, 0, and no bins yet. */
static inline int uhi_axis_grows(const uh_axis *axis) { return axis->edges.count == 1; }

/* Returns the number of bins; 0 if the axis grows. */
static inline size_t uhi_axis_bins(const uh_axis *axis) { return uhi_edges_bins(&axis->edges); }

static inline uh_flow_bins uhi_axis_flow_bins(const uh_axis *axis) {
    return (uh_flow_bins)(axis->edges.below | axis->edges.above << 1);
}

/* Checks a distribution and copies it to `d`; the numbers of its table are not copied. */
uh_status uhi_distribution_take(const char *call, const uh_distribution *given, uh_distribution *d);

/* Adds flow bins and a copy of a checked distribution (NULL: none) to a new axis. Takes ownership of the axis and frees
 * it on failure. */
uh_status uhi_axis_complete(const char *call, uh_axis *axis, int below, int above, const uh_distribution *distribution,
                            uh_axis **made);

/* uh_axis_create_with_distribution of a checked distribution or NULL. */
uh_status uhi_axis_carrying(const char *call, const uh_axis *axis, const uh_distribution *distribution, uh_axis **made);

/* As uh_axis_create_edges, with at least `min_edges` edges; `call` and `argument` are for the message. */
uh_status uhi_axis_make(const char *call, const char *argument, uh_dtype dtype, const void *edges, size_t nedges,
                        size_t min_edges, uh_closed closed, uh_axis **axis);

/* As uh_axis_create_regular, with UH_SPACING_LOG if `logs` is 1; `call` is for the message. */
uh_status uhi_axis_make_range(const char *call, int logs, size_t bins, double lo, double hi, uh_closed closed,
                              uh_axis **axis);

/* Makes an axis of `bins` integers starting at `first`, or a growing axis if both are 0; `call` is for the message. */
uh_status uhi_axis_make_integers(const char *call, int64_t first, size_t bins, uh_axis **axis);

/* Returns UH_ERROR_INCOMPATIBLE, with the first difference, if axis `number` of two histograms differs. */
uh_status uhi_axis_check_alike(const char *call, size_t number, const uh_axis *target, const uh_axis *source);

/* Makes an axis of n malloc'ed edges of type float64, int64 or uint64. Takes ownership of the edges and frees them on
 * failure. */
uh_status uhi_axis_of(const char *call, uh_dtype wide, void *edges, size_t n, uh_closed closed, uh_axis **axis);

/* Checks and copies `min` to `max` values of any type, widened to float64, int64 or uint64, for uhi_axis_of. */
uh_status uhi_axis_copy(const char *call, const char *argument, uh_dtype dtype, const void *values, size_t n,
                        size_t min, size_t max, uh_dtype *wide, void **copy);

/* Value j of such a copy: as text; and a check that returns UH_ERROR_INVALID_ARGUMENT for NaN. */
struct uhi_value_text {
    char text[32];
};
struct uhi_value_text uhi_axis_text(uh_dtype wide, const void *values, size_t j);
uh_status uhi_axis_check_number(const char *call, const char *argument, uh_dtype wide, const void *values, size_t j);

/* As uh_axis_create_categories, with a bin for all other values if `other` is 1; `call`, `argument`: for the
 * message. */
uh_status uhi_axis_make_categories(const char *call, const char *argument, uh_dtype dtype, const void *values, size_t n,
                                   int other, uh_axis **axis);

/* Makes an axis without a distribution that shares the values of another axis. */
uh_status uhi_axis_share(const char *call, const uh_axis *axis, uh_axis **made);

/* Checks the output pointer `axis` and `closed`; UH_ERROR_INVALID_ARGUMENT. */
uh_status uhi_axis_check(const char *call, uh_closed closed, uh_axis **axis);

/* Returns the axis, to be destroyed once more. */
uh_axis *uhi_axis_retain(uh_axis *axis);
