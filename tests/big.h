/* SPDX-License-Identifier: Apache-2.0 */
/* Exact numbers for oracles: schoolbook arithmetic on fixed point of 4864 bits, two's complement, the lowest bit being
 * 2^-2304. Sums of 2^60 squares of float64 fit. Nothing here knows how the library does it. */
#pragma once

#include <stdint.h>

enum { BIG_WORDS = 152, BIG_POINT = 2304 };

struct big {
    uint32_t word[BIG_WORDS]; /* the lowest first */
};

void big_add(struct big *x, const struct big *y);
void big_negate(struct big *x);

/* The value of a finite double; of an integer. */
struct big big_double(double value);
struct big big_i64(int64_t value);

/* x * n, and x * y, cut off where they do not fit: of numbers of at most 2^-1074 * integer the product is exact. */
struct big big_times(struct big x, uint64_t n);
struct big big_product(struct big x, struct big y);

/* Whether `rounded` is x / n rounded once to the nearest double, ties to even; infinite from 2^1024 - 2^970 on. */
int big_is_quotient(const struct big *x, uint64_t n, double rounded);

/* Whether `rounded` is x rounded once to the nearest float likewise; infinite from 2^128 - 2^103 on. */
int big_is_float(const struct big *x, float rounded);
