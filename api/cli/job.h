/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that count share: their options, and the queue, inputs and histogram made of them. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/bins.h"
#include "api/cli/error.h"
#include "api/cli/input/input.h"
#include "api/cli/input/inputs.h"
#include "api/cli/options.h"

/* Zero it, parse, open, use, close. What another command makes on the queue instead of a histogram over one axis, its
 * `make` makes, and its `drop` destroys what of that is no `histogram` (safe where there is nothing); it calls
 * cli_job_begin, _set and _operands itself, and opens with cli_job_open_queue, its inputs and cli_job_make. */
struct cli_job {
    const struct cli_command *command;
    const char *edges, *bins_text, *range_text, *leaf_text,
        *distribution_text; /* the options' values as given, or NULL */
    struct cli_bins bins;
    struct cli_input_options input;
    uh_method method;
    uint32_t leaf_bins;
    int right, density, cumulative, stats;
    const char *device; /* what was asked for, or NULL */
    uint32_t threads;
    const char *output, *plot; /* or NULL */
    const char *values;        /* the file of weights or samples, or NULL */
    struct cli_input_options values_input;
    char *values_path; /* `values` without the column; owned */
    uh_sum sum;
    char **paths;
    size_t npaths;

    uh_device_properties properties; /* of the device that counts */
    char why_host[512];              /* why "auto" counts on the host, "" where it does not */
    uh_queue *queue;
    struct cli_inputs *inputs;
    uh_axis *axis;                   /* NULL for a single edge, and so is the histogram */
    uh_histogram *histogram;         /* of weights where there are values */
    struct cli_inputs *value_inputs; /* or NULL: of `values` */

    uh_status (*make)(struct cli_job *job); /* on the queue; NULL: the histogram */
    void (*drop)(struct cli_job *job);
    int makes; /* `make` may be called: what it needs is there */
};

/* Reads the arguments, has `work` done, and closes. Returns 0, -1 or CLI_USAGE with a message, or CLI_SHOW_HELP. */
int cli_job_run(const struct cli_command *command, int argc, char **argv,
                int (*work)(struct cli_job *job, struct cli_error *error), struct cli_error *error);

/* Parts of cli_job_run. Set the defaults; take one option; take the operands, of which one is needed, and check
 * what options are given together. */
void cli_job_begin(struct cli_job *job, const struct cli_command *command);
int cli_job_set(struct cli_job *job, enum cli_option_id id, const char *value, struct cli_error *error);
int cli_job_operands(struct cli_job *job, int argc, char **argv, int first, struct cli_error *error);

/* The parts of cli_job_open. Find the device and make the queue; make what counts, on the
 * host where the fastest device was to be taken and cannot; open the weights or samples, where there are any. 0, or -1
 * with a message. */
int cli_job_open_queue(struct cli_job *job, struct cli_error *error);
int cli_job_make(struct cli_job *job, struct cli_error *error);
int cli_job_open_values(struct cli_job *job, struct cli_error *error);

/* Makes an axis of what `bins` ask for and the inputs hold. What is left to say to the user is said. 0, or -1 with a
 * message. */
int cli_job_axis(struct cli_job *job, const struct cli_bins *bins, struct cli_inputs *inputs, uh_closed closed,
                 uh_axis **axis, struct cli_error *error);

/* Finds a method; CLI_USAGE with a message for a name that is none. */
int cli_job_method(const char *name, uh_method *method, struct cli_error *error);

/* Reads the edges (at least `least`), finds the device, opens the inputs and makes the empty histogram, ready to count,
 * which may take passes over the inputs. Where no device is asked for and the fastest fails, or cannot count these
 * values, the host does. 0, -1 or CLI_USAGE with a message. */
int cli_job_open(struct cli_job *job, uh_closed closed, size_t min_edges, struct cli_error *error);

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
