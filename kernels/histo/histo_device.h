/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram on a device that runs modules: what is kept there, and the order of launches. */
#ifndef UHI_HISTO_DEVICE_H
#define UHI_HISTO_DEVICE_H

#include "kernels/histo/histo_run.h"

struct uhi_histo_device;

/* As uhi_histo_open, iterate, store and close. UH_ERROR_UNSUPPORTED where this build has no kernels. */
uh_status uhi_histo_device_open(const struct uhi_histo_job *job, struct uhi_histo_device **made);
uh_status uhi_histo_device_iterate(struct uhi_histo_device *state, struct uhi_histo_done *done);
uh_status uhi_histo_device_store(struct uhi_histo_device *state);
void uhi_histo_device_close(struct uhi_histo_device *state);

#endif
