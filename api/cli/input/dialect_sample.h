/* SPDX-License-Identifier: Apache-2.0 */
/* What the finding of a dialect looks at: cells by kind, and a sample cut by one separator. */
#pragma once

#include "api/cli/input/csv.h"

enum { CLI_SAMPLE_COLUMNS = 1024, CLI_SAMPLE_RECORDS = 256 };

/* What a cell may be. */
enum cli_kind_of_cell {
    MISSING,
    INTEGER,
    NUMBER,  /* with a point */
    COMMA,   /* a number with a decimal comma, and */
    GROUPED, /* one that may also have a comma between thousands */
    TIME,    /* a date, or date and time */
    NAME,    /* begins as no number does */
    OTHER,
    KINDS
};

enum cli_kind_of_cell cli_cell_kind(const struct cli_dialect *dialect, struct csv_text cell);
int cli_cell_is_value(enum cli_kind_of_cell kind); /* a number or time */

/* A column of the sample. */
struct cli_sample_column {
    enum cli_kind_of_cell first;
    struct csv_text cell;    /* of the first record */
    uint32_t of_kind[KINDS]; /* cells of the other records */
    struct csv_text grouped; /* the first one of them of this kind */
};

struct cli_sample_table {
    char separator;
    size_t width, records;   /* cells of the first record; records */
    size_t shorter, longer;  /* records with another number of cells */
    size_t same, last_width; /* records at the end with as many cells as the last one, and these */
    uint64_t same_line;      /* of the first of them */
    uint64_t first_line;     /* of the first record */
    struct csv_text comment; /* the last comment before the first record */
    size_t comments;
    size_t halves;                     /* dates that are cut from their time */
    double numeric;                    /* part of cells that are values, of those not missing */
    double below;                      /* the same without the first record */
    struct cli_sample_column *columns; /* CLI_SAMPLE_COLUMNS */
};

/* A text, of which `cut` means that it may end within a line. */
struct cli_sample {
    const char *name, *text, *end;
    int cut;
    const struct cli_dialect_use *use;
};

/* Cuts the sample by a separator; the table's columns have room for CLI_SAMPLE_COLUMNS. */
void cli_sample_read(struct cli_sample_table *table, char separator, const struct cli_dialect *dialect,
                     const struct cli_sample *sample);

/* Returns whether the first line after `skip` others that is not blank begins with #. */
int cli_sample_has_comments(const struct cli_sample *sample, uint64_t skip);
