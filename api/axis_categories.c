/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of categories. */
#include <inttypes.h>
#include <stdlib.h>

#include "api/axis.h"
#include "runtime/status.h"

/* Key of a value, an integer in the order of its type's values, and the bin. */
struct category {
    uint64_t key;
    uint32_t bin;
};

/* Returns value j as a key in the order of the values; both zeros are equal. */
static uint64_t key_of(uh_dtype wide, const void *values, size_t j) {
    switch (wide) {
    case UH_F64: return uhi_key_of_f64(((const double *)values)[j]);
    case UH_I64: return uhi_key_of_signed(((const int64_t *)values)[j]);
    default: return ((const uint64_t *)values)[j];
    }
}

static int in_order(const void *left, const void *right) {
    const struct category *a = left, *b = right;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->bin > b->bin) - (a->bin < b->bin);
}

/* Lists the n >= 1 bins in the order of their values; the caller frees the list. */
static uh_status sort(const char *call, const char *argument, uh_dtype wide, const void *values, size_t n,
                      uint32_t **bins) {
    struct category *sorted = malloc((n + !n) * sizeof *sorted);
    uint32_t *order = malloc((n + !n) * sizeof *order);
    uh_status status = UH_SUCCESS;
    *bins = order;
    if (!sorted || !order) {
        free(sorted);
        return uhi_fail_memory(call, "no memory for %zu %s", n, argument);
    }
    for (size_t j = 0; j < n && !status; j++) {
        sorted[j] = (struct category){key_of(wide, values, j), (uint32_t)j};
        status = uhi_axis_check_number(call, argument, wide, values, j);
    }
    if (!status)
        qsort(sorted, n, sizeof *sorted, in_order);
    for (size_t i = 0; i < n && !status; i++) {
        order[i] = sorted[i].bin;
        if (i > 0 && sorted[i].key == sorted[i - 1].key)
            status = uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, order[i],
                                 "is %s, as %s[%" PRIu32 "], expected each value once",
                                 uhi_axis_text(wide, values, order[i]).text, argument, order[i - 1]);
    }
    free(sorted);
    return status;
}

uh_status uhi_axis_make_categories(const char *call, const char *argument, uh_dtype dtype, const void *values, size_t n,
                                   int other, uh_axis **axis) {
    void *copy = NULL;
    uint32_t *order = NULL;
    uh_dtype wide = dtype;
    uh_status status = uhi_axis_check(call, UH_CLOSED_LEFT, axis);
    if (!status)
        status = uhi_axis_copy(call, argument, dtype, values, n, 1, UH_MAX_BINS / 2, &wide, &copy);
    if (!status)
        status = sort(call, argument, wide, copy, n, &order);
    if (!status) {
        status = uhi_axis_of(call, wide, copy, n, UH_CLOSED_LEFT, axis); /* frees the copy on failure */
        copy = NULL;
    }
    if (status) {
        free(copy);
        free(order);
        return status;
    }
    (*axis)->edges.order = order;
    (*axis)->edges.count = 2 * n + 2;
    (*axis)->edges.above = other;
    return UH_SUCCESS;
}

uh_status uh_axis_create_categories(uh_dtype dtype, const void *values, size_t nvalues, uh_axis **axis) {
    return uhi_axis_make_categories(__func__, "values", dtype, values, nvalues, 0, axis);
}
