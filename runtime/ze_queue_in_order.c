/* SPDX-License-Identifier: Apache-2.0 */
/* Queue order by an in-order list: the driver keeps the order, commands signal an event only if requested, and a wait
 * for all work waits for the list. */
#include "runtime/ze.h"

/* Every STRIDE commands, waits for the command STRIDE before: commands in flight hold memory, which would grow without
 * limit in a program that only submits. */
enum { STRIDE = (UHI_ZE_MAX_IN_FLIGHT + 1) / 2 };

static int is_paced(uint64_t number) { return number % STRIDE == 0; }

/* A loader may have the function while the driver lacks it: UH_ERROR_UNSUPPORTED. */
static uh_status create(const char *call, uh_queue *queue) {
    return UHI_ZE(call, zeCommandListHostSynchronize, uhi_ze_queue(queue)->list, 0);
}

static void set_pace(struct uhi_ze_queue *native, struct uhi_ze_event *event) {
    if (native->pace)
        uhi_ze_event_release(native->pace);
    native->pace = event;
}

static void destroy(struct uhi_ze_queue *native) { set_pace(native, NULL); }

static uh_status make_room(const char *call, uh_queue *queue) {
    struct uhi_ze_queue *native = uhi_ze_queue(queue);
    const struct uhi_ze_event *pace = native->pace;
    if (!is_paced(native->submitted + 1) || !pace || uhi_ze_completed(native) >= pace->number)
        return UH_SUCCESS;
    return uhi_ze_synchronize(call, queue, pace->number, pace->handle, UINT64_MAX);
}

static ze_event_handle_t previous(__attribute__((unused)) const struct uhi_ze_queue *native) { return NULL; }

static uh_status take_pace(const char *call, uh_queue *queue, struct uhi_ze_append *append) {
    append->signal = NULL;
    if (!is_paced(uhi_ze_queue(queue)->submitted + 1))
        return UH_SUCCESS;
    uh_status status = uhi_ze_event_take(call, queue, &append->event);
    append->signal = append->event ? append->event->handle : NULL;
    return status;
}

/* A caller's event serves too; a reference keeps it from being reused. */
static void note_command(struct uhi_ze_queue *native, struct uhi_ze_append *append) {
    if (!is_paced(native->submitted))
        return;
    atomic_fetch_add_explicit(&append->event->references, (unsigned)append->is_requested, memory_order_relaxed);
    set_pace(native, append->event);
}

static uh_status finish_commands(const char *call, uh_queue *queue) {
    const struct uhi_ze_queue *native = uhi_ze_queue(queue);
    return uhi_ze_synchronize(call, queue, native->submitted, NULL, UINT64_MAX);
}

static void drain(uh_queue *queue) {
    ze_result_t result;
    (void)uhi_ze_wait("uh_queue_destroy", queue, NULL, UINT64_MAX, &result);
}

const struct uhi_ze_order uhi_ze_in_order = {.list_flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                             .counts = 1,
                                             .create = create,
                                             .destroy = destroy,
                                             .make_room = make_room,
                                             .previous = previous,
                                             .signal = take_pace,
                                             .note = note_command,
                                             .finish = finish_commands,
                                             .drain = drain};
