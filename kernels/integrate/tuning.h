/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of integration. */
#pragma once

enum {
    UHI_INTEGRATE_POINTS_A_THREAD = 8192, /* minimum worth waking a thread: about 10 us; Zen 4, 2 virtual cores */
    UHI_INTEGRATE_POINTS_A_LAUNCH = 1 << 24,
    UHI_INTEGRATE_MIN_SHARE = 4,    /* minimum units, and */
    UHI_INTEGRATE_MIN_POINTS = 4096 /* points, worth a piece for one of several devices: not measured */
};
