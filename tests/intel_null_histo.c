/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of every kernel of the Parboil histogram. */
#include "tests/intel_null.h"

#include <stdlib.h>

/* The Parboil histogram with an eye in counters of 16 and of 8 bits, without one, and where only the device has the
 * indices. */
void intel_null_histo(void **state) {
    (void)state;
    const size_t heights[] = {100, 1500, 16384};
    uint32_t *indices = malloc(NULL_VALUES * sizeof *indices);
    void *there = NULL;
    assert_non_null(indices);
    assert_int_equal(uh_malloc_device(null_device, NULL_VALUES * sizeof *indices, 0, &there), UH_SUCCESS);
    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
        const size_t bins = 256 * heights[i];
        uint8_t *out = malloc(bins);
        assert_non_null(out);
        for (size_t v = 0; v < NULL_VALUES; v++)
            indices[v] = (uint32_t)(v * bins / NULL_VALUES);
        if (uh_histo_saturating_2d(null_queue, indices, NULL_VALUES, 256, heights[i], out, NULL) ||
            uh_histo_saturating_2d(null_queue, there, NULL_VALUES, 256, heights[i], out, NULL))
            fail_msg("%zu rows: %s", heights[i], uh_last_error());
        free(out);
    }
    assert_int_equal(uh_free(there), UH_SUCCESS);
    free(indices);
}
