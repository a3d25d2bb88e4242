/* SPDX-License-Identifier: Apache-2.0 */
/* What every submission does first and last: check its dependencies, make its event, hand it over or discard it. */
#ifndef UHI_EVENT_H
#define UHI_EVENT_H

#include "runtime/backend.h"

/* Checks `deps` and makes the event if `event` is not NULL; the event then is a child of the queue.
 * UH_ERROR_INVALID_ARGUMENT, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_submission_begin(const char *call, uh_queue *queue, uh_event *const *deps, size_t ndeps, uh_event **event,
                               struct uhi_submission *submission);

/* Hands the event over when `status` is success, else discards it. Returns `status`. */
uh_status uhi_submission_end(const struct uhi_submission *submission, uh_status status, uh_event **event);

/* Waits for those deps that are not of the queue's device, which a backend cannot wait for in its own way. Returns the
 * first failure of one. */
uh_status uhi_submission_wait_others(const uh_queue *queue, const struct uhi_submission *submission);

#endif
