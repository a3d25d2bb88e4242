/* SPDX-License-Identifier: Apache-2.0 */
/* The integrands that judge integrators, for peers in Python. */
#include "perf/peers/peer.h"
#include "tests/integrands/set.h"

static struct set_integrand drawn;

/* Takes the integrand of a name and a seed. Returns 0 for an unknown name. */
PEER_FUNCTION int set_values_take(const char *name, uint64_t seed) {
    const struct set_row *row = set_find(name);
    if (row)
        drawn = set_draw(row, seed);
    return row != NULL;
}

/* Its values at n points of the unit cube, rows of coordinates; 0 where it has none. */
PEER_FUNCTION void set_values(size_t n, const double *rows, double *value) {
    set_on_unit_cube(&drawn, n, rows, value);
    for (size_t i = 0; i < n; i++)
        value[i] = isfinite(value[i]) ? value[i] : 0;
}
