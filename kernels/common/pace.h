/* SPDX-License-Identifier: Apache-2.0 */
/* Amount of work per launch. A device busy with one long launch can do nothing else, and drivers reset devices that
 * seem to hang: i915 waits 640 ms for a kernel to give way, on some systems 7.5 s. So launches take about 50 ms by
 * the time measured per element, and at most a second by a pessimistic model of the worst data, because the next
 * values may differ. Before any measurement the model alone decides: 50 ms by it. */
#pragma once

#include <unihist/device.h>

/* Pace of one kind of work on a device. */
struct uhi_pace {
    const void *work; /* identity: the stage */
    double ns;        /* measured nanoseconds per element; 0: not measured */
};

enum { UHI_PACES = 8 };

/* Paces of an operation's stages. Initially zeroed. */
struct uhi_paces {
    struct uhi_pace of[UHI_PACES];
    size_t count;
    struct uhi_pace *now; /* of the running stage */
};

/* Returns the pace of `work`, identified by its address; owned by `paces`. */
struct uhi_pace *uhi_pace_of(struct uhi_paces *paces, const void *work);

/* Returns the maximum elements of the next launch, at least 1. `worst_ns`: nanoseconds per element by a pessimistic
 * model, with the whole device busy. */
uint64_t uhi_pace_max(const struct uhi_pace *pace, double worst_ns);

/* For tests: fixes the elements per launch, regardless of measurements and model; 0: as measured. No other thread
 * may launch at the same time. */
void uhi_pace_fix(uint64_t elements);

/* Records the time of `elements` from the begin of a launch to its end. */
void uhi_pace_note(struct uhi_pace *pace, uint64_t elements, uint64_t nanoseconds);

/* ---- models ---- */

/* Returns the clock period in ns; 1 (1 GHz) if the device does not report it. */
double uhi_pace_clock_ns(const uh_device_properties *device);

/* Returns the numbers processed per clock: 8 per execution unit. At least 1. */
uint64_t uhi_pace_lanes(const uh_device_properties *device);

/* Returns the maximum ns per value counted or written: all serialized at one place of global memory, with 8 clocks
 * each, as for several dependent atomic operations of a clock or two. */
double uhi_pace_value_ns(const uh_device_properties *device);
