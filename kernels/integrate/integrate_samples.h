/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of iterations, on the queue's device. */
#pragma once

#include <unihist/exchange.h>

#include "kernels/common/frame.h"
#include "kernels/common/trial.h"
#include "kernels/integrate/estimate.h"
#include "kernels/integrate/integrate_run.h"

/* Usage: zero it, set `sampling`, open, take iterations, close at any point. */
struct uhi_samples {
    struct uhi_frame frame;
    struct uhi_sampling sampling; /* of the next iteration; points into memory below */
    const uh_grid *grid;
    uint64_t *starts;        /* room for the starts of all cubes, and */
    double *spread;          /* for variances; NULL if cubes have equally many samples */
    uint64_t *contributions; /* to bins in the last iteration, bins per axis */
    const struct uhi_value_range *range;
    uint64_t deadline;                   /* when iterations are aborted; 0: never */
    const uh_integrate_options *options; /* whose `progress` is called, and `exchange` joins */
    /* Tries the integrand's kernel before its first use (uhi_integrand_try); NULL: no trial. */
    uh_status (*trial)(uh_queue *queue, struct uhi_trial *trial);
    uint64_t kernel_ns, calls;
    int starts_changed; /* since they were sent to a device */

    struct uhi_cell *cells;
    struct uhi_sampler_part *parts; /* one per host thread */
    size_t part_count, piece;       /* units per piece */
    uint64_t *given;                /* contributions of all parts, or a device's halves */
    char *memory;                   /* of all parts */
    struct uhi_integrate_device *device;

    struct uhi_samples_shares *shares; /* of a combined device's parts, or NULL */
    struct uhi_samples_ranks *ranks;   /* of processes that sample together, or NULL */

    size_t at_once;    /* units per piece regardless of the pace, for trials; 0: by the pace */
    size_t units;      /* of the current piece, */
    uint64_t piece_ns; /* and its kernel time by the device's clock; UINT64_MAX: not measured */
    double point[UH_INTEGRATE_MAX_DIMS], value;
};

/* Prepares for iterations of up to max_calls samples in sampling.cubes cubes. */
uh_status uhi_samples_open(struct uhi_samples *samples, uh_queue *queue, const char *call, uint64_t max_calls,
                           int shares);

/* Joins the samples opened by the processes of the options' exchange, if any, each with its status: all continue, or
 * none. */
uh_status uhi_samples_open_ranks(struct uhi_samples *samples, const char *call, uint64_t max_calls, uh_status opened);

/* With several processes: stores why iterations end if they end on any process. */
uh_status uhi_samples_agree(const struct uhi_samples *samples, uh_integrate_end *end);

/* Takes the samples of an iteration. Sets *end to UH_INTEGRATE_TIME if the deadline ended it, and to
 * UH_INTEGRATE_STOPPED if the caller did; otherwise leaves it unchanged. */
uh_status uhi_samples_draw(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end);

/* Takes units of cubature, at most as many as there is room for, and leaves their rows. `end` as above. */
uh_status uhi_samples_draw_rows(struct uhi_samples *samples, size_t units, uh_integrate_end *end);

/* Finds the point and the value of a non-finite sample of the last iteration. */
uh_status uhi_samples_find(struct uhi_samples *samples, uint64_t sample);

void uhi_samples_close(struct uhi_samples *samples);

/* ---- shared by the files of this folder ---- */

/* Return the number of units of an iteration; and of max_calls samples, limited to what `parts` devices take at a
 * time. */
size_t uhi_units_of(const struct uhi_sampling *sampling);
size_t uhi_samples_units(const struct uhi_sampling *sampling, uint64_t max_calls, size_t parts);

/* Opens the frame, and allocates the arrays of an iteration and the rows of `units` units. */
uh_status uhi_samples_allocate(struct uhi_samples *samples, uh_queue *queue, const char *call, size_t units,
                               int shares);

/* Called between pieces: returns whether the iteration is aborted, and stores the reason. */
int uhi_samples_are_cancelled(const struct uhi_samples *samples, uint64_t done, uh_integrate_end *end);

/* The functions above for a queue of one device. */
uh_status uhi_samples_open_one(struct uhi_samples *samples, uh_queue *queue, const char *call, uint64_t max_calls,
                               int shares);
uh_status uhi_samples_draw_one(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end);
uh_status uhi_samples_find_one(struct uhi_samples *samples, uint64_t sample);
void uhi_samples_close_one(struct uhi_samples *samples);

/* Takes some units of an iteration whose cells are ready. Rows go to `rows`, contributions of bins to `contributions`,
 * variances of cubes within the units to sampling.spread. */
uh_status uhi_samples_draw_units(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows);

/* ---- devices ---- */

/* Stages; `context` is the samples. */
uh_status uhi_integrate_open_device(struct uhi_frame *frame, void *context);
uh_status uhi_integrate_begin_device(struct uhi_frame *frame, void *context);
uh_status uhi_integrate_sample_device(struct uhi_frame *frame, void *context);
uh_status uhi_integrate_end_device(struct uhi_frame *frame, void *context);
void uhi_integrate_close_device(struct uhi_samples *samples);

/* Prepares a stage that evaluates points: the kernel, memory of at least these bytes, and the state in it. Of the
 * samples it needs grid, integrand, field and trial. */
uh_status uhi_integrate_open_points(struct uhi_frame *frame, const struct uhi_samples *samples, size_t bytes,
                                    uh_kernel **kernel, void **memory, char **state);

/* ---- the trial of an integrand's kernel, on the host and on a device (integrate_trial.c) ---- */

enum { UHI_INTEGRAND_LOOKS = 8 }; /* maximum number of units that the host also samples */

/* Context of a kernel's trial: its parameters, and the host's results, with which the device is compared. */
struct uhi_integrand_trial {
    const struct uhi_samples *of;         /* samples that need the kernel; their frame has an engine */
    const uh_program *program;            /* the kernel's */
    int fp32;                             /* whether it computes in float32 */
    double difference;                    /* allowed difference of numbers relative to their size; 0: none */
    size_t launch;                        /* units that occupy the whole device */
    double scale;                         /* divisor of values */
    double size[UH_INTEGRAND_MAX_VALUES]; /* sizes of weighted values after division */
    size_t unit[UHI_INTEGRAND_LOOKS], looks;
};

/* Runs the trial; its context is a struct uhi_integrand_trial. */
uh_status uhi_integrand_try(uh_queue *queue, struct uhi_trial *trial);
uh_status uhi_cubature_try(uh_queue *queue, struct uhi_trial *trial);
