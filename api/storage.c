/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the storages, and arrays. */
#include <string.h>

#include <unihist/storage.h>

#include "runtime/status.h"

static const char *const names[] = {
    [UH_STORAGE_COUNT] = "count", [UH_STORAGE_SUM] = "sum", [UH_STORAGE_WEIGHTED] = "weighted",
    [UH_STORAGE_MEAN] = "mean",   [UH_STORAGE_U8] = "u8",   [UH_STORAGE_U16] = "u16",
};
enum { STORAGES = sizeof names / sizeof *names };

const char *uh_storage_name(uh_storage storage) {
    return (unsigned)storage < STORAGES ? names[storage] : NULL;
}

uh_status uh_storage_from_name(const char *name, uh_storage *storage) {
    if (!name)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "uh_storage_from_name: name is NULL, expected a text");
    if (!storage)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "uh_storage_from_name: storage is NULL, expected where to store it");
    for (unsigned i = 0; i < STORAGES; i++) {
        if (strcmp(name, names[i]) == 0) {
            *storage = (uh_storage)i;
            return UH_SUCCESS;
        }
    }
    return uhi_fail(UH_ERROR_NOT_FOUND,
                    "uh_storage_from_name: name is '%s', expected count, sum, weighted, mean, u8 or u16", name);
}

uh_array uh_array_of(uh_dtype dtype, const void *data, size_t count) {
    return (uh_array){.dtype = dtype, .data = data, .stride = (ptrdiff_t)uh_dtype_size(dtype), .count = count};
}
