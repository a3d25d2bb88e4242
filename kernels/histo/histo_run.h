/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram on whatever device a queue has: here on the host, elsewhere as histo_device.h says. */
#ifndef UHI_HISTO_RUN_H
#define UHI_HISTO_RUN_H

#include <unihist/kernel.h>

#include "kernels/histo/histo_eye.h"

/* What is to be counted; all of it lives as long as the work. */
struct uhi_histo_job {
    const char *call; /* for messages */
    uh_queue *queue;
    const uint32_t *indices;
    size_t n;
    struct uhi_histo_size size;
    uint8_t *out;
    int timed; /* nanoseconds of the phases are wanted: the host waits between them */
};

/* What an iteration did. */
struct uhi_histo_done {
    uint64_t beyond;                 /* indices that lie beyond the histogram */
    uint64_t prescan, count, reduce; /* nanoseconds */
    struct uhi_histo_eye eye;
    char plan[160]; /* how it counted, in words */
};

/* Work that is done over and over. */
struct uhi_histo;

/* Checks where the memory lies and allocates what the iterations need. The caller closes it, whatever comes of it. */
uh_status uhi_histo_open(const struct uhi_histo_job *job, struct uhi_histo **histo);

/* Counts everything, once: on the host straight into job->out, as nothing can fail there any more, elsewhere into
 * memory of its own. */
uh_status uhi_histo_iterate(struct uhi_histo *histo, struct uhi_histo_done *done);

/* Stores the counts of the last iteration in job->out. On failure that is as it was. */
uh_status uhi_histo_store(struct uhi_histo *histo);

/* Waits and frees everything; NULL is allowed. */
void uhi_histo_close(struct uhi_histo *histo);

#endif
