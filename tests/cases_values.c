/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases_values.h"

#include "tests/support.h"

/* Of an axis with more edges, so many are tried. */
enum { MOST_EDGES = 20000, SPECIALS = 40 };

/* Where the values go. */
struct sink {
    uh_dtype dtype;
    size_t size, n, room;
    char *to;
};

static void put(struct sink *sink, long double x) {
    if (sink->n < sink->room)
        oracle_store(sink->dtype, x, sink->to + sink->n++ * sink->size);
}

static void put_bits(struct sink *sink, uint64_t bits) {
    if (sink->n < sink->room)
        memcpy(sink->to + sink->n++ * sink->size, &bits, sink->size); /* little-endian: the low bytes */
}

static void put_specials(struct sink *sink) {
    static const uint32_t f32[] = {0x80000000, 0x00000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                   0x7f800001, 0xffbfffff, 0x7fffffff, 0xffffffff, 0x00000001, 0x80000001,
                                   0x007fffff, 0x00800000, 0x807fffff, 0x7f7fffff, 0xff7fffff, 0x3f800000};
    static const uint64_t f64[] = {
        UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x7ff0000000000000),
        UINT64_C(0xfff0000000000000), UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
        UINT64_C(0x7ff0000000000001), UINT64_C(0xfff7ffffffffffff), UINT64_C(0x7fffffffffffffff),
        UINT64_C(0xffffffffffffffff), UINT64_C(0x0000000000000001), UINT64_C(0x8000000000000001),
        UINT64_C(0x000fffffffffffff), UINT64_C(0x0010000000000000), UINT64_C(0x7fefffffffffffff),
        UINT64_C(0xffefffffffffffff), UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff00000ffffffff)};
    if (sink->dtype == UH_F32) {
        for (size_t i = 0; i < sizeof f32 / sizeof *f32; i++)
            put_bits(sink, f32[i]);
    } else if (sink->dtype == UH_F64) {
        for (size_t i = 0; i < sizeof f64 / sizeof *f64; i++)
            put_bits(sink, f64[i]);
    } else {
        uint64_t top = UINT64_C(1) << (8 * sink->size - 1);
        const uint64_t bits[] = {0, 1, 2, UINT64_MAX, UINT64_MAX - 1, top, top - 1, top + 1, top - 2};
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
            put_bits(sink, bits[i]);
    }
}

static long double finite(long double x) {
    return x < -DBL_MAX ? (long double)-DBL_MAX : x > DBL_MAX ? (long double)DBL_MAX : x;
}

static void put_edge(struct sink *sink, long double edge) {
    char element[8];
    long double nearest = oracle_store(sink->dtype, edge, element);
    put(sink, nearest);
    put(sink, oracle_neighbour(sink->dtype, nearest, 1));
    put(sink, oracle_neighbour(sink->dtype, nearest, -1));
}

static void put_random(struct sink *sink, const struct oracle_axis *axis, uint64_t *state) {
    uint64_t kind = test_random_u64(state) % 16;
    size_t bin = (size_t)(test_random_u64(state) % (axis->nedges - 1));
    long double u = (long double)test_random_u64(state) * 0x1p-64L;
    long double lo = finite(axis->edges[0]), hi = finite(axis->edges[axis->nedges - 1]);
    long double left = finite(axis->edges[bin]), right = finite(axis->edges[bin + 1]);
    if (kind < 8)
        put(sink, left + (right - left) * u);
    else if (kind < 12)
        put(sink, lo + (hi - lo) * (1.2L * u - 0.1L));
    else if (kind < 13)
        put_edge(sink, axis->edges[bin]);
    else
        put_bits(sink, test_random_u64(state));
}

size_t case_values_least(const struct oracle_axis *axis) {
    return 3 * (axis->nedges < MOST_EDGES ? axis->nedges : MOST_EDGES) + SPECIALS;
}

void case_values_fill(const struct oracle_axis *axis, uh_dtype dtype, uint64_t seed, char *to, size_t n) {
    struct sink sink = {.dtype = dtype, .size = uh_dtype_size(dtype), .room = n, .to = to};
    size_t every = axis->nedges / MOST_EDGES + 1;
    uint64_t state = seed;
    put_specials(&sink);
    for (size_t j = 0; j < axis->nedges; j += every)
        put_edge(&sink, axis->edges[j]);
    put_edge(&sink, axis->edges[axis->nedges - 1]);
    while (sink.n < n)
        put_random(&sink, axis, &state);
}
