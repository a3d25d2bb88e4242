/* SPDX-License-Identifier: Apache-2.0 */
/* An axis as the operations see it: shared by the histograms made of it, and freed with the last of them. */
#ifndef UHI_AXIS_H
#define UHI_AXIS_H

#include <stdatomic.h>

#include <unihist/histogram.h>

#include "kernels/bincount/extent.h"
#include "kernels/plan/thresholds.h"

struct uh_axis {
    atomic_size_t references;
    struct uhi_edges edges; /* the exact values, owned */
    double *as_f64;         /* the same as float64; edges.values itself where that is float64 */
    uh_axis *lender;        /* whose edges these are, or NULL: they are this axis's own */
};

/* Holds every int64_t and uint64_t. */
__extension__ typedef __int128 uhi_int_128;

/* Whether bins are made as values ask for them: it has one edge, 0, and none of them yet. */
static inline int uhi_axis_grows(const uh_axis *axis) {
    return axis->edges.count == 1;
}

/* The number of its bins: 0 where it grows. */
static inline size_t uhi_axis_bins(const uh_axis *axis) {
    return uhi_edges_bins(&axis->edges);
}

static inline uh_flow_bins uhi_axis_flow_bins(const uh_axis *axis) {
    return (uh_flow_bins)(axis->edges.below | axis->edges.above << 1);
}

/* Checks a distribution, and copies it to `d`, but for its table's numbers. */
uh_status uhi_distribution_take(const char *call, const uh_distribution *given, uh_distribution *d);

/* Gives a new axis, which it takes over, and frees where that fails, its flow bins and a copy of a distribution that
 * has been checked, or of none where that is NULL. */
uh_status uhi_axis_complete(const char *call, uh_axis *axis, int below, int above, const uh_distribution *distribution,
                            uh_axis **made);

/* As uh_axis_create_edges, for at least `least` edges; `call` and `argument` are for the message. */
uh_status uhi_axis_make(const char *call, const char *argument, uh_dtype dtype, const void *edges, size_t nedges,
                        size_t min_edges, uh_closed closed, uh_axis **axis);

/* As uh_axis_create_log where `logs` is 1, else uh_axis_create_equal; `call` is for the message. */
uh_status uhi_axis_make_range(const char *call, int logs, size_t bins, double lo, double hi, uh_closed closed,
                              uh_axis **axis);

/* Makes an axis of `bins` integers from `first` on, or one that grows where both are 0; `call` is for the message. */
uh_status uhi_axis_make_integers(const char *call, int64_t first, size_t bins, uh_axis **axis);

/* Names of uh_flow_bins, as messages and files have them. */
extern const char *const uhi_flow_bins_names[UH_FLOW_BINS_BOTH + 1];

/* UH_ERROR_INCOMPATIBLE, with the first difference, where axis `number` of two histograms is not the same. */
uh_status uhi_axis_check_alike(const char *call, size_t number, const uh_axis *target, const uh_axis *source);

/* Makes an axis of n edges, malloc'ed, float64 or of the widest integers, which it takes over, and frees where that
 * fails. */
uh_status uhi_axis_of(const char *call, uh_dtype wide, void *edges, size_t n, uh_closed closed, uh_axis **axis);

/* Checks and copies n values of any type, `min` to `max` of them, as the widest of their kind, for uhi_axis_of. */
uh_status uhi_axis_copy(const char *call, const char *argument, uh_dtype dtype, const void *values, size_t n,
                        size_t min, size_t max, uh_dtype *wide, void **copy);

/* Value j of those copies: a number in the order of such values, with both zeros the same; in words; and whether it is
 * no NaN, which is UH_ERROR_INVALID_ARGUMENT. */
struct uhi_value_text {
    char text[32];
};
static inline uint64_t uhi_axis_key(uh_dtype wide, const void *values, size_t j) {
    switch (wide) {
    case UH_F64: return uhi_key_of_f64(((const double *)values)[j]);
    case UH_I64: return uhi_key_of_signed(((const int64_t *)values)[j]);
    default: return ((const uint64_t *)values)[j];
    }
}
struct uhi_value_text uhi_axis_text(uh_dtype wide, const void *values, size_t j);
uh_status uhi_axis_check_number(const char *call, const char *argument, uh_dtype wide, const void *values, size_t j);

/* As uh_axis_create_categories, and with the bin for all else where `other` is 1; `call` and `argument` are for the
 * message. */
uh_status uhi_axis_make_categories(const char *call, const char *argument, uh_dtype dtype, const void *values, size_t n,
                                   int other, uh_axis **axis);

/* Makes an axis that shares the values of another one, which carries no distribution. */
uh_status uhi_axis_share(const char *call, const uh_axis *axis, uh_axis **made);

/* Checks that there is a place for an axis, and the closed end; UH_ERROR_INVALID_ARGUMENT. */
uh_status uhi_axis_check(const char *call, uh_closed closed, uh_axis **axis);

uh_axis *uhi_axis_retain(uh_axis *axis);
void uhi_axis_release(uh_axis *axis);

#endif
