/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram on the queue's device: a prescan finds the eye, all indices are counted, and the private tables
 * are reduced to the result, as often as asked. */
#pragma once

#include "kernels/common/frame.h"
#include "kernels/histo/histo_geometry.h"
#include "runtime/host.h"

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
        size_t parts;         /* 1: a single thread counts in the result */
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
void uhi_histo_text(struct uhi_histo *histo, char *text, size_t size);

/* Waits and frees everything. */
void uhi_histo_close(struct uhi_histo *histo);

/* ---- shared by the files of this directory ---- */

/* The last two stages of an iteration; their context is the struct uhi_histo. */
extern const struct uhi_stage uhi_histo_count, uhi_histo_reduce;

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
static inline size_t uhi_histo_counts(const struct uhi_histo_job *job) {
    return job->size.width * job->size.height;
}

/* Words on the device for the counts; an even number, because the tail has 64-bit words. Bins that no 32-bit index can
 * address have none. */
static inline size_t uhi_histo_words(const struct uhi_histo_job *job) {
    return (size_t)((uhi_histo_bins(job->size) + 7) / 8 * 2);
}
