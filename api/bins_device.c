/* SPDX-License-Identifier: Apache-2.0 */
/* Adding arrays; those in the memory of a device are counted there, or read in pieces. */
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "runtime/memory.h"
#include "runtime/status.h"

/* Finds whether the host cannot read an array (NULL: none). */
static uh_status is_away(const uh_queue *queue, const uh_array *array, int *away) {
    uh_pointer_info info = {.kind = UH_MEMORY_UNKNOWN};
    uh_device_properties device = {.struct_size = sizeof device};
    if (array && array->count > 0 && queue)
        UHI_TRY(uh_pointer_type(array->data, &info));
    if (info.kind == UH_MEMORY_DEVICE)
        UHI_TRY(uh_device_get_properties(info.device, &device));
    *away |= info.kind == UH_MEMORY_DEVICE && strcmp(device.backend, "host") != 0;
    return UH_SUCCESS;
}

/* Copies part of an array, which stays where it is if it is NULL. */
static uh_status fetch(const char *call, uh_queue *queue, uh_array *part, void **copy) {
    const char *first;
    size_t bytes;
    if (!part->data)
        return UH_SUCCESS;
    uhi_values_extent(uhi_array_values(part), uh_dtype_size(part->dtype), &first, &bytes);
    free(*copy);
    *copy = bytes < SIZE_MAX ? malloc(bytes) : NULL;
    if (!*copy)
        return uhi_fail_memory(call, "no memory to copy %zu values", part->count);
    uh_status status = uh_memcpy(queue, *copy, first, bytes, NULL);
    if (!status)
        status = uh_queue_wait(queue);
    part->data = (const char *)*copy + ((const char *)part->data - first);
    return uhi_fail_of(call, status);
}

/* Adds an array in a device's memory; *away becomes 0 if it is not there. */
static uh_status add_away(const char *call, uh_bins *bins, const uh_array *x, const uh_array *weights, int *away) {
    enum { PIECE = 1 << 20, COUNTED = 1 << 18 };
    uh_queue *queue = bins->options.queue;
    void *copy = NULL, *copy_of_weights = NULL;
    uh_status status = UH_SUCCESS;
    *away = 0;
    UHI_TRY(is_away(queue, x, away));
    UHI_TRY(is_away(queue, weights, away));
    /* Of integers that float64 does not hold, host and device would take different neighbours. */
    if (*away && !weights && x->count >= COUNTED && x->dtype != UH_I64 && x->dtype != UH_U64)
        return uhi_bins_count_there(call, bins, x);
    for (size_t at = 0; at < x->count && *away && !status; at += PIECE) {
        const size_t n = x->count - at < PIECE ? x->count - at : PIECE;
        uh_array part = uhi_array_part(x, at, n),
                 with = weights ? uhi_array_part(weights, at, n) : (uh_array){.count = 0};
        status = fetch(call, queue, &part, &copy);
        if (!status)
            status = fetch(call, queue, &with, &copy_of_weights);
        if (!status)
            status = uhi_bins_add_here(bins, &part, weights ? &with : NULL);
    }
    free(copy);
    free(copy_of_weights);
    return status;
}

uh_status uh_bins_add(uh_bins *bins, const uh_array *x, const uh_array *weights) {
    int away;
    UHI_NEED(__func__, bins, "bins to add to");
    UHI_TRY(uhi_check_array(__func__, "x", UH_NO_INDEX, x));
    if (weights)
        UHI_TRY(uhi_check_array(__func__, "weights", UH_NO_INDEX, weights));
    if (weights && weights->count != x->count)
        return uhi_fail_argument(__func__, "weights->count", "is %zu, expected %zu, as x has", weights->count,
                                 x->count);
    UHI_TRY(uhi_bins_check_unrefined(__func__, bins));
    UHI_TRY(add_away(__func__, bins, x, weights, &away));
    return away ? UH_SUCCESS : uhi_bins_add_here(bins, x, weights);
}
