/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a device may be used: each kernel is tried there once (trial.h), on values where compilers and devices go
 * wrong, and must compute what the host does. */
#ifndef UHI_SELF_TEST_H
#define UHI_SELF_TEST_H

#include "kernels/registry.h"

/* Has a kernel tried before its first use on a device: once for a module, device, driver and compiler; the answer is
 * kept with the binaries in the cache, a failure for a day. Of operations that try nothing the device's arithmetic is
 * tried instead, and before callers' programs are, such as texts of integrands, whose module is `module`.
 * UH_ERROR_UNSUPPORTED, saying what differs, for a kernel that computes otherwise; UNIHIST_SELF_TEST=off in the
 * environment asks nothing. The device is that of the queue whose call it is, and what cancels that call cancels the
 * trial. Any thread may call it. */
uh_status uhi_self_test(const uh_queue *queue, const char *call, const struct uhi_variants *variants,
                        const struct uhi_variant *variant, const uh_module *module);

#endif
