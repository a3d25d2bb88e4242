/* SPDX-License-Identifier: Apache-2.0 */
/* What standard output can show. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

struct cli_terminal {
    int is_terminal;
    unsigned width; /* the terminal's, else $COLUMNS, else 80 */
    int utf8;       /* the locale's encoding is UTF-8 (LC_ALL, LC_CTYPE, LANG) */
    int colour;     /* a terminal, NO_COLOR is not set and TERM is not dumb */
};

struct cli_terminal cli_terminal_look(void);

#endif
