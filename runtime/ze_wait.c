/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for a driver in slices, because work that never ends must not be waited for forever. */
#include <stdlib.h>

#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/ze.h"

#define SECOND UINT64_C(1000000000)

/* Nanoseconds. */
#define SLICE             SECOND
#define CANCELLABLE_SLICE (SECOND / 10) /* if the program may cancel, which is checked from 1 s on */
#define GRACE             (2 * SECOND)  /* for the work to end after a cancellation: launches take less */
#define FIRST_MESSAGE     (10 * SECOND) /* until the first message; doubles for each next one */

/* UNIHIST_WAIT_LIMIT in nanoseconds, UINT64_MAX for none. */
static uint64_t limit = UINT64_MAX;

static void read_limit(void) {
    enum { MAXIMUM = 1000000 };
    const char *text = getenv("UNIHIST_WAIT_LIMIT");
    char *end = NULL;
    if (!text || !*text)
        return;
    const unsigned long seconds = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (seconds > 0 && seconds <= MAXIMUM && !*end)
        limit = seconds * SECOND;
    else
        uhi_log(UH_LOG_WARN, "UNIHIST_WAIT_LIMIT is \"%.64s\", expected seconds, 1 to %d; using none", text, MAXIMUM);
}

/* An unfinished wait. */
struct patience {
    uint64_t begin;
    uint64_t requested;    /* when the cancellation was seen; 0: not yet */
    uint64_t next_message; /* nanoseconds of waiting before the next log message */
};

/* Leaves the device as it is: its work may continue to use everything that it was given. */
static uh_status give_up(const char *call, const uh_device *device, enum uhi_ze_loss why, uint64_t waited) {
    const int timed_out = why == UHI_ZE_TIMED_OUT;
    atomic_store(&uhi_ze_device(device)->lost, (int)why);
    return uhi_fail(timed_out ? UH_ERROR_TIMEOUT : UH_ERROR_CANCELLED, call, NULL,
                    "work on %s (%s) has not ended after %.1f s, %s: the device is given up, with its memory",
                    device->properties.selector, device->properties.name, (double)waited * 1e-9,
                    timed_out ? "the limit of UNIHIST_WAIT_LIMIT" : "although options->cancelled has requested it");
}

/* Called after a slice in which nothing has ended; returns UH_SUCCESS to continue waiting. */
static uh_status continue_waiting(const char *call, const uh_queue *queue, struct patience *patience) {
    const uint64_t now = uhi_host_now(), waited = now - patience->begin;
    const uh_device *device = queue->device;
    if (waited >= limit)
        return give_up(call, device, UHI_ZE_TIMED_OUT, waited);
    if (!patience->requested && waited >= SLICE && queue->options.cancelled &&
        queue->options.cancelled(queue->options.cancelled_user))
        patience->requested = now;
    if (patience->requested && now - patience->requested >= GRACE)
        return give_up(call, device, UHI_ZE_CANCELLED, waited);
    if (waited >= patience->next_message) {
        uhi_log(UH_LOG_WARN, "%s: no progress of %s (%s) for %.0f s", call, device->properties.selector,
                device->properties.name, (double)waited * 1e-9);
        patience->next_message = 2 * waited;
    }
    return uhi_ze_check_lost(call, device); /* another thread may have given it up */
}

uh_status uhi_ze_wait(const char *call, uh_queue *queue, ze_event_handle_t handle, uint64_t nanoseconds,
                      ze_result_t *result) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct patience patience = {.begin = uhi_host_now(), .next_message = FIRST_MESSAGE};
    uh_status status = UH_SUCCESS;
    pthread_once(&once, read_limit);
    while (!status) {
        const uint64_t waited = uhi_host_now() - patience.begin, left = nanoseconds > waited ? nanoseconds - waited : 0,
                       most = queue->options.cancelled ? CANCELLABLE_SLICE : SLICE, slice = left < most ? left : most;
        *result = handle ? UHI_ZE_TRY(zeEventHostSynchronize, handle, slice)
                         : UHI_ZE_TRY(zeCommandListHostSynchronize, uhi_ze_queue(queue)->list, slice);
        if (*result != ZE_RESULT_NOT_READY || left <= slice)
            break;
        status = continue_waiting(call, queue, &patience);
    }
    return status;
}
