/* SPDX-License-Identifier: Apache-2.0 */
/* peer-needs: header boost/histogram.hpp (libboost-dev) */
/* Boost.Histogram with an axis of equal bins, where they are equal. */
#include "perf/peers/boost_fill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

struct equal_bins {
    using axis = boost::histogram::axis::regular<>;

    /* Equal but for the rounding of the edges. */
    static const char *why_not(const peer_case &what) {
        const double low = what.edges[0], high = what.edges[what.k];
        const double slack = 4 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(low), std::fabs(high));
        for (std::size_t i = 0; i <= what.k; i++) {
            const double part = static_cast<double>(i) / static_cast<double>(what.k);
            if (!(std::fabs(low + (high - low) * part - what.edges[i]) <= slack))
                return "the bins are not equal";
        }
        return nullptr;
    }

    static axis make(const peer_case &what) {
        return axis(static_cast<unsigned>(what.k), what.edges[0], what.edges[what.k]);
    }
};

} // namespace

int main() {
    return BoostPeer<equal_bins>::main("fill, axis::regular", PEER_ROUNDED);
}
