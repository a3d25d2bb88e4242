/* SPDX-License-Identifier: Apache-2.0 */
/* Stored elements to those of the library's types. */
#include <string.h>

#include "api/cli/input/kind.h"

static const struct {
    char text[3];
    struct cli_stored stored;
} codes[] = {
    {"b1", {UH_U8, 1, 0, 0, {0}}},  {"i1", {UH_I8, 1, 0, 0, {0}}},  {"i2", {UH_I16, 2, 0, 0, {0}}},
    {"i4", {UH_I32, 4, 0, 0, {0}}}, {"i8", {UH_I64, 8, 0, 0, {0}}}, {"u1", {UH_U8, 1, 0, 0, {0}}},
    {"u2", {UH_U16, 2, 0, 0, {0}}}, {"u4", {UH_U32, 4, 0, 0, {0}}}, {"u8", {UH_U64, 8, 0, 0, {0}}},
    {"f2", {UH_F32, 2, 0, 1, {0}}}, {"f4", {UH_F32, 4, 0, 0, {0}}}, {"f8", {UH_F64, 8, 0, 0, {0}}},
};

int cli_is_byte_order(char c) { return c == '<' || c == '>' || c == '=' || c == '|'; }

int cli_stored_from_code(const char *code, size_t length, struct cli_stored *stored) {
    const char order = length && cli_is_byte_order(*code) ? *code : '\0';
    const size_t skipped = order != 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (length == skipped + 2 && memcmp(code + skipped, codes[i].text, 2) == 0) {
            *stored = codes[i].stored;
            stored->swapped = stored->bytes > 1 && order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<');
            return 0;
        }
    if (length < skipped + 5 || memcmp(code + skipped, "M8[", 3) != 0 || code[length - 1] != ']')
        return -1;
    *stored = (struct cli_stored){
        .dtype = UH_F64, .bytes = 8, .swapped = order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<')};
    return cli_time_unit_read(code + skipped + 3, length - skipped - 4, &stored->unit);
}

int cli_stored_from_name(const char *name, struct cli_stored *stored) {
    unsigned dtype;
    if (strcmp(name, "f16") == 0 || strcmp(name, "float16") == 0 || strcmp(name, "f2") == 0)
        return cli_stored_from_code("f2", 2, stored);
    if (cli_is_byte_order(*name))
        return cli_stored_from_code(name, strlen(name), stored);
    if (uh_enum_from_name(UH_ENUM_DTYPE, name, &dtype))
        return -1;
    *stored = (struct cli_stored){.dtype = (uh_dtype)dtype, .bytes = uh_dtype_size((uh_dtype)dtype)};
    return 0;
}

/* Callers pass a constant `bytes`, so that no inner loop is left. */
static inline void swap(unsigned char *data, size_t n, size_t bytes) {
    for (size_t i = 0; i < n; i++) {
        uint64_t element = 0;
        memcpy(&element, data + i * bytes, bytes);
        element = __builtin_bswap64(element) >> (64 - 8 * bytes);
        memcpy(data + i * bytes, &element, bytes);
    }
}

void cli_convert_swap(void *data, size_t n, size_t element_bytes) {
    switch (element_bytes) {
    case 2: swap(data, n, 2); break;
    case 4: swap(data, n, 4); break;
    case 8: swap(data, n, 8); break;
    default: break;
    }
}

/* A binary16's exponent and fraction, moved to their places in binary32, are its value times 2^-112, including
 * subnormal numbers; the product with 2^112 is exact. Infinity and NaN have the largest exponent in both. */
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

/* memcpy because the data may be unaligned. Contiguous data are a separate case because that loop takes several values
 * at a time. */
#define CONVERT(type)                                                                                                  \
    for (size_t i = 0; i < x->count; i++) {                                                                            \
        type value;                                                                                                    \
        memcpy(&value, data + (ptrdiff_t)i * (dense ? (ptrdiff_t)sizeof value : x->stride), sizeof value);             \
        numbers[i] = (double)value;                                                                                    \
    }                                                                                                                  \
    break

void cli_convert_numbers(const uh_array *x, double *numbers) {
    const char *data = x->data;
    const int dense = x->stride == (ptrdiff_t)uh_dtype_size(x->dtype);
    switch (x->dtype) {
    case UH_F32: CONVERT(float);
    case UH_F64: CONVERT(double);
    case UH_I8: CONVERT(int8_t);
    case UH_I16: CONVERT(int16_t);
    case UH_I32: CONVERT(int32_t);
    case UH_I64: CONVERT(int64_t);
    case UH_U8: CONVERT(uint8_t);
    case UH_U16: CONVERT(uint16_t);
    case UH_U32: CONVERT(uint32_t);
    case UH_U64: CONVERT(uint64_t);
    }
}
