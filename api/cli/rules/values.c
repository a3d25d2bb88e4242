/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/values.h"

#include <math.h>
#include <string.h>

/* One loop for each type; memcpy because the data need not be aligned. */
#define CONVERT(name, type)                                                                                            \
    static void convert_##name(const unsigned char *data, size_t n, double *out) {                                     \
        for (size_t i = 0; i < n; i++) {                                                                               \
            type value;                                                                                                \
            memcpy(&value, data + i * sizeof value, sizeof value);                                                     \
            out[i] = (double)value;                                                                                    \
        }                                                                                                              \
    }
CONVERT(f32, float)
CONVERT(f64, double)
CONVERT(i8, int8_t)
CONVERT(i16, int16_t)
CONVERT(i32, int32_t)
CONVERT(i64, int64_t)
CONVERT(u8, uint8_t)
CONVERT(u16, uint16_t)
CONVERT(u32, uint32_t)
CONVERT(u64, uint64_t)

static void convert(uh_dtype dtype, const void *data, size_t n, double *out) {
    switch (dtype) {
    case UH_F32: convert_f32(data, n, out); break;
    case UH_F64: convert_f64(data, n, out); break;
    case UH_I8: convert_i8(data, n, out); break;
    case UH_I16: convert_i16(data, n, out); break;
    case UH_I32: convert_i32(data, n, out); break;
    case UH_I64: convert_i64(data, n, out); break;
    case UH_U8: convert_u8(data, n, out); break;
    case UH_U16: convert_u16(data, n, out); break;
    case UH_U32: convert_u32(data, n, out); break;
    case UH_U64: convert_u64(data, n, out); break;
    }
}

size_t cli_values_block(uh_dtype dtype, const void *data, size_t n, const double *range, double *out, uint64_t *nan) {
    double lo = range ? range[0] : -INFINITY, hi = range ? range[1] : INFINITY;
    size_t kept = 0, outside = 0;
    convert(dtype, data, n, out);
    /* Mostly everything is wanted, and this loop takes several values at a time. */
    for (size_t i = 0; i < n; i++)
        outside += !(out[i] >= lo && out[i] <= hi);
    if (outside == 0)
        return n;
    for (size_t i = 0; i < n; i++) {
        double x = out[i];
        *nan += isnan(x) != 0;
        out[kept] = x;
        kept += x >= lo && x <= hi;
    }
    return kept;
}

#define EXTENT(name, type)                                                                                             \
    static void extent_##name(const unsigned char *data, size_t n, long double *min, long double *max) {               \
        type low, high;                                                                                                \
        memcpy(&low, data, sizeof low);                                                                                \
        high = low;                                                                                                    \
        for (size_t i = 1; i < n; i++) {                                                                               \
            type value;                                                                                                \
            memcpy(&value, data + i * sizeof value, sizeof value);                                                     \
            low = value < low ? value : low;                                                                           \
            high = value > high ? value : high;                                                                        \
        }                                                                                                              \
        *min = (long double)low;                                                                                       \
        *max = (long double)high;                                                                                      \
    }
EXTENT(i64, int64_t)
EXTENT(u64, uint64_t)

static double round_down(long double x) {
    double y = (double)x;
    return (long double)y > x ? nextafter(y, -INFINITY) : y;
}

static double round_up(long double x) {
    double y = (double)x;
    return (long double)y < x ? nextafter(y, INFINITY) : y;
}

void cli_values_widen(uh_dtype dtype, const void *data, size_t n, double *min, double *max) {
    long double low, high;
    if (n == 0 || (dtype != UH_I64 && dtype != UH_U64))
        return;
    if (dtype == UH_I64)
        extent_i64(data, n, &low, &high);
    else
        extent_u64(data, n, &low, &high);
    *min = fmin(*min, round_down(low));
    *max = fmax(*max, round_up(high));
}
