/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/plan/thresholds.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/keys.h"
#include "kernels/plan/keys.h"
#include "runtime/status.h"

/* Holds every int64_t and uint64_t, and one more on both sides. */
__extension__ typedef __int128 wide;

/* Returns 1 if a value equal to edge j counts as past it. Edge j is not beyond. */
static int edge_is_reached(const struct uhi_edges *edges, size_t j) {
    const size_t first = (size_t)edges->below, last = edges->count - 1 - (size_t)edges->above;
    if (edges->order)
        return j % 2 == 1;
    switch (edges->closed) {
    case UH_CLOSED_LEFT: return j < last || edges->count == 1;
    case UH_CLOSED_RIGHT: return j == first;
    case UH_HALF_OPEN_LEFT: return 1;
    default: return 0;
    }
}

static wide edge_as_wide(const struct uhi_edges *edges, size_t j) {
    j = uhi_edge_index(edges, j);
    return edges->dtype == UH_I64 ? (wide)((const int64_t *)edges->values)[j]
                                  : (wide)((const uint64_t *)edges->values)[j];
}

/* Returns the sign of f - edge j as real numbers; f is not NaN. */
static int compare_with_edge(double f, const struct uhi_edges *edges, size_t j) {
    if (edges->dtype == UH_F64) {
        const double edge = uhi_edge_f64(edges, j);
        return (f > edge) - (f < edge);
    }
    /* f is a rounded integer edge or one step next to it: it is integral or small. */
    wide edge = edge_as_wide(edges, j);
    double whole = floor(f);
    wide w = (wide)whole;
    if (w != edge)
        return w > edge ? 1 : -1;
    return f > whole;
}

/* Returns how many edges from `from` on can use the fast path: the first and last edges and those of bins beyond may
 * differ in being reached. */
static size_t finite_edges(const struct uhi_edges *edges, size_t from) {
    const double *values = edges->values;
    size_t end = edges->count - 1 - (size_t)edges->above;
    if (edges->dtype != UH_F64 || edges->order)
        return 0;
    while (end > from && !(values[end - 1] < INFINITY))
        end--;
    return end > from ? end - from : 0;
}

/* ---- floats: values of type T, whose bits are integers I, by the function for the next one ----
 *
 * finite_: float64 edges, the common case: the thresholds of edges below infinity that are all reached or all not
 * reached. The same as below, without calls and branches: at most one step up, because rounding gives a neighbour.
 *
 * threshold_: stores the threshold of edge j and returns 1, or returns 0 if no value reaches it. Rounding (also
 * twice, through float64) gives one of the two neighbours of the edge, so if it is above the edge, it is the
 * smallest. For zeros it is -0: -0 and +0 are equal, and the map by bits puts -0 first.
 *
 * fill_: stores the thresholds of all edges that values reach, and returns their number. */

#define FLOATS(name, T, I, next)                                                                                       \
    static void finite_##name(const double *edges, size_t count, int reached, T *thresholds) {                         \
        for (size_t j = 0; j < count; j++) {                                                                           \
            T f = (T)edges[j];                                                                                         \
            I bits, up = (double)f < edges[j] || (!reached && (double)f == edges[j]);                                  \
            f = f == 0 ? (up ? (T)0.0 : (T)-0.0) : f;                                                                  \
            memcpy(&bits, &f, sizeof bits);                                                                            \
            bits = bits < 0 ? bits - up : bits + up;                                                                   \
            memcpy(thresholds + j, &bits, sizeof bits);                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    static int threshold_##name(const struct uhi_edges *edges, size_t j, T *threshold) {                               \
        T f = (T)uhi_edge_f64(edges, j);                                                                               \
        if (uhi_edge_beyond(edges, j)) {                                                                               \
            *threshold = f;                                                                                            \
            return f < 0;                                                                                              \
        }                                                                                                              \
        int reached = edge_is_reached(edges, j);                                                                       \
        int side = compare_with_edge((double)f, edges, j);                                                             \
        while (side < 0 || (side == 0 && !reached)) {                                                                  \
            if (!(f < (T)INFINITY))                                                                                    \
                return 0;                                                                                              \
            f = next(f, (T)INFINITY);                                                                                  \
            side = compare_with_edge((double)f, edges, j);                                                             \
        }                                                                                                              \
        *threshold = f == 0 ? (T)-0.0 : f;                                                                             \
        return 1;                                                                                                      \
    }                                                                                                                  \
    static size_t fill_##name(const struct uhi_edges *edges, T *thresholds) {                                          \
        size_t j = 0;                                                                                                  \
        for (; j <= (size_t)edges->below; j++)                                                                         \
            if (!threshold_##name(edges, j, thresholds + j))                                                           \
                return j;                                                                                              \
        size_t quick = finite_edges(edges, j);                                                                         \
        if (quick)                                                                                                     \
            finite_##name((const double *)edges->values + j, quick, edge_is_reached(edges, j), thresholds + j);        \
        for (j += quick; j < edges->count && threshold_##name(edges, j, thresholds + j);)                              \
            j++;                                                                                                       \
        return j;                                                                                                      \
    }
FLOATS(f32, float, int32_t, nextafterf)
FLOATS(f64, double, int64_t, nextafter)

/* ---- integers ---- */

/* Returns the smallest integer at or past edge j, limited to one past either end of 64 bits. */
static wide threshold_wide(const struct uhi_edges *edges, size_t j) {
    const int reached = edge_is_reached(edges, j), beyond = uhi_edge_beyond(edges, j);
    if (edges->dtype != UH_F64 && !beyond)
        return edge_as_wide(edges, j) + !reached;
    const double edge = uhi_edge_f64(edges, j);
    if (edge >= 0x1p64)
        return (wide)1 << 64;
    if (edge < -0x1p63)
        return -((wide)1 << 63) - 1;
    double up = ceil(edge);
    return (wide)up + (up == edge && !reached);
}

static size_t fill_integers(const struct uhi_edges *edges, uh_dtype dtype, struct uhi_thresholds *t) {
    const unsigned bits = (unsigned)uh_dtype_size(dtype) * 8;
    const int is_signed = uhi_value_is_signed(dtype);
    const wide min = is_signed ? -((wide)1 << (bits - 1)) : 0, max = min + ((wide)1 << bits) - 1;
    size_t j;
    for (j = 0; j < edges->count; j++) {
        wide value = threshold_wide(edges, j);
        if (value > max)
            break;
        if (value < min)
            value = min;
        if (t->compare == UHI_COMPARE_I32)
            ((int32_t *)t->values)[j] = (int32_t)((uint32_t)value ^ (uint32_t)t->flip);
        else
            ((int64_t *)t->values)[j] = (int64_t)((uint64_t)value ^ (uint64_t)t->flip);
    }
    return j;
}

uh_status uhi_thresholds_make(const char *call, const struct uhi_edges *edges, uh_dtype dtype,
                              struct uhi_thresholds *thresholds) {
    const size_t size = uh_dtype_size(dtype);
    struct uhi_thresholds t = {.compare = dtype == UH_F32   ? UHI_COMPARE_F32
                                          : dtype == UH_F64 ? UHI_COMPARE_F64
                                          : size == 8       ? UHI_COMPARE_I64
                                                            : UHI_COMPARE_I32,
                               .flip = dtype == UH_U32   ? INT32_MIN
                                       : dtype == UH_U64 ? INT64_MIN
                                                         : 0};
    t.values = malloc(edges->count * (size < 8 ? 4 : 8));
    if (!t.values)
        return uhi_fail_memory(call, "no memory for %zu edges", edges->count);
    switch (t.compare) {
    case UHI_COMPARE_F32: t.count = fill_f32(edges, t.values); break;
    case UHI_COMPARE_F64: t.count = fill_f64(edges, t.values); break;
    default: t.count = fill_integers(edges, dtype, &t); break;
    }
    *thresholds = t;
    return UH_SUCCESS;
}

void uhi_thresholds_to_keys(struct uhi_thresholds *thresholds) {
    char *value = thresholds->values;
    if (thresholds->compare != UHI_COMPARE_F64)
        return;
    for (size_t j = 0; j < thresholds->count; j++, value += sizeof(int64_t)) {
        int64_t bits;
        memcpy(&bits, value, sizeof bits);
        bits = uhi_key_of_bits(bits);
        memcpy(value, &bits, sizeof bits);
    }
    thresholds->compare = UHI_COMPARE_K64;
}

void uhi_thresholds_free(struct uhi_thresholds *thresholds) {
    free(thresholds->values);
    thresholds->values = NULL;
}
