/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text: correctly rounded, whatever the locale. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "api/cli/error.h"

enum cli_number { CLI_NUMBER_OK, CLI_NUMBER_MALFORMED, CLI_NUMBER_OUT_OF_RANGE };

/* Reads the whole text as one number of the type and stores it (one element). Floating-point types take decimals
 * with an optional sign and exponent, nan, inf and infinity in any case; what is too great becomes an infinity, as in
 * NumPy. Integer types take digits with an optional sign. Stores nothing but on CLI_NUMBER_OK. What is behind the text
 * can be read, and could not go on with a number: a separator, or the zero at the end. */
enum cli_number cli_number_parse(const char *text, size_t length, uh_dtype dtype, void *element);

/* Returns what messages say is expected, such as "a number" or "an integer from 0 to 255". Static. */
const char *cli_number_expected(uh_dtype dtype);

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* Numbers of one type. `data` is freed by cli_numbers_free. */
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

/* Reads numbers with commas between them, in the narrowest of int64, uint64 and float64 that holds every one of them
 * exactly as written (float64 where one is no integer). 0, or -1 with a message that gives the place and the text of
 * the first that is none. The caller frees them. */
int cli_parse_list(const char *text, struct cli_numbers *numbers, struct cli_error *error);

/* Frees the list's data; may be called again. */
void cli_numbers_free(struct cli_numbers *numbers);

/* ---- messages ---------------------------------------------------------------------------------------------------- */

#define CLI_TEXT_QUOTE 64

/* Writes `text` between single quotes, cut to fit, what is not printable ASCII as \xNN. */
void cli_text_quote(char quoted[CLI_TEXT_QUOTE], const char *text, size_t length);

#endif
