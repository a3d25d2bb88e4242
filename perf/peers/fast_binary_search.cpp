/* SPDX-License-Identifier: Apache-2.0 */
/* FastBinarySearch (github.com/fabiocannizzo/FastBinarySearch): the look-up of blocks that stay in the first-level
 * cache, by the faster of its two direct ways, then counts in four tables, as this library counts. */
#include "perf/peers/peer.h"

#include <BinSearch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

namespace {

using BinSearch::Algos;
using BinSearch::InstrSet;

constexpr std::size_t block = 2048, tables = 4, tried = std::size_t{1} << 18;
#ifdef __AVX2__
constexpr InstrSet vectors = BinSearch::AVX;
#else
constexpr InstrSet vectors = BinSearch::SSE;
#endif

std::vector<std::uint32_t> bins; /* of each table, and one more for values at the last edge */
std::size_t pitch;

struct way {
    virtual void count(const void *x, std::size_t n) = 0;
    virtual ~way() = default;
};
std::unique_ptr<way> chosen;

template <typename T, Algos A> struct direct final : way {
    explicit direct(const std::vector<T> &from)
        : edges(from), search(edges.data(), static_cast<BinSearch::uint32>(edges.size())) {}
    void count(const void *values, std::size_t n) override {
        BinSearch::uint32 bin[block];
        const T *x = static_cast<const T *>(values);
        for (std::size_t i = 0, length; i < n; i += length) {
            length = std::min(block, n - i);
            search.vectorial(bin, x + i, static_cast<BinSearch::uint32>(length));
            std::size_t j = 0;
            for (; j + tables <= length; j += tables)
                for (std::size_t table = 0; table < tables; table++)
                    bins[table * pitch + bin[j + table]]++;
            for (; j < length; j++)
                bins[bin[j]]++;
        }
    }
    const std::vector<T> edges; /* it reads them as they are here */
    const BinSearch::BinAlgo<vectors, T, A> search;
};

double seconds(way &of, const peer_case *what) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; i++) {
        const auto start = std::chrono::steady_clock::now();
        of.count(what->x, std::min(what->n, tried));
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return least;
}

/* Edges as the values' type has them: the smallest numbers that are not below. They have to ascend, and to hold all
 * values: it looks up nothing else. */
template <typename T> const char *take_edges(const peer_case *what) {
    std::vector<T> edges(what->k + 1);
    for (std::size_t j = 0; j <= what->k; j++) {
        edges[j] = static_cast<T>(what->edges[j]);
        if (static_cast<double>(edges[j]) < what->edges[j])
            edges[j] = std::nextafter(edges[j], std::numeric_limits<T>::infinity());
        if (j > 0 && !(edges[j - 1] < edges[j]))
            return "edges are not all different";
    }
    const T *x = static_cast<const T *>(what->x);
    for (std::size_t i = 0; i < what->n; i++)
        if (!(x[i] >= edges.front() && x[i] <= edges.back()))
            return "values are outside the edges";
    pitch = (what->k + 1 + 15) / 16 * 16 + 16;
    bins.assign(tables * pitch, 0);
    try {
        chosen.reset(new direct<T, BinSearch::DirectCache>(edges));
        std::unique_ptr<way> other(new direct<T, BinSearch::Direct>(edges));
        if (seconds(*other, what) < seconds(*chosen, what))
            chosen.swap(other);
    } catch (const std::exception &) {
        return "it makes no table for these edges";
    }
    return nullptr;
}

} // namespace

const char *peer_about() {
    return "open " PEER_COMPILER " DirectCache or Direct, the faster one, blocks of 2,048, then four tables";
}

const char *peer_take(const peer_case *what) {
    switch (what->type) {
    case PEER_float32: return take_edges<float>(what);
    case PEER_float64: return take_edges<double>(what);
    default: return "it looks up float32 and float64";
    }
}

void peer_reset() { std::fill(bins.begin(), bins.end(), 0); }

void peer_run(const peer_case *what) { chosen->count(what->x, what->n); }

void peer_counts(const peer_case *what, std::uint64_t *to) {
    for (std::size_t j = 0; j < what->k; j++) {
        to[j] = 0;
        for (std::size_t table = 0; table < tables; table++)
            to[j] += bins[table * pitch + j];
    }
}
