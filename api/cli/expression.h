/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas of the command line, checked token by token and written as a text of <unihist/integrand.h>. */
#ifndef CLI_EXPRESSION_H
#define CLI_EXPRESSION_H

#include <stddef.h>

#include "api/cli/error.h"

/*
 * Reads an expression of numbers, pi, the coordinates x0 to x19 (x, y and z are the first three), + - * /, ^ for powers
 * (from the right, before a sign in front: -x^2 is -(x^2)), < <= > >= == != && || (1 or 0), a ? b : c, parentheses, and
 * functions that C and OpenCL C both have. Returns the text, which the caller frees, or NULL with a message that says
 * where it goes wrong.
 *
 * dims: how many axes there are, or 0 for as many as the expression has coordinates, at least one; stored then
 */
char *cli_expression_text(const char *expression, size_t *dims, struct cli_error *error);

#endif
