/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an axis and values: edges that are not in order are refused, and all others give the oracle's indices
 * and counts.
 *
 * The bytes: edge type, value type, rule, look-up, leaf, table bytes (a power of two), number of edges (at most 100),
 * flags (bit 0: sort the edges, bit 1: values from the edges too, bit 2: an odd stride); edges; the rest are values. */
#include "api/histogram.h"
#include "tests/arrays.h"
#include "tests/fuzz.h"
#include "tests/oracle.h"

enum { HEADER = 8, MAX_EDGES = 100, MAX_VALUES = 3000, GAP = 3 };

/* An insertion sort of elements as numbers; NaN stay where they are. */
static void sort(uh_dtype dtype, char *edges, size_t n) {
    size_t size = uh_dtype_size(dtype);
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0; j--) {
            char *left = edges + (j - 1) * size, *right = edges + j * size, kept[8];
            if (!(oracle_value(dtype, right) < oracle_value(dtype, left)))
                break;
            memcpy(kept, left, size);
            memcpy(left, right, size);
            memcpy(right, kept, size);
        }
}

static int in_order(const struct oracle_axis *axis) {
    for (size_t j = 0; j < axis->nedges; j++)
        if (isnan(axis->edges[j]) || (j > 0 && axis->edges[j] < axis->edges[j - 1]))
            return 0;
    return 1;
}

static void check_values(uh_histogram *histogram, const struct oracle_axis *oracle, const uh_array *x) {
    static int64_t index[MAX_VALUES];
    static uint64_t counts[MAX_EDGES], expected[MAX_EDGES + 2];
    size_t bins = oracle->nedges - 1;
    uh_flow flow;
    memset(expected, 0, sizeof expected);
    CHECK(!uh_histogram_digitize(histogram, x, index));
    for (size_t i = 0; i < x->count; i++) {
        long double value = oracle_value(x->dtype, (const char *)x->data + (ptrdiff_t)i * x->stride);
        CHECK(index[i] == oracle_index(oracle, value));
        expected[oracle_slot(oracle, value)]++;
    }
    CHECK(!uh_histogram_fill(histogram, x, NULL));
    CHECK(!uh_histogram_counts(histogram, counts) && !uh_histogram_flow(histogram, 0, &flow));
    CHECK(memcmp(counts, expected + 1, bins * sizeof *counts) == 0);
    CHECK(flow.below == expected[0] && flow.above == expected[bins + 1] && flow.nan == expected[bins + 2]);
}

/* Values from the rest of the input, and from the edges and their neighbours; returns how many. */
static size_t gather(const struct oracle_axis *oracle, uh_dtype dtype, const uint8_t *rest, size_t size, int from_edges,
                     size_t stride, char *to) {
    size_t element = uh_dtype_size(dtype), n = 0;
    for (; n < MAX_VALUES / 2 && size >= element; n++, rest += element, size -= element)
        memcpy(to + n * stride, rest, element);
    for (size_t j = 0; from_edges && j < oracle->nedges; j++) {
        char nearest[8];
        long double x = oracle_store(dtype, oracle->edges[j], nearest);
        for (int direction = -1; direction <= 1; direction++)
            oracle_store(dtype, direction ? oracle_neighbour(dtype, x, direction) : x, to + n++ * stride);
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum uhi_lookup lookups[] = {UHI_LOOKUP_AUTO, UHI_LOOKUP_MESH, UHI_LOOKUP_SEARCH, UHI_LOOKUP_PACKED};
    static char x[MAX_VALUES * (8 + GAP)], edges[MAX_EDGES * 8];
    if (size < HEADER)
        return 0;
    uh_dtype edge_dtype = (uh_dtype)(data[0] % UH_DTYPE_COUNT), dtype = (uh_dtype)(data[1] % UH_DTYPE_COUNT);
    uh_closed closed = (uh_closed)(data[2] % 4);
    const enum uhi_lookup lookup = lookups[data[3] % (sizeof lookups / sizeof *lookups)];
    uh_histogram_options options = {.struct_size = sizeof options,
                                    .leaf_bins = data[4] % 65,
                                    .table_bytes = data[5] % 28 ? (size_t)1 << data[5] % 28 : 0};
    size_t nedges = 2 + data[6] % (MAX_EDGES - 1), edge_size = uh_dtype_size(edge_dtype);
    uint8_t flags = data[7];
    if (size < HEADER + nedges * edge_size)
        return 0;
    memcpy(edges, data + HEADER, nedges * edge_size);
    if (flags & 1)
        sort(edge_dtype, edges, nedges);
    struct oracle_axis oracle = oracle_axis_of(edge_dtype, edges, nedges, closed);
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    uh_status status = uh_axis_create_edges(edge_dtype, edges, nedges, closed, &axis);
    CHECK(status == (in_order(&oracle) ? UH_SUCCESS : UH_ERROR_INVALID_ARGUMENT));
    if (!status) {
        size_t stride = uh_dtype_size(dtype) + (flags & 4 ? GAP : 0), from = HEADER + nedges * edge_size;
        const size_t n = gather(&oracle, dtype, data + from, size - from, flags & 2, stride, x);
        CHECK(!uh_histogram_create(fuzz_queue(), &axis, 1, &options, &histogram));
        uhi_histogram_want(histogram, 0, lookup);
        check_values(histogram, &oracle, STRIDED(dtype, x, n, (ptrdiff_t)stride));
        uh_histogram_destroy(histogram);
    }
    uh_axis_destroy(axis);
    oracle_axis_free(&oracle);
    return 0;
}
