/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange whose processes are all alike: together they have what each has, as often as there are processes. */
#pragma once

#include <unihist/exchange.h>

#include "tests/support.h"

struct alike {
    size_t ranks, calls;
    size_t fails_at;     /* number of the call that fails; 0: none does */
    int differs;         /* hashes seem to differ */
    const char *version; /* of the library of rank 0, or NULL: this one's */
    uint64_t words;      /* that were put together */
};

static inline uh_status alike_call(struct alike *alike) {
    const uh_error_info failed = {UH_ERROR_IO, "test", "", UH_NO_INDEX, "the line is dead"};
    return ++alike->calls == alike->fails_at ? uh_set_last_error(&failed) : UH_SUCCESS;
}

static inline uh_status alike_maximum(void *context, uint64_t *numbers, size_t n) {
    struct alike *alike = context;
    if (alike->differs && n > 2)
        numbers[1] ^= 1; /* after the one that reports a failure */
    return alike_call(alike);
}

static inline uh_status alike_broadcast(void *context, size_t from, void *bytes, size_t size) {
    struct alike *alike = context;
    assert_int_equal(from, 0);
    if (alike->version && size < 64)
        strcpy(bytes, alike->version);
    return alike_call(alike);
}

static inline uh_status alike_combine(void *context, uh_combine how, uint64_t *words, size_t n) {
    struct alike *alike = context;
    double value;
    alike->words += n;
    for (size_t i = 0; i < n && how == UH_COMBINE_ADD; i++)
        words[i] *= alike->ranks;
    for (size_t i = 0; i < n && how == UH_COMBINE_ADD_F64; i++) {
        memcpy(&value, words + i, sizeof value);
        value *= (double)alike->ranks;
        memcpy(words + i, &value, sizeof value);
    }
    return alike_call(alike);
}

/* Of one process alone. */
static inline uh_status alike_trade(void *context, const void *const *out, const size_t *sent, void *const *in,
                                    const size_t *received) {
    struct alike *alike = context;
    assert_int_equal(alike->ranks, 1);
    assert_int_equal(sent[0], received[0]);
    if (sent[0] > 0)
        memcpy(in[0], out[0], sent[0]);
    return alike_call(alike);
}

static inline uh_exchange exchange_of(struct alike *alike) {
    return (uh_exchange){.struct_size = sizeof(uh_exchange),
                         .context = alike,
                         .ranks = alike->ranks,
                         .receives = 1,
                         .maximum = alike_maximum,
                         .combine = alike_combine,
                         .broadcast = alike_broadcast,
                         .trade = alike_trade};
}
