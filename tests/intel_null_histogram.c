/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of every kernel of histograms over one axis. */
#include "tests/intel_null.h"

#include <stdlib.h>

/* Counts and digitizes values of a type; what comes back means nothing here. */
static void run_histogram(uh_dtype dtype, uh_method method, size_t bins, int family, const void *values) {
    const uh_histogram_options options = {.struct_size = sizeof options, .method = method};
    int64_t index[100];
    uh_axis *axis = intel_null_axis(bins, family);
    uh_histogram *histogram = NULL;
    uint64_t *counts = calloc(bins, sizeof *counts);
    assert_non_null(counts);
    uh_status status = uh_histogram_create(null_queue, axis, &options, &histogram);
    if (!status)
        status = uh_histogram_fill(histogram, dtype, values, NULL_VALUES);
    if (!status)
        status =
            uh_histogram_fill_strided(histogram, dtype, values, NULL_VALUES / 4, 3 * (ptrdiff_t)uh_dtype_size(dtype));
    if (!status)
        status = uh_histogram_digitize(histogram, dtype, values, 100, (ptrdiff_t)uh_dtype_size(dtype), index);
    if (!status)
        status = uh_histogram_counts(histogram, counts);
    if (status && (status != UH_ERROR_UNSUPPORTED || intel_null_can(dtype, method)))
        fail_msg("%s, %s, %zu bins: %s", uh_dtype_name(dtype), uh_method_name(method), bins, uh_last_error());
    assert_int_equal(uh_histogram_destroy(histogram), UH_SUCCESS);
    uh_axis_destroy(axis);
    free(counts);
}

/* Tables and counts in local memory, counts in local memory, counts in global memory: for each size of local memory
 * that Intel's devices have. */
void intel_null_histogram(void **state) {
    (void)state;
    const size_t bins[] = {50, 500, 10000, 20000, 40000};
    void *values = intel_null_values();
    for (int type = 0; type < UH_DTYPE_COUNT; type++)
        for (int method = 0; uh_method_name((uh_method)method); method++) {
            /* What the device cannot do is tried once: the driver's compiler fails at it again each time. */
            const int can = intel_null_can(null_dtypes[type], (uh_method)method);
            if (!can && null_dtypes[type] == UH_F64 && method != UH_METHOD_AUTO)
                continue;
            for (size_t i = 0; i < (can ? sizeof bins / sizeof bins[0] : 1); i++)
                for (int family = 0; family < (can ? NULL_FAMILIES : 1); family++)
                    run_histogram(null_dtypes[type], (uh_method)method, bins[i], family, values);
        }
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
    assert_int_equal(uh_free(values), UH_SUCCESS);
}
