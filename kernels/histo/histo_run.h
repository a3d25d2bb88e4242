/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram, on the queue's device: a prescan finds the eye, all indices are counted, and the private
 * tables are reduced to the result, as often as asked. */
#ifndef UHI_HISTO_RUN_H
#define UHI_HISTO_RUN_H

#include "kernels/common/frame.h"
#include "kernels/histo/histo_eye.h"
#include "kernels/histo/histo_geometry.h"
#include "runtime/host.h"

/* What is to be counted; all of it outlives the work. */
struct uhi_histo_job {
    const char *call; /* for messages */
    uh_queue *queue;
    struct uhi_values indices;
    struct uhi_histo_size size;
    uint8_t *out;
    int timed; /* nanoseconds of the phases are wanted */
};

/* What an iteration did. */
struct uhi_histo_done {
    uint64_t beyond;                 /* indices that lie beyond the histogram */
    uint64_t prescan, count, reduce; /* nanoseconds, where the job is timed */
    struct uhi_histo_eye eye;
};

/* What lies behind the counts on a device. An iteration ends with its coming to the host. */
struct uhi_histo_tail {
    uint32_t beyond[2]; /* low and high half */
    struct uhi_histo_geometry geometry;
    struct uhi_histo_limits limits; /* stay there */
};

/* Work that is done over and over. */
struct uhi_histo {
    struct uhi_histo_job job;
    struct uhi_frame frame;
    struct uhi_histo_done done; /* by this iteration */
    uint64_t begun;             /* when the phase at work began, where the job is timed */
    struct {
        size_t parts;         /* 1: a single thread counts in the result */
        uint64_t first, size; /* the bins of the eye that each thread counts in a table of its own; size 0: none */
        uint8_t *tables;      /* part p: from p * pitch on */
        size_t pitch;
    } host;
    struct {
        struct uhi_pieces pieces; /* of the indices */
        enum uhi_place out_place; /* of job.out */
        uint8_t *staging;         /* the counts on the way to plain host memory; NULL where they go elsewhere */
        struct uhi_histo_room room;
        uh_kernel *prescan, *count, *reduce; /* prescan: NULL where the host decides */
        size_t prescan_items;
        uh_event *prescanned;       /* the end of the prescan, where the job is timed and waits for it */
        uint32_t *out;              /* on the device: the counts, rounded up to words, then the tail */
        struct uhi_histo_tail tail; /* as it was last brought */
        void *partial;              /* on the device: the batches' partial histograms */
    } device;
};

/* Checks where the memory lies and allocates what the iterations need. The caller closes it, whatever comes of it;
 * until then it stays where it is. */
uh_status uhi_histo_open(struct uhi_histo *histo, const struct uhi_histo_job *job);

/* Counts everything, once: on the host straight into job->out, as nothing can fail there any more, elsewhere into
 * memory of its own. What it did is in histo->done. */
uh_status uhi_histo_iterate(struct uhi_histo *histo);

/* Stores the counts of the last iteration in job->out. On failure that is as it was. */
uh_status uhi_histo_store(struct uhi_histo *histo);

/* Says in words how the last iteration counted. */
void uhi_histo_text(struct uhi_histo *histo, char *text, size_t size);

/* Waits and frees everything. */
void uhi_histo_close(struct uhi_histo *histo);

/* ---- between the files of the room ---- */

/* The last two stages of an iteration; their context is the struct uhi_histo. */
extern const struct uhi_stage uhi_histo_count, uhi_histo_reduce;

/* A phase of an iteration has ended: stores what it took, where the job is timed. */
static inline void uhi_histo_end_phase(struct uhi_histo *histo, uint64_t *nanoseconds) {
    if (!histo->job.timed)
        return;
    const uint64_t now = uhi_host_now();
    *nanoseconds = now - histo->begun;
    histo->begun = now;
}

/* The stages' bodies for devices (histo_device.c). The prescan's decision stays on the device, so that one stage is
 * submitted after the other; the last one waits. */
uh_status uhi_histo_ready_on_device(struct uhi_frame *frame, void *context);
uh_status uhi_histo_prescan_on_device(struct uhi_frame *frame, void *context);
uh_status uhi_histo_count_on_device(struct uhi_frame *frame, void *context);
uh_status uhi_histo_reduce_on_device(struct uhi_frame *frame, void *context);

/* Bytes of the result. */
static inline size_t uhi_histo_counts(const struct uhi_histo_job *job) {
    return job->size.width * job->size.height;
}

/* Words on the device that hold the counts, an even number, as the tail has words of 64 bits. Of bins that no index of
 * 32 bits means there are none. */
static inline size_t uhi_histo_words(const struct uhi_histo_job *job) {
    return (size_t)((uhi_histo_bins(job->size) + 7) / 8 * 2);
}

#endif
