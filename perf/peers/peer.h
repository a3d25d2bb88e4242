/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a peer that is a library in C or C++. peer.py loads it and talks with unihist-perf; perf/README.md,
 * "Adding a peer", has the protocol. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PEER_FUNCTION extern "C" __attribute__((visibility("default")))
#else
#define PEER_FUNCTION __attribute__((visibility("default")))
#endif

/* The types of cases whose values float64 holds exactly, in the order of peer.py. */
#define PEER_TYPES(X)                                                                                                  \
    X(float32, float)                                                                                                  \
    X(float64, double)                                                                                                 \
    X(uint8, uint8_t)                                                                                                  \
    X(int32, int32_t)

enum peer_type {
#define PEER_TYPE(name, type) PEER_##name,
    PEER_TYPES(PEER_TYPE)
#undef PEER_TYPE
};

/* What is to be counted; or, of samples, drawn. It stays where it is until another case is taken. */
struct peer_case {
    int type;
    size_t n, k;
    const void *x;       /* n values, or k weights */
    const double *edges; /* k + 1 of them, non-decreasing; NULL if samples are drawn */
};

/* A version for those who have none but the compiler's. */
#define PEER_TEXT_OF(number) #number
#define PEER_TEXT(number)    PEER_TEXT_OF(number)
#ifdef __clang__
#define PEER_COMPILER "clang-" PEER_TEXT(__clang_major__)
#else
#define PEER_COMPILER "gcc-" PEER_TEXT(__GNUC__)
#endif

/* "RULE VERSION CALL": closed (the last bin has its right edge), open (a value at the last edge is counted in no bin),
 * drawn or integrated; the library's version without blanks; a few words for the report. */
PEER_FUNCTION const char *peer_about(void);
PEER_FUNCTION const char *peer_take(const struct peer_case *what); /* takes a case; NULL, or why it cannot */
PEER_FUNCTION void peer_reset(void);                               /* not timed: before each run */
PEER_FUNCTION void peer_run(const struct peer_case *what); /* timed: counts all values once, draws, or integrates */
PEER_FUNCTION void peer_counts(const struct peer_case *what, uint64_t *counts); /* writes k counts */

/* Of one that integrates, instead of peer_take and peer_counts: the task's words as in the protocol; value, error,
 * chi-square, evaluations and 1 or 0: whether the error was reached. */
PEER_FUNCTION const char *peer_take_task(const char *name, const double numbers[7]);
PEER_FUNCTION void peer_found(double numbers[5]);
