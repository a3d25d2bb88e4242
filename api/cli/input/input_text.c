/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/input_text.h"

#include <stdio.h>

void cli_text_quote(char quoted[CLI_TEXT_QUOTE], const char *text, size_t length) {
    const size_t room = CLI_TEXT_QUOTE - sizeof "...'";
    size_t at = 0;
    quoted[at++] = '\'';
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        int plain = c >= 0x20 && c < 0x7f;
        if (at + (plain ? 1 : 4) > room) {
            at += (size_t)snprintf(quoted + at, CLI_TEXT_QUOTE - at, "...");
            break;
        }
        at += (size_t)snprintf(quoted + at, CLI_TEXT_QUOTE - at, plain ? "%c" : "\\x%02x", c);
    }
    snprintf(quoted + at, CLI_TEXT_QUOTE - at, "'");
}
