/* SPDX-License-Identifier: Apache-2.0 */
/* A device whose work ends when the test says so, and as the test says: for what the host device, which ends its work
 * before a submission returns, can never show. It has the same table of functions as the others. */
#pragma once

#include <unihist/gpu.h>

/* Returns the device, and another one like it. They are not in the list of devices. */
uh_device *fake_device(void);
uh_device *fake_other_device(void);

/* Its modules have two kernels, "first" and "second", for any program. The number of builds so far; the status and the
 * time of the next ones; the properties of kernels made from now on. */
size_t fake_builds(void);
void fake_build(uh_status status, unsigned milliseconds);
void fake_kernel(const uh_kernel_properties *properties);

/* Ends the work of one of its events, with a status. Any thread may call it. */
void fake_finish(uh_event *event, uh_status status);

/* Has the next wait of a queue fail with a status: an asynchronous error. */
void fake_queue_error(uh_queue *queue, uh_status status);

/* Has the next submission fail with a status. */
void fake_submission_error(uh_status status);

/* Has device memory fail to be freed, until UH_SUCCESS is set again. */
void fake_free_error(uh_status status);

/* How many of its queues, events, allocations, modules and kernels live. */
size_t fake_live_objects(void);
