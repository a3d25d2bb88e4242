/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms: bytes that are refused, of every storage, and arguments. */
#include "tests/saved_fixture.h"
#include "tests/tested.h"

enum {
    LINE = TEST_SAVED_LINE,
    OF_A_NORMAL = TEST_SAVED_CARRYING + UH_DISTRIBUTION_NORMAL,
    OF_A_TABLE = TEST_SAVED_CARRYING + UH_DISTRIBUTION_TABLE
};

/* The bytes of a sample. */
static struct saved sample(int number) { return test_saved(test_saved_sample(number)); }

UNIT_TEST(every_changed_byte_is_noticed) {
    for (int number = 0; number < TEST_SAVED_SAMPLES; number++) {
        const struct saved saved = sample(number);
        for (size_t i = 0; i < saved.size; i++)
            for (int bit = number == LINE ? 0 : (int)(i % 8); bit < 8; bit += number == LINE ? 1 : 8) {
                uh_histogram *loaded = NULL;
                saved.bytes[i] ^= (unsigned char)(1 << bit);
                uh_status status = uh_histogram_load_bytes(tested.queue, saved.bytes, saved.size, &loaded);
                assert_true(status == UH_ERROR_INVALID_ARGUMENT ||
                            (i >= 8 && i < 12 && status == UH_ERROR_UNSUPPORTED));
                assert_null(loaded);
                saved.bytes[i] ^= (unsigned char)(1 << bit);
            }
        (void)test_saved_load(&saved);
    }
}

UNIT_TEST(every_truncation_is_noticed_and_so_is_a_tail) {
    for (int number = 0; number < TEST_SAVED_SAMPLES; number++) {
        struct saved saved = sample(number);
        const size_t before = test_left();
        for (size_t size = 0; size < saved.size; size++) {
            /* A block of its own, so that a read beyond its end is seen. */
            const struct saved part = {memcpy(test_memory(size), saved.bytes, size), size};
            test_saved_assert_refused(&part, UH_ERROR_INVALID_ARGUMENT,
                                      size == 0  ? "it is empty"
                                      : size < 8 ? ""
                                                 : "it is truncated");
            test_end_from(before);
        }
        test_saved_resize(&saved, saved.size, 1);
        test_saved_assert_refused(&saved, UH_ERROR_INVALID_ARGUMENT, "it has more after its end");
    }
}

UNIT_TEST(a_head_that_does_not_fit_is_named) {
    static char npy[] = "\x93NUMPY\x01\x00 and more of it, as long as a head", text[] = "1,2,3\n";
    const struct saved foreign[] = {{(unsigned char *)npy, sizeof npy}, {(unsigned char *)text, sizeof text - 1}};
    static const struct {
        size_t at, size;
        uint64_t value;
        int repaired;
        uh_status status;
        const char *text;
    } heads[] = {
        {8, 1, 2, 0, UH_ERROR_UNSUPPORTED, "its format has version 2, and this library ("},
        {8, 1, 0, 1, UH_ERROR_INVALID_ARGUMENT, "it is damaged: its format has version 0"},
        /* A length in a short file is no reason to ask for that much memory. */
        {16, 8, UINT64_C(1) << 62, 0, UH_ERROR_INVALID_ARGUMENT, "it is "},
        {16, 8, UINT64_MAX, 0, UH_ERROR_INVALID_ARGUMENT, "it is "},
        {16, 8, 0, 0, UH_ERROR_INVALID_ARGUMENT, "it is "},
        {16, 8, 55, 0, UH_ERROR_INVALID_ARGUMENT, "it is "},
        {100, 1, 0xee, 0, UH_ERROR_INVALID_ARGUMENT, "it is damaged: its contents do not have its checksum"},
        {12, 4, 0, 1, UH_ERROR_INVALID_ARGUMENT, "it has 0 sections"},
        {12, 4, 129, 1, UH_ERROR_INVALID_ARGUMENT, "it has 129 sections"},
        {12, 4, UINT32_MAX, 1, UH_ERROR_INVALID_ARGUMENT, "it has 4294967295 sections"},
        {12, 4, 12, 1, UH_ERROR_INVALID_ARGUMENT, "section 11 does not fit"},
        {12, 4, 10, 1, UH_ERROR_INVALID_ARGUMENT, "after its last section"},
    };
    for (size_t i = 0; i < 2; i++)
        test_saved_assert_refused(&foreign[i], UH_ERROR_INVALID_ARGUMENT, "it is no saved histogram");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct saved bad = sample(LINE);
        memcpy(bad.bytes + heads[i].at, &heads[i].value, heads[i].size);
        if (heads[i].repaired)
            test_saved_repair(&bad);
        test_saved_assert_refused(&bad, heads[i].status, heads[i].text);
    }
}

/* Bytes at `offset` of a section (0: its name, 24: type, 32: dimensions, 40: bytes, 48: first dimension, 56: data of a
 * section with one dimension), which are changed and given a right checksum. */
static const struct {
    int sample;
    const char *section;
    size_t offset;
    uint64_t value;
    size_t size;
    const char *text;
} hostile[] = {
    {LINE, "kind", 56, 'H', 1, "section 'kind' says 'Histogram', expected histogram"},
    {LINE, "kind", 0, 'K', 1, "section 'kind' is missing"},
    {LINE, "kind", 0, 0, 1, "section 0 has no proper name"},
    {LINE, "kind", 1, 7, 1, "section 0 has no proper name"},
    {LINE, "kind", 5, 'x', 1, "section 0 has no proper name"},
    {LINE, "kind", 25, 'U', 1, "section 'kind' has an unknown type"},
    {LINE, "kind", 32, 17, 8, "section 'kind' has 17 dimensions"},
    {LINE, "kind", 32, UINT64_MAX, 8, "dimensions"},
    {LINE, "kind", 40, 8, 8, "section 'kind' has 8 bytes, which is not what its dimensions say"},
    {LINE, "kind", 48, UINT64_MAX, 8, "which is not what its dimensions say"},
    {LINE, "kind", 65, 1, 1, "section 'kind' is not followed by zeros"},
    {LINE, "kind", 71, 1, 1, "section 'kind' is not followed by zeros"},
    {LINE, "axis0.edges", 24, '>', 1, "section 'axis0.edges' has an unknown type"},
    {LINE, "axis0.edges", 26, '4', 1, "which is not what its dimensions say"},
    {LINE, "axis0.edges", 24, 0x3266, 2, "unknown type"},
    {LINE, "axis0.edges", 48, UINT64_C(1) << 61, 8, "which is not what its dimensions say"},
    /* Eight bytes each, modulo 2^64 as many as the four that are there. */
    {LINE, "axis0.edges", 48, (UINT64_C(1) << 61) + 4, 8, "which is not what its dimensions say"},
    {LINE, "axis0.edges", 56, UINT64_C(0x7ff8000000000000), 8, "axis0.edges[0] is NaN, expected a number"},
    {LINE, "axis0.edges", 64, UINT64_C(0xbff0000000000000), 8, "axis0.edges[1] is -1, expected at least"},
    {LINE, "axis0.edges", 32, 0, 8, "which is not what its dimensions say"},
    {LINE, "axis0.closed", 56, 'L', 1,
     "section 'axis0.closed' says 'Left', expected left, right, half-open left, half-open right or "},
    {LINE, "axis0.flowbins", 56, 'N', 1, "section 'axis0.flowbins' says 'None', expected none, below, above or both"},
    {LINE, "axis0.flowbins", 56, 0x68746f62, 4, "section 'axis0.flowbins' is 'both', expected infinite edges"},
    {LINE, "axis0.flow", 25, 'i', 1, "section 'axis0.flow' is of type '<i8', expected '<u8'"},
    {LINE, "axis0.flow", 4, '1', 1, "section 'axis0.flow' is missing"},
    {LINE, "counts", 0, 'k', 1, "section 'counts' is missing"},
    {LINE, "counts", 25, 'f', 1, "section 'counts' is of type '<f8', expected '<u8'"},
    {LINE, "meta.writer", 0, 'n', 1, "section 'neta.writer' is unknown"},
    {UH_STORAGE_COUNT, "shape", 48, 1, 8, "which is not what its dimensions say"},
    {UH_STORAGE_COUNT, "shape", 56, 2, 8, "section 'shape' and the edges of axis 0 differ"},
    {UH_STORAGE_COUNT, "shape", 64, 2, 8, "section 'shape' and the edges of axis 1 differ"},
    {UH_STORAGE_COUNT, "storage", 56, 'C', 1, "expected count, sum, weighted, mean, u8 or u16"},
    {UH_STORAGE_COUNT, "sum", 56, 'E', 1, "expected exact or fast"},
    {UH_STORAGE_COUNT, "points", 56, UINT64_MAX, 8, "section 'points' says more than 2^64 - 1 points"},
    {UH_STORAGE_COUNT, "points", 56, 7, 8, "its counts do not add up to the number of points in section 'points'"},
    {UH_STORAGE_COUNT, "axis0.flow", 56, 14, 8, "section 'axis0.flow' has more points than section 'points'"},
    {UH_STORAGE_COUNT, "axis1.flow", 56, UINT64_MAX, 8, "section 'axis1.flow' has more points than section 'points'"},
    {UH_STORAGE_COUNT, "axis1.edges", 56, UINT64_C(0x7ff8000000000000), 8, "axis1.edges[0] is NaN"},
    {UH_STORAGE_COUNT, "axis1.edges", 4, '2', 1, "section 'axis1.edges' is missing"},
    {UH_STORAGE_COUNT, "counts", 56, UINT64_MAX, 8, "its counts do not add up"},
    {UH_STORAGE_MEAN, "counts", 56, 4, 8, "its counts do not add up"},
    {UH_STORAGE_MEAN, "counts", 24, 'x', 1, "unknown type"},
    {UH_STORAGE_U8, "counts", 25, 'i', 1, "section 'counts' is of type '|i1', expected '|u1'"},
    {UH_STORAGE_SUM, "sums.exponent", 56, 1, 1, "expected a multiple of 32 from -1088"},
    {UH_STORAGE_SUM, "sums.exponent", 56, UINT64_MAX - 32 * 35 + 1, 8, "expected a multiple of 32 from -1088"},
    {UH_STORAGE_SUM, "sums.exponent", 56, UINT64_C(1) << 40, 8, "expected a multiple of 32"},
    {UH_STORAGE_SUM, "sums.exponent", 56, 4128, 8, "expected a multiple of 32"},
    {UH_STORAGE_SUM, "sums.exponent", 56, 1088, 8,
     "digits from 2^1088 on, expected a multiple of 32 from -1088 to below 1120"},
    {UH_STORAGE_SUM, "flags", 56, 8, 1, "the flags of cell 0 are 8, expected at most 7"},
    {UH_STORAGE_SUM, "flags", 0, 'g', 1, "section 'flags' is missing"},
    {UH_STORAGE_WEIGHTED, "squares.exponent", 56, 4096, 8, "squares.digits: "},
    {UH_STORAGE_WEIGHTED, "squares.digits", 25, 'f', 1, "section 'squares.digits' is of type '<f4', expected '<u4'"},
    {OF_A_NORMAL, "meta.axis0.distribution", 56, 'N', 1,
     "section 'meta.axis0.distribution' says 'Normal', expected exponential"},
    {OF_A_NORMAL, "meta.axis0.parameters", 64, 0, 8,
     "meta.axis0.distribution: distribution->scale is 0, expected a finite"},
    {OF_A_NORMAL, "meta.axis0.parameters", 11, 'q', 1, "section 'meta.axis0.parameters' is missing"},
    {OF_A_NORMAL, "meta.axis0.parameters", 25, 'i', 1,
     "section 'meta.axis0.parameters' is of type '<i8', expected '<f8'"},
    {OF_A_TABLE, "meta.axis0.table", 11, 'y', 1, "section 'meta.axis0.table' is missing"},
    {OF_A_TABLE, "meta.axis0.table", 64, UINT64_C(0x7ff8000000000000), 8,
     "distribution->x[0] is nan, expected a finite"},
    {OF_A_TABLE, "meta.axis0.table", 160, UINT64_C(0xbff0000000000000), 8, "distribution->f runs from -1 to"},
};

UNIT_TEST(hostile_fields_with_a_right_checksum_are_refused) {
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct saved bad = sample(hostile[i].sample);
        memcpy(bad.bytes + test_saved_section(&bad, hostile[i].section) + hostile[i].offset, &hostile[i].value,
               hostile[i].size);
        test_saved_repair(&bad);
        test_saved_assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, hostile[i].text);
    }
}

UNIT_TEST(sections_of_other_sizes_and_twice_are_refused) {
    static const struct {
        int sample;
        const char *section;
        size_t at; /* where in the section's head these bytes are written */
        char bytes[16];
        size_t size;
        ptrdiff_t grows; /* the section's data */
        const char *text;
    } wrong[] = {
        {LINE, "counts", 40, "\x18\0\0\0\0\0\0\0\3", 16, -8, "dimension 0 of section 'counts' is 3, expected 4"},
        {LINE, "counts", 40, "\x28\0\0\0\0\0\0\0\5", 16, 8, "dimension 0 of section 'counts' is 5, expected 4"},
        {LINE, "meta.writer", 0, "kind", 12, 0, "section 'kind' is there twice"},
        {LINE, "axis0.edges", 40, "\x8\0\0\0\0\0\0\0\1", 16, -24,
         "axis0.edges has 1 numbers, expected 2 to 1073741825"},
        {OF_A_TABLE, "meta.axis0.table", 48, "\1\0\0\0\0\0\0\0\x18", 16, 0,
         "dimension 0 of section 'meta.axis0.table' is 1, expected 2"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct saved bad = sample(wrong[i].sample);
        const size_t at = test_saved_section(&bad, wrong[i].section);
        memcpy(bad.bytes + at + wrong[i].at, wrong[i].bytes, wrong[i].size);
        test_saved_resize(&bad, at + 56, wrong[i].grows);
        test_saved_repair(&bad);
        test_saved_assert_refused(&bad, UH_ERROR_INVALID_ARGUMENT, wrong[i].text);
    }
}

/* The sections follow 24 bytes: a head of 48, a number for each dimension, data up to whole 8. One
 * whose first dimension is longer than it should be, with data for that, is refused; free texts alone may be longer. */
UNIT_TEST(no_section_is_longer_than_expected) {
    for (int number = 0; number <= OF_A_TABLE; number++) {
        const struct saved saved = sample(number);
        size_t sections = 0;
        uint64_t dims, bytes, first;
        for (size_t at = 24; at + 48 < saved.size - 32; at += 48 + 8 * dims + (bytes + 7) / 8 * 8, sections++) {
            uh_histogram *loaded = NULL;
            struct saved bad = test_saved_copy(&saved);
            memcpy(&dims, saved.bytes + at + 32, 8);
            memcpy(&bytes, saved.bytes + at + 40, 8);
            memcpy(&first, saved.bytes + at + 48, 8);
            if (dims == 0 || bytes == 0 || strcmp((const char *)saved.bytes + at, "meta.writer") == 0)
                continue;
            const uint64_t each = bytes / first, more = each < 8 ? 8 / each : 1,
                           longer[] = {bytes + more * each, first + more};
            memcpy(bad.bytes + at + 40, longer, sizeof longer);
            test_saved_resize(&bad, at + 48 + 8 * dims + bytes,
                              (ptrdiff_t)((longer[0] + 7) / 8 * 8 - (bytes + 7) / 8 * 8));
            test_saved_repair(&bad);
            if (uh_histogram_load_bytes(tested.queue, bad.bytes, bad.size, &loaded) != UH_ERROR_INVALID_ARGUMENT)
                fail_msg("sample %d: section '%s' may be longer", number, (const char *)saved.bytes + at);
        }
        assert_true(sections > 5);
    }
}

UNIT_TEST(a_section_of_another_writers_may_be_skipped_if_its_name_says_so) {
    static const uint64_t numbers[] = {2, 24, 0, 5};
    uh_histogram *histogram = test_saved_sample(LINE);
    struct saved saved = test_saved(histogram);
    const size_t at = test_saved_section(&saved, "axis0.edges");
    test_saved_resize(&saved, at, 48 + 16);
    memcpy(saved.bytes + at, "meta.of-others", 14);
    memcpy(saved.bytes + at + 24, "<f4", 3);
    memcpy(saved.bytes + at + 32, numbers, sizeof numbers); /* 0 by 5 elements are no 24 bytes */
    saved.bytes[12]++;
    test_saved_repair(&saved);
    test_saved_assert_refused(&saved, UH_ERROR_INVALID_ARGUMENT, "which is not what its dimensions say");
    saved.bytes[at + 40] = 0;
    test_saved_repair(&saved);
    test_saved_assert_same(histogram, test_saved_load(&saved));
}

/* With the checksum repaired a change may be a valid one; what is accepted is sound, can be merged and comes back. */
UNIT_TEST(any_byte_may_be_anything_without_harm) {
    static const unsigned char values[] = {0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, '.', '<', '9'};
    enum { VALUES = sizeof values };
    for (int number = 0; number <= OF_A_TABLE; number++) {
        const struct saved saved = sample(number);
        const size_t before = test_left();
        size_t taken = 0;
        for (size_t i = 0; i < saved.size - 32; i++)
            for (size_t v = number == LINE ? 0 : VALUES - 3; v < VALUES; v++) {
                uh_histogram *loaded = NULL;
                struct saved bad = test_saved_copy(&saved);
                bad.bytes[i] = values[number == LINE ? v : (i * 3 + v) % VALUES];
                if (i < 16 || i >= 24)
                    test_saved_repair(&bad);
                if (uh_histogram_load_bytes(tested.queue, bad.bytes, bad.size, &loaded) == UH_SUCCESS) {
                    const uh_status merged = uh_histogram_merge(loaded, loaded);
                    assert_true(merged == UH_SUCCESS || merged == UH_ERROR_OVERFLOW);
                    test_saved_assert_back(loaded);
                    taken++;
                }
                uh_histogram_destroy(loaded);
                test_end_from(before);
            }
        assert_true(taken > 20); /* of edges and weights many are good */
    }
}

UNIT_TEST(a_flow_bin_above_ends_at_infinity) {
    const double five = 5;
    uh_axis *axis = test_axis_with_flow(test_equal_axis(2, 0, 2), UH_FLOW_BINS_ABOVE);
    struct saved saved = test_saved(test_line(tested.queue, axis));
    memcpy(saved.bytes + test_saved_data(&saved, "axis0.edges") + 3 * sizeof five, &five, sizeof five);
    test_saved_repair(&saved);
    test_saved_assert_refused(&saved, UH_ERROR_INVALID_ARGUMENT,
                              "'axis0.flowbins' is 'above', expected infinite edges");
}

UNIT_TEST(wrong_arguments_are_named) {
    unsigned char byte = 0xa5;
    size_t length = 77;
    uh_histogram *histogram = test_saved_sample(LINE), *loaded = NULL;
    test_null_is_refused(uh_histogram_save_bytes(NAMED(histogram, histogram), NULL, 0, NAMED(length, &length)));
    test_invalid(uh_histogram_save_bytes(histogram, &byte, 1, &length), "size is 1, expected at least ");
    assert_int_equal(byte, 0xa5);
    assert_int_equal(length, 77);
    test_null_is_refused(
        uh_histogram_load_bytes(NAMED(queue, tested.queue), NAMED(bytes, &byte), 1, NAMED(histogram, &loaded)));
    test_null_is_refused(uh_histogram_save(NAMED(histogram, histogram), NAMED(path, "x")));
    test_null_is_refused(uh_histogram_load(NAMED(queue, tested.queue), NAMED(path, "x"), NAMED(histogram, &loaded)));
    test_assert_failed(uh_histogram_save(histogram, "/none/x"), UH_ERROR_IO, "uh_histogram_save: cannot write");
    test_assert_failed(uh_histogram_load(tested.queue, "/none/x", &loaded), UH_ERROR_IO,
                       "uh_histogram_load: cannot read");
    assert_null(loaded);
}

TESTED_MAIN(test_save_refused)
