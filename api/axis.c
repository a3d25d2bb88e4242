/* SPDX-License-Identifier: Apache-2.0 */
#include "api/histogram.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/status.h"

/* ---- edges widened to 64-bit types ---- */

static uh_dtype widest(uh_dtype dtype) {
    if (dtype == UH_F32 || dtype == UH_F64)
        return UH_F64;
    return uhi_value_is_signed(dtype) ? UH_I64 : UH_U64;
}

#define WIDEN(type, wide)                                                                                              \
    for (size_t j = 0; j < n; j++) {                                                                                   \
        type value;                                                                                                    \
        memcpy(&value, (const char *)from + j * sizeof value, sizeof value);                                           \
        ((wide *)to)[j] = value;                                                                                       \
    }                                                                                                                  \
    break

/* Copies n values; `from` needs no alignment. */
static void widen(uh_dtype dtype, const void *from, size_t n, void *to) {
    switch (dtype) {
    case UH_F32: WIDEN(float, double);
    case UH_I8: WIDEN(int8_t, int64_t);
    case UH_I16: WIDEN(int16_t, int64_t);
    case UH_I32: WIDEN(int32_t, int64_t);
    case UH_U8: WIDEN(uint8_t, uint64_t);
    case UH_U16: WIDEN(uint16_t, uint64_t);
    case UH_U32: WIDEN(uint32_t, uint64_t);
    default: memcpy(to, from, n * 8);
    }
}

struct uhi_value_text uhi_axis_text(uh_dtype wide, const void *values, size_t j) {
    struct uhi_value_text value;
    switch (wide) {
    case UH_F64: snprintf(value.text, sizeof value.text, "%.17g", ((const double *)values)[j]); break;
    case UH_I64: snprintf(value.text, sizeof value.text, "%" PRId64, ((const int64_t *)values)[j]); break;
    default: snprintf(value.text, sizeof value.text, "%" PRIu64, ((const uint64_t *)values)[j]); break;
    }
    return value;
}

uh_status uhi_axis_check_number(const char *call, const char *argument, uh_dtype wide, const void *values, size_t j) {
    if (wide == UH_F64 && isnan(((const double *)values)[j]))
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, j, "is NaN, expected a number");
    return UH_SUCCESS;
}

/* Returns the index of the first value that is NaN or less than its predecessor; n if none. */
static size_t first_out_of_order(uh_dtype wide, const void *values, size_t n) {
    size_t j = wide == UH_F64 && isnan(*(const double *)values) ? 0 : 1;
#define PASS_ORDERED(type)                                                                                             \
    for (const type *v = values; j > 0 && j < n && v[j] >= v[j - 1];)                                                  \
        j++;                                                                                                           \
    break
    switch (wide) {
    case UH_F64: PASS_ORDERED(double);
    case UH_I64: PASS_ORDERED(int64_t);
    default: PASS_ORDERED(uint64_t);
    }
    return j;
}

static uh_status check_order(const char *call, const char *argument, uh_dtype wide, const void *values, size_t n) {
    const size_t j = first_out_of_order(wide, values, n);
    if (j == n)
        return UH_SUCCESS;
    UHI_TRY(uhi_axis_check_number(call, argument, wide, values, j));
    return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, j,
                       "is %s, expected at least %s[%zu] = %s: edges must not decrease",
                       uhi_axis_text(wide, values, j).text, argument, j - 1, uhi_axis_text(wide, values, j - 1).text);
}

/* ---- creation ---- */

uh_status uhi_axis_of(const char *call, uh_dtype wide, void *edges, size_t n, uh_closed closed, uh_axis **axis) {
    uh_axis *made = malloc(sizeof *made);
    double *as_f64 = wide == UH_F64 ? edges : malloc(n * sizeof *as_f64);
    if (!made || !as_f64) {
        if (as_f64 != edges)
            free(as_f64);
        free(edges);
        free(made);
        return uhi_fail_memory(call, "no memory for %zu edges", n);
    }
    for (size_t j = 0; wide != UH_F64 && j < n; j++)
        as_f64[j] = wide == UH_I64 ? (double)((int64_t *)edges)[j] : (double)((uint64_t *)edges)[j];
    atomic_init(&made->references, 1);
    made->lender = NULL;
    made->edges = (struct uhi_edges){.dtype = wide, .values = edges, .count = n, .closed = closed};
    made->as_f64 = as_f64;
    *axis = made;
    return UH_SUCCESS;
}

uh_status uhi_axis_check(const char *call, uh_closed closed, uh_axis **axis) {
    if ((unsigned)closed > UH_HALF_OPEN_RIGHT)
        return uhi_fail_argument(call, "closed", "is %d, expected a uh_closed, 0 to 3", (int)closed);
    UHI_NEED(call, axis, "where to store the axis");
    return UH_SUCCESS;
}

uh_status uhi_axis_copy(const char *call, const char *argument, uh_dtype dtype, const void *values, size_t n,
                        size_t min, size_t max, uh_dtype *wide, void **copy) {
    UHI_TRY(uhi_check_enum(call, "dtype", UH_NO_INDEX, UH_ENUM_DTYPE, dtype));
    if (!values)
        return uhi_fail_null(call, argument, "an array");
    if (n < min || n > max)
        return uhi_fail_argument(call, argument, "has %zu numbers, expected %zu to %zu", n, min, max);
    *copy = malloc(n * 8);
    if (!*copy)
        return uhi_fail_memory(call, "no memory for %zu %s", n, argument);
    widen(dtype, values, n, *copy);
    *wide = widest(dtype);
    return UH_SUCCESS;
}

uh_status uhi_axis_make(const char *call, const char *argument, uh_dtype dtype, const void *edges, size_t nedges,
                        size_t min_edges, uh_closed closed, uh_axis **axis) {
    void *values = NULL;
    uh_dtype wide = dtype;
    UHI_TRY(uhi_axis_check(call, closed, axis));
    UHI_TRY(uhi_axis_copy(call, argument, dtype, edges, nedges, min_edges, UH_MAX_BINS + 1, &wide, &values));
    uh_status status = check_order(call, argument, wide, values, nedges);
    if (!status)
        return uhi_axis_of(call, wide, values, nedges, closed, axis);
    free(values);
    return status;
}

uh_status uh_axis_create_edges(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed, uh_axis **axis) {
    return uhi_axis_make(__func__, "edges", dtype, edges, nedges, 2, closed, axis);
}

static uh_status check_range(const char *call, size_t bins, double lo, double hi, uh_closed closed, uh_axis **axis) {
    UHI_TRY(uhi_axis_check(call, closed, axis));
    UHI_TRY(uhi_check_between(call, "bins", UH_NO_INDEX, bins, 1, UH_MAX_BINS));
    if (!isfinite(lo) || !isfinite(hi))
        return uhi_fail_argument(call, isfinite(lo) ? "hi" : "lo", "is %g, expected a finite number",
                                 isfinite(lo) ? hi : lo);
    if (!(lo < hi))
        return uhi_fail_argument(call, "lo", "is %.17g and hi is %.17g, expected lo < hi", lo, hi);
    if (!isfinite(hi - lo))
        return uhi_fail_argument(call, "hi", "- lo is %.17g - %.17g, which overflows", hi, lo);
    return UH_SUCCESS;
}

/* numpy.linspace(lo, hi, bins + 1), operation for operation. */
static void linspace(double lo, double hi, size_t bins, double *edges) {
    double delta = hi - lo, step = delta / (double)bins;
    for (size_t j = 0; j <= bins; j++)
        edges[j] = (step != 0 ? (double)j * step : (double)j / (double)bins * delta) + lo;
    edges[bins] = hi;
}

uh_status uhi_axis_make_range(const char *call, int logs, size_t bins, double lo, double hi, uh_closed closed,
                              uh_axis **axis) {
    UHI_TRY(check_range(call, bins, lo, hi, closed, axis));
    if (logs && !(lo > 0))
        return uhi_fail_argument(call, "lo", "is %.17g, expected more than 0", lo);
    double *edges = malloc((bins + 1) * sizeof *edges);
    if (!edges)
        return uhi_fail_memory(call, "no memory for %zu bins", bins);
    if (logs) {
        linspace(log10(lo), log10(hi), bins, edges);
        edges[0] = lo;
        for (size_t j = 1; j < bins; j++)
            edges[j] = fmax(pow(10, edges[j]), edges[j - 1]);
        edges[bins] = hi;
    } else {
        linspace(lo, hi, bins, edges);
    }
    /* If bins are finer than the float64 spacing between lo and hi, rounding may exceed hi before the end. */
    for (size_t j = bins; j > 0 && edges[j - 1] > edges[j]; j--)
        edges[j - 1] = edges[j];
    return uhi_axis_of(call, UH_F64, edges, bins + 1, closed, axis);
}

uh_status uh_axis_create_regular(uh_spacing spacing, size_t bins, double lo, double hi, uh_closed closed,
                                 uh_axis **axis) {
    if (spacing != UH_SPACING_EQUAL && spacing != UH_SPACING_LOG)
        return uhi_fail_argument(__func__, "spacing", "is %d, expected a uh_spacing, 0 or 1", (int)spacing);
    return uhi_axis_make_range(__func__, spacing == UH_SPACING_LOG, bins, lo, hi, closed, axis);
}

uh_status uhi_axis_make_integers(const char *call, int64_t first, size_t bins, uh_axis **axis) {
    if (bins > UH_MAX_BINS)
        return uhi_fail_argument(call, NULL, "axis 0 has %zu bins, expected at most %zu", bins, UH_MAX_BINS);
    uint64_t *edges = malloc((bins + 1) * sizeof *edges);
    if (!edges)
        return uhi_fail_memory(call, "no memory for %zu bins", bins);
    for (size_t j = 0; j <= bins; j++)
        edges[j] = (uint64_t)first + j; /* negative numbers as their bits; int64_t may alias them */
    /* An edge beyond INT64_MAX needs uint64; such an axis starts above 0, because bins are at most UH_MAX_BINS. */
    return uhi_axis_of(call, first < 0 ? UH_I64 : UH_U64, edges, bins + 1, UH_HALF_OPEN_LEFT, axis);
}

uh_status uh_axis_create_integer(int64_t first, int64_t last, uh_axis **axis) {
    UHI_TRY(uhi_axis_check(__func__, UH_HALF_OPEN_LEFT, axis));
    const uint64_t span = (uint64_t)last - (uint64_t)first;
    if (first > last || span >= UH_MAX_BINS)
        return uhi_fail_argument(__func__, "first",
                                 "is %" PRId64 " and last is %" PRId64 ", expected first <= last and at most %zu bins",
                                 first, last, UH_MAX_BINS);
    return uhi_axis_make_integers(__func__, first, (size_t)span + 1, axis);
}

uh_status uh_axis_create_growing(uh_axis **axis) {
    uh_status status = uhi_axis_check(__func__, UH_HALF_OPEN_LEFT, axis);
    return status ? status : uhi_axis_make_integers(__func__, 0, 0, axis);
}

/* ---- lifetime ---- */

uh_axis *uhi_axis_retain(uh_axis *axis) {
    atomic_fetch_add(&axis->references, 1);
    return axis;
}

void uh_axis_destroy(uh_axis *axis) {
    if (!axis || atomic_fetch_sub(&axis->references, 1) != 1)
        return;
    if (!axis->lender) {
        if ((const void *)axis->as_f64 != axis->edges.values)
            free(axis->as_f64);
        free((void *)(uintptr_t)axis->edges.values);
        free((void *)(uintptr_t)axis->edges.order);
    }
    uh_axis_destroy(axis->lender);
    free((void *)(uintptr_t)axis->edges.distribution);
    free(axis);
}

uh_status uhi_axis_share(const char *call, const uh_axis *axis, uh_axis **made) {
    uh_axis *sharing = malloc(sizeof *sharing);
    if (!sharing)
        return uhi_fail_memory(call, "no memory for the axis");
    atomic_init(&sharing->references, 1);
    sharing->lender = uhi_axis_retain((uh_axis *)(uintptr_t)(axis->lender ? axis->lender : axis));
    sharing->edges = axis->edges;
    sharing->edges.distribution = NULL;
    sharing->as_f64 = axis->as_f64;
    *made = sharing;
    return UH_SUCCESS;
}

/* ---- flow bins and distributions ---- */

uh_status uhi_axis_complete(const char *call, uh_axis *axis, int below, int above, const uh_distribution *distribution,
                            uh_axis **made) {
    axis->edges.below = below;
    axis->edges.above = above;
    if (distribution) {
        const size_t table = distribution->points * sizeof(double);
        uh_distribution *copy = malloc(sizeof *copy + 2 * table); /* followed by the table's numbers */
        if (!copy) {
            uh_axis_destroy(axis);
            return uhi_fail_memory(call, "no memory for the distribution");
        }
        *copy = *distribution;
        if (table > 0) {
            double *numbers = (double *)(copy + 1);
            copy->x = memcpy(numbers, distribution->x, table);
            copy->f = memcpy(numbers + copy->points, distribution->f, table);
        }
        axis->edges.distribution = copy;
    }
    *made = axis;
    return UH_SUCCESS;
}

uh_status uh_axis_create_with_flow_bins(const uh_axis *axis, uh_flow_bins which, uh_axis **made) {
    const int below = which & UH_FLOW_BINS_BELOW, above = (which & UH_FLOW_BINS_ABOVE) != 0;
    uh_axis *plain = NULL;
    UHI_NEED(__func__, axis, "an axis");
    UHI_NEED(__func__, made, "where to store the axis");
    UHI_TRY(uhi_check_enum(__func__, "which", UH_NO_INDEX, UH_ENUM_FLOW_BINS, which));
    if (uhi_axis_grows(axis) || axis->edges.below || axis->edges.above)
        return uhi_fail_argument(__func__, "axis", "%s, expected one with edges and without flow bins",
                                 uhi_axis_grows(axis) ? "grows" : "has flow bins");
    if (axis->edges.order && below)
        return uhi_fail_argument(__func__, "which", "is %s, expected above: axis has categories",
                                 uh_enum_name(UH_ENUM_FLOW_BINS, which));
    if (axis->edges.order) {
        uh_status status = uhi_axis_share(__func__, axis, &plain);
        return status ? status : uhi_axis_complete(__func__, plain, 0, above, NULL, made);
    }
    const size_t n = axis->edges.count + (size_t)below + (size_t)above;
    if (n > UH_MAX_BINS + 1)
        return uhi_fail_argument(__func__, "axis", "would have %zu bins, expected at most %zu", n - 1, UH_MAX_BINS);
    for (size_t j = 0; j < axis->edges.count && axis->edges.dtype != UH_F64; j++)
        if (fabs(axis->as_f64[j]) >= 0x1p53)
            return uhi_fail(UH_ERROR_UNSUPPORTED, __func__, "axis",
                            "has edge %zu at %.17g, expected integers within 2^53 for bins beyond the others", j,
                            axis->as_f64[j]);
    double *edges = malloc(n * sizeof *edges);
    if (!edges)
        return uhi_fail_memory(__func__, "no memory for %zu edges", n);
    memcpy(edges + below, axis->as_f64, axis->edges.count * sizeof *edges);
    if (below)
        edges[0] = -(double)INFINITY;
    if (above)
        edges[n - 1] = (double)INFINITY;
    uh_status status = uhi_axis_of(__func__, UH_F64, edges, n, axis->edges.closed, &plain);
    return status ? status : uhi_axis_complete(__func__, plain, below, above, axis->edges.distribution, made);
}

/* ---- queries ---- */

uh_status uh_axis_get_properties(const uh_axis *axis, uh_axis_properties *properties) {
    UHI_NEED(__func__, axis, "an axis");
    const uh_axis_properties known = {.struct_size = sizeof known,
                                      .bins = uhi_axis_bins(axis),
                                      .edges = axis->edges.order ? NULL : axis->as_f64,
                                      .categories = axis->edges.order ? axis->as_f64 : NULL,
                                      .closed = axis->edges.closed,
                                      .flow_bins = uhi_axis_flow_bins(axis),
                                      .distribution = axis->edges.distribution,
                                      .integers = axis->edges.dtype == UH_I64 && !axis->edges.order ? axis->edges.values
                                                                                                    : NULL};
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

/* Returns edge j, which must be an integer. */
static uhi_int_128 integer(const uh_axis *axis, size_t j) {
    switch (axis->edges.dtype) {
    case UH_I64: return ((const int64_t *)axis->edges.values)[j];
    case UH_U64: return ((const uint64_t *)axis->edges.values)[j];
    default: return (uhi_int_128)axis->as_f64[j];
    }
}

/* Returns the index of the first edge or category that differs, or how many both have. */
static size_t first_difference(const uh_axis *target, const uh_axis *source) {
    const struct uhi_edges *a = &target->edges, *b = &source->edges;
    const int floats = a->dtype == UH_F64 && b->dtype == UH_F64;
    const size_t n = uhi_edges_values(a) < uhi_edges_values(b) ? uhi_edges_values(a) : uhi_edges_values(b);
    size_t j = target == source ? n : 0;
    /* A float64 equal to an integer rounded to float64 is an integer, but maybe another one. */
    while (j < n && target->as_f64[j] == source->as_f64[j] && (floats || integer(target, j) == integer(source, j)))
        j++;
    return j;
}

/* Describes the first difference between two axes; returns 0 without one. */
static int differ(const uh_axis *target, const uh_axis *source, char *text, size_t size) {
    static const char *const ends[] = {[UH_CLOSED_LEFT] = "left edge, the last one both",
                                       [UH_CLOSED_RIGHT] = "right edge, the first one both",
                                       [UH_HALF_OPEN_LEFT] = "left edge",
                                       [UH_HALF_OPEN_RIGHT] = "right edge"};
    static const char *const kinds[] = {"bins between edges", "categories"};
    const struct uhi_edges *a = &target->edges, *b = &source->edges;
    int used = 0;
    if (!a->order != !b->order)
        return snprintf(text, size, "%s and %s", kinds[a->order != NULL], kinds[b->order != NULL]);
    const size_t j = first_difference(target, source);
    const int differs = j < uhi_edges_values(a) && j < uhi_edges_values(b);
    if (uhi_axis_bins(target) != uhi_axis_bins(source))
        used = snprintf(text, size, "%zu bins and %zu", uhi_axis_bins(target), uhi_axis_bins(source));
    else if (a->closed != b->closed)
        return snprintf(text, size, "bins hold their %s, and their %s", ends[a->closed], ends[b->closed]);
    else if (uhi_axis_flow_bins(target) != uhi_axis_flow_bins(source))
        return snprintf(text, size, "flow bins %s, and %s", uh_enum_name(UH_ENUM_FLOW_BINS, uhi_axis_flow_bins(target)),
                        uh_enum_name(UH_ENUM_FLOW_BINS, uhi_axis_flow_bins(source)));
    if (!differs)
        return used;
    return used + snprintf(text + used, size - (size_t)used, "%s%s %zu is %s and %s", used ? "; " : "",
                           a->order ? "category" : "edge", j, uhi_axis_text(a->dtype, a->values, j).text,
                           uhi_axis_text(b->dtype, b->values, j).text);
}

int uh_axis_equal(const uh_axis *a, const uh_axis *b) {
    char text[160];
    return a && b ? !differ(a, b, text, sizeof text) : a == b;
}

uh_status uhi_axis_check_alike(const char *call, size_t number, const uh_axis *target, const uh_axis *source) {
    char text[160];
    if (!differ(target, source, text, sizeof text))
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "target", "and source differ on axis %zu: %s", number, text);
}
