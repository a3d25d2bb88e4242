/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/number.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* The decimal's absolute value as a float64, or as a float32 that one holds. */
static double round_decimal(const struct decimal *decimal, int is_single) {
    long double value;
    if (read_easy(decimal, &value) && !is_midpoint(value, 64 - (is_single ? FLT_MANT_DIG : DBL_MANT_DIG)))
        return is_single ? (double)(float)value : (double)value;
    char text[DECISIVE_DIGITS + 32];
    write_canonical(decimal, text, sizeof text);
    return is_single ? (double)strtof(text, NULL) : strtod(text, NULL);
}

static int is_name(const char *text, size_t length, const char *name) {
    return length == strlen(name) && strncasecmp(text, name, length) == 0;
}

enum form { DECIMAL, NOT_A_NUMBER, INFINITE, MALFORMED };

static enum form read_form(const char *text, size_t length, struct decimal *decimal) {
    const char *end = text + length;
    decimal->negative = read_sign(&text, end);
    if (read_decimal(text, end, decimal))
        return DECIMAL;
    length = (size_t)(end - text);
    if (is_name(text, length, "nan"))
        return NOT_A_NUMBER;
    return is_name(text, length, "inf") || is_name(text, length, "infinity") ? INFINITE : MALFORMED;
}

int cli_number_is(const char *text, size_t length) {
    struct decimal decimal;
    return read_form(text, length, &decimal) != MALFORMED;
}

static enum cli_number parse_floating(const char *text, size_t length, int is_single, void *element) {
    struct decimal decimal;
    double value = 0;
    switch (read_form(text, length, &decimal)) {
    case DECIMAL: value = round_decimal(&decimal, is_single); break;
    case NOT_A_NUMBER: value = NAN; break;
    case INFINITE: value = INFINITY; break;
    default: return CLI_NUMBER_MALFORMED;
    }
    value = decimal.negative ? -value : value;
    const float single = (float)value;
    memcpy(element, is_single ? (const void *)&single : &value, is_single ? sizeof single : sizeof value);
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

/* Reads an integer of 64 bits, signed or not, that may be written as digits with a positive exponent (1e9, 2.5e6); a
 * long double holds each. Blanks or the text's end follow. */
static enum cli_number parse_whole(const char *text, size_t length, int is_signed, void *element) {
    struct decimal decimal;
    if (!memchr(text, 'e', length) && !memchr(text, 'E', length))
        return parse_integer(text, length, 8, is_signed, element);
    const size_t sign = length && (*text == '-' || *text == '+');
    if (!is_digit(text[sign]) || memchr(text + sign, '-', length - sign) ||
        read_form(text, length, &decimal) != DECIMAL)
        return CLI_NUMBER_MALFORMED;
    const long double value = strtold(text + sign, NULL);
    if (value != floorl(value))
        return CLI_NUMBER_MALFORMED;
    return value < 0x1p64L ? store_integer((uint64_t)value, decimal.negative, 8, is_signed, element)
                           : CLI_NUMBER_OUT_OF_RANGE;
}

enum cli_number cli_number_parse(const char *text, size_t length, uh_dtype dtype, void *element) {
    if (dtype == UH_F32 || dtype == UH_F64)
        return parse_floating(text, length, dtype == UH_F32, element);
    const int is_signed = dtype == UH_I8 || dtype == UH_I16 || dtype == UH_I32 || dtype == UH_I64;
    return parse_integer(text, length, uh_dtype_size(dtype), is_signed, element);
}

const char *cli_number_expected(uh_dtype dtype) {
    static const char *const texts[UH_DTYPE_COUNT] = {
        [UH_F32] = "a number",
        [UH_F64] = "a number",
        [UH_I8] = "an integer from -128 to 127",
        [UH_I16] = "an integer from -32768 to 32767",
        [UH_I32] = "an integer from -2147483648 to 2147483647",
        [UH_I64] = "an integer from -9223372036854775808 to 9223372036854775807",
        [UH_U8] = "an integer from 0 to 255",
        [UH_U16] = "an integer from 0 to 65535",
        [UH_U32] = "an integer from 0 to 4294967295",
        [UH_U64] = "an integer from 0 to 18446744073709551615",
    };
    return texts[dtype];
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* Takes the blanks around a number away; returns its length. */
static size_t trim(const char **text, size_t length) {
    while (length && isspace((unsigned char)**text)) {
        ++*text;
        length--;
    }
    while (length && isspace((unsigned char)(*text)[length - 1]))
        length--;
    return length;
}

static int parse(uh_dtype dtype, const char *text, size_t length, void *value) {
    double number;
    length = trim(&text, length);
    if (dtype != UH_F64)
        return cli_number_parse(text, length, dtype, value) == CLI_NUMBER_OK ? 0 : -1;
    if (cli_number_parse(text, length, UH_F64, &number) != CLI_NUMBER_OK)
        return -1;
    for (size_t i = 0; i < length && isinf(number); i++) /* "inf" is a number, what is too large for one is none */
        if (isdigit((unsigned char)text[i]))
            return -1;
    memcpy(value, &number, sizeof number);
    return 0;
}

int cli_parse_double(const char *text, size_t length, double *value) {
    return parse(UH_F64, text, length, value);
}

int cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    uint64_t result;
    size_t length = trim(&text, strlen(text));
    if (parse_whole(text, length, 0, &result) != CLI_NUMBER_OK || result < min || result > max)
        return -1;
    *value = result;
    return 0;
}

int cli_parse_i64(const char *text, int64_t *value) {
    size_t length = trim(&text, strlen(text));
    return parse_whole(text, length, 1, value) == CLI_NUMBER_OK ? 0 : -1;
}

/* Reads all numbers as one type; returns how many were read before the first that is none of it. */
static size_t parse_as(uh_dtype dtype, const char *text, unsigned char *data, size_t n) {
    size_t i = 0;
    for (; i < n; i++) {
        size_t length = strcspn(text, ",");
        if (parse(dtype, text, length, data + i * 8))
            break;
        text += length + 1;
    }
    return i;
}

int cli_parse_list(const char *text, struct cli_numbers *numbers, struct cli_error *error) {
    static const uh_dtype types[] = {UH_I64, UH_U64, UH_F64};
    size_t n = 1, good = 0;
    for (const char *p = text; *p; p++)
        n += *p == ',';
    void *data = malloc(n * 8);
    if (!data)
        return cli_fail(error, "out of memory for a list of %zu numbers", n);
    for (size_t t = 0; t < 3; t++) {
        good = parse_as(types[t], text, data, n);
        if (good == n) {
            *numbers = (struct cli_numbers){types[t], data, n};
            return 0;
        }
    }
    free(data);
    for (size_t i = 0; i < good; i++)
        text += strcspn(text, ",") + 1;
    return cli_fail(error, "item %zu of the list, '%.*s', is not a number that float64 can hold", good + 1,
                    (int)(strcspn(text, ",") < 60 ? strcspn(text, ",") : 60), text);
}

void cli_numbers_free(struct cli_numbers *numbers) {
    free(numbers->data);
    *numbers = (struct cli_numbers){UH_F64, NULL, 0};
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

void cli_text_quote(char quoted[CLI_TEXT_QUOTE], const char *text, size_t length) {
    const size_t room = CLI_TEXT_QUOTE - sizeof "...'";
    size_t at = 0;
    quoted[at++] = '\'';
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        int plain = c >= 0x20 && c < 0x7f;
        if (at + (plain ? 1 : 4) > room) {
            at += (size_t)snprintf(quoted + at, CLI_TEXT_QUOTE - at, "...");
            break;
        }
        at += (size_t)snprintf(quoted + at, CLI_TEXT_QUOTE - at, plain ? "%c" : "\\x%02x", c);
    }
    snprintf(quoted + at, CLI_TEXT_QUOTE - at, "'");
}
