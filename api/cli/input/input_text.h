/* SPDX-License-Identifier: Apache-2.0 */
/* How a piece of an input is shown in a message. */
#ifndef CLI_INPUT_TEXT_H
#define CLI_INPUT_TEXT_H

#include <stddef.h>

#define CLI_TEXT_QUOTE 64

/* Writes `text` between single quotes, cut to fit, what is not printable ASCII as \xNN. */
void cli_text_quote(char quoted[CLI_TEXT_QUOTE], const char *text, size_t length);

#endif
