/* SPDX-License-Identifier: Apache-2.0 */
/* peer-of: sample */
/* C++'s own samples by weights; libstdc++ has a binary search. */
#include "perf/peers/discrete.hpp"

#include <random>

int main() {
    return DiscretePeer<std::mt19937, std::discrete_distribution<>>::main(
        PEER_COMPILER, "std::discrete_distribution with std::mt19937, sample by sample");
}
