/* SPDX-License-Identifier: Apache-2.0 */
/* First and last steps of every submission: check dependencies, make the event, return or discard it. */
#ifndef UHI_EVENT_H
#define UHI_EVENT_H

#include "runtime/backend.h"

/* Checks `deps` and makes the event, a child of the queue, if `event` is not NULL. UH_ERROR_INVALID_ARGUMENT,
 * UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_submission_begin(const char *call, uh_queue *queue, uh_event *const *deps, size_t ndeps, uh_event **event,
                               struct uhi_submission *submission);

/* Stores the event if `status` is success, otherwise discards it. Returns `status`. */
uh_status uhi_submission_end(const struct uhi_submission *submission, uh_status status, uh_event **event);

/* Waits for deps of other devices, which a backend cannot wait for itself. Returns the first failure. */
uh_status uhi_submission_wait_others(const uh_queue *queue, const struct uhi_submission *submission);

#endif
