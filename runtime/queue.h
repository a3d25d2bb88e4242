/* SPDX-License-Identifier: Apache-2.0 */
/* A queue as the runtime and the operations see it. */
#ifndef UHI_QUEUE_H
#define UHI_QUEUE_H

#include <unihist/runtime.h>

/* Counts a child of the queue (an event, a histogram), and takes it off: the queue cannot be destroyed while one
 * lives. */
void uhi_queue_retain(uh_queue *queue);
void uhi_queue_release(uh_queue *queue);

#endif
