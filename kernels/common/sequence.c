/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of quasi-random sequences. */
#include "kernels/common/sequence.h"

#include <pthread.h>
#include <string.h>

#include "kernels/common/philox.h"

enum { BITS = UHI_SEQUENCE_AXIS, DIMS = UHI_SOBOL_MAX_DIMS };

static uint32_t directions[DIMS][BITS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Initial numbers of all axes but the first, as digits of base 64, the highest bit of a digit first: of an axis whose
 * polynomial has degree s, m_2 to m_s, where i bits have (m_(i+1) - 1) / 2, because these numbers are odd. */
static const char initial[] =
#include "kernels/common/sobol_numbers.inc"
    ;

static unsigned degree_of(uint32_t polynomial) { return 31 - (unsigned)__builtin_clz(polynomial); }

/* Whether x generates all nonzero polynomials modulo this one, over two elements. */
static int is_primitive(uint32_t polynomial) {
    const uint32_t top = 1U << degree_of(polynomial);
    uint32_t x = 1, order = 0;
    do {
        x <<= 1;
        x ^= (x & top) ? polynomial : 0;
        order++;
    } while (x > 1);
    return x == 1 && order == top - 1;
}

/* Returns the next `bits` bits of `initial`. */
static uint32_t read_bits(size_t *at, unsigned bits) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t number = 0;
    for (; bits > 0; bits--, ++*at) {
        const uint32_t digit = (uint32_t)(strchr(digits, initial[*at / 6]) - digits);
        number = number << 1 | (digit >> (5 - *at % 6) & 1);
    }
    return number;
}

/* Continues the first `degree` direction numbers by the recurrence that the polynomial defines. */
static void continue_numbers(uint32_t polynomial, uint32_t *v) {
    const unsigned degree = degree_of(polynomial);
    for (unsigned b = degree; b < BITS; b++) {
        v[b] = v[b - degree] ^ v[b - degree] >> degree;
        for (unsigned k = 1; k < degree; k++)
            v[b] ^= polynomial >> (degree - k) & 1 ? v[b - k] : 0;
    }
}

/* Axis a > 0 has the a-th primitive polynomial; the first has none, and all of its m are 1. */
static void make_directions(void) {
    size_t at = 0;
    uint32_t polynomial = 1;
    for (unsigned b = 0; b < BITS; b++)
        directions[0][b] = 1U << (BITS - 1 - b);
    for (size_t a = 1; a < DIMS; a++) {
        do
            polynomial += 2;
        while (!is_primitive(polynomial));
        for (unsigned b = 0; b < degree_of(polynomial); b++)
            directions[a][b] = (2 * read_bits(&at, b) + 1) << (BITS - 1 - b);
        continue_numbers(polynomial, directions[a]);
    }
    for (size_t a = 0; a < DIMS; a++)
        for (unsigned b = 0; b < BITS; b++)
            directions[a][b] = uhi_reverse_bits(directions[a][b]);
}

void uhi_sequence_table(int kind, int in_gray_order, size_t dims, size_t randomisations, uint64_t seed, uint64_t stream,
                        uhi_u32 *table) {
    const int is_lattice = kind >= UHI_SEQUENCE_LATTICE;
    /* Made by tests/test_lattice.py. */
    static const uint32_t component[] = {1,       7114117, 5383257, 2569987, 7820745, 5588387, 2446165,
                                         5795123, 3820561, 4097045, 5959877, 7141667, 4658237, 5847997,
                                         2427677, 1060845, 3906917, 6941809, 2707941, 5189451};
    uhi_u32 *key = table + dims * BITS;
    for (size_t a = 0; a < dims && is_lattice; a++)
        table[a * BITS] = component[a];
    if (!is_lattice) {
        pthread_once(&once, make_directions);
        memcpy(table, directions, dims * sizeof directions[0]);
    }
    for (size_t i = dims * BITS; in_gray_order && i-- > 0;)
        table[i] ^= i % BITS ? table[i - 1] : 0;
    for (size_t r = 0; r < randomisations; r++)
        for (size_t a = 0; a < dims; a++, key += UHI_SEQUENCE_KEYS)
            memcpy(key, uhi_philox4x32(seed, stream + r, a).v, UHI_SEQUENCE_KEYS * sizeof *key);
}
