/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/arrays.h"

#include "tests/fixture.h"

uh_status test_fill_rows(uh_histogram *histogram, uh_dtype dtype, const void *rows, size_t n, ptrdiff_t stride,
                         const uh_array *weights) {
    uh_array arrays[UH_MAX_AXES];
    for (size_t a = 0; a < uh_histogram_naxes(histogram); a++)
        arrays[a] = (uh_array){dtype, (const char *)rows + a * uh_dtype_size(dtype), stride, n};
    return uh_histogram_fill(histogram, arrays, weights);
}

void *test_to_device(uh_queue *queue, const void *from, size_t size) {
    void *memory = NULL;
    test_good(uh_malloc_device(uh_queue_get_device(queue), size, 0, &memory));
    test_good(uh_memcpy(queue, memory, from, size, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
    return memory;
}

uh_status test_total(uh_histogram *histogram, uint64_t *total) {
    uint64_t inside, outside;
    uh_status status = uh_histogram_total(histogram, &inside, &outside);
    if (!status)
        *total = inside + outside;
    return status;
}
