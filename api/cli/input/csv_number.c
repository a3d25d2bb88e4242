/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/csv_number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal: (-1)^negative * digits * 10^exponent. `digits` is exact up to 19 of them. */
struct decimal {
    int negative;
    uint64_t digits;
    long exponent;           /* of the last of all significant digits */
    const char *begin, *end; /* from the first significant digit to after the last one; a point may stand between */
    long significant;        /* how many digits there are */
};

/* Bounds what exponents are read as; beyond it, and with lines of at most 16 MiB, all is 0 or infinite. */
#define EXPONENT_LIMIT 100000000

/* Digits that decide the rounding: the midpoint of two neighbouring doubles has at most 767 significant digits
 * (2^-1074 and 53 bits; Goldberg), so what comes later matters only by being zero or not. */
#define DECISIVE_DIGITS 800

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int read_sign(const char **text, const char *end) {
    int negative = *text < end && **text == '-';
    if (*text < end && (**text == '-' || **text == '+'))
        ++*text;
    return negative;
}

/* Reads the exponent after its 'e'. Returns 0 when there is none. */
static int read_exponent(const char **text, const char *end, long *exponent) {
    int negative = read_sign(text, end);
    if (*text == end || !is_digit(**text))
        return 0;
    long value = 0;
    for (; *text < end && is_digit(**text); ++*text)
        if (value < EXPONENT_LIMIT)
            value = value * 10 + (**text - '0');
    *exponent = negative ? -value : value;
    return 1;
}

/* Reads digits, a point, more digits and an exponent, and nothing else, after the sign. */
static int read_decimal(const char *text, const char *end, struct decimal *decimal) {
    const char *p = text, *point = NULL, *first = NULL;
    uint64_t digits = 0;
    for (; p < end; p++) {
        if (is_digit(*p)) {
            if (!first && *p != '0')
                first = p;
            digits = digits * 10 + (uint64_t)(*p - '0');
        } else if (*p == '.' && !point) {
            point = p;
        } else {
            break;
        }
    }
    if (p - text == (point != NULL))
        return 0;
    decimal->digits = digits;
    decimal->begin = first ? first : p;
    decimal->end = p;
    decimal->significant = p - decimal->begin - (point && point >= decimal->begin);
    long exponent = point ? (long)(point + 1 - p) : 0;
    if (p < end) {
        long written;
        if ((*p != 'e' && *p != 'E') || (p++, !read_exponent(&p, end, &written)) || p != end)
            return 0;
        exponent += written;
    }
    decimal->exponent = exponent;
    return 1;
}

/* Writes the decimal in a canonical short form, of the same rounding, for strtod: no point, so no locale matters. */
static void write_canonical(const struct decimal *decimal, char *text, size_t size) {
    size_t n = 0;
    long dropped = 0;
    int sticky = 0;
    for (const char *p = decimal->begin; p < decimal->end; p++) {
        if (*p == '.')
            continue;
        if (n < DECISIVE_DIGITS) {
            text[n++] = *p;
        } else {
            dropped++;
            sticky |= *p != '0';
        }
    }
    if (sticky) {
        text[n++] = '1';
        dropped--;
    }
    snprintf(text + n, size - n, "e%ld", decimal->exponent + dropped);
}

/* The decimal as a long double, correctly rounded to its 64 bits, or 0 when this is not one of the easy cases: up to
 * 19 digits and a power of ten that a long double holds exactly (5^27 < 2^64) make one correctly rounded operation
 * (Clinger 1990). */
static int read_easy(const struct decimal *decimal, long double *value) {
    _Static_assert(LDBL_MANT_DIG == 64, "x87 extended precision");
    static const long double powers[28] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                           1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                           1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    if (decimal->significant > 19 || decimal->exponent < -27 || decimal->exponent > 27)
        return 0;
    long double digits = (long double)decimal->digits;
    *value = decimal->exponent < 0 ? digits / powers[-decimal->exponent] : digits * powers[decimal->exponent];
    return 1;
}

/* Rounding the long double again gives the right result unless it stands just between two neighbours of the narrower
 * type: there it may have been rounded onto the middle. `bits` is what the narrower significand has less. The values
 * of read_easy are all far from the narrower types' subnormal numbers. */
static int is_midpoint(long double value, unsigned bits) {
    uint64_t significand;
    memcpy(&significand, &value, sizeof significand);
    return (significand & ((UINT64_C(1) << bits) - 1)) == UINT64_C(1) << (bits - 1);
}

static double decimal_f64(const struct decimal *decimal) {
    long double value;
    if (read_easy(decimal, &value) && !is_midpoint(value, 64 - DBL_MANT_DIG))
        return (double)value;
    char text[DECISIVE_DIGITS + 32];
    write_canonical(decimal, text, sizeof text);
    return strtod(text, NULL);
}

static float decimal_f32(const struct decimal *decimal) {
    long double value;
    if (read_easy(decimal, &value) && !is_midpoint(value, 64 - FLT_MANT_DIG))
        return (float)value;
    char text[DECISIVE_DIGITS + 32];
    write_canonical(decimal, text, sizeof text);
    return strtof(text, NULL);
}

static int is_name(const char *text, const char *end, const char *name) {
    for (; text < end && *name; text++, name++)
        if ((*text | 0x20) != *name)
            return 0;
    return text == end && !*name;
}

enum form { DECIMAL, NOT_A_NUMBER, INFINITE, MALFORMED };

static enum form read_form(const char *text, size_t length, struct decimal *decimal) {
    const char *end = text + length;
    decimal->negative = read_sign(&text, end);
    if (read_decimal(text, end, decimal))
        return DECIMAL;
    if (is_name(text, end, "nan"))
        return NOT_A_NUMBER;
    return is_name(text, end, "inf") || is_name(text, end, "infinity") ? INFINITE : MALFORMED;
}

int cli_number_is(const char *text, size_t length) {
    struct decimal decimal;
    return read_form(text, length, &decimal) != MALFORMED;
}

static enum cli_number parse_f32(const char *text, size_t length, void *element) {
    struct decimal decimal;
    float value = 0;
    switch (read_form(text, length, &decimal)) {
    case DECIMAL: value = decimal_f32(&decimal); break;
    case NOT_A_NUMBER: value = NAN; break;
    case INFINITE: value = INFINITY; break;
    default: return CLI_NUMBER_MALFORMED;
    }
    value = decimal.negative ? -value : value;
    memcpy(element, &value, sizeof value);
    return CLI_NUMBER_OK;
}

static enum cli_number parse_f64(const char *text, size_t length, void *element) {
    struct decimal decimal;
    double value = 0;
    switch (read_form(text, length, &decimal)) {
    case DECIMAL: value = decimal_f64(&decimal); break;
    case NOT_A_NUMBER: value = NAN; break;
    case INFINITE: value = INFINITY; break;
    default: return CLI_NUMBER_MALFORMED;
    }
    value = decimal.negative ? -value : value;
    memcpy(element, &value, sizeof value);
    return CLI_NUMBER_OK;
}

/* Stores a whole number as an integer of `bytes`. */
static enum cli_number store_integer(uint64_t magnitude, int negative, size_t bytes, int is_signed, void *element) {
    uint64_t limit = UINT64_MAX >> (64 - 8 * bytes);
    if (is_signed)
        limit = (limit >> 1) + (negative ? 1 : 0);
    else if (negative)
        limit = 0;
    if (magnitude > limit)
        return CLI_NUMBER_OUT_OF_RANGE;
    uint64_t value = negative ? 0 - magnitude : magnitude;
    memcpy(element, &value, bytes); /* the low bytes: little-endian, as every x86-64 */
    return CLI_NUMBER_OK;
}

static enum cli_number parse_integer(const char *text, size_t length, size_t bytes, int is_signed, void *element) {
    const char *end = text + length;
    int negative = read_sign(&text, end), overflow = 0;
    uint64_t magnitude = 0;
    if (text == end)
        return CLI_NUMBER_MALFORMED;
    for (; text < end; text++) {
        if (!is_digit(*text))
            return CLI_NUMBER_MALFORMED;
        overflow |= __builtin_mul_overflow(magnitude, 10u, &magnitude);
        overflow |= __builtin_add_overflow(magnitude, (unsigned)(*text - '0'), &magnitude);
    }
    return overflow ? CLI_NUMBER_OUT_OF_RANGE : store_integer(magnitude, negative, bytes, is_signed, element);
}

enum cli_number cli_number_parse_whole(const char *text, size_t length, int is_signed, void *element) {
    struct decimal decimal;
    uint64_t magnitude = 0;
    int overflow = 0;
    if (!memchr(text, 'e', length) && !memchr(text, 'E', length))
        return parse_integer(text, length, 8, is_signed, element);
    size_t sign = length && (*text == '-' || *text == '+');
    if (!is_digit(text[sign]) || memchr(text + sign, '-', length - sign) ||
        read_form(text, length, &decimal) != DECIMAL)
        return CLI_NUMBER_MALFORMED;
    /* The digits that the exponent leaves behind the point must be 0. */
    long before = decimal.significant + decimal.exponent; /* digits before the point, with zeros behind the written */
    for (const char *p = decimal.begin; p < decimal.end; p++) {
        if (*p == '.')
            continue;
        if (before-- > 0) {
            overflow |= __builtin_mul_overflow(magnitude, 10u, &magnitude);
            overflow |= __builtin_add_overflow(magnitude, (unsigned)(*p - '0'), &magnitude);
        } else if (*p != '0') {
            return CLI_NUMBER_MALFORMED;
        }
    }
    for (; before > 0 && magnitude && !overflow; before--)
        overflow = __builtin_mul_overflow(magnitude, 10u, &magnitude);
    return overflow ? CLI_NUMBER_OUT_OF_RANGE : store_integer(magnitude, decimal.negative, 8, is_signed, element);
}

enum cli_number cli_number_parse(const char *text, size_t length, uh_dtype dtype, void *element) {
    switch (dtype) {
    case UH_F32: return parse_f32(text, length, element);
    case UH_F64: return parse_f64(text, length, element);
    case UH_I8: return parse_integer(text, length, 1, 1, element);
    case UH_I16: return parse_integer(text, length, 2, 1, element);
    case UH_I32: return parse_integer(text, length, 4, 1, element);
    case UH_I64: return parse_integer(text, length, 8, 1, element);
    case UH_U8: return parse_integer(text, length, 1, 0, element);
    case UH_U16: return parse_integer(text, length, 2, 0, element);
    case UH_U32: return parse_integer(text, length, 4, 0, element);
    case UH_U64: return parse_integer(text, length, 8, 0, element);
    }
    return CLI_NUMBER_MALFORMED;
}

const char *cli_number_expected(uh_dtype dtype) {
    switch (dtype) {
    case UH_F32:
    case UH_F64: return "a number";
    case UH_I8: return "an integer from -128 to 127";
    case UH_I16: return "an integer from -32768 to 32767";
    case UH_I32: return "an integer from -2147483648 to 2147483647";
    case UH_I64: return "an integer from -9223372036854775808 to 9223372036854775807";
    case UH_U8: return "an integer from 0 to 255";
    case UH_U16: return "an integer from 0 to 65535";
    case UH_U32: return "an integer from 0 to 4294967295";
    case UH_U64: return "an integer from 0 to 18446744073709551615";
    }
    return "a number";
}
