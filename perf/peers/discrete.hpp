/* SPDX-License-Identifier: Apache-2.0 */
/* What the peers that draw samples by a distribution of C++ share. */
#ifndef PERF_PEERS_DISCRETE_HPP
#define PERF_PEERS_DISCRETE_HPP

#include "perf/peers/peer.h"

/* A generator and a distribution of int, made of weights. */
template <typename Generator, typename Distribution> class DiscretePeer {
  public:
    static int main(const char *version, const char *how) {
        const peer peer = {version, how, PEER_DRAWN, take, nullptr, nullptr, nullptr, draw};
        return peer_main(&peer);
    }

  private:
    static inline Generator generator;
    static inline Distribution distribution;

    static const char *take(const peer_case *what) {
        const float *weights = static_cast<const float *>(what->x);
        distribution = Distribution(weights, weights + what->k);
        return nullptr;
    }

    static void draw(std::uint32_t *samples, std::size_t n) {
        for (std::size_t i = 0; i < n; i++)
            samples[i] = static_cast<std::uint32_t>(distribution(generator));
    }
};

#endif
