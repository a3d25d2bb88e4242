/* SPDX-License-Identifier: Apache-2.0 */
/* First and last steps of every submission: check dependencies, make the event, return or discard it. */
#pragma once

#include "runtime/backend.h"

/* Checks a submission's events (NULL: none) and makes its own, a user of the queue, if it asks for one.
 * UH_ERROR_INVALID_ARGUMENT, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_submission_begin(const char *call, uh_queue *queue, const uh_submission *submission,
                               struct uhi_submission *started);

/* Stores the event if `status` is success, otherwise discards it. Returns `status`. */
uh_status uhi_submission_end(const struct uhi_submission *started, uh_status status, const uh_submission *submission);

/* Waits for deps of other devices, which a backend cannot wait for itself. Returns the first failure. */
uh_status uhi_submission_wait_others(const uh_queue *queue, const struct uhi_submission *submission);
