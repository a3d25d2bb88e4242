/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzzers share: the entry that libFuzzer calls, a check that ends the run, and a queue. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <unihist/unihist.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s: not so: %s; last error: %s\n", __FILE__, #condition, uh_last_error());                \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A queue of one thread on the host, made once. */
static inline uh_queue *fuzz_queue(void) {
    static uh_queue *queue;
    const uh_queue_options options = {.struct_size = sizeof options, .threads = 1};
    uh_device *host;
    if (!queue)
        CHECK(!uh_device_select("host", &host) && !uh_queue_create(host, &options, &queue));
    return queue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
