/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/input_convert.h"

#include <string.h>

static void swap16(uint16_t *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = (uint16_t)(data[i] << 8 | data[i] >> 8);
}

static void swap32(uint32_t *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = __builtin_bswap32(data[i]);
}

static void swap64(uint64_t *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = __builtin_bswap64(data[i]);
}

void cli_convert_swap(void *data, size_t n, size_t element_bytes) {
    switch (element_bytes) {
    case 2: swap16(data, n); break;
    case 4: swap32(data, n); break;
    case 8: swap64(data, n); break;
    default: break;
    }
}

/* A binary16's exponent and fraction, moved to where binary32 has them, are its value times 2^-112, subnormal numbers
 * included; the product with 2^112 is exact. Infinity and NaN have the greatest exponent of both. */
void cli_convert_half(const uint16_t *half, float *single, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t magnitude = (uint32_t)(half[i] & 0x7fff) << 13;
        uint32_t sign = (uint32_t)(half[i] & 0x8000) << 16;
        float scaled;
        uint32_t bits;
        memcpy(&scaled, &magnitude, sizeof scaled);
        scaled *= 0x1p112f;
        memcpy(&bits, &scaled, sizeof bits);
        bits = magnitude >= UINT32_C(0x7c00) << 13 ? magnitude | UINT32_C(0x7f800000) : bits;
        bits |= sign;
        memcpy(&single[i], &bits, sizeof bits);
    }
}
