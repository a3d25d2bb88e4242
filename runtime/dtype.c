/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and names of the element types. */
#include <stdio.h>
#include <string.h>

#include "runtime/dtype.h"

static const struct {
    const char *name;
    size_t size;
} dtypes[UH_DTYPE_COUNT] = {
#define UHI_DTYPE_ROW(dtype, value, text, bytes) [dtype] = {text, bytes},
    UH_DTYPE_LIST(UHI_DTYPE_ROW)
#undef UHI_DTYPE_ROW
};

size_t uh_dtype_size(uh_dtype dtype) { return (unsigned)dtype < UH_DTYPE_COUNT ? dtypes[dtype].size : 0; }

const char *uhi_dtype_name(unsigned dtype) { return dtype < UH_DTYPE_COUNT ? dtypes[dtype].name : NULL; }

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

unsigned uhi_dtype_find(const char *name) {
    unsigned found = 0;
    while (found < UH_DTYPE_COUNT && strcmp(name, dtypes[found].name) != 0)
        found++;
    /* Bits before bytes: "i8" and "u8" are the 8-bit types, as in base.h. */
    if (found == UH_DTYPE_COUNT)
        found = find_short_name(name, 1);
    return found < UH_DTYPE_COUNT ? found : find_short_name(name, 8);
}
