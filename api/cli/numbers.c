/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/csv_number.h"

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
    if (cli_number_parse_whole(text, length, 0, &result) != CLI_NUMBER_OK || result < min || result > max)
        return -1;
    *value = result;
    return 0;
}

int cli_parse_i64(const char *text, int64_t *value) {
    size_t length = trim(&text, strlen(text));
    return cli_number_parse_whole(text, length, 1, value) == CLI_NUMBER_OK ? 0 : -1;
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
