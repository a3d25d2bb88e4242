/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support.h"

#include "tests/saved_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sha256.h"
#include "tests/arrays.h"
#include "tests/dd_cases.h"
#include "tests/fixture.h"

enum { HEAD = 24, SECTION_HEAD = 48, DIGEST = 32, GUARD = 16 };

/* Room for so many bytes, with guards behind them. */
static struct saved make(size_t size) {
    struct saved saved = {malloc(size + GUARD), size};
    assert_non_null(saved.bytes);
    memset(saved.bytes, 0xa5, size + GUARD);
    return saved;
}

static void assert_filled(const struct saved *saved, size_t length) {
    assert_int_equal(length, saved->size);
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(saved->bytes[saved->size + i], 0xa5);
}

struct saved test_saved(uh_histogram *histogram) {
    size_t length = 0;
    test_good(uh_histogram_save_bytes(histogram, NULL, 0, &length));
    struct saved saved = make(length);
    test_good(uh_histogram_save_bytes(histogram, saved.bytes, saved.size, &length));
    assert_filled(&saved, length);
    return saved;
}

uh_histogram *test_saved_sample(uh_queue *queue, int number) {
    static const double x[] = {0.5, 3, -1, 11, NAN, 0.5}, y[] = {0.5, 0.5, 2.5, 1, 1, NAN},
                        w[] = {1, 1e-30, 3, 4, 5, -1};
    static const double edges[2][4] = {{0, 1, 2.5, 10}, {0, 1, 2, 3}};
    const int line = number == TEST_SAVED_LINE;
    const uh_histogram_options options = {.struct_size = sizeof options,
                                          .storage = line ? UH_STORAGE_COUNT : (uh_storage)number};
    const int weighted = number >= UH_STORAGE_SUM && number <= UH_STORAGE_MEAN;
    const uh_array arrays[] = {uh_array_of(UH_F64, x, line ? 5 : 6), uh_array_of(UH_F64, y, 6)};
    uh_axis *axes[2];
    uh_histogram *histogram = NULL;
    for (size_t a = 0; a < 2; a++)
        test_good(uh_axis_create_edges(UH_F64, edges[a], 4, UH_CLOSED_LEFT, &axes[a]));
    test_good(uh_histogram_create(queue, axes, line ? 1 : 2, &options, &histogram));
    test_good(uh_histogram_fill(histogram, arrays, weighted ? ARRAY(UH_F64, w, 6) : NULL));
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    return histogram;
}

uh_histogram *test_saved_load(uh_queue *queue, const struct saved *saved) {
    uh_histogram *histogram = NULL;
    if (uh_histogram_load_bytes(queue, saved->bytes, saved->size, &histogram))
        fail_msg("%s", uh_last_error());
    return histogram;
}

void test_saved_assert_same(uh_histogram *a, uh_histogram *b) {
    uint64_t totals[4];
    assert_int_equal(uh_histogram_naxes(a), uh_histogram_naxes(b));
    assert_int_equal(uh_histogram_storage(a), uh_histogram_storage(b));
    assert_int_equal(uh_histogram_sum_mode(a), uh_histogram_sum_mode(b));
    for (size_t axis = 0; axis < uh_histogram_naxes(a); axis++) {
        uh_flow flows[2];
        assert_true(uh_axis_equal(uh_histogram_axis(a, axis), uh_histogram_axis(b, axis)));
        test_good(uh_histogram_flow(a, axis, &flows[0]));
        test_good(uh_histogram_flow(b, axis, &flows[1]));
        assert_memory_equal(&flows[0], &flows[1], sizeof *flows);
    }
    test_good(uh_histogram_total(a, &totals[0], &totals[1]));
    test_good(uh_histogram_total(b, &totals[2], &totals[3]));
    assert_memory_equal(totals, totals + 2, 2 * sizeof *totals);
    dd_assert_same_cells(a, b);
}

void test_saved_assert_back(uh_queue *queue, uh_histogram *histogram) {
    struct saved saved = test_saved(histogram);
    uh_histogram *loaded = test_saved_load(queue, &saved);
    struct saved again = test_saved(loaded);
    test_saved_assert_same(histogram, loaded);
    assert_int_equal(saved.size, again.size);
    assert_memory_equal(saved.bytes, again.bytes, saved.size);
    free(again.bytes);
    free(saved.bytes);
    uh_histogram_destroy(loaded);
}

void test_saved_assert_refused(uh_queue *queue, const struct saved *saved, uh_status status, const char *text) {
    uh_histogram *histogram = (uh_histogram *)&queue;
    test_assert_failed(uh_histogram_load_bytes(queue, saved->bytes, saved->size, &histogram), status,
                       "uh_histogram_load_bytes: bytes: ", text);
    assert_ptr_equal(histogram, &queue);
}

void test_saved_assert_hostile(uh_queue *queue, const struct saved *saved, const struct saved_change *change) {
    struct saved bad = test_saved_copy(saved);
    memcpy(bad.bytes + test_saved_section(&bad, change->section) + change->offset, &change->value, change->size);
    test_saved_repair(&bad);
    test_saved_assert_refused(queue, &bad, UH_ERROR_INVALID_ARGUMENT, change->text);
    free(bad.bytes);
}

struct saved test_saved_copy(const struct saved *saved) {
    struct saved copy = {malloc(saved->size), saved->size};
    assert_non_null(copy.bytes);
    memcpy(copy.bytes, saved->bytes, saved->size);
    return copy;
}

void test_saved_repair(struct saved *saved) {
    const uint64_t length = saved->size;
    memcpy(saved->bytes + 16, &length, sizeof length);
    uhi_sha256_of(saved->bytes, saved->size - DIGEST, saved->bytes + saved->size - DIGEST);
}

size_t test_saved_section(const struct saved *saved, const char *name) {
    for (size_t at = HEAD; at < saved->size - DIGEST;) {
        uint64_t numbers[2];
        if (strncmp((const char *)saved->bytes + at, name, 24) == 0)
            return at;
        memcpy(numbers, saved->bytes + at + 32, sizeof numbers);
        at += SECTION_HEAD + 8 * (size_t)numbers[0] + ((size_t)numbers[1] + 7) / 8 * 8;
    }
    fail_msg("there is no section '%s'", name);
    return 0;
}

size_t test_saved_data(const struct saved *saved, const char *name) {
    uint64_t dims;
    size_t at = test_saved_section(saved, name);
    memcpy(&dims, saved->bytes + at + 32, sizeof dims);
    return at + SECTION_HEAD + 8 * (size_t)dims;
}

void test_saved_resize(struct saved *saved, size_t at, ptrdiff_t size) {
    size_t grown = saved->size + (size_t)size;
    unsigned char *bytes = calloc(1, grown);
    assert_non_null(bytes);
    memcpy(bytes, saved->bytes, at);
    if (size > 0)
        memcpy(bytes + at + size, saved->bytes + at, saved->size - at);
    else
        memcpy(bytes + at, saved->bytes + at - size, saved->size - at + (size_t)size);
    free(saved->bytes);
    *saved = (struct saved){bytes, grown};
}
