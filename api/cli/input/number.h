/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text: correctly rounded in any locale. */
#pragma once

#include <unihist/base.h>

#include "api/cli/error.h"

enum cli_number { CLI_NUMBER_OK, CLI_NUMBER_MALFORMED, CLI_NUMBER_OUT_OF_RANGE };

/* Reads the whole text as one number of the type and stores it (one element). Floating-point types take decimals with
 * an optional sign and exponent, nan, inf and infinity in any case; too large numbers become infinities, as in NumPy.
 * Integer types take digits with an optional sign. Stores nothing unless it returns CLI_NUMBER_OK. The byte after the
 * text must be readable and cannot continue a number: a separator, or the final zero. */
enum cli_number cli_number_parse(const char *text, size_t length, uh_dtype dtype, void *element);

/* The same; up to `limit`, which is after that byte at least, bytes are readable, so that digits are read together. */
enum cli_number cli_number_parse_within(const char *text, size_t length, const char *limit, uh_dtype dtype,
                                        void *element);

/* Numbers of one type. Free `data` with cli_numbers_free. */
struct cli_numbers {
    uh_dtype dtype;
    void *data;
    size_t n;
    int times; /* they are dates and times, as seconds */
};

/* Reads a whole number with a point or an exponent, such as 1.0 or 1e3, as an integer. */
enum cli_number cli_number_parse_whole(const char *text, size_t length, uh_dtype dtype, void *element);

/* Return 0, or -1 without a message. A number of `length` characters, of float64; surrounding blanks are allowed, "inf"
 * and "nan" are numbers. A decimal integer from min to max, which may have an exponent (1e9, 2.5e6). */
int cli_parse_double(const char *text, size_t length, double *value);
int cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* Reads comma-separated numbers, one per letter of `types`: 'i' signed and 'u' unsigned 64-bit integer, 'd' any number,
 * 't' a number or a date as seconds. Returns the number of dates, or -1. */
int cli_parameters_read(const char *text, const char *types, void *const *to);

/* Reads comma-separated numbers, or dates and times, in the narrowest of int64, uint64 and float64 that holds all
 * exactly as written (float64 if one is not an integer). Returns 0, or -1 with a message that gives the place and text
 * of the first invalid one. The caller frees them. */
int cli_parse_list(const char *text, struct cli_numbers *numbers);

/* Frees the list's data; may be called again. */
void cli_numbers_free(struct cli_numbers *numbers);

#define CLI_TEXT_QUOTE 64

/* Writes `text` in single quotes, cut to fit; bytes that are not printable ASCII become \xNN. */
void cli_text_quote(char quoted[CLI_TEXT_QUOTE], const char *text, size_t length);
