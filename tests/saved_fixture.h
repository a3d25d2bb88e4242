/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of tests of saved histograms: bytes that may be changed and given a right checksum again. */
#pragma once

#include <unihist/save.h>

struct saved {
    unsigned char *bytes;
    size_t size;
};

/* Histograms to save, on the tested queue (tested.h): of each uh_storage over two axes, one that counts over one axis,
 * and such with an axis that carries each kind of distribution. What this and the functions below make ends with the
 * unit test. */
enum { TEST_SAVED_LINE = UH_STORAGE_U16 + 1, TEST_SAVED_SAMPLES, TEST_SAVED_CARRYING = TEST_SAVED_SAMPLES };
uh_histogram *test_saved_sample(int number);
uh_histogram *test_saved_carrying(uh_distribution_kind kind, const uh_distribution **distribution);

/* Saves to memory; loads it. */
struct saved test_saved(uh_histogram *histogram);
uh_histogram *test_saved_load(const struct saved *saved);

/* Asserts that a histogram has these bytes. */
void test_saved_assert_holds(uh_histogram *histogram, const struct saved *expected);

/* Asserts that two histograms have the same bytes. */
void test_saved_assert_same(uh_histogram *a, uh_histogram *b);

/* Asserts that a histogram comes back from its bytes, and the bytes from it. Returns it. */
uh_histogram *test_saved_assert_back(uh_histogram *histogram);

/* Asserts that loading fails, from memory and from a file, with a text after the bytes' or the file's name, and stores
 * nothing. */
void test_saved_assert_refused(const struct saved *saved, uh_status status, const char *text);

/* Copies. */
struct saved test_saved_copy(const struct saved *saved);

/* Writes the length and the checksum that the bytes should have. */
void test_saved_repair(struct saved *saved);

/* Returns where the section of that name begins (its data lie 48 + 8 * dimensions after it); fails if it is missing. */
size_t test_saved_section(const struct saved *saved, const char *name);

/* Returns where the data of that section begin. */
size_t test_saved_data(const struct saved *saved, const char *name);

/* Inserts `size` zeros at `at`, or removes -size bytes there. */
void test_saved_resize(struct saved *saved, size_t at, ptrdiff_t size);
