/* SPDX-License-Identifier: Apache-2.0 */
/* Any words after SPIR-V's header: they are refused, or their kernels' parameters and constants are read, and nothing
 * outside them is. The first byte is the number of ids. */
#include <string.h>

#include "runtime/spirv.h"
#include "tests/fuzz.h"

enum { HEADER = 20, MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint32_t header[] = {0x07230203, 0x00010200, 0, size ? data[0] : 0, 0};
    const uint64_t value = 0;
    const uh_constant constants[] = {{0, 1, &value}, {1, 4, &value}, {2, 8, &value}};
    struct uhi_signature *signatures = NULL;
    size_t count = 0, bytes = size > 1 ? size - 1 : 0;
    if (size > MAX)
        return 0;
    unsigned char *code = malloc(HEADER + bytes);
    CHECK(code);
    memcpy(code, header, HEADER);
    if (bytes)
        memcpy(code + HEADER, data + 1, bytes);
    for (size_t n = 0; n <= 3; n += 3) {
        if (uhi_spirv_read("fuzz", code, HEADER + bytes, constants, n, &signatures, &count))
            continue;
        for (size_t i = 0; i < count; i++)
            CHECK(strlen(signatures[i].name) < bytes);
        uhi_signatures_free(signatures, count);
    }
    free(code);
    return 0;
}
