/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/select.h"

/* Ranges shorter than this are sorted by insertion. */
enum { SMALL = 24 };

static void insertion_sort(double *x, size_t n) {
    for (size_t i = 1; i < n; i++) {
        double value = x[i];
        size_t j = i;
        for (; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

/* A random pivot keeps every order of the data from being a bad one (xorshift; Marsaglia 2003). */
static double pick_pivot(const double *x, size_t n, uint64_t *state) {
    double v[3];
    for (int i = 0; i < 3; i++) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        v[i] = x[*state % n];
    }
    double low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    return v[2] < low ? low : v[2] > high ? high : v[2];
}

/* Splits x into smaller, equal and larger than the pivot; the equal ones are [*from, *to). */
static void split(double *x, size_t n, double pivot, size_t *from, size_t *to) {
    size_t low = 0, i = 0, high = n;
    while (i < high) {
        double value = x[i];
        if (value < pivot) {
            x[i++] = x[low];
            x[low++] = value;
        } else if (value > pivot) {
            x[i] = x[--high];
            x[high] = value;
        } else {
            i++;
        }
    }
    *from = low;
    *to = high;
}

static size_t ranks_below(const uint64_t *ranks, size_t m, uint64_t limit) {
    size_t low = 0, high = m;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranks[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void partition(double *x, size_t n, const uint64_t *ranks, size_t m, uint64_t base, uint64_t *state) {
    while (m > 0 && n > SMALL) {
        size_t from, to;
        split(x, n, pick_pivot(x, n, state), &from, &to);
        size_t left = ranks_below(ranks, m, base + from), right = ranks_below(ranks, m, base + to);
        /* The shorter side by recursion, the longer one by the loop: the stack stays logarithmic. */
        if (from < n - to) {
            partition(x, from, ranks, left, base, state);
            x += to;
            base += to;
            n -= to;
            ranks += right;
            m -= right;
        } else {
            partition(x + to, n - to, ranks + right, m - right, base + to, state);
            n = from;
            m = left;
        }
    }
    if (m > 0)
        insertion_sort(x, n);
}

void cli_partition(double *x, size_t n, const uint64_t *ranks, size_t m, uint64_t base) {
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    partition(x, n, ranks, m, base, &state);
}
