/* SPDX-License-Identifier: Apache-2.0 */
/* peer-of: sample */
/* C++'s own samples by weights; libstdc++ has a binary search. */
#include "perf/peers/discrete.hpp"

#include <random>
#include <string>

int main() {
#ifdef __clang__
    const std::string compiler = "clang-" + std::to_string(__clang_major__);
#else
    const std::string compiler = "gcc-" + std::to_string(__GNUC__);
#endif
    return DiscretePeer<std::mt19937, std::discrete_distribution<>>::main(
        compiler.c_str(), "std::discrete_distribution with std::mt19937, sample by sample");
}
