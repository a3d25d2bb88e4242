/* SPDX-License-Identifier: Apache-2.0 */
/* A line on the terminal that says how far the work has come: share, amount, rate and time left. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

/* Seconds of a clock that only goes forward. */
double cli_clock(void);

struct cli_progress;

/*
 * Begins a line on `terminal` (lent; flushed by every redraw), led by `label` (copied). `unit` is what `total` is of:
 * "B" for bytes, or "" for things that the label names; `total` is 0 where it is not known. Nothing is ever drawn where
 * `terminal` is not one, nor in the first fifth of a second. Returns NULL when there is nothing to draw on or memory is
 * short, which the other calls take. One thread at a time. Of several processes the first alone draws, and where their
 * launcher does rather than on `terminal`.
 */
struct cli_progress *cli_progress_start(FILE *terminal, const char *label, uint64_t total, const char *unit);

/* The same for work of which each process has a part, of `total`: all make it together, and the first one's line shows
 * what is done of all, and how far the slowest is. */
struct cli_progress *cli_progress_share(FILE *terminal, const char *label, uint64_t total, const char *unit);

/* Says how many bytes or things are done in all. Redraws at most ten times a second; costs a look at the clock
 * otherwise. */
void cli_progress_update(struct cli_progress *progress, uint64_t amount);

/* Goes on with the next part of the work, of another name and of a total that is not known until it is told. NULL is
 * allowed. */
void cli_progress_next(struct cli_progress *progress, const char *label);
void cli_progress_expect(struct cli_progress *progress, uint64_t total);

/* Erases the line and frees `progress`; NULL is allowed. */
void cli_progress_finish(struct cli_progress *progress);

#endif
