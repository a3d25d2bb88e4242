/* SPDX-License-Identifier: Apache-2.0 */
/* A device's clock: extends cycles, of which the device keeps some bits, to 64 bits and converts to nanoseconds. */
#include <time.h>

#include "runtime/ze.h"

enum { NANOSECONDS = 1000000000 };

static uint64_t host_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

/* Returns a * b / c; c * b and the result must be below 2^64, as they are for clocks. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c) {
    return a / c * b + a % c * b / c;
}

static uint64_t mask_of(uint32_t bits) {
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

void uhi_ze_clock_start(struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles) {
    /* The bits above those that the device keeps start at 1, so no time is below 0. */
    clock->base = (cycles & mask_of(clock->bits)) + (clock->bits < 63 ? UINT64_C(1) << clock->bits : 0);
    clock->base_host = host;
}

uint64_t uhi_ze_clock_extend(const struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles) {
    uint64_t mask = mask_of(clock->bits);
    uint64_t expected = clock->base + scale(host - clock->base_host, clock->frequency, NANOSECONDS);
    uint64_t ahead = (cycles - expected) & mask;
    return ahead > mask / 2 ? expected - ((expected - cycles) & mask) : expected + ahead;
}

void uhi_ze_clock_convert(const struct uhi_ze_clock *clock, uint64_t submitted, uint64_t start, uint64_t end,
                          uh_event_times *times) {
    uint64_t mask = mask_of(clock->kernel_bits);
    uint64_t waited = submitted ? (start - submitted) & mask : 0;
    /* Both come from one clock, but may be read at places that differ by a few ticks. */
    if (waited > mask - mask / 16)
        waited = 0;
    if (!submitted)
        submitted = start & mask;
    uint64_t started = submitted + waited;
    times->submitted = scale(submitted, NANOSECONDS, clock->frequency);
    times->started = scale(started, NANOSECONDS, clock->frequency);
    times->ended = scale(started + ((end - start) & mask), NANOSECONDS, clock->frequency);
}

void uhi_ze_clock_read_base(struct uhi_ze_device *device) {
    uint64_t host = 0, cycles = 0;
    struct uhi_ze_clock *clock = &device->clock;
    if (clock->bits && UHI_ZE_TRY(zeDeviceGetGlobalTimestamps, device->device, &host, &cycles) == ZE_RESULT_SUCCESS)
        uhi_ze_clock_start(clock, host_now(), cycles);
    else
        clock->bits = 0;
}

uint64_t uhi_ze_now(const struct uhi_ze_device *device) {
    uint64_t host = 0, cycles = 0;
    if (!device->clock.bits ||
        UHI_ZE_TRY(zeDeviceGetGlobalTimestamps, device->device, &host, &cycles) != ZE_RESULT_SUCCESS)
        return 0;
    return uhi_ze_clock_extend(&device->clock, host_now(), cycles);
}
