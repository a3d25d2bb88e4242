/* SPDX-License-Identifier: Apache-2.0 */
/* What a peer in C or C++ has to fill in. peer.c does the talking with unihist-perf; perf/README.md, "Adding a peer",
 * has the protocol. */
#ifndef PERF_PEER_H
#define PERF_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
extern "C" {
#endif

/* The types whose values float64 holds exactly: NumPy's name, which the protocol has, and C's. */
#define PEER_TYPES(X)                                                                                                  \
    X(float32, float)                                                                                                  \
    X(float64, double)                                                                                                 \
    X(int8, int8_t)                                                                                                    \
    X(uint8, uint8_t)                                                                                                  \
    X(int16, int16_t)                                                                                                  \
    X(uint16, uint16_t)                                                                                                \
    X(int32, int32_t)                                                                                                  \
    X(uint32, uint32_t)

enum peer_type {
#define PEER_TYPE(name, type) PEER_##name,
    PEER_TYPES(PEER_TYPE)
#undef PEER_TYPE
        PEER_TYPE_COUNT
};

/* What is to be counted; or, of samples, drawn. It stays where it is until another case is taken. */
struct peer_case {
    enum peer_type type;
    const void *x; /* n values, or k weights */
    size_t n, k;
    const double *edges; /* k + 1 of them, non-decreasing; NULL where samples are drawn */
};

/* The task of a library, and how it counts at the edges. */
enum peer_rule {
    PEER_CLOSED,    /* the last bin has its right edge */
    PEER_OPEN,      /* a value at the last edge is counted in no bin */
    PEER_DRAWN,     /* there are no edges: n samples are drawn by k weights */
    PEER_INTEGRATED /* an integral (peer_integral.h) */
};

struct perf_integral_task;
struct perf_integral;

/* A version for those who have none but the compiler's. */
#define PEER_TEXT_OF(number) #number
#define PEER_TEXT(number)    PEER_TEXT_OF(number)
#ifdef __clang__
#define PEER_COMPILER "clang-" PEER_TEXT(__clang_major__)
#else
#define PEER_COMPILER "gcc-" PEER_TEXT(__GNUC__)
#endif

struct peer {
    const char *version; /* of the library, without blanks */
    const char *how;     /* a few words for the report: which call it is */
    enum peer_rule rule;
    const char *(*take)(const struct peer_case *what);              /* takes a case; NULL, or why it cannot (static) */
    void (*reset)(void);                                            /* all counts 0; not timed */
    void (*run)(const struct peer_case *what);                      /* timed: counts all values once */
    void (*counts)(const struct peer_case *what, uint64_t *counts); /* writes k counts */
    /* Of PEER_DRAWN instead of the last three: timed, stores n samples. Its weights are float32. */
    void (*draw)(uint32_t *samples, size_t n);
    /* Of PEER_INTEGRATED instead of all these; the second is timed. */
    const char *(*take_task)(const struct perf_integral_task *task);
    void (*integrate)(const struct perf_integral_task *task, struct perf_integral *found);
};

/* Answers unihist-perf until it closes the connection. To be returned from main. */
int peer_main(const struct peer *peer);

#ifdef __cplusplus
}
#endif

#endif
