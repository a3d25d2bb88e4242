/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text: correctly rounded, whatever the locale. */
#ifndef CLI_CSV_NUMBER_H
#define CLI_CSV_NUMBER_H

#include <stddef.h>

#include <unihist/base.h>

enum cli_number { CLI_NUMBER_OK, CLI_NUMBER_MALFORMED, CLI_NUMBER_OUT_OF_RANGE };

/* Reads the whole text as one number of the type and stores it (one element). Floating-point types take decimals
 * with an optional sign and exponent, nan, inf and infinity in any case; what is too great becomes an infinity, as in
 * NumPy. Integer types take digits with an optional sign. Stores nothing but on CLI_NUMBER_OK. */
enum cli_number cli_number_parse(const char *text, size_t length, uh_dtype dtype, void *element);

/* The same for an integer of 64 bits, signed or not, that may be written as digits with a positive exponent
 * (1e9, 2.5e6).
 */
enum cli_number cli_number_parse_whole(const char *text, size_t length, int is_signed, void *element);

/* Says whether the text is a number of a floating-point type. */
int cli_number_is(const char *text, size_t length);

/* Returns what messages say is expected, such as "a number" or "an integer from 0 to 255". Static. */
const char *cli_number_expected(uh_dtype dtype);

#endif
