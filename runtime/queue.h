/* SPDX-License-Identifier: Apache-2.0 */
/* Queue functions for the runtime and the operations. */
#pragma once

#include <unihist/device.h>

#include "runtime/backend.h"

/* uh_queue_create for call `call`, with a native queue that the caller owns (NULL: none). */
uh_status uhi_queue_create_native(const char *call, uh_device *device, void *given, const uh_queue_options *options,
                                  uh_queue **queue);

/* An object that uses a queue (an event, a histogram) holds a reference: the queue is freed with the last one. */
void uhi_queue_retain(uh_queue *queue);
void uhi_queue_release(uh_queue *queue);

/* Waits until nothing of the queue runs, regardless of errors, before memory in use is freed. A failed wait does not
 * show that the work ended, so it is retried a few times. Asynchronous errors are discarded; the last message stays.
 * NULL is allowed. */
void uhi_queue_drain(uh_queue *queue);

/* Returns UH_ERROR_CANCELLED, naming `call`, if the queue's `cancelled` asks to stop. */
uh_status uhi_queue_check_cancelled(const uh_queue *queue, const char *call);

/* ---- first and last steps of every submission (event.c) ---- */

/* Checks a submission's events (NULL: none) and makes its own, a user of the queue, if it asks for one.
 * UH_ERROR_INVALID_ARGUMENT, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_submission_begin(const char *call, uh_queue *queue, const uh_submission *submission,
                               struct uhi_submission *started);

/* Stores the event if `status` is success, otherwise discards it. Returns `status`. */
uh_status uhi_submission_end(const struct uhi_submission *started, uh_status status, const uh_submission *submission);

/* Waits for deps of other devices, which a backend cannot wait for itself. Returns the first failure. */
uh_status uhi_submission_wait_others(const uh_queue *queue, const struct uhi_submission *submission);
