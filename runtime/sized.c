/* SPDX-License-Identifier: Apache-2.0 */

#include <string.h>

#include "runtime/status.h"

static size_t size_of(const void *structure) {
    size_t size;
    memcpy(&size, structure, sizeof size);
    return size;
}

uh_status uhi_sized_check(const char *call, const char *argument, const void *structure, size_t size,
                          const size_t *earlier) {
    const size_t is = size_of(structure);
    if (is == size)
        return UH_SUCCESS;
    for (; earlier && *earlier; earlier++)
        if (is == *earlier)
            return UH_SUCCESS;
    return uhi_fail_size(call, argument, is, size);
}

uh_status uhi_sized_read(const char *call, const char *argument, const void *from, void *to, size_t size,
                         const size_t *earlier) {
    UHI_TRY(from ? uhi_sized_check(call, argument, from, size, earlier) : UH_SUCCESS);
    memset(to, 0, size);
    if (from)
        memcpy(to, from, size_of(from));
    memcpy(to, &size, sizeof size);
    return UH_SUCCESS;
}

uh_status uhi_sized_fill(const char *call, void *properties, const void *made, size_t size) {
    UHI_NEED(call, properties, "where to store them");
    const uh_status status = uhi_sized_check(call, "properties", properties, size, NULL);
    if (!status)
        uhi_sized_write(properties, made);
    return status;
}

void uhi_sized_write(void *to, const void *made) {
    memcpy((char *)to + sizeof(size_t), (const char *)made + sizeof(size_t), size_of(to) - sizeof(size_t));
}
