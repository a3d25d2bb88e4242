/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/pace.h"

#define AIM_NS 50e6
#define MAX_NS 1e9

enum {
    GROWTH = 4,     /* maximum growth per launch: one measurement may be an outlier */
    SHORT = 100000, /* nanoseconds */
    FEW = 65536,    /* elements: if both are less, the launch itself took the time */
    CLOCKS_A_VALUE = 8,
    LANES_A_UNIT = 8
};

static uint64_t fixed;

void uhi_pace_fix(uint64_t elements) { fixed = elements; }

struct uhi_pace *uhi_pace_of(struct uhi_paces *paces, const void *work) {
    size_t i = 0;
    while (i < paces->count && paces->of[i].work != work)
        i++;
    if (i == UHI_PACES) /* more kinds than any operation has: reuse the last entry */
        i--;
    if (i == paces->count || paces->of[i].work != work)
        paces->of[i] = (struct uhi_pace){.work = work};
    paces->count = i < paces->count ? paces->count : i + 1;
    return &paces->of[i];
}

uint64_t uhi_pace_max(const struct uhi_pace *pace, double worst_ns) {
    const double maximum = MAX_NS / worst_ns, wanted = AIM_NS / (pace->ns > 0 ? pace->ns : worst_ns);
    const double n = wanted < maximum ? wanted : maximum;
    if (fixed)
        return fixed;
    return n < 1 ? 1 : n < (double)INT64_MAX ? (uint64_t)n : INT64_MAX;
}

void uhi_pace_note(struct uhi_pace *pace, uint64_t elements, uint64_t nanoseconds) {
    if (elements == 0 || (elements < FEW && nanoseconds < SHORT))
        return;
    const double ns = (double)nanoseconds / (double)elements, minimum = pace->ns / GROWTH;
    pace->ns = ns > minimum ? ns : minimum;
}

double uhi_pace_clock_ns(const uh_device_properties *device) { return device->clock_mhz ? 1e3 / device->clock_mhz : 1; }

uint64_t uhi_pace_lanes(const uh_device_properties *device) {
    return device->cores ? (uint64_t)device->cores * LANES_A_UNIT : 1;
}

double uhi_pace_value_ns(const uh_device_properties *device) { return CLOCKS_A_VALUE * uhi_pace_clock_ns(device); }
