/* SPDX-License-Identifier: Apache-2.0 */
/* peer-needs: header boost/histogram.hpp (libboost-dev) */
/* Boost.Histogram with an axis of any edges. */
#include "perf/peers/boost_fill.hpp"

namespace {

struct any_edges {
    using axis = boost::histogram::axis::variable<>;
    static const char *why_not(const peer_case &) {
        return nullptr;
    }
    static axis make(const peer_case &what) {
        return axis(what.edges, what.edges + what.k + 1);
    }
};

} // namespace

int main() {
    return BoostPeer<any_edges>::main("fill, axis::variable", PEER_OPEN);
}
