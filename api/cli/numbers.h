/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in arguments, read strictly: the whole text is the number, or it is an error. What a number is, is said in
 * api/cli/input/csv_number.h, for files and arguments alike. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "api/cli/error.h"

/* A list of numbers in the narrowest of int64, uint64 and float64 that holds every one of them exactly as written
 * (float64 where one is no integer). `data` is freed by cli_numbers_free. */
struct cli_numbers {
    uh_dtype dtype;
    void *data;
    size_t n;
};

/* Reads a number of `length` characters, blanks around it allowed; "inf" and "nan" are numbers. 0, or -1 for anything
 * else and for a number too large for float64. */
int cli_parse_double(const char *text, size_t length, double *value);

/* Reads a decimal integer of min to max, which may have an exponent (1e9, 2.5e6). 0, or -1. */
int cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* Reads a decimal integer of 64 bits with a sign, in the same ways. 0, or -1. */
int cli_parse_i64(const char *text, int64_t *value);

/* Reads numbers with commas between them. 0, or -1 with a message that gives the place and the text of the first that
 * is none. The caller frees them. */
int cli_parse_list(const char *text, struct cli_numbers *numbers, struct cli_error *error);

/* Frees the list's data; may be called again. */
void cli_numbers_free(struct cli_numbers *numbers);

#endif
