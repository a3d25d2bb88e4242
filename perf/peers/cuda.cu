// SPDX-License-Identifier: Apache-2.0
// Peers on NVIDIA cards: CUB's histograms and cuRAND's generator of the same name as ours, on data in the card's memory.
// One of PEER_SUM, PEER_RANGE, PEER_EVEN and PEER_RANDOM is defined; toolchain/test-nvidia compiles each.
#include "peer.h"

#include <cub/cub.cuh>
#include <curand.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const size_t SIZES[] = {4, 8, 1, 4}; // of PEER_TYPES

struct {
    void *x, *temporary;
    double *levels;
    unsigned *counts;
    size_t temporary_size;
    curandGenerator_t generator;
} card;

void check(int error, const char *call) {
    if (error == 0)
        return;
    fprintf(stderr, "%s: error %d\n", call, error);
    exit(1);
}

template <class T> T *there(const void *from, size_t n) {
    T *memory = nullptr;
    check(cudaMalloc(&memory, n * sizeof(T) + 1), "cudaMalloc");
    if (from)
        check(cudaMemcpy(memory, from, n * sizeof(T), cudaMemcpyDefault), "cudaMemcpy");
    return memory;
}

void drop() {
    for (void *memory : {card.x, card.temporary, (void *)card.levels, (void *)card.counts})
        check(cudaFree(memory), "cudaFree");
    card.x = card.temporary = card.levels = nullptr;
    card.counts = nullptr;
}

// Calls with T for the case's type. Without temporary memory CUB writes how much it needs.
#define WITH_TYPE(name, type)                                                                                          \
    case PEER_##name:                                                                                                  \
        check(function(temporary, size, (const type *)card.x, what), "CUB");                                           \
        break;
#define WITH_TYPES                                                                                                     \
    switch (what->type) { PEER_TYPES(WITH_TYPE) }

template <class F> void call(F function, void *temporary, size_t &size, const peer_case *what) { WITH_TYPES }

const auto range = [](void *temporary, size_t &size, const auto *x, const peer_case *what) {
    return cub::DeviceHistogram::HistogramRange(temporary, size, x, card.counts, (int)what->k + 1, card.levels,
                                                (long long)what->n);
};
const auto even = [](void *temporary, size_t &size, const auto *x, const peer_case *what) {
    return cub::DeviceHistogram::HistogramEven(temporary, size, x, card.counts, (int)what->k + 1, 0, (int)what->k,
                                               (long long)what->n);
};
// Reads all values as 32-bit words.
const auto sum = [](void *temporary, size_t &size, const auto *x, const peer_case *what) {
    return cub::DeviceReduce::Sum(temporary, size, (const unsigned *)x, card.counts,
                                  (long long)(what->n * SIZES[what->type] / 4));
};
#if PEER_SUM
const auto &timed = sum;
#elif PEER_EVEN
const auto &timed = even;
#else
const auto &timed = range;
#endif

} // namespace

const char *peer_about(void) {
    static char about[256];
    snprintf(about, sizeof about, "%s %d.%d.%d %s", PEER_RANDOM ? "drawn" : "open", CUB_MAJOR_VERSION,
             CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION,
             PEER_RANDOM  ? "curandGenerate (PHILOX4_32_10)"
             : PEER_SUM   ? "cub::DeviceReduce::Sum over the values' words"
             : PEER_EVEN  ? "cub::DeviceHistogram::HistogramEven"
                          : "cub::DeviceHistogram::HistogramRange");
    return about;
}

const char *peer_take(const peer_case *what) {
    drop();
    if (PEER_RANDOM) {
        for (size_t i = 1; i < what->k; i++)
            if (((const float *)what->x)[i] != ((const float *)what->x)[0] || what->k != 256)
                return "it draws bytes of equal weight alone";
        card.x = there<unsigned>(nullptr, what->n);
        if (!card.generator)
            check(curandCreateGenerator(&card.generator, CURAND_RNG_PSEUDO_PHILOX4_32_10), "curandCreateGenerator");
        return nullptr;
    }
    for (size_t i = 0; PEER_EVEN && i <= what->k; i++)
        if (what->edges[i] != (double)i)
            return "it is exact for the bins [0, 1), [1, 2), ... alone";
    card.x = there<char>(what->x, what->n * SIZES[what->type]);
    card.levels = there<double>(what->edges, what->k + 1);
    card.counts = there<unsigned>(nullptr, what->k);
    card.temporary_size = 0;
    for (int counting = 0; counting < 2; counting++) {
        size_t size = 0;
        if (counting)
            call(range, nullptr, size, what);
        else
            call(timed, nullptr, size, what);
        card.temporary_size = size > card.temporary_size ? size : card.temporary_size;
    }
    card.temporary = there<char>(nullptr, card.temporary_size);
    return nullptr;
}

void peer_reset(void) { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

void peer_run(const peer_case *what) {
    if (PEER_RANDOM)
        check(curandGenerate(card.generator, (unsigned *)card.x, what->n), "curandGenerate");
    else
        call(timed, card.temporary, card.temporary_size, what);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void peer_counts(const peer_case *what, uint64_t *counts) {
    std::vector<unsigned> found(PEER_RANDOM ? what->n : what->k);
    if (PEER_SUM) // which counts nothing
        call(range, card.temporary, card.temporary_size, what);
    check(cudaMemcpy(found.data(), PEER_RANDOM ? card.x : card.counts, found.size() * sizeof found[0],
                     cudaMemcpyDefault),
          "cudaMemcpy");
    std::fill(counts, counts + what->k, 0);
    for (size_t i = 0; i < found.size(); i++)
        counts[PEER_RANDOM ? found[i] >> 24 : i] += PEER_RANDOM ? 1 : found[i];
}
