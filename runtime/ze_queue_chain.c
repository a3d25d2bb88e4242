/* SPDX-License-Identifier: Apache-2.0 */
/* Queue order by a chain of events, for drivers without in-order lists: commands of a list could overlap, so each one
 * signals an event and waits for the previous one's. This is one submission to the driver; a barrier between them would
 * be a second. */
#include <stdlib.h>

#include "runtime/queue.h"
#include "runtime/ze.h"

enum {
    PLACES = UHI_ZE_MAX_IN_FLIGHT + 1,
    /* Commands left in flight when a submission waits for older ones. */
    LEFT_IN_FLIGHT = PLACES / 2
};

struct uhi_ze_chain {
    ze_event_handle_t signals[PLACES]; /* signaled by command n, at n % PLACES */
    ze_event_pool_handle_t link_pool;
    ze_event_handle_t links[PLACES]; /* signaled if no event was requested; made at first use */
    uint64_t host_visible;           /* last command whose event makes all before it visible to the host */
};

static ze_event_handle_t last_event(const struct uhi_ze_queue *native) {
    return native->chain->signals[native->submitted % PLACES];
}

static uh_status create(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    struct uhi_ze_device *device = uhi_ze_device(queue->device);
    ze_event_pool_desc_t pool = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = PLACES};
    native->chain = calloc(1, sizeof *native->chain);
    if (!native->chain)
        return uhi_fail_memory(call, "out of memory for a queue");
    return UHI_ZE(call, zeEventPoolCreate, device->context, &pool, 1, &device->device, &native->chain->link_pool);
}

static void destroy(struct uhi_ze_queue *native) {
    struct uhi_ze_chain *chain = native->chain;
    if (!chain)
        return;
    for (size_t i = 0; i < PLACES; i++)
        if (chain->links[i])
            UHI_ZE_TRY(zeEventDestroy, chain->links[i]);
    if (chain->link_pool)
        UHI_ZE_TRY(zeEventPoolDestroy, chain->link_pool);
    free(chain);
}

/* The next command reuses a place and a link; the successor of their previous command must have ended. */
static uh_status make_room(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    if (native->submitted - uhi_ze_completed(native) < UHI_ZE_MAX_IN_FLIGHT)
        return UH_SUCCESS;
    uint64_t number = native->submitted - LEFT_IN_FLIGHT;
    return uhi_ze_synchronize(call, queue, number, native->chain->signals[number % PLACES], UINT64_MAX);
}

static ze_event_handle_t previous(const struct uhi_ze_queue *native) {
    return uhi_ze_completed(native) != native->submitted ? last_event(native) : NULL;
}

static uh_status take_link(const char *call, uh_queue *queue, struct uhi_ze_append *append) {
    struct uhi_ze_chain *chain = uhi_ze_queue(queue)->chain;
    uint32_t place = (uint32_t)((uhi_ze_queue(queue)->submitted + 1) % PLACES);
    uh_status status;
    if (chain->links[place]) {
        status = UHI_ZE(call, zeEventHostReset, chain->links[place]);
    } else {
        ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                .index = place,
                                .signal = ZE_EVENT_SCOPE_FLAG_DEVICE,
                                .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
        status = UHI_ZE(call, zeEventCreate, chain->link_pool, &desc, &chain->links[place]);
    }
    append->signal = chain->links[place];
    return uhi_ze_note_loss(queue->device, status);
}

static void note_command(struct uhi_ze_queue *native, struct uhi_ze_append *append) {
    native->chain->signals[native->submitted % PLACES] = append->signal;
    if (append->event)
        native->chain->host_visible = native->submitted;
}

/* Appends a command that only makes all before it visible to the host: a barrier without wait events waits for every
 * command of the list. */
static uh_status append_marker(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    uh_event marker = {.queue = queue};
    const struct uhi_submission submission = {NULL, 0, &marker};
    struct uhi_ze_append append;
    UHI_TRY(uhi_ze_append_begin(call, queue, &submission, &append));
    uh_status status = UHI_ZE(call, zeCommandListAppendBarrier, native->list, append.signal, 0, NULL);
    UHI_TRY(uhi_ze_append_end(queue, &submission, &append, status));
    /* Nobody else refers to it; it is not reset before its command has ended. */
    uhi_ze_event_release(marker.native);
    return UH_SUCCESS;
}

static uh_status finish_commands(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    if (native->chain->host_visible != native->submitted)
        UHI_TRY(append_marker(call, queue));
    return uhi_ze_synchronize(call, queue, native->submitted, last_event(native), UINT64_MAX);
}

static void drain(uh_queue *queue) {
    const struct uhi_ze_queue *native = uhi_ze_queue(queue);
    ze_result_t result;
    if (uhi_ze_completed(native) != native->submitted)
        (void)uhi_ze_wait("uh_queue_destroy", queue, last_event(native), UINT64_MAX, &result);
}

const struct uhi_ze_order uhi_ze_chain = {.create = create,
                                          .destroy = destroy,
                                          .make_room = make_room,
                                          .previous = previous,
                                          .signal = take_link,
                                          .note = note_command,
                                          .finish = finish_commands,
                                          .drain = drain};
