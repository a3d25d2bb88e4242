/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a stage's bodies run on a queue (frame.h), for those who plan for one of them. */
#ifndef UHI_BODY_H
#define UHI_BODY_H

#include <unihist/runtime.h>

enum uhi_body {
    UHI_BODY_ANY, /* what is planned serves either */
    UHI_BODY_HOST,
    UHI_BODY_DEVICE
};

/* HOST or DEVICE. */
enum uhi_body uhi_body_of(const uh_queue *queue);

/* Whether its device does not compute in float64, or not exactly. */
int uhi_lacks_double(const uh_queue *queue);

#endif
