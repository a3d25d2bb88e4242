/* SPDX-License-Identifier: Apache-2.0 */
/* What is saved of a histogram, described once for both directions. */
#ifndef UHI_API_SAVE_H
#define UHI_API_SAVE_H

#include <unihist/save.h>

#include "api/histogram.h"
#include "api/sections.h"

/* Adds all sections of a histogram whose contents are on the host. `grows` tells whose bins it has, or is NULL. */
void uhi_save_histogram(struct uhi_sections *sections, uh_histogram *histogram, const struct uhi_growing *grows);

/* Makes the histogram that the sections describe, on a queue; NULL where `sections` says why not. */
uh_histogram *uhi_load_histogram(struct uhi_sections *sections, uh_queue *queue);

#endif
