/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Histogram: an axis of any edges, 64-bit counts, all values in one call of fill(). */
#include "perf/peers/peer.h"

#include <boost/histogram.hpp>
#include <boost/version.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace {

using axis = boost::histogram::axis::variable<>;
using storage = boost::histogram::dense_storage<std::uint64_t>;

std::optional<boost::histogram::histogram<std::tuple<axis>, storage>> histogram;
std::string refused;

/* The values as fill() wants them: something with data() and size(). */
template <typename T> struct view {
    const T *first;
    std::size_t count;
    const T *data() const { return first; }
    std::size_t size() const { return count; }
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
};

} // namespace

const char *peer_about() {
    static const std::string about = "open " + std::to_string(BOOST_VERSION / 100000) + "." +
                                     std::to_string(BOOST_VERSION / 100 % 1000) + "." +
                                     std::to_string(BOOST_VERSION % 100) + " fill, axis::variable";
    return about.c_str();
}

const char *peer_take(const peer_case *what) {
    try {
        histogram.emplace(std::make_tuple(axis(what->edges, what->edges + what->k + 1)), storage());
    } catch (const std::exception &exception) {
        refused = exception.what();
        return refused.c_str();
    }
    return nullptr;
}

void peer_reset() { histogram->reset(); }

void peer_run(const peer_case *what) {
    switch (what->type) {
#define RUN(name, type)                                                                                                \
    case PEER_##name: histogram->fill(view<type>{static_cast<const type *>(what->x), what->n}); break;
        PEER_TYPES(RUN)
#undef RUN
    default: break;
    }
}

void peer_counts(const peer_case *what, std::uint64_t *to) {
    for (std::size_t bin = 0; bin < what->k; bin++)
        to[bin] = histogram->at(static_cast<int>(bin));
}
