/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/bench.h"

int uhi_perf_accumulate(int argc, char **argv, struct perf_error *error) {
    (void)argc;
    (void)argv;
    return perf_fail(error, "nothing to measure yet");
}
