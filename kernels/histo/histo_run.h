/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram on the queue's device: a prescan finds the eye, all indices are counted, and the private tables
 * are reduced to the result, as often as asked. */
#pragma once

#include "kernels/common/frame.h"
#include "kernels/histo/histo.h"
#include "runtime/host.h"

/* ---- the eye, found from a sample; a bad guess only costs time ---- */

/* Most indices in a sample: with 20 bits per index, their sum stays below 2^32. */
enum { UHI_HISTO_SAMPLES = 4096 };

struct uhi_histo_size {
    size_t width, height; /* at least 1; the product does not overflow */
};

/* Rows of the histogram; `rows` may be 0. */
struct uhi_histo_eye {
    size_t first, rows;
};

/* The bins that an index can address: width * height, at most 2^32. */
uint64_t uhi_histo_bins(struct uhi_histo_size size);

/* The right shift of indices before the prescan adds and squares them, to 20 bits. */
unsigned uhi_histo_shift(struct uhi_histo_size size);

/* Distance of the samples of n indices: sample i is index i * distance, while that is below n. */
size_t uhi_histo_distance(size_t n);

/* Adds up the samples of 32-bit indices; see UHI_HISTO_SUMS. */
void uhi_histo_sample(struct uhi_histo_size size, struct uhi_values x, uint64_t sums[]);

/* The rows within `sigmas` (at most 255) standard deviations of the samples' mean; none without a sample. */
struct uhi_histo_eye uhi_histo_find_eye(struct uhi_histo_size size, const uint64_t sums[], unsigned sigmas);

/* The same on a device, and how its groups share it; equal to the prescan's kernel (histo_decide.inc). */
void uhi_histo_decide(const struct uhi_histo_limits *limits, const uint64_t sums[],
                      struct uhi_histo_geometry *geometry);

/* ---- groups, local memory and partial histograms for the largest possible eye, before it is known, and the limits
 * within which the prescan decides. Depend only on the sizes and the device (histo_geometry.c). ---- */

struct uhi_histo_room {
    struct uhi_histo_limits limits; /* partial_bytes: the wanted size; less may be available */
    size_t group_size;              /* work-items */
    size_t groups;                  /* to launch */
    size_t local_bytes;             /* of local memory per group, at least 16 */
};

/* Chooses for n indices. `group_size`: work-items per group that the kernels can run. */
struct uhi_histo_room uhi_histo_choose(struct uhi_histo_size size, size_t n, size_t group_size,
                                       const uh_device_properties *device);

/* Describes how a device counts, like snprintf; returns the full length. */
int uhi_histo_geometry_text(const struct uhi_histo_room *room, const struct uhi_histo_geometry *geometry, char *text,
                            size_t size);

/* ---- work ---- */

/* Input and output; all of it must outlive the work. */
struct uhi_histo_job {
    const char *call; /* for messages */
    uh_queue *queue;
    struct uhi_values indices;
    struct uhi_histo_size size;
    uint8_t *out;
    int timed; /* measure the phases in nanoseconds */
};

/* Results of an iteration. */
struct uhi_histo_done {
    uint64_t beyond;                 /* indices beyond the histogram */
    uint64_t prescan, count, reduce; /* nanoseconds, if the job is timed */
    struct uhi_histo_eye eye;
};

/* Follows the counts on a device. An iteration ends with copying it to the host. */
struct uhi_histo_tail {
    uint32_t beyond[2]; /* low and high half */
    struct uhi_histo_geometry geometry;
    struct uhi_histo_limits limits; /* not copied back */
};

/* Work that is repeated. */
struct uhi_histo {
    struct uhi_histo_job job;
    struct uhi_frame frame;
    struct uhi_histo_done done; /* of this iteration */
    uint64_t started;           /* start of the current phase, if the job is timed */
    struct {
        size_t parts;         /* 1: a single thread counts in the result; 0: a device counts */
        uint64_t first, size; /* bins of the eye, for which each thread has a table; size 0: none */
        uint8_t *tables;      /* part p begins at p * pitch */
        size_t pitch;
    } host;
    struct {
        struct uhi_pieces pieces;       /* of the indices */
        enum uhi_location out_location; /* of job.out */
        uint8_t *staging;               /* the counts on the way to plain host memory, otherwise NULL */
        struct uhi_histo_room room;
        uh_kernel *prescan, *count, *reduce; /* prescan: NULL if the host decides */
        size_t prescan_items;
        uh_event *prescanned;       /* end of the prescan, while a timed job waits for it */
        uint32_t *out;              /* on the device: the counts, rounded up to words, then the tail */
        struct uhi_histo_tail tail; /* as last copied */
        void *partial;              /* on the device: the batches' partial histograms */
    } device;
};

/* Checks where the memory is and allocates what the iterations need. The caller closes it, also after a failure, and
 * does not move it before. */
uh_status uhi_histo_open(struct uhi_histo *histo, const struct uhi_histo_job *job);

/* Counts everything once: on the host directly into job->out, because nothing can fail there any more, otherwise into
 * separate memory. The results are in histo->done. */
uh_status uhi_histo_iterate(struct uhi_histo *histo);

/* Stores the counts of the last iteration in job->out, which is unchanged on failure. */
uh_status uhi_histo_store(struct uhi_histo *histo);

/* Describes how the last iteration counted. */
void uhi_histo_text(const struct uhi_histo *histo, char *text, size_t size);

/* Waits and frees everything. */
void uhi_histo_close(struct uhi_histo *histo);

/* ---- shared by the files of this directory ---- */

/* Ends a phase of an iteration: stores its duration, if the job is timed. */
static inline void uhi_histo_end_phase(struct uhi_histo *histo, uint64_t *nanoseconds) {
    if (!histo->job.timed)
        return;
    const uint64_t now = uhi_host_now();
    *nanoseconds = now - histo->started;
    histo->started = now;
}

/* The stages' device bodies (histo_device.c). The prescan's decision stays on the device, so that stages are submitted
 * without waiting; the last one waits. */
uh_status uhi_histo_ready_on_device(struct uhi_frame *frame, void *context);
uh_status uhi_histo_prescan_on_device(struct uhi_frame *frame, void *context);
uh_status uhi_histo_count_on_device(struct uhi_frame *frame, void *context);
uh_status uhi_histo_reduce_on_device(struct uhi_frame *frame, void *context);

/* Bytes of the result. */
static inline size_t uhi_histo_counts(const struct uhi_histo_job *job) { return job->size.width * job->size.height; }

/* Words on the device for the counts; an even number, because the tail has 64-bit words. Bins that no 32-bit index can
 * address have none. */
static inline size_t uhi_histo_words(const struct uhi_histo_job *job) {
    return (size_t)((uhi_histo_bins(job->size) + 7) / 8 * 2);
}
