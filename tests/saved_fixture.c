/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/saved_fixture.h"

#include "runtime/sha256.h"
#include "tests/files.h"
#include "tests/tested.h"

enum { HEAD = 24, SECTION_HEAD = 48, DIGEST = 32, GUARD = 16 };

struct saved test_saved(uh_histogram *histogram) {
    size_t size = 0, length = 0;
    test_good(uh_histogram_save_bytes(histogram, NULL, 0, &size));
    unsigned char *bytes = memset(test_memory(size + GUARD), 0xa5, size + GUARD);
    test_good(uh_histogram_save_bytes(histogram, bytes, size, &length));
    assert_int_equal(length, size);
    for (size_t i = size; i < size + GUARD; i++)
        assert_int_equal(bytes[i], 0xa5);
    return (struct saved){bytes, size};
}

uh_histogram *test_saved_sample(int number) {
    static const double x[] = {0.5, 3, -1, 11, NAN, 0.5}, y[] = {0.5, 0.5, 2.5, 1, 1, NAN},
                        w[] = {1, 1e-30, 3, 4, 5, -1};
    static const double edges[2][4] = {{0, 1, 2.5, 10}, {0, 1, 2, 3}};
    const int line = number == TEST_SAVED_LINE, weighted = number >= UH_STORAGE_SUM && number <= UH_STORAGE_MEAN;
    const uh_array arrays[] = {uh_array_of(UH_F64, x, line ? 5 : 6), uh_array_of(UH_F64, y, 6)};
    if (number >= TEST_SAVED_CARRYING)
        return test_saved_carrying((uh_distribution_kind)(number - TEST_SAVED_CARRYING), NULL);
    uh_axis *const axes[] = {test_axis_of(UH_F64, edges[0], 4, UH_CLOSED_LEFT),
                             test_axis_of(UH_F64, edges[1], 4, UH_CLOSED_LEFT)};
    uh_histogram *histogram = test_histogram_over(tested.queue, axes, line ? 1 : 2,
                                                  OPTIONS(.storage = line ? UH_STORAGE_COUNT : (uh_storage)number));
    test_good(uh_histogram_fill(histogram, arrays, weighted ? ARRAY(UH_F64, w, 6) : NULL));
    return histogram;
}

uh_histogram *test_saved_carrying(uh_distribution_kind kind, const uh_distribution **distribution) {
    enum { TABLE = 12, SIZE = sizeof(uh_distribution) };
    static const double x[TABLE] = {-3, -2, -2, 0, 1, 2, 3, 4, 5, 6, 7, 0x1.5p300};
    static const double f[TABLE] = {0, 0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
    static const uh_distribution distributions[] = {
        [UH_DISTRIBUTION_EXPONENTIAL] = {SIZE, UH_DISTRIBUTION_EXPONENTIAL, -1, 0.1, NULL, NULL, 0},
        [UH_DISTRIBUTION_NORMAL] = {SIZE, UH_DISTRIBUTION_NORMAL, 0x1p-1074, 1e300, NULL, NULL, 0},
        [UH_DISTRIBUTION_LOGNORMAL] = {SIZE, UH_DISTRIBUTION_LOGNORMAL, 0, 2, NULL, NULL, 0},
        [UH_DISTRIBUTION_TABLE] = {SIZE, UH_DISTRIBUTION_TABLE, 0, 0, x, f, TABLE},
        [UH_DISTRIBUTION_UNIFORM] = {SIZE, UH_DISTRIBUTION_UNIFORM, -3, 11, NULL, NULL, 0},
        [UH_DISTRIBUTION_WEIBULL] = {SIZE, UH_DISTRIBUTION_WEIBULL, 0.5, 2, NULL, NULL, 0}};
    if (distribution)
        *distribution = &distributions[kind];
    return test_line(tested.queue, test_axis_with(test_equal_axis(11, -3, 8), &distributions[kind]));
}

uh_histogram *test_saved_load(const struct saved *saved) {
    uh_histogram *histogram = NULL;
    test_good(uh_histogram_load_bytes(tested.queue, saved->bytes, saved->size, &histogram));
    return test_at_end_first(histogram, test_end_histogram);
}

void test_saved_assert_holds(uh_histogram *histogram, const struct saved *expected) {
    const struct saved got = test_saved(histogram);
    assert_int_equal(got.size, expected->size);
    assert_memory_equal(got.bytes, expected->bytes, got.size);
}

void test_saved_assert_same(uh_histogram *a, uh_histogram *b) {
    const struct saved of_b = test_saved(b);
    test_saved_assert_holds(a, &of_b);
}

uh_histogram *test_saved_assert_back(uh_histogram *histogram) {
    const struct saved saved = test_saved(histogram);
    uh_histogram *loaded = test_saved_load(&saved);
    test_saved_assert_holds(loaded, &saved);
    return loaded;
}

void test_saved_assert_refused(const struct saved *saved, uh_status status, const char *text) {
    char path[64], name[128];
    uh_histogram *histogram = (uh_histogram *)path;
    snprintf(path, sizeof path, "/tmp/unihist-test-refused-%d.uh", (int)getpid());
    snprintf(name, sizeof name, "uh_histogram_load: '%s': ", path);
    files_write(path, saved->bytes, saved->size);
    const uh_status got = uh_histogram_load(tested.queue, path, &histogram);
    unlink(path);
    test_assert_failed(got, status, name, text);
    test_assert_failed(uh_histogram_load_bytes(tested.queue, saved->bytes, saved->size, &histogram), status,
                       "uh_histogram_load_bytes: bytes: ", text);
    assert_ptr_equal(histogram, path);
}

struct saved test_saved_copy(const struct saved *saved) {
    return (struct saved){memcpy(test_memory(saved->size), saved->bytes, saved->size), saved->size};
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
    const size_t grown = saved->size + (size_t)size, added = size > 0 ? (size_t)size : 0, rest = grown - at - added;
    unsigned char *bytes = test_memory(grown);
    memcpy(bytes, saved->bytes, at);
    memcpy(bytes + grown - rest, saved->bytes + saved->size - rest, rest);
    *saved = (struct saved){bytes, grown};
}
