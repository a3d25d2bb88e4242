/* SPDX-License-Identifier: Apache-2.0 */
/* Trial of the kernels of the Parboil histogram: a full bin, the first and the last bin, indices beyond. */
#include "kernels/common/trial.h"
#include "kernels/histo/histo_run.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { WIDTH = 32, HEIGHT = 16, BINS = WIDTH * HEIGHT, INDICES = 1201 };

/* Two thirds of them in a few rows, half of those in one bin. */
static void choose_indices(uint32_t *index) {
    for (uint32_t i = 0; i < INDICES; i++)
        index[i] = i % 3 == 0    ? 7 * WIDTH + 5
                   : i % 3 == 1  ? 6 * WIDTH + i % (3 * WIDTH)
                   : i % 97 == 2 ? UINT32_MAX - i % 2
                   : i % 89 == 2 ? BINS + i % 5
                                 : i * 5 % BINS;
}

static uh_status count_picture(uh_queue *queue, struct uhi_trial *trial, const void *there) {
    uint8_t out[BINS] = {0};
    const struct uhi_histo_job job = {.call = trial->call,
                                      .queue = queue,
                                      .indices = {there, INDICES, sizeof(uint32_t)},
                                      .size = {WIDTH, HEIGHT},
                                      .out = out};
    struct uhi_histo histo;
    uh_status status = uhi_histo_open(&histo, &job);
    if (!status)
        status = uhi_histo_iterate(&histo);
    if (!status)
        status = uhi_histo_store(&histo);
    uhi_trial_add_all(trial, "the count of bin", out, BINS, 1);
    uhi_trial_add_one(trial, "indices beyond", histo.done.beyond);
    uhi_histo_close(&histo);
    return status;
}

uh_status uhi_histo_trial(uh_queue *queue, struct uhi_trial *trial) {
    /* Room for few bins per group, with counters of 8 bits, and for none. */
    static const uint64_t locals[] = {64, 0};
    uint32_t index[INDICES];
    void *there = NULL;
    choose_indices(index);
    uh_status status = uh_malloc(queue->device, UH_MEMORY_DEVICE, sizeof index, 0, &there);
    if (!status)
        status = uh_memcpy(queue, there, index, sizeof index, NULL);
    if (!status)
        status = uh_queue_wait(queue);
    if (!status)
        status = count_picture(queue, trial, there);
    for (size_t i = 0; i < sizeof locals / sizeof *locals && !status; i++) {
        trial->local_memory = locals[i];
        status = count_picture(queue, trial, there);
    }
    uhi_free(there);
    return status;
}
