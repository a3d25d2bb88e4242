/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that count share: their options, and the queue, inputs and histogram made of them. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/axes.h"
#include "api/cli/error.h"
#include "api/cli/input/input.h"
#include "api/cli/input/inputs.h"
#include "api/cli/options.h"

/* Zero it, say whose it is, parse, open, use, close. What a command makes on the queue, its `make` makes, and its
 * `drop` destroys what of that is no `histogram` (safe where there is nothing). */
struct cli_job {
    const struct cli_command *command;
    struct cli_axes axes;
    struct cli_input_options input;
    int right, density, cumulative, stats;
    const char *device; /* what was asked for, or NULL */
    uint32_t threads;
    const char *output, *plot; /* or NULL */
    const char *values;        /* the file of weights or samples, or NULL */
    struct cli_input_options values_input;
    char *values_copy; /* of `values`, owned */
    char *values_path; /* the file that it names */
    uh_sum sum;
    char **paths;
    size_t npaths;

    uh_device_properties properties; /* of the device that counts */
    char device_text[256];           /* "SELECTOR (NAME)" of it */
    char why_host[512];              /* why "auto" counts on the host, "" where it does not */
    uh_queue *queue;
    struct cli_inputs *inputs;
    uh_histogram *histogram;
    struct cli_inputs *value_inputs; /* or NULL: of `values` */

    uh_status (*make)(struct cli_job *job); /* on the queue */
    void (*drop)(struct cli_job *job);
    int makes; /* `make` may be called: what it needs is there */
};

/* Take one option, as cli_options_parse hands it to a job (`context`); take the operands, of which one is needed, and
 * check what options are given together. 0, -1 or CLI_USAGE with a message. */
int cli_job_set(void *context, enum cli_option_id id, const char *value, struct cli_error *error);
int cli_job_operands(struct cli_job *job, int argc, char **argv, int first, struct cli_error *error);

/* Find the device and make the queue; make what counts, on the host where the fastest device was to be taken and
 * cannot; open the weights or samples, where there are any. 0, or -1 with a message. */
int cli_job_open_queue(struct cli_job *job, struct cli_error *error);
int cli_job_make(struct cli_job *job, struct cli_error *error);
int cli_job_open_values(struct cli_job *job, struct cli_error *error);

/* Makes an axis of what its bins ask for and the inputs hold, which may take passes over them. What is left to say to
 * the user is said. 0, or -1 with a message. */
int cli_job_make_axis(struct cli_job *job, size_t axis, struct cli_inputs *inputs, uh_closed closed,
                      struct cli_error *error);

/* Makes the empty histogram over the axes, ready to count points of these inputs' types. */
uh_status cli_job_make_histogram(struct cli_job *job, const struct cli_points *points, uh_storage storage);

/* To be called where the library has just failed on the job's queue: where nothing is counted yet (`begun` is 0) and no
 * device was asked for, the host takes the fastest one's place, and the call is worth trying again: it may stand in a
 * loop, since the host has none to take its place. 0, or -1 with a message. */
int cli_job_recover(struct cli_job *job, int begun, struct cli_error *error);

/* Returns whether the host counts. */
int cli_job_is_on_host(const struct cli_job *job);

/* Stores why the library has just failed on the job's queue, and the device's name where it is not the host. -1. */
int cli_job_fail(const struct cli_job *job, struct cli_error *error);

/* Frees everything; may be called at any stage. */
void cli_job_close(struct cli_job *job);

/* Prints "unihist COMMAND: warning: TEXT" to standard error. */
void cli_job_warn(const struct cli_job *job, const char *text);

#endif
