/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of integers, and sums by integer, in one call. */

#include "api/histogram.h"
#include "runtime/status.h"

/* Checks the arguments of a call that stores `bins` results, `name` in messages. */
static uh_status check(const char *call, const uh_queue *queue, const uh_array *x, const char *name, const void *to,
                       size_t bins) {
    UHI_TRY(uhi_check_call(call, queue, x));
    UHI_TRY(uhi_bincount_check_dtype(call, "x->dtype", x->dtype));
    if (!to)
        return uhi_fail_argument(call, name, "is NULL, expected where to store %zu", bins);
    if (bins == 0 && x->count > 0)
        return uhi_fail_argument(call, "bins", "is 0, expected at least 1 for %zu values", x->count);
    return uhi_bincount_check_length(call, "bins", bins);
}

/* Begins to count values below `bins`, or any if that is 0. */
static void open_count(struct uhi_bincount *count, uh_queue *queue, size_t bins) {
    const struct uhi_bincount_limit limit = {bins > 0, bins > 0 ? bins - 1 : 0};
    uhi_bincount_open(count, queue, limit, UH_STORAGE_COUNT, UH_SUM_EXACT);
}

static uh_status find_length(const char *call, uh_queue *queue, const uh_array *x, size_t *length) {
    struct uhi_bincount count;
    size_t found = 0;
    UHI_TRY(check(call, queue, x, "length", length, 1));
    open_count(&count, queue, 0);
    uh_status status = x->count > 0 ? uhi_bincount_find_length(&count, call, "x->data", x, &found) : UH_SUCCESS;
    uhi_bincount_close(&count);
    if (!status)
        *length = found;
    return status;
}

uh_status uh_bincount(uh_queue *queue, const uh_array *x, uint64_t *counts, size_t bins, size_t *length) {
    struct uhi_bincount count;
    if (!counts && bins == 0)
        return find_length(__func__, queue, x, length);
    UHI_TRY(check(__func__, queue, x, "counts", counts, bins));
    open_count(&count, queue, bins);
    uh_status status = x->count > 0 ? uhi_bincount_add(&count, __func__, "x->data", x, NULL) : UH_SUCCESS;
    if (!status) {
        const size_t counted = count.length;
        if (counted > 0)
            memcpy(counts, count.counts, counted * sizeof *counts);
        memset(counts + counted, 0, (bins - counted) * sizeof *counts);
        if (length)
            *length = counted;
    }
    uhi_bincount_close(&count);
    return status;
}

/* ---- sums ---- */

enum { BLOCK = 4096 };

static uh_status check_scatter(uh_queue *queue, const uh_array *index, const uh_array *values, const uh_array *to) {
    static const char call[] = "uh_scatter_add";
    const size_t n = to->count, size = uh_dtype_size(to->dtype);
    UHI_NEED(call, queue, "a queue");
    UHI_TRY(uhi_check_array(call, "index", UH_NO_INDEX, index));
    UHI_TRY(uhi_bincount_check_dtype(call, "index->dtype", index->dtype));
    if (!values)
        return uhi_fail_null(call, "values", "one per index");
    UHI_TRY(uhi_check_weights(call, "values", values, index->count));
    if (to->dtype != UH_F32 && to->dtype != UH_F64 && to->dtype != UH_I64 && to->dtype != UH_U64)
        return uhi_fail_argument(call, "dtype", "is %s, expected float32, float64, int64 or uint64",
                                 uh_enum_name(UH_ENUM_DTYPE, to->dtype));
    if (index->count == 0)
        return UH_SUCCESS;
    if (n == 0 || !to->data)
        return uhi_fail_argument(call, n == 0 ? "n" : "out", "is %s, expected where to add %zu values",
                                 n == 0 ? "0" : "NULL", index->count);
    UHI_TRY(uhi_bincount_check_length(call, "n", n));
    UHI_TRY(uhi_check_disjoint(call, "out", to->data, n, size, "index->data", index));
    UHI_TRY(uhi_check_disjoint(call, "out", to->data, n, size, "values->data", values));
    return uhi_check_host_memory(queue, call, "out", to->data, n * size);
}

/* Adds the elements to which values have been added, so that each sum is rounded once. */
static uh_status add_elements(uh_histogram *sums, const struct uhi_filled *added, const uh_array *to) {
    uint64_t number[BLOCK];
    for (size_t from = 0, n; from < to->count; from += n) {
        n = to->count - from < BLOCK ? to->count - from : BLOCK;
        for (size_t i = 0; i < n; i++)
            number[i] = from + i;
        const uh_array numbers = uh_array_of(UH_U64, number, n),
                       elements = uh_array_of(to->dtype, (const char *)to->data + from * uh_dtype_size(to->dtype), n);
        UHI_TRY(uhi_histogram_fill("uh_scatter_add", sums, &(struct uhi_filled){&numbers, &elements, added->names}));
    }
    return UH_SUCCESS;
}

uh_status uh_scatter_add(uh_queue *queue, const uh_array *index, const uh_array *values, uh_dtype dtype, void *out,
                         size_t n) {
    const char *names[UH_MAX_AXES + 1] = {"index->data", [UH_MAX_AXES] = "values->data"};
    const uh_histogram_options options = {
        .struct_size = sizeof options, .storage = UH_STORAGE_SUM, .minlength = n, .maxlength = n};
    const struct uhi_filled added = {index, values, names};
    uh_axis *axis = NULL;
    uh_histogram *sums = NULL;
    UHI_TRY(uhi_check_enum(__func__, "dtype", UH_NO_INDEX, UH_ENUM_DTYPE, dtype));
    const uh_array to = uh_array_of(dtype, out, n);
    UHI_TRY(check_scatter(queue, index, values, &to));
    if (index->count == 0)
        return UH_SUCCESS;
    void *found = malloc(n * uh_dtype_size(dtype));
    uh_status status = found ? uh_axis_create_growing(&axis) : uhi_fail_memory(__func__, "no memory for %zu sums", n);
    if (!status)
        status = uhi_histogram_make(__func__, queue, (const uh_axis *const *)&axis, 1, &options, &sums);
    if (!status)
        status = uhi_histogram_fill(__func__, sums, &added);
    if (!status)
        status = add_elements(sums, &added, &to);
    if (!status)
        status = uhi_fail_of(__func__, uh_histogram_sums(sums, dtype, found, NULL));
    if (!status)
        memcpy(out, found, n * uh_dtype_size(dtype));
    free(found);
    uh_histogram_destroy(sums);
    uh_axis_destroy(axis);
    return status;
}
