/* SPDX-License-Identifier: Apache-2.0 */
/* What one writes without a library: std::upper_bound over the edges for each value. */
#include "perf/peers/peer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

std::vector<std::uint64_t> bins;

const char *take(const peer_case *what) {
    bins.assign(what->k, 0);
    return nullptr;
}

void reset() {
    std::fill(bins.begin(), bins.end(), 0);
}

template <typename T> void count(const peer_case *what) {
    const T *x = static_cast<const T *>(what->x);
    const double *first = what->edges, *last = first + what->k + 1;
    for (std::size_t i = 0; i < what->n; i++) {
        const double *edge = std::upper_bound(first, last, static_cast<double>(x[i]));
        if (edge != first && edge != last)
            bins[static_cast<std::size_t>(edge - first) - 1]++;
    }
}

void run(const peer_case *what) {
    switch (what->type) {
#define RUN(name, type)                                                                                                \
    case PEER_##name: count<type>(what); break;
        PEER_TYPES(RUN)
#undef RUN
    default: break;
    }
}

void counts(const peer_case *, std::uint64_t *to) {
    std::copy(bins.begin(), bins.end(), to);
}

} // namespace

int main() {
    const char *how = "std::upper_bound over the edges, value by value";
    const peer peer = {PEER_COMPILER, how, PEER_OPEN, take, reset, run, counts, nullptr, nullptr, nullptr};
    return peer_main(&peer);
}
