/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms over one axis: what goes through the format and back, and what is refused. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/save.h>

#include "tests/fixture.h"
#include "tests/saved_fixture.h"

static uh_queue *queue;

static int make_queue(void **state) {
    (void)state;
    queue = test_queue(2, 0);
    return queue ? 0 : -1;
}

static int destroy_queue(void **state) {
    (void)state;
    return uh_queue_destroy(queue) == UH_SUCCESS ? 0 : -1;
}

static uh_histogram *make(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    assert_int_equal(uh_axis_create_edges(dtype, edges, nedges, closed, &axis), UH_SUCCESS);
    assert_int_equal(uh_histogram_create(queue, axis, NULL, &histogram), UH_SUCCESS);
    assert_int_equal(uh_axis_destroy(axis), UH_SUCCESS);
    return histogram;
}

static uh_histogram *load(const struct saved *saved) {
    uh_histogram *histogram = NULL;
    assert_int_equal(uh_histogram_load_bytes(queue, saved->bytes, saved->size, &histogram), UH_SUCCESS);
    return histogram;
}

static void assert_same(uh_histogram *a, uh_histogram *b) {
    size_t bins = uh_axis_bins(uh_histogram_axis(a));
    uint64_t *counts = malloc(2 * bins * sizeof *counts);
    uh_flow flows[2];
    assert_non_null(counts);
    assert_true(uh_axis_equal(uh_histogram_axis(a), uh_histogram_axis(b)));
    assert_int_equal(uh_histogram_counts(a, counts), UH_SUCCESS);
    assert_int_equal(uh_histogram_counts(b, counts + bins), UH_SUCCESS);
    assert_memory_equal(counts, counts + bins, bins * sizeof *counts);
    assert_int_equal(uh_histogram_flow(a, &flows[0]), UH_SUCCESS);
    assert_int_equal(uh_histogram_flow(b, &flows[1]), UH_SUCCESS);
    assert_int_equal(flows[0].below, flows[1].below);
    assert_int_equal(flows[0].above, flows[1].above);
    assert_int_equal(flows[0].nan, flows[1].nan);
    free(counts);
}

/* Five values: two in bins, one in each flow counter. */
static uh_histogram *small(void) {
    static const double edges[] = {0, 1, 2.5, 10}, x[] = {0.5, 3, -1, 11, NAN};
    uh_histogram *histogram = make(UH_F64, edges, 4, UH_CLOSED_LEFT);
    assert_int_equal(uh_histogram_fill(histogram, UH_F64, x, 5), UH_SUCCESS);
    return histogram;
}

/* ---- there and back ---- */

static void every_type_of_edges_and_closed_end_comes_back_exactly(void **state) {
    static const double f64[] = {-INFINITY, -1e300, -0.0, 0x1p-1074, 0.1, 0.1, 1e300, INFINITY};
    static const float f32[] = {-1, 0.1f, 3e38f};
    static const int64_t i64[] = {INT64_MIN, -1, (INT64_C(1) << 53) + 1, INT64_MAX - 1, INT64_MAX};
    static const uint64_t u64[] = {0, (UINT64_C(1) << 53) + 1, UINT64_MAX - 1, UINT64_MAX};
    static const int8_t i8[] = {-128, 0, 127};
    static const struct {
        uh_dtype dtype;
        const void *edges;
        size_t nedges;
    } axes[] = {{UH_F64, f64, 8}, {UH_F32, f32, 3}, {UH_I64, i64, 5}, {UH_U64, u64, 4}, {UH_I8, i8, 3}};
    (void)state;
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++)
        for (int closed = UH_CLOSED_LEFT; closed <= UH_HALF_OPEN_RIGHT; closed++) {
            uh_histogram *histogram = make(axes[a].dtype, axes[a].edges, axes[a].nedges, (uh_closed)closed);
            /* Each edge is a value too. */
            assert_int_equal(uh_histogram_fill(histogram, axes[a].dtype, axes[a].edges, axes[a].nedges), UH_SUCCESS);
            struct saved saved = test_saved(histogram);
            uh_histogram *loaded = load(&saved);
            assert_same(histogram, loaded);
            assert_int_equal(uh_axis_closed(uh_histogram_axis(loaded)), closed);
            /* A copy counts as the first one does: the edges are the same beyond float64's precision. */
            assert_int_equal(uh_histogram_fill(histogram, UH_I64, i64, 5), UH_SUCCESS);
            assert_int_equal(uh_histogram_fill(loaded, UH_I64, i64, 5), UH_SUCCESS);
            assert_int_equal(uh_histogram_fill(histogram, UH_U64, u64, 4), UH_SUCCESS);
            assert_int_equal(uh_histogram_fill(loaded, UH_U64, u64, 4), UH_SUCCESS);
            assert_same(histogram, loaded);
            uh_histogram_destroy(loaded);
            uh_histogram_destroy(histogram);
            free(saved.bytes);
        }
}

/* A histogram whose axis carries the distribution. */
static uh_histogram *carrying(const uh_distribution *distribution) {
    uh_axis *plain = NULL, *axis = NULL;
    uh_histogram *histogram = NULL;
    assert_int_equal(uh_axis_create_integer(-3, 7, &plain), UH_SUCCESS);
    assert_int_equal(uh_axis_create_with_distribution(plain, distribution, &axis), UH_SUCCESS);
    assert_int_equal(uh_histogram_create(queue, axis, NULL, &histogram), UH_SUCCESS);
    uh_axis_destroy(plain);
    uh_axis_destroy(axis);
    return histogram;
}

enum { TABLE = 12 };
static const double table_x[TABLE] = {-3, -2, -2, 0, 1, 2, 3, 4, 5, 6, 7, 0x1.5p300};
static const double table_f[TABLE] = {0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
static const uh_distribution distributions[] = {
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_EXPONENTIAL, .location = -1, .scale = 0.1},
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_NORMAL, .location = 0x1p-1074, .scale = 1e300},
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_LOGNORMAL, .location = 0, .scale = 2},
    {.struct_size = sizeof *distributions, .kind = UH_DISTRIBUTION_TABLE, .x = table_x, .f = table_f, .points = TABLE},
};

static void the_distribution_that_an_axis_carries_comes_back(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
        const uh_distribution *saved_one = &distributions[i];
        uh_histogram *histogram = carrying(saved_one);
        struct saved saved = test_saved(histogram);
        uh_histogram *loaded = load(&saved);
        struct saved again = test_saved(loaded);
        const uh_distribution *got = uh_axis_distribution(uh_histogram_axis(loaded));
        assert_same(histogram, loaded);
        assert_non_null(got);
        assert_int_equal(got->kind, saved_one->kind);
        assert_true(got->location == saved_one->location && got->scale == saved_one->scale);
        assert_int_equal(got->points, saved_one->points);
        if (saved_one->points > 0) {
            assert_memory_equal(got->x, table_x, sizeof table_x);
            assert_memory_equal(got->f, table_f, sizeof table_f);
            assert_memory_equal(saved.bytes + test_saved_data(&saved, "meta.axis0.x"), table_x, sizeof table_x);
            assert_memory_equal(saved.bytes + test_saved_data(&saved, "meta.axis0.f"), table_f, sizeof table_f);
        } else {
            assert_memory_equal(saved.bytes + test_saved_data(&saved, "meta.axis0.parameters"), &saved_one->location,
                                sizeof(double));
        }
        assert_int_equal(again.size, saved.size);
        assert_memory_equal(again.bytes, saved.bytes, saved.size);
        uh_histogram_destroy(loaded);
        uh_histogram_destroy(histogram);
        free(saved.bytes);
        free(again.bytes);
    }
}

static void edges_are_stored_as_they_are_and_counts_beside_them(void **state) {
    static const int64_t edges[] = {INT64_MIN, (INT64_C(1) << 53) + 1, INT64_MAX}, x[] = {5, 5, INT64_MAX};
    static const uint64_t counts[] = {2, 1};
    (void)state;
    uh_histogram *histogram = make(UH_I64, edges, 3, UH_CLOSED_LEFT);
    assert_int_equal(uh_histogram_fill(histogram, UH_I64, x, 3), UH_SUCCESS);
    struct saved saved = test_saved(histogram);
    assert_memory_equal(saved.bytes + test_saved_data(&saved, "axis0.edges"), edges, sizeof edges);
    assert_memory_equal(saved.bytes + test_saved_data(&saved, "counts"), counts, sizeof counts);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void counts_up_to_the_largest_come_back(void **state) {
    static const uint64_t max = UINT64_MAX;
    uint64_t counts[3];
    uh_flow flow;
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    (void)state;
    memcpy(saved.bytes + test_saved_data(&saved, "counts") + 8, &max, sizeof max);
    memcpy(saved.bytes + test_saved_data(&saved, "axis0.flow") + 16, &max, sizeof max);
    test_saved_repair(&saved);
    uh_histogram *loaded = load(&saved);
    assert_int_equal(uh_histogram_counts(loaded, counts), UH_SUCCESS);
    assert_int_equal(uh_histogram_flow(loaded, &flow), UH_SUCCESS);
    assert_int_equal(counts[0], 1);
    assert_true(counts[1] == max);
    assert_int_equal(counts[2], 1);
    assert_int_equal(flow.below, 1);
    assert_int_equal(flow.above, 1);
    assert_true(flow.nan == max);
    uh_histogram_destroy(loaded);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void bytes_need_not_be_aligned(void **state) {
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    unsigned char *moved = malloc(saved.size + 1);
    (void)state;
    assert_non_null(moved);
    memcpy(moved + 1, saved.bytes, saved.size);
    const struct saved odd = {moved + 1, saved.size};
    uh_histogram *loaded = load(&odd);
    free(moved);
    assert_same(histogram, loaded);
    uh_histogram_destroy(loaded);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void parts_saved_and_merged_are_the_bytes_of_one_run(void **state) {
    enum { N = 30000, PARTS = 3, BINS = 1000 };
    double *x = malloc(N * sizeof *x), edges[BINS + 1];
    uint64_t seed = 5;
    (void)state;
    assert_non_null(x);
    for (size_t j = 0; j <= BINS; j++)
        edges[j] = pow((double)j / BINS, 3);
    for (size_t i = 0; i < N; i++)
        x[i] = 1.2 * test_random_f64(&seed) - 0.1;
    uh_histogram *one = make(UH_F64, edges, BINS + 1, UH_CLOSED_RIGHT);
    uh_histogram *sum = make(UH_F64, edges, BINS + 1, UH_CLOSED_RIGHT);
    assert_int_equal(uh_histogram_fill(one, UH_F64, x, N), UH_SUCCESS);
    for (size_t p = 0; p < PARTS; p++) {
        uh_histogram *part = make(UH_F64, edges, BINS + 1, UH_CLOSED_RIGHT);
        assert_int_equal(uh_histogram_fill(part, UH_F64, x + p * (N / PARTS), N / PARTS), UH_SUCCESS);
        struct saved saved = test_saved(part);
        uh_histogram *loaded = load(&saved);
        assert_int_equal(uh_histogram_merge(sum, loaded), UH_SUCCESS);
        uh_histogram_destroy(loaded);
        uh_histogram_destroy(part);
        free(saved.bytes);
    }
    struct saved expected = test_saved(one), got = test_saved(sum);
    assert_int_equal(expected.size, got.size);
    assert_memory_equal(expected.bytes, got.bytes, got.size);
    free(expected.bytes);
    free(got.bytes);
    uh_histogram_destroy(sum);
    uh_histogram_destroy(one);
    free(x);
}

static void a_look_tells_kind_and_size(void **state) {
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    uh_saved_info info = {.struct_size = sizeof info, .naxes = 99};
    (void)state;
    assert_int_equal(uh_saved_peek_bytes(saved.bytes, saved.size, &info), UH_SUCCESS);
    assert_int_equal(info.kind, UH_SAVED_HISTOGRAM);
    assert_int_equal(info.version, 1);
    assert_int_equal(info.bytes, saved.size);
    assert_int_equal(info.naxes, 1);
    assert_int_equal(info.bins[0], 3);
    assert_int_equal(info.bins[1], 0);
    assert_int_equal(info.storage, UH_STORAGE_COUNT);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

/* ---- what is refused ---- */

/* Neither call takes it, and outputs stay what they were. */
static void assert_refused(const struct saved *saved, uh_status expected, const char *text) {
    uh_histogram *histogram = (uh_histogram *)&queue;
    uh_status status = uh_histogram_load_bytes(queue, saved->bytes, saved->size, &histogram);
    test_assert_failed(status, expected, "uh_histogram_load_bytes: bytes: ", text);
    assert_ptr_equal(histogram, &queue);
}

static void every_changed_byte_is_noticed(void **state) {
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    (void)state;
    for (size_t i = 0; i < saved.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            uh_histogram *loaded = NULL;
            saved.bytes[i] ^= (unsigned char)(1 << bit);
            uh_status status = uh_histogram_load_bytes(queue, saved.bytes, saved.size, &loaded);
            assert_true(status == UH_ERROR_INVALID_ARGUMENT || (i >= 8 && i < 12 && status == UH_ERROR_UNSUPPORTED));
            assert_null(loaded);
            saved.bytes[i] ^= (unsigned char)(1 << bit);
        }
    uh_histogram_destroy(load(&saved));
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void every_truncation_is_noticed_and_so_is_a_tail(void **state) {
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    (void)state;
    for (size_t size = 0; size < saved.size; size++) {
        /* A block of its own, so that a look behind its end is seen. */
        struct saved part = {malloc(size ? size : 1), size};
        assert_non_null(part.bytes);
        memcpy(part.bytes, saved.bytes, size);
        assert_refused(&part, UH_ERROR_INVALID_ARGUMENT, size == 0 ? "it is empty" : size < 8 ? "" : "it is truncated");
        free(part.bytes);
    }
    test_saved_resize(&saved, saved.size, 1);
    assert_refused(&saved, UH_ERROR_INVALID_ARGUMENT, "it has more behind its end");
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void a_newer_version_is_told_from_damage(void **state) {
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    (void)state;
    saved.bytes[8] = 2;
    assert_refused(&saved, UH_ERROR_UNSUPPORTED, "its format has version 2, and this library (");
    saved.bytes[8] = 0;
    test_saved_repair(&saved);
    assert_refused(&saved, UH_ERROR_INVALID_ARGUMENT, "version 0");
    saved.bytes[8] = 1;
    test_saved_repair(&saved);
    uh_histogram_destroy(load(&saved));
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void foreign_bytes_are_called_so(void **state) {
    static char npy[] = "\x93NUMPY\x01\x00 and more of it, as long as a head", text[] = "1,2,3\n";
    const struct saved foreign[] = {{(unsigned char *)npy, sizeof npy}, {(unsigned char *)text, sizeof text - 1}};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        assert_refused(&foreign[i], UH_ERROR_INVALID_ARGUMENT, "it is no saved histogram");
}

/* Some bytes at `offset` of a section (0: its name, 24: type, 32: dimensions, 40: bytes, 48: first dimension, 56: data
 * of a section with one dimension) are others. */
static const struct hostile {
    const char *section;
    size_t offset;
    uint64_t value;
    size_t size;
    const char *text;
} hostile[] = {
    {"kind", 56, 'H', 1, "section 'kind' says 'Histogram', expected histogram or histogramdd"},
    {"kind", 0, 'K', 1, "section 'kind' is missing"},
    {"kind", 0, 0, 1, "section 0 has no proper name"},
    {"kind", 1, 7, 1, "section 0 has no proper name"},
    {"kind", 5, 'x', 1, "section 0 has no proper name"},
    {"kind", 25, 'U', 1, "section 'kind' has an unknown type"},
    {"kind", 32, 17, 8, "section 'kind' has 17 dimensions"},
    {"kind", 32, UINT64_MAX, 8, "dimensions"},
    {"kind", 40, 8, 8, "section 'kind' has 8 bytes, which is not what its dimensions say"},
    {"kind", 48, UINT64_MAX, 8, "which is not what its dimensions say"},
    {"kind", 65, 1, 1, "section 'kind' is not followed by zeros"},
    {"axis0.edges", 24, '>', 1, "section 'axis0.edges' has an unknown type"},
    {"axis0.edges", 26, '4', 1, "which is not what its dimensions say"},
    {"axis0.edges", 24, 0x3266, 2, "unknown type"},
    {"axis0.edges", 48, UINT64_C(1) << 61, 8, "which is not what its dimensions say"},
    {"axis0.edges", 56, UINT64_C(0x7ff8000000000000), 8, "axis0.edges[0] is NaN, expected a number"},
    {"axis0.edges", 64, UINT64_C(0xbff0000000000000), 8, "axis0.edges[1] is -1, expected at least"},
    {"axis0.edges", 32, 0, 8, "which is not what its dimensions say"},
    {"axis0.closed", 56, 'L', 1,
     "section 'axis0.closed' says 'Left', expected left, right, half-open left or half-open"},
    {"axis0.flow", 25, 'i', 1, "section 'axis0.flow' is of type '<i8', expected '<u8'"},
    {"axis0.flow", 4, '1', 1, "section 'axis0.flow' is missing"},
    {"counts", 0, 'k', 1, "section 'counts' is missing"},
    {"counts", 25, 'f', 1, "section 'counts' is of type '<f8', expected '<u8'"},
    {"meta.writer", 0, 'n', 1, "section 'neta.writer' is unknown"},
};

static void hostile_fields_with_a_right_checksum_are_refused(void **state) {
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct saved bad = test_saved_copy(&saved);
        memcpy(bad.bytes + test_saved_section(&bad, hostile[i].section) + hostile[i].offset, &hostile[i].value,
               hostile[i].size);
        test_saved_repair(&bad);
        assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, hostile[i].text);
        free(bad.bytes);
    }
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static const struct {
    struct hostile change;
    size_t distribution;
} hostile_distributions[] = {
    {{"meta.axis0.distribution", 56, 'N', 1, "section 'meta.axis0.distribution' says 'Normal', expected exponential"},
     1},
    {{"meta.axis0.parameters", 64, 0, 8, "meta.axis0.distribution: distribution->scale is 0, expected a finite"}, 1},
    {{"meta.axis0.parameters", 11, 'q', 1, "section 'meta.axis0.parameters' is missing"}, 1},
    {{"meta.axis0.parameters", 25, 'i', 1, "section 'meta.axis0.parameters' is of type '<i8', expected '<f8'"}, 1},
    {{"meta.axis0.x", 11, 'y', 1, "section 'meta.axis0.x' is missing"}, 3},
    {{"meta.axis0.f", 11, 'y', 1, "section 'meta.axis0.f' is missing"}, 3},
    {{"meta.axis0.x", 56, UINT64_C(0x7ff8000000000000), 8, "distribution->x[0] is nan, expected a finite number"}, 3},
    {{"meta.axis0.f", 56, UINT64_C(0xbff0000000000000), 8, "distribution->f runs from -1 to"}, 3},
};

static void hostile_distributions_are_refused_and_unknown_ones_skipped(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hostile_distributions / sizeof *hostile_distributions; i++) {
        const struct hostile *change = &hostile_distributions[i].change;
        uh_histogram *histogram = carrying(&distributions[hostile_distributions[i].distribution]);
        struct saved saved = test_saved(histogram);
        memcpy(saved.bytes + test_saved_section(&saved, change->section) + change->offset, &change->value,
               change->size);
        test_saved_repair(&saved);
        assert_refused(&saved, UH_ERROR_INVALID_ARGUMENT, change->text);
        uh_histogram_destroy(histogram);
        free(saved.bytes);
    }
    uh_histogram *histogram = carrying(&distributions[1]);
    struct saved saved = test_saved(histogram);
    saved.bytes[test_saved_section(&saved, "meta.axis0.distribution") + 11] = 'D'; /* a section of others */
    test_saved_repair(&saved);
    uh_histogram *loaded = load(&saved);
    assert_same(histogram, loaded);
    assert_null(uh_axis_distribution(uh_histogram_axis(loaded)));
    uh_histogram_destroy(loaded);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void sections_that_are_too_many_or_few_or_of_other_sizes_are_refused(void **state) {
    static const uint64_t sizes[] = {16, 2}; /* bytes and dimension of one element fewer */
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram), bad;
    (void)state;
    static const uint32_t counts[] = {0, 129, UINT32_MAX, 7, 5};
    static const char *const texts[] = {"it has 0 sections", "it has 129 sections", "it has 4294967295 sections",
                                        "section 6 does not fit", "behind its last section"};
    for (size_t i = 0; i < 5; i++) {
        bad = test_saved_copy(&saved);
        memcpy(bad.bytes + 12, &counts[i], sizeof counts[i]);
        test_saved_repair(&bad);
        assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, texts[i]);
        free(bad.bytes);
    }
    bad = test_saved_copy(&saved); /* one count fewer */
    size_t at = test_saved_section(&bad, "counts");
    memcpy(bad.bytes + at + 40, sizes, sizeof sizes);
    test_saved_resize(&bad, at + 56, -8);
    test_saved_repair(&bad);
    assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, "dimension 0 of section 'counts' is 2, expected 3");
    free(bad.bytes);
    bad = test_saved_copy(&saved); /* a name twice */
    memcpy(bad.bytes + test_saved_section(&bad, "meta.writer"), "kind\0\0\0\0\0\0\0\0", 12);
    test_saved_repair(&bad);
    assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, "section 'kind' is there twice");
    free(bad.bytes);
    bad = test_saved_copy(&saved); /* a single edge */
    at = test_saved_section(&bad, "axis0.edges");
    static const uint64_t single[] = {8, 1};
    memcpy(bad.bytes + at + 40, single, sizeof single);
    test_saved_resize(&bad, at + 56, -24);
    test_saved_repair(&bad);
    assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, "section 'axis0.edges' has 1 edges, expected 2 to 1073741825");
    free(bad.bytes);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void a_section_of_another_writers_may_be_skipped_if_its_name_says_so(void **state) {
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    size_t at = test_saved_section(&saved, "axis0.edges");
    static const uint64_t numbers[] = {2, 24, 0, 5};
    (void)state;
    test_saved_resize(&saved, at, 48 + 16);
    memcpy(saved.bytes + at, "meta.of-others", 14);
    memcpy(saved.bytes + at + 24, "<f4", 3);
    memcpy(saved.bytes + at + 32, numbers, sizeof numbers); /* 0 by 5 elements are no 24 bytes */
    saved.bytes[12]++;
    test_saved_repair(&saved);
    assert_refused(&saved, UH_ERROR_INVALID_ARGUMENT, "which is not what its dimensions say");
    saved.bytes[at + 40] = 0;
    test_saved_repair(&saved);
    uh_histogram *loaded = load(&saved);
    assert_same(histogram, loaded);
    uh_histogram_destroy(loaded);
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

/* With the checksum repaired a change may be a valid one; whatever is taken is sound and can be saved again. */
static void any_byte_may_be_anything_without_harm(void **state) {
    static const unsigned char values[] = {0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, '.', '<', '9'};
    uh_histogram *histogram = small();
    struct saved saved = test_saved(histogram);
    size_t taken = 0;
    (void)state;
    for (size_t i = 0; i < saved.size - 32; i++)
        for (size_t v = 0; v < sizeof values; v++) {
            struct saved bad = test_saved_copy(&saved);
            uh_histogram *loaded = NULL;
            bad.bytes[i] = values[v];
            if (i < 16 || i >= 24)
                test_saved_repair(&bad);
            if (uh_histogram_load_bytes(queue, bad.bytes, bad.size, &loaded) == UH_SUCCESS) {
                struct saved again = test_saved(loaded);
                uh_histogram *twice = load(&again);
                assert_same(loaded, twice);
                uh_histogram_destroy(twice);
                free(again.bytes);
                taken++;
            }
            uh_histogram_destroy(loaded);
            free(bad.bytes);
        }
    assert_true(taken > 100); /* counts may be anything */
    uh_histogram_destroy(histogram);
    free(saved.bytes);
}

static void wrong_arguments_are_named(void **state) {
    unsigned char byte = 0xa5;
    size_t length = 77;
    uh_histogram *histogram = small(), *loaded = NULL;
    uh_saved_info info = {.struct_size = 8};
    (void)state;
    test_assert_failed(uh_histogram_save_bytes(NULL, NULL, 0, &length), UH_ERROR_INVALID_ARGUMENT, "histogram is NULL");
    test_assert_failed(uh_histogram_save_bytes(histogram, NULL, 0, NULL), UH_ERROR_INVALID_ARGUMENT, "length is NULL");
    test_assert_failed(uh_histogram_save_bytes(histogram, &byte, 1, &length), UH_ERROR_INVALID_ARGUMENT,
                       "size is 1, expected at least ");
    assert_int_equal(byte, 0xa5);
    assert_int_equal(length, 77);
    test_assert_failed(uh_histogram_load_bytes(NULL, &byte, 1, &loaded), UH_ERROR_INVALID_ARGUMENT, "queue is NULL");
    test_assert_failed(uh_histogram_load_bytes(queue, &byte, 1, NULL), UH_ERROR_INVALID_ARGUMENT, "histogram is NULL");
    test_assert_failed(uh_histogram_load_bytes(queue, NULL, 1, &loaded), UH_ERROR_INVALID_ARGUMENT, "bytes is NULL");
    test_assert_failed(uh_histogram_save(histogram, NULL), UH_ERROR_INVALID_ARGUMENT, "path is NULL");
    test_assert_failed(uh_histogram_save(NULL, "x"), UH_ERROR_INVALID_ARGUMENT, "histogram is NULL");
    test_assert_failed(uh_histogram_load(queue, NULL, &loaded), UH_ERROR_INVALID_ARGUMENT, "path is NULL");
    test_assert_failed(uh_histogram_load(NULL, "x", &loaded), UH_ERROR_INVALID_ARGUMENT, "queue is NULL");
    test_assert_failed(uh_histogram_load(queue, "x", NULL), UH_ERROR_INVALID_ARGUMENT, "histogram is NULL");
    test_assert_failed(uh_saved_peek(NULL, &info), UH_ERROR_INVALID_ARGUMENT, "path is NULL");
    test_assert_failed(uh_saved_peek("x", NULL), UH_ERROR_INVALID_ARGUMENT, "info is NULL");
    test_assert_failed(uh_saved_peek("x", &info), UH_ERROR_INVALID_ARGUMENT, "info->struct_size is 8, expected ");
    test_assert_failed(uh_saved_peek_bytes(NULL, 1, &info), UH_ERROR_INVALID_ARGUMENT, "bytes is NULL");
    test_assert_failed(uh_saved_peek_bytes(&byte, 1, &info), UH_ERROR_INVALID_ARGUMENT, "info->struct_size");
    assert_null(loaded);
    uh_histogram_destroy(histogram);
}

TEST_MAIN(test_save) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_edges_and_closed_end_comes_back_exactly),
        cmocka_unit_test(the_distribution_that_an_axis_carries_comes_back),
        cmocka_unit_test(hostile_distributions_are_refused_and_unknown_ones_skipped),
        cmocka_unit_test(edges_are_stored_as_they_are_and_counts_beside_them),
        cmocka_unit_test(counts_up_to_the_largest_come_back),
        cmocka_unit_test(bytes_need_not_be_aligned),
        cmocka_unit_test(parts_saved_and_merged_are_the_bytes_of_one_run),
        cmocka_unit_test(a_look_tells_kind_and_size),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(every_truncation_is_noticed_and_so_is_a_tail),
        cmocka_unit_test(a_newer_version_is_told_from_damage),
        cmocka_unit_test(foreign_bytes_are_called_so),
        cmocka_unit_test(hostile_fields_with_a_right_checksum_are_refused),
        cmocka_unit_test(sections_that_are_too_many_or_few_or_of_other_sizes_are_refused),
        cmocka_unit_test(a_section_of_another_writers_may_be_skipped_if_its_name_says_so),
        cmocka_unit_test(any_byte_may_be_anything_without_harm),
        cmocka_unit_test(wrong_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, make_queue, destroy_queue);
}
