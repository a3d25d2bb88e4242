/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/bench.h"
#include "perf/family.h"
int uhi_perf_random(int argc, char **argv, struct perf_error *error) {
    return family_main(argc, argv, "Not yet.", NULL, 0, error);
}
