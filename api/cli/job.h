/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that count share: the queue, inputs, axes and histogram made of their options. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/bins.h"
#include "api/cli/error.h"
#include "api/cli/input/inputs.h"
#include "api/cli/options.h"

/* The inputs of a histogram as the coordinates of points: of one axis, whose values are those of all inputs one after
 * the other; or of several, an input each, or the columns of one input's rows. Zero them, open, use, close: at any
 * stage. */
struct cli_coordinates {
    struct cli_points points; /* ready but for the values */
    struct cli_inputs *sources[UH_MAX_AXES];
    size_t nsources;
    char names[UH_MAX_AXES][256]; /* of the axes */
};

/* Opens the inputs, for several passes where `several_passes` is not 0, and finds how many axes there are; `integers`:
 * text is integers where nothing else is said. 0, or -1 with a message. */
int cli_coordinates_open(struct cli_coordinates *coordinates, const struct cli_arguments *arguments, int integers,
                         int several_passes, struct cli_error *error);

void cli_coordinates_close(struct cli_coordinates *coordinates);

/* Zero it but for the arguments, open, use, close. What a command makes on the queue, its `make` makes, and its `drop`
 * destroys what of that is no `histogram` (safe where there is nothing). */
struct cli_job {
    const struct cli_arguments *arguments;

    uh_device_properties properties; /* of the device that counts */
    char device_text[512];           /* "SELECTOR (NAME)" of it */
    char why_host[512];              /* why "auto" counts on the host, "" where it does not */
    uh_queue *queue;
    uint32_t profiling; /* of the queue: kernels' times are shown */

    struct cli_coordinates coordinates;
    struct cli_bins bins[UH_MAX_AXES]; /* what is said of the axes, */
    size_t nbins;                      /* of so many; the last is said of those behind it too */
    uh_axis *axis[UH_MAX_AXES];        /* owned; NULL until it is made */
    uh_histogram *histogram;

    struct cli_input_options values_input;
    char *values_path;         /* owned, with a column's name behind */
    struct cli_inputs *values; /* weights or samples, or NULL */

    uh_status (*make)(struct cli_job *job); /* on the queue */
    void (*drop)(struct cli_job *job);
    int makes; /* `make` may be called: what it needs is there */
};

/* Check that there is an input, and what is said of weights or samples. 0, or -1 with a message. */
int cli_job_check(const struct cli_arguments *arguments, struct cli_error *error);

/* Read what is said of the bins, which have `min_edges` edges or more, and open the inputs. 0, or -1 with a message. */
int cli_job_open_inputs(struct cli_job *job, size_t min_edges, struct cli_error *error);

/* Find the device and make the queue; make what counts, on the host where the fastest device was to be taken and
 * cannot; open the weights or samples, where there are any (`text` is not NULL). 0, or -1 with a message. */
int cli_job_open_queue(struct cli_job *job, struct cli_error *error);
int cli_job_make(struct cli_job *job, struct cli_error *error);
int cli_job_open_values(struct cli_job *job, const char *text, struct cli_error *error);

/* Makes the axes of what their bins ask for and the inputs hold, which may take passes over them. What is left to say
 * to the user is said. 0, or -1 with a message. */
int cli_job_make_axes(struct cli_job *job, uh_closed closed, struct cli_error *error);

/* Lends what is said of an axis. */
const struct cli_bins *cli_job_bins(const struct cli_job *job, size_t axis);

/* Makes the empty histogram over the axes, ready to count points of the inputs' types. */
uh_status cli_job_make_histogram(struct cli_job *job, uh_storage storage);

/* To be called where the library has just failed on the job's queue: where nothing is counted yet (`begun` is 0) and no
 * device was asked for, the host takes the fastest one's place, and the call is worth trying again: it may stand in a
 * loop, since the host has none to take its place. 0, or -1 with a message. */
int cli_job_recover(struct cli_job *job, int begun, struct cli_error *error);

/* The same where a device cannot be used for another reason. */
int cli_job_leave_device(struct cli_job *job, const char *why, struct cli_error *error);

/* Returns whether the host counts. */
int cli_job_is_on_host(const struct cli_job *job);

/* Stores why the library has just failed on the job's queue, and the device's name where it is not the host. -1. */
int cli_job_fail(const struct cli_job *job, struct cli_error *error);

/* Frees everything; may be called at any stage. */
void cli_job_close(struct cli_job *job);

/* Prints "unihist COMMAND: warning: TEXT" to standard error. */
void cli_job_warn(const struct cli_job *job, const char *text);

#endif
