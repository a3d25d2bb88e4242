/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and names of the element types. */
#include <stdio.h>
#include <string.h>

#include "runtime/status.h"

static const struct {
    const char *name;
    size_t size;
} dtypes[UH_DTYPE_COUNT] = {
#define UHI_DTYPE_ROW(dtype, value, text, bytes) [dtype] = {text, bytes},
    UH_DTYPE_LIST(UHI_DTYPE_ROW)
#undef UHI_DTYPE_ROW
};

static int is_dtype(uh_dtype dtype) {
    return (unsigned)dtype < UH_DTYPE_COUNT;
}

size_t uh_dtype_size(uh_dtype dtype) {
    return is_dtype(dtype) ? dtypes[dtype].size : 0;
}

const char *uh_dtype_name(uh_dtype dtype) {
    return is_dtype(dtype) ? dtypes[dtype].name : NULL;
}

/* Returns the dtype whose kind letter and width, in bits or bytes, form the name; UH_DTYPE_COUNT if none. */
static unsigned find_short_name(const char *name, size_t unit_bits) {
    for (unsigned i = 0; i < UH_DTYPE_COUNT; i++) {
        char text[8];
        snprintf(text, sizeof text, "%c%u", dtypes[i].name[0], (unsigned)(dtypes[i].size * 8 / unit_bits));
        if (strcmp(name, text) == 0)
            return i;
    }
    return UH_DTYPE_COUNT;
}

uh_status uh_dtype_from_name(const char *name, uh_dtype *dtype) {
    if (!name)
        return uhi_fail_null(__func__, "name", "the name of an element type");
    if (!dtype)
        return uhi_fail_null(__func__, "dtype", "where to store the type");
    unsigned found = 0;
    while (found < UH_DTYPE_COUNT && strcmp(name, dtypes[found].name) != 0)
        found++;
    /* Bits before bytes: "i8" and "u8" are the 8-bit types, as in base.h. */
    if (found == UH_DTYPE_COUNT)
        found = find_short_name(name, 1);
    if (found == UH_DTYPE_COUNT)
        found = find_short_name(name, 8);
    if (found == UH_DTYPE_COUNT)
        return uhi_fail(
            UH_ERROR_NOT_FOUND, __func__, "name",
            "is \"%.64s\", expected float32, float64, int8, int16, int32, int64, uint8, uint16, uint32 or uint64",
            name);
    *dtype = (uh_dtype)found;
    return UH_SUCCESS;
}
