/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas of the command line, checked token by token and written as source for <unihist/integrand.h>. */
#ifndef CLI_EXPRESSION_H
#define CLI_EXPRESSION_H

#include <stddef.h>

#include "api/cli/error.h"

/*
 * Reads an expression of numbers, pi, the coordinates x0 to x19 (x, y and z are the first three), + - * /, ^ for powers
 * (right-associative, before a sign in front: -x^2 is -(x^2)), < <= > >= == != && || (1 or 0), a ? b : c, parentheses,
 * and functions common to C and OpenCL C. Returns the text, which the caller frees, or NULL with a message that gives
 * the position of the error.
 *
 * dims: number of axes; 0 is replaced by the number of coordinates in the expression, at least one
 */
char *cli_expression_text(const char *expression, size_t *dims, struct cli_error *error);

#endif
