/* SPDX-License-Identifier: Apache-2.0 */
/* Round numbers along an axis: 1, 2 or 5 times a power of ten apart; on a logarithmic axis, powers of ten. */
#ifndef CLI_TICKS_H
#define CLI_TICKS_H

#include <stddef.h>

/* How the labels are written, or-ed. */
enum {
    CLI_TICKS_UTF8 = 1,  /* 10⁶ rather than 1e6 */
    CLI_TICKS_COMMAS = 2 /* 12,000 rather than 12000 */
};

/* Maximum number of labelled ticks that may be asked for, and of ticks in all. */
#define CLI_TICKS_MAJOR 24
#define CLI_TICKS_ALL   320

struct cli_tick {
    double position; /* 0 to 1 along the axis */
    int major;       /* labelled; others are for a fine grid */
    double mark;     /* where it stands in a frame that it belongs to, */
    double begin;    /* and where its label begins there */
    char label[40];
};

struct cli_ticks {
    size_t count;
    struct cli_tick tick[CLI_TICKS_ALL]; /* ascending */
};

/*
 * Fills `ticks` for an axis from `low` to `high` (the logarithms to base ten where `logarithmic`), low < high, with at
 * most `max` labelled ones (1 to CLI_TICKS_MAJOR), and where they can be told apart at least one.
 */
void cli_ticks_make(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                    unsigned flags);

/* Returns the smallest of 1, 2, 5 times a power of ten that is not below `min` > 0. */
long double cli_ticks_step(long double min);

/* Writes `value` with the digits that tell it from its neighbours, `step` away; `largest` is the axis's widest value.
 */
void cli_ticks_label(char label[40], long double value, long double step, long double largest, unsigned flags);

#endif
