/* SPDX-License-Identifier: Apache-2.0 */
/* Every float32: all 2^32 bit patterns, in the order of their bits, by families of 1000 bins. The counts are known from
 * integers alone: the bits of a number without its sign count the floats between zero and it, so the floats from
 * one edge to another are as many as the difference of these numbers. They are compared after each piece of
 * neighbouring patterns.
 *
 * Where a family has no edge among 2^21 neighbouring patterns and their neighbours, all of them are in one bin: a
 * sixteenth of them stands for the others, another one each time. On the host `auto` takes every pattern for one
 * family, and so do both `auto` and `mesh` for two more, elsewhere `auto` for one, by such parts.
 *
 * Where pieces take turns (UNIHIST_TEST_TURN), one of eight is of a turn.
 * UNIHIST_TEST_DEVICE=SELECTOR: on that device instead of the host. */
#include "tests/cases_histogram.h"
#include "tests/tested.h"

enum { BINS = 1000, PIECE = 1 << 21, PARTS = 16, PART = PIECE / PARTS, TURNS = 8 };
#define INFINITE INT64_C(0x7f800000)

/* The place of a float among all, 0 for both zeros. */
static int64_t place_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int64_t from_zero = bits & INT32_MAX;
    return bits >> 31 ? -from_zero : from_zero;
}

static float float_at(int64_t place) {
    const uint32_t bits = place < 0 ? (uint32_t)-place | UINT32_C(1) << 31 : (uint32_t)place;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const struct family {
    const char *name;
    double range, shift; /* of random edges; range 0: a denormal in each bin around zero */
    int on_devices;
} families[] = {{"random", 1, 0, 0}, {"both signs", 2, 1, 1}, {"one denormal per bin around zero", 0, 0, 0}};

static void make_edges(const struct family *family, float *edges) {
    double made[BINS + 1] = {0};
    if (family->range > 0)
        assert_int_equal(case_edges(CASE_RANDOM, BINS, family->range, 1e-6, 1, made), 0);
    for (int64_t j = 0; j <= BINS; j++)
        edges[j] = family->range > 0 ? (float)(made[j] - family->shift) : float_at(j - BINS / 2);
}

/* What the pieces before have given. */
struct expected {
    uint64_t counts[BINS];
    uh_flow flow;
};

/* How many of the places first to last lie in from to to - 1. */
static uint64_t overlap(int64_t first, int64_t last, int64_t from, int64_t to) {
    const int64_t begin = first > from ? first : from, end = last < to - 1 ? last : to - 1;
    return begin <= end ? (uint64_t)(end - begin) + 1 : 0;
}

/* Adds n patterns from `bits` on, which are of one sign. */
static void expect(struct expected *expected, const float *edges, uint32_t bits, uint32_t n) {
    const int64_t nearest = bits & INT32_MAX, past = nearest + n, end = past < INFINITE + 1 ? past : INFINITE + 1;
    const int64_t first = bits >> 31 ? 1 - end : nearest, last = bits >> 31 ? -nearest : end - 1;
    expected->flow.nan += (uint64_t)(nearest < end ? past - end : n);
    if (nearest >= end)
        return;
    expected->flow.below += overlap(first, last, -INFINITE, place_of(edges[0]));
    expected->flow.above += overlap(first, last, place_of(edges[BINS]) + 1, INFINITE + 1);
    for (size_t j = 0; j < BINS; j++)
        expected->counts[j] += overlap(first, last, place_of(edges[j]), place_of(edges[j + 1]) + (j == BINS - 1));
}

static void check(uh_histogram *histogram, const struct expected *expected, const char *name, uint32_t bits) {
    uint64_t counts[BINS];
    test_good(uh_histogram_counts(histogram, counts));
    const uh_flow flow = test_flow(histogram, 0);
    for (size_t j = 0; j < BINS; j++)
        if (counts[j] != expected->counts[j])
            fail_msg("%s: bin %zu holds %" PRIu64 ", expected %" PRIu64 ", after the patterns from %#" PRIx32 " on",
                     name, j, counts[j], expected->counts[j], bits);
    if (memcmp(&flow, &expected->flow, sizeof flow) != 0)
        fail_msg("%s: the flow is %" PRIu64 ", %" PRIu64 ", %" PRIu64 " after the patterns from %#" PRIx32 " on", name,
                 flow.below, flow.above, flow.nan, bits);
}

/* Whether an edge lies among the patterns of a piece, or right next to them. */
static int has_edge(const float *edges, uint32_t bits) {
    const int64_t nearest = bits & INT32_MAX, past = nearest + PIECE;
    for (size_t j = 0; j <= BINS; j++) {
        const int64_t place = place_of(edges[j]), far = bits >> 31 ? -place : place;
        if (far >= nearest - 1 && far <= past)
            return 1;
    }
    return 0;
}

/* Counts the patterns, of pieces without edges a part alone unless `whole`. */
static void count_all(const struct family *family, uh_method method, int whole) {
    float edges[BINS + 1];
    struct expected expected = {.counts = {0}};
    uint32_t *patterns = test_memory(PIECE * sizeof *patterns);
    make_edges(family, edges);
    uh_axis *axis = test_axis_of(UH_F32, edges, BINS + 1, UH_CLOSED_LEFT);
    uh_histogram *histogram = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.methods = &method));
    const uint64_t step = getenv("UNIHIST_TEST_TURN") ? TURNS : 1;
    for (uint64_t piece = test_turn() % step; piece <= UINT32_MAX / PIECE; piece += step) {
        const int all = whole || has_edge(edges, (uint32_t)(piece * PIECE));
        const uint32_t first = (uint32_t)(piece * PIECE) + (all ? 0 : (uint32_t)(piece * 5 % PARTS) * PART);
        const uint32_t n = all ? PIECE : PART;
        for (uint32_t i = 0; i < n; i++)
            patterns[i] = first + i;
        expect(&expected, edges, first, n);
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, patterns, n), NULL));
        check(histogram, &expected, family->name, first);
    }
    test_end_from(0);
}

UNIT_TEST(every_float_is_in_its_bin) {
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        if (!tested.on_host && !families[f].on_devices)
            continue;
        count_all(&families[f], UH_METHOD_AUTO, tested.on_host && families[f].on_devices);
        if (tested.on_host)
            count_all(&families[f], UH_METHOD_MESH, 0);
    }
}

TESTED_MAIN(test_histogram_every_float)
