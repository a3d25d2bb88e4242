/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of iterations, on the queue's device. */
#ifndef UHI_INTEGRATE_SAMPLES_H
#define UHI_INTEGRATE_SAMPLES_H

#include <unihist/exchange.h>

#include "kernels/common/frame.h"
#include "kernels/integrate/estimate.h"
#include "kernels/integrate/grid.h"

/* Zero it, set `sampling`, open, take iterations, close at any stage. */
struct uhi_samples {
    struct uhi_frame frame;
    struct uhi_sampling sampling; /* of the next iteration; it points into memory below */
    const uh_grid *grid;
    uint64_t *starts;        /* room for those of all cubes, and */
    double *spread;          /* for variances; NULL where cubes have as many samples */
    uint64_t *contributions; /* what bins were given by the last iteration, bins of each axis */
    const struct uhi_value_range *range;
    uint64_t deadline;                   /* when iterations are given up, 0: never */
    const uh_integrate_options *options; /* whose `progress` is told */
    /* Tries the integrand's kernel before its first use (integrand_trial.h); NULL: it is not tried. */
    uh_status (*trial)(uh_queue *queue, struct uhi_trial *trial);
    uint64_t kernel_ns, calls;
    int starts_changed; /* since a device was told them */

    struct uhi_cell *cells;
    struct uhi_sampler_part *parts; /* of the host's threads */
    size_t part_count, piece;       /* units of one */
    uint64_t *given;                /* contributions of all parts, or a device's halves */
    char *memory;                   /* of all parts */
    struct uhi_integrate_device *device;

    struct uhi_samples_shares *shares; /* of a combined device's parts, or NULL */
    struct uhi_samples_ranks *ranks;   /* of processes that take them together, or NULL */

    size_t at_once;    /* units of a piece whatever the pace is, of trials; 0: as the pace is */
    size_t units;      /* of the piece at work, */
    uint64_t piece_ns; /* and the time of its kernel by the device's clock; UINT64_MAX: nobody has measured it */
    double point[UH_INTEGRATE_MAX_DIMS], value;
};

/* Makes room for iterations of up to max_calls samples in sampling.cubes cubes. */
uh_status uhi_samples_open(struct uhi_samples *samples, uh_queue *queue, const char *call, uint64_t max_calls,
                           int shares);

/* Joins what processes have opened, each with its status: all go on, or none. */
uh_status uhi_samples_open_ranks(struct uhi_samples *samples, const uh_exchange *exchange, const char *call,
                                 uint64_t max_calls, uh_status opened);

/* Where processes sample together: why iterations end, where they do for one of them. */
uh_status uhi_samples_agree(const struct uhi_samples *samples, uh_integrate_end *end);

/* Takes the samples of an iteration. `end` becomes UH_INTEGRATE_TIME where the deadline has ended it, and
 * UH_INTEGRATE_STOPPED where the caller has; else it stays. */
uh_status uhi_samples_take(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end);

/* Finds the point of a sample of the last iteration that is not finite, and its value. */
uh_status uhi_samples_find(struct uhi_samples *samples, uint64_t sample);

void uhi_samples_close(struct uhi_samples *samples);

/* ---- between the files of this room ---- */

/* Units of an iteration's samples; of those of so many samples, as many as `parts` devices take at a time. */
size_t uhi_units_of(const struct uhi_sampling *sampling);
size_t uhi_samples_units(uint64_t max_calls, size_t parts);

/* Opens the frame, and makes room for what is told before an iteration and what `units` units leave. */
uh_status uhi_samples_allocate(struct uhi_samples *samples, uh_queue *queue, const char *call, size_t units,
                               int shares);

/* Between pieces: whether the iteration is given up, and why. */
int uhi_samples_are_given_up(const struct uhi_samples *samples, uint64_t done, uh_integrate_end *end);

/* The calls above on a queue of one device. */
uh_status uhi_samples_open_one(struct uhi_samples *samples, uh_queue *queue, const char *call, uint64_t max_calls,
                               int shares);
uh_status uhi_samples_take_one(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end);
uh_status uhi_samples_find_one(struct uhi_samples *samples, uint64_t sample);
void uhi_samples_close_one(struct uhi_samples *samples);

/* Lays out an iteration's cells, and zeroes what samples add to. */
void uhi_samples_begin_iteration(struct uhi_samples *samples, struct uhi_iteration_sums *sums);

/* The calls above by this process alone. */
uh_status uhi_samples_take_here(struct uhi_samples *samples, struct uhi_iteration_sums *sums, uh_integrate_end *end);
void uhi_samples_close_here(struct uhi_samples *samples);

/* Takes some units of an iteration whose cells are there; what they leave goes to `rows`, what bins were given to
 * `contributions`, variances of cubes that lie in them to sampling.spread. */
uh_status uhi_samples_take_units(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows);

/* The same on a combined device, whose parts share the units; `end` as of uhi_samples_take. */
uh_status uhi_samples_share_units(struct uhi_samples *samples, size_t first, size_t units, union uhi_word *rows,
                                  uh_integrate_end *end);

/* ---- devices ---- */

/* Stages; `context` is the samples. */
uh_status uhi_integrate_open_device(struct uhi_frame *frame, void *context);
uh_status uhi_integrate_begin_device(struct uhi_frame *frame, void *context);
uh_status uhi_integrate_sample_device(struct uhi_frame *frame, void *context);
uh_status uhi_integrate_end_device(struct uhi_frame *frame, void *context);
void uhi_integrate_close_device(struct uhi_samples *samples);

#endif
