/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of every kernel that makes random numbers. */
#include "tests/intel_null.h"

#include <stdlib.h>

#include "kernels/random/random_run.h"

/* Each kind by both generators, in the device's memory and through buffers. */
void intel_null_random(void **state) {
    (void)state;
    void *there = NULL, *here = malloc(NULL_VALUES * sizeof(uint64_t));
    assert_non_null(here);
    assert_int_equal(uh_malloc_device(null_device, NULL_VALUES * sizeof(uint64_t), 0, &there), UH_SUCCESS);
    for (int kind = UHI_RANDOM_U32; kind <= UHI_RANDOM_BOUNDED_64; kind++)
        for (int g = 0; g < 2; g++)
            for (int i = 0; i < 2; i++)
                if (uhi_random_fill(null_queue, "test", (uh_generator)g, (enum uhi_random_kind)kind, 1, 2, 3, 1000, 0,
                                    i ? here : there, NULL_VALUES))
                    fail_msg("%s", uh_last_error());
    assert_int_equal(uh_free(there), UH_SUCCESS);
    free(here);
}
