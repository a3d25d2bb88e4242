/* SPDX-License-Identifier: Apache-2.0 */
/* Round numbers along an axis, at distances of 1, 2 or 5 times a power of ten; on a logarithmic axis, powers of ten. */
#ifndef CLI_TICKS_H
#define CLI_TICKS_H

#include <stddef.h>

/* Flags for labels, or-ed. */
enum {
    CLI_TICKS_UTF8 = 1,  /* 10⁶ rather than 1e6 */
    CLI_TICKS_COMMAS = 2 /* 12,000 rather than 12000 */
};

/* Maximum numbers of labelled ticks that may be requested, and of all ticks. */
#define CLI_TICKS_MAJOR 24
#define CLI_TICKS_ALL   320

struct cli_tick {
    double position; /* 0 to 1 along the axis */
    int major;       /* labelled; others are for a fine grid */
    double mark;     /* its position in a frame */
    double begin;    /* start of its label in the frame */
    char label[40];
};

struct cli_ticks {
    size_t count;
    struct cli_tick tick[CLI_TICKS_ALL]; /* ascending */
};

/*
 * Fills `ticks` for an axis from `low` to `high` (logarithms to base ten if `logarithmic`), low < high, with at most
 * `max` labelled ticks (1 to CLI_TICKS_MAJOR), and at least one if they can be distinguished.
 */
void cli_ticks_make(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                    unsigned flags);

/* Returns the smallest 1, 2 or 5 times a power of ten that is at least `min` > 0. */
long double cli_ticks_step(long double min);

/* Writes `value` with the digits that distinguish it from neighbours `step` away; `largest`: largest magnitude on the
 * axis. */
void cli_ticks_label(char label[40], long double value, long double step, long double largest, unsigned flags);

#endif
