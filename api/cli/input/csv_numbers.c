/* SPDX-License-Identifier: Apache-2.0 */
/* All the numbers of a small text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/csv.h"
#include "api/cli/input/number.h"

struct numbers {
    const char *name;
    uh_dtype dtype;
    size_t element_bytes;
    unsigned char *data;
    size_t n, capacity;
};

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static int is_separator(char c) {
    return c == ',' || c == ';' || is_blank(c);
}

static int add(struct numbers *numbers, uint64_t line, const char *text, size_t length, struct cli_error *error) {
    if (numbers->n == numbers->capacity) {
        size_t capacity = numbers->capacity ? 2 * numbers->capacity : 64;
        unsigned char *grown = realloc(numbers->data, capacity * numbers->element_bytes);
        if (!grown)
            return cli_fail(error, "%s: out of memory", numbers->name);
        numbers->data = grown;
        numbers->capacity = capacity;
    }
    enum cli_number parsed =
        cli_number_parse(text, length, numbers->dtype, numbers->data + numbers->n * numbers->element_bytes);
    if (parsed == CLI_NUMBER_OK) {
        numbers->n++;
        return 0;
    }
    char quoted[CLI_TEXT_QUOTE];
    cli_text_quote(quoted, text, length);
    return cli_fail(error, "%s:%" PRIu64 ": %s%s, expected %s", numbers->name, line,
                    length ? quoted : "nothing between two separators",
                    parsed == CLI_NUMBER_OUT_OF_RANGE ? " is out of range" : "", cli_number_expected(numbers->dtype));
}

/* Reads one line's numbers. Blanks separate, and may stand around a comma or semicolon; one of these at the end of
 * the line separates from nothing. */
static int add_line(struct numbers *numbers, uint64_t line, const char *p, const char *end, struct cli_error *error) {
    while (p < end) {
        while (p < end && is_blank(*p))
            p++;
        const char *begin = p;
        while (p < end && !is_separator(*p))
            p++;
        const char *stop = p;
        while (p < end && is_blank(*p))
            p++;
        int marked = p < end && is_separator(*p);
        if (marked)
            p++;
        if (stop == begin && !marked)
            break;
        if (stop - begin > 1 && *begin == '"' && stop[-1] == '"') {
            begin++;
            stop--;
        }
        if (add(numbers, line, begin, (size_t)(stop - begin), error) != 0)
            return -1;
    }
    return 0;
}

/* Whether a line begins with a number, or with none before its first comma. */
static int begins_with_number(const char *p, const char *end) {
    if (p < end && *p == '"')
        p++;
    const char *stop = p;
    while (stop < end && !is_separator(*stop) && *stop != '"')
        stop++;
    return stop == p || cli_number_is(p, (size_t)(stop - p));
}

int cli_csv_numbers(const char *name, const char *text, size_t bytes, uh_dtype dtype, void **elements, size_t *n,
                    struct cli_error *error) {
    struct numbers numbers = {.name = name, .dtype = dtype, .element_bytes = uh_dtype_size(dtype)};
    const char *end = text + bytes;
    uint64_t line = 1, header = 0;
    for (const char *p = text; p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;
        const char *begin = p;
        p = newline ? newline + 1 : end;
        while (begin < stop && is_blank(*begin))
            begin++;
        if (begin == stop || *begin == '#')
            continue;
        if (!header && numbers.n == 0 && !begins_with_number(begin, stop)) {
            header = line;
            continue;
        }
        if (add_line(&numbers, line, begin, stop, error) != 0) {
            free(numbers.data);
            return -1;
        }
    }
    if (header && numbers.n == 0)
        return cli_fail(error, "%s:%" PRIu64 ": no numbers, expected some separated by newlines, commas or blanks",
                        name, header);
    *elements = numbers.data;
    *n = numbers.n;
    return 0;
}
