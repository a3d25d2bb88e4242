/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of random numbers in bulk. */
#pragma once

enum {
    UHI_RANDOM_ELEMENTS_A_THREAD = 32768,  /* minimum to wake a thread: about 10 us; Sapphire Rapids, 2 virtual cores */
    UHI_RANDOM_MIN_SHARE = 4096,           /* minimum elements of a piece for one of several devices: not measured */
    UHI_RANDOM_ELEMENTS_A_LAUNCH = 1 << 28 /* more is not faster */
};
