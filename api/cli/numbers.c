/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies a number's text without the blanks around it; -1 where it is empty or longer than any sensible number. */
static int trim(const char *text, size_t length, char *out, size_t size) {
    while (length && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (!length || length >= size)
        return -1;
    memcpy(out, text, length);
    out[length] = '\0';
    return 0;
}

int cli_parse_double(const char *text, size_t length, double *value) {
    char number[512], *end;
    if (trim(text, length, number, sizeof number))
        return -1;
    errno = 0;
    double result = strtod(number, &end);
    if (*end || end == number || (errno == ERANGE && fabs(result) > 1))
        return -1;
    *value = result;
    return 0;
}

static int parse_i64(const char *text, size_t length, int64_t *value) {
    char number[32], *end;
    if (trim(text, length, number, sizeof number))
        return -1;
    errno = 0;
    long long result = strtoll(number, &end, 10);
    if (*end || end == number || errno)
        return -1;
    *value = result;
    return 0;
}

static int parse_u64(const char *text, size_t length, uint64_t *value) {
    char number[32], *end;
    if (trim(text, length, number, sizeof number) || number[0] == '-')
        return -1;
    errno = 0;
    unsigned long long result = strtoull(number, &end, 10);
    if (*end || end == number || errno)
        return -1;
    *value = result;
    return 0;
}

/* Writes an integer with an exponent, such as 1e9 or -2.5e6, without it. -1 where it is none, or a long one. */
static int expand(const char *text, char out[32]) {
    size_t length = 0, point = 0, zeros = 0;
    int after = 0;
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '-' || *text == '+')
        out[length++] = *text++;
    if (!isdigit((unsigned char)*text))
        return -1;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !after); text++) {
        if (*text == '.')
            after = 1;
        else if (length == 31)
            return -1;
        else {
            out[length++] = *text;
            point += (size_t)after;
        }
    }
    if (tolower((unsigned char)*text++) != 'e')
        return -1;
    text += *text == '+';
    if (!isdigit((unsigned char)*text))
        return -1;
    for (; isdigit((unsigned char)*text); text++)
        zeros = zeros < 100 ? 10 * zeros + (size_t)(*text - '0') : zeros;
    while (isspace((unsigned char)*text))
        text++;
    for (; point > zeros && out[length - 1] == '0'; point--) /* zeros behind the point, as in 1.50e1 */
        length--;
    if (*text || point > zeros || length + (zeros - point) > 31)
        return -1;
    memset(out + length, '0', zeros - point);
    out[length + (zeros - point)] = 0;
    return 0;
}

int cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
    char whole[32];
    uint64_t result;
    if (!expand(text, whole))
        text = whole;
    if (parse_u64(text, strlen(text), &result) || result < min || result > max)
        return -1;
    *value = result;
    return 0;
}

int cli_parse_i64(const char *text, int64_t *value) {
    char whole[32];
    if (!expand(text, whole))
        text = whole;
    return parse_i64(text, strlen(text), value);
}

static int parse_one(uh_dtype dtype, const char *text, size_t length, void *value) {
    switch (dtype) {
    case UH_I64: return parse_i64(text, length, value);
    case UH_U64: return parse_u64(text, length, value);
    default: return cli_parse_double(text, length, value);
    }
}

/* Reads all numbers as one type; returns how many were read before the first that is none of it. */
static size_t parse_as(uh_dtype dtype, const char *text, unsigned char *data, size_t n) {
    size_t i = 0;
    for (; i < n; i++) {
        size_t length = strcspn(text, ",");
        if (parse_one(dtype, text, length, data + i * 8))
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
