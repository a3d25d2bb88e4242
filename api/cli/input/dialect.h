/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of a text: how its lines are cut into cells, and what the cells mean. It is given by options, or found
 * from a sample; what several readings explain equally is an error that names them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Separators in addition to any character. */
enum {
    CLI_ANY = '\0',   /* comma, semicolon or blanks, for lists of numbers */
    CLI_BLANKS = ' ', /* blanks and tabs, any number of them */
    CLI_SINGLE = '\n' /* a line is one cell */
};

enum { CLI_FOUND = -1 /* to be found */ };

struct cli_dialect {
    int separator;        /* a character, or CLI_FOUND */
    int header;           /* 0, 1 or CLI_FOUND */
    int comment;          /* lines that begin with this character are skipped; 0: none, or CLI_FOUND */
    int decimal;          /* '.' or ',', or CLI_FOUND */
    int thousands;        /* a character between digits; 0: none */
    uint64_t skip;        /* lines before the table */
    const char *encoding; /* iconv's name; NULL: to be found */
    const char *na;    /* words of missing cells, with commas between them; NULL: the usual ones. So are empty cells */
    int comment_found; /* found, not given */
    int names_follow;  /* found: the header is the last line of the comments before the table, without its character */
};

#define CLI_DIALECT_FOUND                                                                                              \
    ((struct cli_dialect){.separator = CLI_FOUND, .header = CLI_FOUND, .comment = CLI_FOUND, .decimal = CLI_FOUND})

/* Columns that are read, by which some readings are excluded. */
struct cli_dialect_use {
    const char *const *columns; /* numbers or names as given */
    size_t ncolumns;            /* 0: all */
    int named;                  /* by name: there is a header */
    int integers;               /* no number has a decimal comma */
};

/* Finds what is to be found from the first `bytes` of a text, which is whole or, with `cut`, may end within a line.
 * The byte after it must be readable and no part of a number. `name`: of the file, for messages. Returns 0 or -1. */
int cli_dialect_find(struct cli_dialect *dialect, const char *name, const char *text, size_t bytes, int cut,
                     const struct cli_dialect_use *use);

/* Returns whether a cell without quotes and surrounding blanks is missing. */
int cli_dialect_is_missing(const struct cli_dialect *dialect, const char *text, size_t length);

/* Writes a number of the dialect with a decimal point and without separators of thousands, in at most `size` bytes.
 * Returns its length, 0 if it is written as usual, or is no number. */
size_t cli_dialect_plain(const struct cli_dialect *dialect, const char *text, size_t length, char *plain, size_t size);

/* Writes the separator's name, such as "comma". */
void cli_dialect_separator(const struct cli_dialect *dialect, char text[32]);
