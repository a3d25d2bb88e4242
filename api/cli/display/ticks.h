/* SPDX-License-Identifier: Apache-2.0 */
/* Positions and labels along an axis: round numbers at distances of 1, 2 or 5 times a power of ten; on a logarithmic
 * axis, powers of ten. */
#pragma once

#include <stddef.h>

/* Flags for labels, or-ed. */
enum {
    CLI_TICKS_UTF8 = 1,     /* 10⁶ rather than 1e6 */
    CLI_TICKS_CONTENTS = 2, /* of bins: 2,000 rather than 2000, which may be a year */
    CLI_TICKS_WHOLE = 4     /* at whole numbers only */
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
    char unit[96]; /* common to all labels, for the axis's end: "×10⁹", "×10⁻³ +10⁹", or "" */
    struct cli_tick tick[CLI_TICKS_ALL]; /* ascending */
};

/* Fills `ticks` for an axis from `low` to `high` (logarithms to base ten if `logarithmic`), low < high, with at most
 * `max` labelled ticks (1 to CLI_TICKS_MAJOR), and at least one if they can be distinguished. The labels have equally
 * many decimals and are distinct; a label's value is the label times the unit's factor plus the unit's offset. */
void cli_ticks_make(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                    unsigned flags);

/* The same for an axis of time, within CLI_TIME_LIMIT: at round times of the calendar, with dates as labels, of which
 * each has only what differs from the one before. */
void cli_ticks_make_times(struct cli_ticks *ticks, double low, double high, unsigned max);

/* Returns the smallest 1, 2 or 5 times a power of ten that is at least `min` > 0. */
long double cli_ticks_step(long double min);
