/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of every kernel that draws or counts samples. */
#include "tests/intel_null.h"

#include <stdlib.h>

#include "kernels/sample/sample_run.h"

/* Each method with tables in local and in global memory, with counts in local memory, there without the table, and in
 * global memory; then samples of two digits. */
void intel_null_sample(void **state) {
    (void)state;
    static const uh_sample_method methods[] = {UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS, UH_SAMPLE_BINARY};
    const size_t sizes[] = {100, 14000, 100000};
    uint64_t *counts = calloc(sizes[2], sizeof *counts);
    uint32_t *weights = malloc(sizes[2] * sizeof *weights);
    void *values = NULL;
    assert_true(counts && weights);
    for (size_t i = 0; i < sizes[2]; i++)
        weights[i] = (uint32_t)(i % 7);
    assert_int_equal(uh_malloc_device(null_device, NULL_VALUES * sizeof(uint64_t), 0, &values), UH_SUCCESS);
    for (size_t m = 0; m < 3; m++)
        for (size_t s = 0; s < 3; s++) {
            const uh_sampler_options options = {.struct_size = sizeof options, .method = methods[m]};
            uh_sampler *sampler = NULL, *other = NULL;
            if (uh_sampler_create(null_queue, UH_U32, weights, sizes[s], &options, &sampler) ||
                uh_sampler_create(null_queue, UH_U32, weights, sizes[s], &options, &other) ||
                uh_sampler_draw(sampler, NULL_VALUES, 1, 3, UH_U32, values) ||
                uh_sampler_draw(sampler, NULL_VALUES, 1, 3, UH_U64, values) ||
                uh_sampler_count(sampler, NULL_VALUES, 1, 3, counts, sizes[s]))
                fail_msg("%s", uh_last_error());
            struct uhi_sampler_form form = {.parts = 2, .last = (int64_t)sizes[2] - 1, .shift = {0, 16}};
            uh_sampler *both = NULL;
            form.part[0] = sampler->form.part[0];
            form.part[1] = other->form.part[0];
            sampler->form.parts = other->form.parts = 0; /* `both` has them */
            assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
            assert_int_equal(uh_sampler_destroy(other), UH_SUCCESS);
            if (uhi_sampler_make(null_queue, "test", &form, &both) ||
                uh_sampler_draw(both, NULL_VALUES, 1, 3, UH_U64, values) ||
                uh_sampler_count(both, 100, 1, 3, counts, sizes[2]))
                fail_msg("%s", uh_last_error());
            assert_int_equal(uh_sampler_destroy(both), UH_SUCCESS);
        }
    for (size_t s = 0; s < 3; s++) {
        uh_sampler *sampler = NULL;
        if (uh_sampler_create_uniform(null_queue, 0, (int64_t)sizes[s] - 1, NULL, &sampler) ||
            uh_sampler_count(sampler, NULL_VALUES, 1, 3, counts, sizes[s]))
            fail_msg("%s", uh_last_error());
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    }
    assert_int_equal(uh_free(values), UH_SUCCESS);
    free(counts);
    free(weights);
}
