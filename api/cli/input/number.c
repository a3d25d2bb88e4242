/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strtod_l */
#include "api/cli/input/number.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <smmintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/calendar.h"

static locale_t locale;
static void make_locale(void) { locale = newlocale(LC_ALL_MASK, "C", NULL); }

/* Numbers have a decimal point in any locale. Returns the C library's own object, which is not freed. */
static locale_t c_locale(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    return locale;
}

/* A decimal: digits times a power of ten. */
struct decimal {
    uint64_t digits;
    int exponent, negative;
};

/* Reads digits, eight at a time while as many bytes are readable: the number of leading digits is found by bits, and
 * the bytes after them move out, so that no branch depends on it. */
static inline const char *read_digits(const char *p, const char *limit, uint64_t *digits) {
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (unsigned n = 8; n == 8 && limit - p >= 8; p += n) {
        uint64_t bytes; /* the first one lowest: x86-64 is little-endian */
        memcpy(&bytes, p, sizeof bytes);
        bytes ^= UINT64_C(0x3030303030303030);
        const uint64_t others = ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
        n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
        bytes = n ? bytes << (64 - 8 * n) : 0;
        bytes = bytes * 10 + (bytes >> 8); /* pairs of digits, in every other byte */
        const uint64_t first = (bytes & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064);
        const uint64_t second = (bytes >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001);
        *digits = *digits * powers[n] + ((first + second) >> 32);
        if (n < 8)
            return p + n;
    }
    for (; cli_is_digit(*p); p++)
        *digits = *digits * 10 + (uint64_t)(*p - '0');
    return p;
}

/* Reads a decimal of 1 to 16 bytes, of which the point alone may be no digit; 16 bytes are readable. Returns 0 for all
 * others. */
static inline int read_plain(const char *text, unsigned length, struct decimal *decimal) {
    static const char none = (char)0x80, move[32] = {none, none, none, none, none, none, none, none, none, none, none,
                                                     none, none, none, none, none, 0,    1,    2,    3,    4,    5,
                                                     6,    7,    8,    9,    10,   11,   12,   13,   14,   15};
    const __m128i places = _mm_loadu_si128((const __m128i *)(const void *)(move + 16));
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const unsigned all = (1u << length) - 1;
    const unsigned good = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits));
    const unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))) & all;
    if (((good | points) & all) != all || points == all || (points & (points - 1)))
        return 0;
    /* The last digit moves to the end, those before the point by one more. */
    const int point = points ? __builtin_ctz(points) : -100;
    __m128i line = _mm_shuffle_epi8(digits, _mm_loadu_si128((const __m128i *)(const void *)(move + length)));
    const __m128i after = _mm_cmpgt_epi8(places, _mm_set1_epi8((char)(16 - (int)length + point)));
    line = _mm_blendv_epi8(_mm_slli_si128(line, 1), line, after);
    const __m128i pairs = _mm_maddubs_epi16(line, _mm_set1_epi16(0x010a));   /* times 10 and 1 */
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064)); /* times 100 and 1 */
    const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
    const uint64_t halves = (uint64_t)_mm_cvtsi128_si64(eights);
    decimal->digits = (halves & UINT32_MAX) * 100000000 + (halves >> 32);
    decimal->exponent = points ? point + 1 - (int)length : 0;
    return 1;
}

/* Reads a decimal of at most 19 digits and an exponent of at most 27. Returns 0 for all others. */
static int read_short(const char *text, const char *end, const char *limit, struct decimal *decimal) {
    decimal->negative = *text == '-';
    decimal->digits = 0;
    const char *begin = text + (decimal->negative || *text == '+');
    if (end > begin && end - begin <= 16 && limit - begin >= 16 && read_plain(begin, (unsigned)(end - begin), decimal))
        return 1;
    const char *p = read_digits(begin, limit, &decimal->digits);
    const char *point = *p == '.' ? p : NULL;
    if (point)
        p = read_digits(p + 1, limit, &decimal->digits);
    long significant = p - begin - (point != NULL);
    if (significant == 0)
        return 0;
    for (const char *zero = begin; significant > 19 && (*zero == '0' || *zero == '.'); zero++)
        significant -= *zero == '0';
    int exponent = point ? (int)(point + 1 - p) : 0, written = 0;
    if (*p == 'e' || *p == 'E') {
        const int below = *++p == '-';
        for (p += below || *p == '+'; cli_is_digit(*p) && written < 1000; p++)
            written = written * 10 + (*p - '0');
        if (!cli_is_digit(p[-1]))
            return 0;
        exponent += below ? -written : written;
    }
    decimal->exponent = exponent;
    return p == end && significant <= 19 && exponent >= -27 && exponent <= 27;
}

/* The power of ten and the digits are exact, and one operation is rounded correctly (Clinger 1990): in float64 up to
 * 2^53 and 10^22, in long double, to 64 bits, all decimals of read_short (5^27 < 2^64). */
static const long double powers[28] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                       1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                       1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
static const double short_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double f64_of(const struct decimal *decimal) {
    const double digits = (double)decimal->digits, power = short_powers[abs(decimal->exponent)];
    const double value = decimal->exponent < 0 ? digits / power : digits * power;
    return decimal->negative ? -value : value;
}

static long double wide_of(const struct decimal *decimal) {
    _Static_assert(LDBL_MANT_DIG == 64, "x87 extended precision");
    const long double digits = (long double)decimal->digits, power = powers[abs(decimal->exponent)];
    const long double value = decimal->exponent < 0 ? digits / power : digits * power;
    return decimal->negative ? -value : value;
}

/* Rounding the long double again is correct unless it is the midpoint of two neighbours of the narrower type, to which
 * it may have been rounded. `bits`: by how much the narrower significand is shorter. The values of read_short are all
 * far from the narrower types' subnormal numbers. */
static int is_midpoint(long double value, unsigned bits) {
    uint64_t significand;
    memcpy(&significand, &value, sizeof significand);
    return (significand & ((UINT64_C(1) << bits) - 1)) == UINT64_C(1) << (bits - 1);
}

static void store_floating(double value, float single, int is_single, void *element) {
    memcpy(element, is_single ? (const void *)&single : &value, is_single ? sizeof single : sizeof value);
}

/* Reads a short decimal. Returns 0 if it is not one that these operations round correctly. */
static int parse_short(const char *text, const char *end, const char *limit, int is_single, void *element) {
    struct decimal decimal;
    if (!read_short(text, end, limit, &decimal))
        return 0;
    if (!is_single && decimal.digits <= UINT64_C(1) << 53 && abs(decimal.exponent) <= 22) {
        store_floating(f64_of(&decimal), 0, 0, element);
        return 1;
    }
    const long double exact = wide_of(&decimal);
    store_floating((double)exact, (float)exact, is_single, element);
    return !is_midpoint(exact, 64 - (is_single ? FLT_MANT_DIG : DBL_MANT_DIG));
}

static enum cli_number parse_floating(const char *text, size_t length, const char *limit, int is_single,
                                      void *element) {
    char *stop = NULL;
    if (parse_short(text, text + length, limit, is_single, element))
        return CLI_NUMBER_OK;
    /* The C library's other formats (blanks, hexadecimal, nan(...)) have other characters. */
    if (length == 0 || strspn(text, "0123456789+-.eEaAfFiInNtTyY") < length)
        return CLI_NUMBER_MALFORMED;
    const float single = is_single ? strtof_l(text, &stop, c_locale()) : 0;
    const double value = is_single ? 0 : strtod_l(text, &stop, c_locale());
    if (stop != text + length)
        return CLI_NUMBER_MALFORMED;
    store_floating(value, single, is_single, element);
    return CLI_NUMBER_OK;
}

static enum cli_number store_integer(uint64_t magnitude, int negative, uh_dtype dtype, void *element) {
    const int is_signed = dtype == UH_I8 || dtype == UH_I16 || dtype == UH_I32 || dtype == UH_I64;
    const size_t bytes = uh_dtype_size(dtype);
    uint64_t limit = UINT64_MAX >> (64 - 8 * bytes);
    if (is_signed)
        limit = (limit >> 1) + (negative ? 1 : 0);
    else if (negative)
        limit = 0;
    if (magnitude > limit)
        return CLI_NUMBER_OUT_OF_RANGE;
    uint64_t value = negative ? 0 - magnitude : magnitude;
    memcpy(element, &value, bytes); /* the low bytes: x86-64 is little-endian */
    return CLI_NUMBER_OK;
}

static enum cli_number parse_integer(const char *text, size_t length, uh_dtype dtype, void *element) {
    const char *end = text + length, *p = text;
    const int negative = p < end && *p == '-';
    uint64_t magnitude = 0;
    int overflow = 0;
    for (p += negative || (p < end && *p == '+'); p < end && cli_is_digit(*p); p++) {
        overflow |= __builtin_mul_overflow(magnitude, 10u, &magnitude);
        overflow |= __builtin_add_overflow(magnitude, (unsigned)(*p - '0'), &magnitude);
    }
    if (p < end || length == 0 || !cli_is_digit(p[-1]))
        return CLI_NUMBER_MALFORMED;
    return overflow ? CLI_NUMBER_OUT_OF_RANGE : store_integer(magnitude, negative, dtype, element);
}

enum cli_number cli_number_parse_within(const char *text, size_t length, const char *limit, uh_dtype dtype,
                                        void *element) {
    if (dtype == UH_F32 || dtype == UH_F64)
        return parse_floating(text, length, limit, dtype == UH_F32, element);
    return parse_integer(text, length, dtype, element);
}

enum cli_number cli_number_parse(const char *text, size_t length, uh_dtype dtype, void *element) {
    return cli_number_parse_within(text, length, text + length + 1, dtype, element);
}

enum cli_number cli_number_parse_whole(const char *text, size_t length, uh_dtype dtype, void *element) {
    char *stop, copy[64];
    if (length == 0 || length >= sizeof copy || strspn(text, "0123456789+-.eE") < length)
        return CLI_NUMBER_MALFORMED;
    memcpy(copy, text, length);
    copy[length] = '\0';
    const long double number = strtold_l(copy, &stop, c_locale());
    if (stop != copy + length || number != floorl(number))
        return CLI_NUMBER_MALFORMED;
    if (!(fabsl(number) < 0x1p64L))
        return CLI_NUMBER_OUT_OF_RANGE;
    return store_integer((uint64_t)fabsl(number), number < 0, dtype, element);
}

/* Removes the blanks around a number; returns its length. */
static size_t trim(const char **text, size_t length) {
    while (length && isspace((unsigned char)**text)) {
        ++*text;
        length--;
    }
    while (length && isspace((unsigned char)(*text)[length - 1]))
        length--;
    return length;
}

/* Reads an element of 8 bytes. */
static int parse(uh_dtype dtype, const char *text, size_t length, void *value) {
    double number;
    if (cli_number_parse(text, length, dtype, &number) != CLI_NUMBER_OK)
        return -1;
    if (dtype == UH_F64 && isinf(number) && !isalpha((unsigned char)text[length - 1]))
        return -1; /* too large for a number, not "inf" */
    memcpy(value, &number, sizeof number);
    return 0;
}

/* Reads a 64-bit integer, signed or not, that may have an exponent (1e9, 2.5e6). */
static int parse_whole(const char *text, uh_dtype dtype, void *value) {
    const size_t length = trim(&text, strlen(text));
    enum cli_number parsed = cli_number_parse(text, length, dtype, value);
    if (parsed == CLI_NUMBER_MALFORMED)
        parsed = cli_number_parse_whole(text, length, dtype, value);
    return parsed == CLI_NUMBER_OK ? 0 : -1;
}

/* Reads an item of a list, a number or a date, which is counted. */
static int parse_item(uh_dtype dtype, const char *text, size_t length, int *times, void *value) {
    struct cli_time time;
    length = trim(&text, length);
    if (cli_time_parse(text, length, &time))
        return parse(dtype, text, length, value);
    ++*times;
    memcpy(value, dtype == UH_F64 ? (const void *)&time.seconds : &time.whole, 8);
    return dtype == UH_F64 || (dtype == UH_I64 && !time.fraction) ? 0 : -1;
}

int cli_parse_double(const char *text, size_t length, double *value) {
    length = trim(&text, length);
    return parse(UH_F64, text, length, value);
}

int cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    uint64_t result;
    if (parse_whole(text, UH_U64, &result) || result < min || result > max)
        return -1;
    *value = result;
    return 0;
}

int cli_parameters_read(const char *text, const char *types, void *const *to) {
    int times = 0;
    for (; *types; types++, to++) {
        const size_t length = types[1] ? strcspn(text, ",") : strlen(text);
        char whole[64];
        snprintf(whole, sizeof whole, "%.*s", (int)length, text);
        if (types[1] && !text[length])
            return -1;
        if (*types == 't'   ? parse_item(UH_F64, text, length, &times, *to)
            : *types == 'd' ? cli_parse_double(text, length, *to)
                            : length >= sizeof whole || (*types == 'i' ? parse_whole(whole, UH_I64, *to)
                                                                       : cli_parse_u64(whole, 0, UINT64_MAX, *to)))
            return -1;
        text += length + 1;
    }
    return times;
}

int cli_parse_list(const char *text, struct cli_numbers *numbers) {
    static const uh_dtype types[] = {UH_I64, UH_U64, UH_F64};
    size_t n = 1, good = 0;
    int times = 0;
    for (const char *p = text; *p; p++)
        n += *p == ',';
    unsigned char *data = cli_have(malloc(n * 8));
    const char *item = text;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        item = text;
        times = 0;
        for (good = 0; good < n && parse_item(types[t], item, strcspn(item, ","), &times, data + 8 * good) == 0; good++)
            item += strcspn(item, ",") + 1;
        size_t infinite = 0;
        for (size_t i = 0; i < good && types[t] == UH_F64; i++)
            infinite += isinf(((double *)(void *)data)[i]) != 0;
        if (good == n && (times == 0 || (size_t)times + infinite == n)) {
            *numbers = (struct cli_numbers){types[t], data, n, times > 0};
            return 0;
        }
    }
    free(data);
    char quoted[CLI_TEXT_QUOTE];
    if (good == n)
        return cli_fail("%d of the list's %zu items are dates, the others numbers", times, n);
    const size_t length = strcspn(item, ",");
    cli_text_quote(quoted, item, length);
    return cli_fail("item %zu of the list, %s, is not a number that float64 can hold%s", good + 1, quoted,
                    cli_time_is_near(item, length)   ? "; " CLI_TIME_FORM
                    : strcspn(item, "; \t") < length ? "; commas separate numbers"
                                                     : "");
}

void cli_numbers_free(struct cli_numbers *numbers) {
    free(numbers->data);
    *numbers = (struct cli_numbers){.dtype = UH_F64};
}

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
