/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the commands that count: queue, inputs, axes and histogram made from their options. */
#pragma once

#include "api/cli/bins.h"

/* Opens the inputs of a histogram as coordinates of points: one axis of the values of all inputs, one after the other;
 * or several, one per input, or the columns of one input's rows. For several passes if `several_passes` is not 0;
 * `integers`: text is integers by default. The caller closes the sources, also after a failure. */
int cli_coordinates_open(struct cli_points *points, const struct cli_arguments *arguments, int integers,
                         int several_passes);

/* Zero-initialize except for the arguments, open, use, close. A command's `make` creates its objects on the queue, and
 * its `drop` destroys all of them but `histogram` (safe if not opened). */
struct cli_job {
    const struct cli_arguments *arguments;

    uh_device_properties properties; /* of the device that counts */
    char device_text[512];           /* "SELECTOR (NAME)" of it */
    char why_host[512];              /* why "auto" counts on the host, "" if it does not */
    uh_queue *queue;
    uint32_t profiling; /* option of the queue: kernel times are shown */

    struct cli_points points;          /* owned; its values: weights or samples */
    struct cli_bins bins[UH_MAX_AXES]; /* options of the axes, */
    size_t nbins;                      /* entries; the last applies to the remaining axes */
    uh_axis *axis[UH_MAX_AXES];        /* owned; NULL until made */
    uh_storage storage;                /* of the histogram */
    uh_histogram *histogram;

    struct cli_input_options values_input;
    char *values_path;         /* owned; */
    const char *values_column; /* in it */

    uh_status (*make)(struct cli_job *job); /* on the queue */
    void (*drop)(struct cli_job *job);
    int makes; /* `make` may be called: its inputs exist */
};

/* Checks that there is an input, and the options of weights or samples. */
int cli_job_check(const struct cli_arguments *arguments);

/* Reads the options of the bins, with at least `min_edges` edges, and opens the inputs. */
int cli_job_open_inputs(struct cli_job *job, size_t min_edges);

/* Find the device and make the queue; call `make`, on the host if the fastest device was to be used and fails; open the
 * weights or samples, if any (`text` is not NULL). */
int cli_job_open_queue(struct cli_job *job);
int cli_job_make(struct cli_job *job);
int cli_job_open_values(struct cli_job *job, const char *text);

/* Makes the axes from the options of the bins and the inputs' values, which may take passes over them. */
int cli_job_make_axes(struct cli_job *job);

/* Return the options of an axis (borrowed), the properties of the queue, and whether the host counts. */
const struct cli_bins *cli_job_bins(const struct cli_job *job, size_t axis);
uh_queue_properties cli_job_queue(const struct cli_job *job);
int cli_job_is_on_host(const struct cli_job *job);

/* As `make`: makes the empty histogram over the axes, ready to count points of the inputs' types. */
uh_status cli_job_make_histogram(struct cli_job *job);

/* Call it after the library failed on the job's queue. If nothing is counted yet (`started` is 0) and no device was
 * requested, the host replaces the fastest one, and the failed call can be repeated; a loop ends because nothing
 * replaces the host. */
int cli_job_recover(struct cli_job *job, int started);

/* The same for a device that cannot be used for another reason. */
int cli_job_use_host(struct cli_job *job, const char *why);

/* Stores why the library has just failed on the job's queue, with the device's name unless it is the host. Returns
 * -1. */
int cli_job_fail(const struct cli_job *job);
void cli_job_close(struct cli_job *job);
