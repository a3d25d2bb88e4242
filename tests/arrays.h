/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays as calls take them, in a word: they live as long as the block does. And calls that tests make often. */
#ifndef TEST_ARRAYS_H
#define TEST_ARRAYS_H

#include <unihist/histogram.h>

#define STRIDED(type, values, n, bytes)                                                                                \
    (&(const uh_array){.dtype = (type), .data = (values), .stride = (bytes), .count = (n)})
#define ARRAY(type, values, n) STRIDED(type, values, n, (ptrdiff_t)uh_dtype_size(type))

/* Fills points whose coordinates lie next to each other, all of one type, `stride` bytes from one point to the next. */
uh_status test_fill_rows(uh_histogram *histogram, uh_dtype dtype, const void *rows, size_t n, ptrdiff_t stride,
                         const uh_array *weights);

/* Makes device memory of a queue's device with these bytes. The caller frees it. */
void *test_to_device(uh_queue *queue, const void *from, size_t size);

/* All points that were filled. */
uh_status test_total(uh_histogram *histogram, uint64_t *total);

#endif
