/* SPDX-License-Identifier: Apache-2.0 */
/* What the peers of Boost.Histogram share: any axis, 64-bit counts, all values in one call of fill(). */
#ifndef PERF_PEERS_BOOST_FILL_HPP
#define PERF_PEERS_BOOST_FILL_HPP

#include "perf/peers/peer.h"

#include <boost/histogram.hpp>
#include <boost/version.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

/* `Kind` has the type `axis`, `why_not` (NULL, or why it cannot take a case) and `make`. */
template <typename Kind> class BoostPeer {
  public:
    static int main(const char *how, peer_rule rule) {
        const std::string version = std::to_string(BOOST_VERSION / 100000) + "." +
                                    std::to_string(BOOST_VERSION / 100 % 1000) + "." +
                                    std::to_string(BOOST_VERSION % 100);
        const peer peer = {version.c_str(), how, rule, take, reset, run, counts, nullptr};
        return peer_main(&peer);
    }

  private:
    using storage = boost::histogram::dense_storage<std::uint64_t>;
    using histogram_type = boost::histogram::histogram<std::tuple<typename Kind::axis>, storage>;

    static inline std::optional<histogram_type> histogram;
    static inline std::string refused;

    /* The values as fill() wants them: something with data() and size(). */
    template <typename T> struct view {
        const T *first;
        std::size_t count;
        const T *data() const {
            return first;
        }
        std::size_t size() const {
            return count;
        }
        const T *begin() const {
            return first;
        }
        const T *end() const {
            return first + count;
        }
    };

    static const char *take(const peer_case *what) {
        if (const char *why = Kind::why_not(*what))
            return why;
        try {
            histogram.emplace(std::make_tuple(Kind::make(*what)), storage());
        } catch (const std::exception &exception) {
            refused = exception.what();
            return refused.c_str();
        }
        return nullptr;
    }

    static void reset() {
        histogram->reset();
    }

    static void run(const peer_case *what) {
        switch (what->type) {
#define RUN(name, type)                                                                                                \
    case PEER_##name: histogram->fill(view<type>{static_cast<const type *>(what->x), what->n}); break;
            PEER_TYPES(RUN)
#undef RUN
        default: break;
        }
    }

    static void counts(const peer_case *what, std::uint64_t *to) {
        for (std::size_t bin = 0; bin < what->k; bin++)
            to[bin] = histogram->at(static_cast<int>(bin));
    }
};

#endif
