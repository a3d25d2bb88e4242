/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support.h"

#include "tests/saved_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/sha256.h"

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
    assert_int_equal(uh_histogram_save_bytes(histogram, NULL, 0, &length), UH_SUCCESS);
    struct saved saved = make(length);
    assert_int_equal(uh_histogram_save_bytes(histogram, saved.bytes, saved.size, &length), UH_SUCCESS);
    assert_filled(&saved, length);
    return saved;
}

struct saved test_saved_dd(uh_histogramdd *histogram) {
    size_t length = 0;
    assert_int_equal(uh_histogramdd_save_bytes(histogram, NULL, 0, &length), UH_SUCCESS);
    struct saved saved = make(length);
    assert_int_equal(uh_histogramdd_save_bytes(histogram, saved.bytes, saved.size, &length), UH_SUCCESS);
    assert_filled(&saved, length);
    return saved;
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
