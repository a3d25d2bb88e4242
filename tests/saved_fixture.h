/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of saved histograms share: bytes that may be changed and given a right checksum again. */
#ifndef TEST_SAVED_FIXTURE_H
#define TEST_SAVED_FIXTURE_H

#include <unihist/save.h>

struct saved {
    unsigned char *bytes;
    size_t size;
};

/* Saves to memory. The caller frees `bytes`. */
struct saved test_saved(uh_histogram *histogram);
struct saved test_saved_dd(uh_histogramdd *histogram);

/* Copies. */
struct saved test_saved_copy(const struct saved *saved);

/* Writes the length and the checksum that the bytes should have. */
void test_saved_repair(struct saved *saved);

/* Returns where the section of that name begins (its data lie 48 + 8 * dimensions behind); fails where it is not. */
size_t test_saved_section(const struct saved *saved, const char *name);

/* Returns where the data of that section begin. */
size_t test_saved_data(const struct saved *saved, const char *name);

/* Inserts `size` zeros at `at`, or removes -size bytes there, and frees the old bytes. */
void test_saved_resize(struct saved *saved, size_t at, ptrdiff_t size);

#endif
