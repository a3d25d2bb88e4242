/* SPDX-License-Identifier: Apache-2.0 */
/* What one writes without a library: std::upper_bound over the edges for each value. */
#include "perf/peers/peer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

std::vector<std::uint64_t> bins;

template <typename T> void count(const peer_case *what) {
    const T *x = static_cast<const T *>(what->x);
    const double *first = what->edges, *last = first + what->k + 1;
    for (std::size_t i = 0; i < what->n; i++) {
        const double *edge = std::upper_bound(first, last, static_cast<double>(x[i]));
        if (edge != first && edge != last)
            bins[static_cast<std::size_t>(edge - first) - 1]++;
    }
}

} // namespace

const char *peer_about() { return "open " PEER_COMPILER " std::upper_bound over the edges, value by value"; }

const char *peer_take(const peer_case *what) {
    bins.assign(what->k, 0);
    return nullptr;
}

void peer_reset() { std::fill(bins.begin(), bins.end(), 0); }

void peer_run(const peer_case *what) {
    switch (what->type) {
#define RUN(name, type)                                                                                                \
    case PEER_##name: count<type>(what); break;
        PEER_TYPES(RUN)
#undef RUN
    default: break;
    }
}

void peer_counts(const peer_case *, std::uint64_t *to) { std::copy(bins.begin(), bins.end(), to); }
