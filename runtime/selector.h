/* SPDX-License-Identifier: Apache-2.0 */
/* ONEAPI_DEVICE_SELECTOR, by which oneAPI's runtimes limit the devices that a program sees:
 *     accept;accept;...;!discard;!discard    each "backend:device,device,..."
 * where a device is *, cpu, gpu, fpga, a number N, or a tile N.M, N.*, *.* (a third part, for sub-sub-devices, matches
 * none here). With discards only, everything else is accepted. Case-insensitive. Source: intel/llvm,
 * sycl/doc/EnvironmentVariables.md. */
#pragma once

#include <unihist/device.h>

/* Device properties that a term can select by. */
struct uhi_selector_device {
    const char *backend;
    uh_device_kind kind;
    uint32_t index;
    int32_t tile; /* -1 for the whole device */
};

/* Location of an error in a malformed selector. */
struct uhi_selector_error {
    size_t position;      /* of the first invalid character, from 0 */
    const char *expected; /* expected text there */
};

/* Reads `text` and stores in `*accepted` whether it accepts `device` (NULL: only checks the text). A term without a
 * tile means the device and its tiles. Returns 0, or -1 with `*error` filled in if the text is malformed. */
int uhi_selector_accepts(const char *text, const struct uhi_selector_device *device, int *accepted,
                         struct uhi_selector_error *error);

/* Returns whether `text` (well formed) may accept a device of a backend that has GPUs and accelerators. No device of it
 * is known yet, so any number may match. */
int uhi_selector_may_accept(const char *text, const char *backend);
