/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of every kernel of histograms over several axes. */
#include "tests/intel_null.h"

#include <stdint.h>

#include <unihist/histogramdd.h>

/* Adds points with two coordinates of a type, side by side and far apart; what comes back means nothing here. */
static void run_histogram(uh_dtype dtype, uh_method method, int family, const void *values) {
    const size_t bins = 300, few = 7;
    const ptrdiff_t size = (ptrdiff_t)uh_dtype_size(dtype);
    uh_axis *axis = intel_null_axis(bins, family), *other = intel_null_axis(few, 0);
    const uh_axis *const both[] = {other, axis};
    const uh_method methods[] = {UH_METHOD_AUTO, method};
    const uh_histogramdd_options options = {.struct_size = sizeof options, .methods = methods};
    const uh_array dense[] = {{values, size, dtype}, {values, size, dtype}};
    const uh_array apart[] = {{values, 3 * size, dtype}, {values, 2 * size, dtype}};
    uh_histogramdd *histogram = NULL;
    uint64_t inside;
    uh_status status = uh_histogramdd_create(null_queue, both, 2, &options, &histogram);
    if (!status)
        status = uh_histogramdd_fill(histogram, dense, NULL_VALUES, NULL);
    if (!status)
        status = uh_histogramdd_fill(histogram, apart, NULL_VALUES / 4, NULL);
    if (!status)
        status = uh_histogramdd_total(histogram, &inside, NULL);
    if (status && (status != UH_ERROR_UNSUPPORTED || intel_null_can(dtype, method)))
        fail_msg("%s, %s: %s", uh_dtype_name(dtype), uh_method_name(method), uh_last_error());
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
    uh_axis_destroy(axis);
    uh_axis_destroy(other);
}

/* Each look-up is some method's on some axis. */
void intel_null_histogramdd(void **state) {
    (void)state;
    void *values = intel_null_values();
    for (int type = 0; type < UH_DTYPE_COUNT; type++)
        for (int method = 0; uh_method_name((uh_method)method); method++) {
            /* What the device cannot do is tried once: the driver's compiler fails at it again each time. */
            const int can = intel_null_can(null_dtypes[type], (uh_method)method);
            if (!can && null_dtypes[type] == UH_F64 && method != UH_METHOD_AUTO)
                continue;
            for (int family = 0; family < (can ? NULL_FAMILIES : 1); family++)
                run_histogram(null_dtypes[type], (uh_method)method, family, values);
        }
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
    assert_int_equal(uh_free(values), UH_SUCCESS);
}
