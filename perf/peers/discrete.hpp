/* SPDX-License-Identifier: Apache-2.0 */
/* What the peers that draw samples by a distribution of C++ share. */
#ifndef PERF_PEERS_DISCRETE_HPP
#define PERF_PEERS_DISCRETE_HPP

#include "perf/peers/peer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

/* A generator and a distribution of int, made of weights. */
template <typename Generator, typename Distribution> class DiscretePeer {
  public:
    static int main(const char *version, const char *how) {
        const peer peer = {version, how, PEER_DRAWN, take, reset, run, counts};
        return peer_main(&peer);
    }

  private:
    static inline peer_case current;
    static inline Generator generator;
    static inline Distribution distribution;
    static inline std::vector<std::uint32_t> samples;

    static const char *take(const peer_case *what) {
        current = *what;
        if (what->type != PEER_float32)
            return "its weights are float32";
        const float *weights = static_cast<const float *>(what->x);
        distribution = Distribution(weights, weights + what->k);
        samples.resize(what->n);
        return nullptr;
    }

    static void reset() {
        std::fill(samples.begin(), samples.end(), UINT32_MAX);
    }

    static void run() {
        for (std::uint32_t &sample : samples)
            sample = static_cast<std::uint32_t>(distribution(generator));
    }

    static void counts(std::uint64_t *to) {
        std::fill(to, to + current.k, 0);
        for (std::uint32_t sample : samples)
            if (sample < current.k)
                to[sample]++;
    }
};

#endif
