/* SPDX-License-Identifier: Apache-2.0 */
/* How much of its work one launch takes. A device that works on one launch for long can do nothing else, and drivers
 * reset those that seem to hang: i915 waits 640 ms for a kernel to give way, on some systems 7.5 s. So launches are cut
 * to take about 50 ms, as long as those before took for an element; and never to more than would take a second by a
 * pessimistic model, that of the worst data, as the next values may be other than those before. Before anything has
 * been measured, the model alone counts: 50 ms by it. */
#ifndef UHI_PACE_H
#define UHI_PACE_H

#include <unihist/runtime.h>

/* Of one kind of work on a device. */
struct uhi_pace {
    const void *work; /* which: the stage */
    double ns;        /* that an element takes, as measured; 0: nothing has been */
};

enum { UHI_PACES = 8 };

/* Those of one operation's stages. Zeroed: none yet. */
struct uhi_paces {
    struct uhi_pace of[UHI_PACES];
    size_t count;
    struct uhi_pace *now; /* of the stage that runs */
};

/* Lends the pace of `work`, found by its address. */
struct uhi_pace *uhi_pace_of(struct uhi_paces *paces, const void *work);

/* The most elements that the next launch may take, at least 1; `worst_ns` is what one takes at most by a pessimistic
 * model, in nanoseconds, with the whole device at work. */
uint64_t uhi_pace_most(const struct uhi_pace *pace, double worst_ns);

/* For tests: from now on each launch takes so many elements, whatever has been measured and whatever the model says; 0:
 * as measured. No other thread may make launches meanwhile. */
void uhi_pace_fix(uint64_t elements);

/* Elements have taken so long, from the begin of a launch to its end. */
void uhi_pace_note(struct uhi_pace *pace, uint64_t elements, uint64_t nanoseconds);

/* ---- models ---- */

/* A clock of the device; 1 GHz where it does not tell. */
double uhi_pace_clock_ns(const uh_device_properties *device);

/* Numbers that the device works on in one clock: 8 an execution unit. At least 1. */
uint64_t uhi_pace_lanes(const uh_device_properties *device);

/* What a value that is counted or written takes at most: one after the other, all in one place of global memory, which
 * takes 8 clocks for each, as several atomic operations of a clock or two do that wait for each other. */
double uhi_pace_value_ns(const uh_device_properties *device);

#endif
