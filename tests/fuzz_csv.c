/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a table: it gives the same numbers, or the same message, whole and in pieces; and as one number, it is
 * what strtod says. The first three bytes choose the type, the column and the pieces. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "api/cli/input/csv.h"
#include "api/cli/input/number.h"
#include "tests/fuzz.h"

enum { CAPACITY = 4096 };

struct result {
    int rc;
    struct cli_error error;
    size_t n;
    uint64_t elements[CAPACITY];
};

/* Copies a text into memory of its very size, with a zero after it, so that a read beyond it is seen. */
static char *copy_of(const char *text, size_t size) {
    char *copy = malloc(size + 1);
    CHECK(copy);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

/* Reads the text, of which `step` bytes more are there each time, at most `capacity` elements at a time, and if these
 * are few, by the reader of any line. */
static void read_pieces(const char *column, uh_dtype dtype, const char *text, size_t size, size_t step, size_t capacity,
                        const struct cli_dialect *dialect, struct result *result) {
    struct cli_csv csv;
    memset(result, 0, sizeof *result);
    const char *const first = column ? column : "0";
    const int all = strcmp(first, "*") == 0;
    CHECK(cli_csv_start(&csv, "f", &first, all ? 0 : 1, dtype) == 0);
    csv.dialect = *dialect;
    unsigned char *to = (unsigned char *)result->elements;
    size_t used = 0, there = 0;
    for (int last = 0; result->rc == 0 && !last;) {
        last = there == size;
        there = size - there < step ? size : there + step;
        const size_t bytes = there - used;
        char *piece = copy_of(text + used, bytes);
        for (size_t at = 0, part, stored = 1; result->rc == 0 && stored > 0; at += part) {
            part = stored = 0;
            csv.plain &= capacity >= CAPACITY;
            result->rc = cli_csv_parse(&csv, piece + at, bytes - at, last, &part, to, capacity, &stored);
            CHECK(stored <= capacity && part <= bytes - at);
            CHECK(result->rc != 0 || stored > 0 || !last || part == bytes - at);
            used += part;
            result->n += stored;
            to += stored * uh_dtype_size(dtype);
        }
        free(piece);
    }
    result->error = cli_error;
}

/* Finds the dialect, twice the same. */
static int find_dialect(const char *column, uh_dtype dtype, const char *text, size_t size,
                        struct cli_dialect *dialect) {
    const char *const first = column ? column : "0";
    const struct cli_dialect_use use = {.columns = &first,
                                        .ncolumns = strcmp(first, "*") != 0,
                                        .named = strspn(first, "0123456789*") < strlen(first),
                                        .integers = dtype != UH_F32 && dtype != UH_F64};
    struct cli_dialect again = CLI_DIALECT_FOUND;
    char *copy = copy_of(text, size);
    *dialect = CLI_DIALECT_FOUND;
    const int result = cli_dialect_find(dialect, "f", copy, size, 0, &use);
    CHECK(cli_dialect_find(&again, "f", copy, size, 0, &use) == result);
    CHECK(result || (again.separator == dialect->separator && again.header == dialect->header));
    CHECK(result || (dialect->separator != CLI_FOUND && dialect->header != CLI_FOUND && dialect->decimal > 0));
    free(copy);
    return result;
}

static void check_number(const char *text, size_t size) {
    char copy[64];
    double value, expected;
    float narrow, narrow_expected;
    if (size >= sizeof copy)
        return;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (cli_number_parse(copy, size, UH_F64, &value) != CLI_NUMBER_OK)
        return;
    char *end;
    expected = strtod(copy, &end);
    CHECK(end == copy + size);
    CHECK(memcmp(&value, &expected, 8) == 0 || (isnan(value) && isnan(expected)));
    CHECK(cli_number_parse(copy, size, UH_F32, &narrow) == CLI_NUMBER_OK);
    narrow_expected = strtof(copy, NULL);
    CHECK(memcmp(&narrow, &narrow_expected, 4) == 0 || (isnan(narrow) && isnan(narrow_expected)));
}

static void check_numbers(const char *text, size_t size) {
    struct cli_numbers numbers;
    char *copy = copy_of(text, size);
    cli_csv_numbers("f", copy, size, &numbers);
    cli_numbers_free(&numbers);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const columns[] = {NULL, "0", "1", "2", "a", "b c", "x\"y", "99999999999", "*"};
    if (size < 3 || size > 4096)
        return 0;
    uh_dtype dtype = (uh_dtype)(data[0] % UH_DTYPE_COUNT);
    const char *column = columns[data[1] % (sizeof columns / sizeof *columns)];
    const size_t row = column && *column == '*' ? CLI_CSV_COLUMNS : 1;
    size_t step = 1 + data[2] % 61u, capacity = row + data[2] % 7u;
    const char *text = (const char *)data + 3;
    size -= 3;
    check_number(text, size);
    check_numbers(text, size);
    struct cli_dialect dialect;
    if (find_dialect(column, dtype, text, size, &dialect))
        return 0;
    static struct result whole, pieces;
    read_pieces(column, dtype, text, size, size + 1, CAPACITY, &dialect, &whole);
    read_pieces(column, dtype, text, size, step, capacity, &dialect, &pieces);
    CHECK(whole.rc == pieces.rc);
    CHECK(whole.rc == 0 ? whole.n == pieces.n : strcmp(whole.error.text, pieces.error.text) == 0);
    CHECK(whole.rc != 0 || memcmp(whole.elements, pieces.elements, whole.n * uh_dtype_size(dtype)) == 0);
    return 0;
}
