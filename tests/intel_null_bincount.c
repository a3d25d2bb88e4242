/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of every kernel that counts integers as they are. */
#include "tests/intel_null.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/engine.h"

static void assert_taken(uh_status status) {
    if (status && status != UH_ERROR_INVALID_ARGUMENT && status != UH_ERROR_OUT_OF_MEMORY)
        fail_msg("%s", uh_last_error());
}

static void launch(struct uhi_engine *engine, const char *task, const char *width, const uh_arg *args, size_t nargs) {
    char name[32];
    uh_kernel *kernel = NULL;
    snprintf(name, sizeof name, "%s_%s", task, width);
    assert_int_equal(uhi_engine_kernel(engine, name, &kernel), UH_SUCCESS);
    assert_int_equal(uhi_engine_run(engine, kernel, 4, 64, args, nargs, NULL, NULL), UH_SUCCESS);
}

/* Integers of each width counted in local and in global memory, looked at, and made cells of. */
void intel_null_bincount(void **state) {
    (void)state;
    static const uh_dtype integers[] = {UH_U8, UH_I16, UH_U32, UH_I64};
    static const char *const widths[] = {"8", "16", "32", "64"};
    const size_t bins[] = {100, 100000};
    struct uhi_engine engine;
    uint64_t *counts = calloc(bins[1], sizeof *counts), nan;
    double low, high;
    void *values = NULL, *words = NULL;
    assert_non_null(counts);
    assert_int_equal(uh_malloc_device(null_device, NULL_VALUES * sizeof(uint64_t), 0, &values), UH_SUCCESS);
    assert_int_equal(uhi_engine_open(&engine, "test", null_queue, uhi_bincount_variants()), UH_SUCCESS);
    assert_int_equal(uhi_engine_scratch(&engine, (NULL_VALUES + 1) * sizeof(uint32_t), &words), UH_SUCCESS);
    for (size_t i = 0; i < 4; i++) {
        /* Counting every value of 8 bits takes no global memory: the kernel is given fewer bins than it could have. */
        const uint32_t few = 7, slabs = 1;
        const uint64_t n = NULL_VALUES;
        /* What comes back means nothing: there may seem to be values beyond the bins. */
        for (size_t b = 0; b < 2; b++)
            assert_taken(uh_bincount_into(null_queue, integers[i], values, NULL_VALUES, counts, bins[b]));
        const uh_arg args[] = {uh_arg_pointer(values), uh_arg_value(&n, sizeof n),
                               uh_arg_pointer(words),  uh_arg_value(&few, sizeof few),
                               uh_arg_pointer(words),  uh_arg_value(&slabs, sizeof slabs)};
        const uh_arg cells[] = {args[0], args[1], args[3], args[4], uh_arg_pointer((uint32_t *)words + 1)};
        const uh_arg above[] = {args[0], args[1], uh_arg_value(&n, sizeof n), args[2]};
        launch(&engine, "count_global", widths[i], args, 6);
        launch(&engine, "cells", widths[i], cells, 5);
        launch(&engine, "first_above", widths[i], above, 4);
    }
    for (int type = 0; type < UH_DTYPE_COUNT; type++)
        assert_int_equal(uh_min_max(null_queue, null_dtypes[type], values, NULL_VALUES, &low, &high, &nan), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
    uhi_engine_close(&engine);
    assert_int_equal(uh_free(values), UH_SUCCESS);
    free(counts);
}
