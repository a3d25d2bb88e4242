/* SPDX-License-Identifier: Apache-2.0 */
/* A queue as the runtime and the operations see it. */
#ifndef UHI_QUEUE_H
#define UHI_QUEUE_H

#include <unihist/runtime.h>

/* uh_queue_create for a call, with a native queue of the caller's (NULL: none) that stays his. */
uh_status uhi_queue_create_given(const char *call, uh_device *device, void *given, const uh_queue_options *options,
                                 uh_queue **queue);

/* Counts a child of the queue (an event, a histogram), and takes it off: the queue cannot be destroyed while one
 * lives. */
void uhi_queue_retain(uh_queue *queue);
void uhi_queue_release(uh_queue *queue);

/* Waits until nothing of the queue runs, whatever its work ended with: before memory goes that work may use. A wait
 * that fails says nothing of the work, so it is tried again, a few times. Asynchronous errors are lost, and the
 * last message stays. NULL is allowed. */
void uhi_queue_drain(uh_queue *queue);

/* The priority that a queue was made with, for queues that work for it. */
uh_priority uhi_queue_priority(const uh_queue *queue);

/* UH_ERROR_CANCELLED, naming `call`, where the queue's `cancelled` says that its work is to end. */
uh_status uhi_queue_check_cancelled(const uh_queue *queue, const char *call);

#endif
