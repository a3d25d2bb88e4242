/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal line that shows the progress of the work: share, amount, rate and time left. */
#pragma once

#include <stdint.h>
#include <stdio.h>

double cli_clock(void);

struct cli_progress;

/* Starts a line on `terminal` (borrowed; flushed by every redraw), after `label` (copied). `unit` of `total`: "B" for
 * bytes, or "" for things that the label names; `total` is 0 if unknown. Nothing is drawn if `terminal` is not a
 * terminal, nor in the first fifth of a second. Returns NULL if there is nothing to draw on or out of memory; the other
 * calls accept it. One thread at a time. Of several processes only the first draws, and on its launcher's terminal
 * (cli_watch) instead of `terminal`. With `shared` all processes call it, each for its part of the work; the first
 * one's line shows the sum, and the share of the slowest. */
struct cli_progress *cli_progress_start(FILE *terminal, const char *label, uint64_t total, const char *unit,
                                        int shared);

/* Sets the number of bytes or things done so far. Redraws at most ten times per second; otherwise only reads the
 * clock. */
void cli_progress_update(struct cli_progress *progress, uint64_t amount);

/* Start the next part of the work, with another name, and set its total, which is unknown before. NULL is allowed. */
void cli_progress_next(struct cli_progress *progress, const char *label);
void cli_progress_expect(struct cli_progress *progress, uint64_t total);

/* Erases the line and frees `progress`; NULL is allowed. */
void cli_progress_finish(struct cli_progress *progress);
