/* SPDX-License-Identifier: Apache-2.0 */
/* Self-tests of devices: each kernel is tested once per device (trial.h), on values where compilers and devices
 * fail, and must give the host's results. */
#ifndef UHI_SELF_TEST_H
#define UHI_SELF_TEST_H

#include "kernels/registry.h"

/* Tests a kernel before its first use on a device: once per module, device, driver and compiler. The answer is kept
 * with the binaries in the cache, a failure for a day. For operations without trials the device's arithmetic is
 * tested instead; for callers' programs, such as integrand texts, whose module is `module`, it is tested first.
 * UH_ERROR_UNSUPPORTED, naming the difference, if results differ; UNIHIST_SELF_TEST=off in the environment disables
 * the test. The device is the queue's; cancelling the queue's call cancels the trial. Thread-safe. */
uh_status uhi_self_test(const uh_queue *queue, const char *call, const struct uhi_variants *variants,
                        const struct uhi_variant *variant, const uh_module *module);

#endif
