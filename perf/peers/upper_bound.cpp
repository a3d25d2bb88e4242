/* SPDX-License-Identifier: Apache-2.0 */
/* What one writes without a library: std::upper_bound over the edges for each value. */
#include "perf/peers/peer.h"

#include <algorithm>
#include <string>
#include <vector>

namespace {

peer_case current;
std::vector<std::uint64_t> bins;

const char *take(const peer_case *what) {
    current = *what;
    bins.assign(what->k, 0);
    return nullptr;
}

void reset() {
    std::fill(bins.begin(), bins.end(), 0);
}

template <typename T> void count() {
    const T *x = static_cast<const T *>(current.x);
    const double *first = current.edges, *last = first + current.k + 1;
    for (std::size_t i = 0; i < current.n; i++) {
        const double *edge = std::upper_bound(first, last, static_cast<double>(x[i]));
        if (edge != first && edge != last)
            bins[static_cast<std::size_t>(edge - first) - 1]++;
    }
}

void run() {
    switch (current.type) {
#define RUN(name, type)                                                                                                \
    case PEER_##name: count<type>(); break;
        PEER_TYPES(RUN)
#undef RUN
    default: break;
    }
}

void counts(std::uint64_t *to) {
    std::copy(bins.begin(), bins.end(), to);
}

} // namespace

int main() {
#ifdef __clang__
    const std::string compiler = "clang-" + std::to_string(__clang_major__);
#else
    const std::string compiler = "gcc-" + std::to_string(__GNUC__);
#endif
    const char *how = "std::upper_bound over the edges, value by value";
    const peer peer = {compiler.c_str(), how, PEER_OPEN, take, reset, run, counts};
    return peer_main(&peer);
}
