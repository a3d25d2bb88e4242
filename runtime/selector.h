/* SPDX-License-Identifier: Apache-2.0 */
/* ONEAPI_DEVICE_SELECTOR, the variable by which oneAPI's runtimes limit the devices that a program sees:
 *     accept;accept;...;!discard;!discard    each "backend:device,device,..."
 * where a device is *, cpu, gpu, fpga, a number N, or a tile N.M, N.*, *.* (a third part, for sub-sub-devices, matches
 * none here). Only discards: everything else is accepted. Letters in any case. Source: intel/llvm,
 * sycl/doc/EnvironmentVariables.md. */
#ifndef UHI_SELECTOR_H
#define UHI_SELECTOR_H

#include <unihist/runtime.h>

/* What a term can ask of a device. */
struct uhi_selector_device {
    const char *backend;
    uh_device_kind kind;
    uint32_t index;
    int32_t tile; /* -1 for the whole device */
};

/* Where a malformed selector goes wrong. */
struct uhi_selector_error {
    size_t position;      /* of the first character that cannot be read, from 0 */
    const char *expected; /* what should stand there */
};

/* Reads `text` and stores in `*accepted` whether it accepts `device` (NULL: only the text is checked). A term without a
 * tile means the device and its tiles. Returns 0, or -1 with `*error` filled in when the text is malformed. */
int uhi_selector_accepts(const char *text, const struct uhi_selector_device *device, int *accepted,
                         struct uhi_selector_error *error);

/* Whether `text`, which is well formed, may accept a device of a backend, which has GPUs and accelerators: no device of
 * it is known yet, so that a number may be anyone's. */
int uhi_selector_may_accept(const char *text, const char *backend);

#endif
