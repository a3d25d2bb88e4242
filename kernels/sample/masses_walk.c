/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/masses.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

/* A walk may find a few more than are finally kept. */
static const size_t max_found = UH_SAMPLER_MAX_ITEMS + UH_SAMPLER_MAX_ITEMS / 16;

uh_status uhi_masses_fail_too_many(const char *call, double kept) {
    return uhi_fail(
        UH_ERROR_UNSUPPORTED, call, "distribution",
        "has about %.3g outcomes of a mass that matters (all others of less than 2^-64), expected at most %zu", kept,
        UH_SAMPLER_MAX_ITEMS);
}

static uh_status append(const char *call, struct uhi_mass_side *side, uhi_mass mass) {
    if (side->n == side->room) {
        const size_t room = side->room ? 2 * side->room : 256;
        uhi_mass *grown = realloc(side->mass, room * sizeof *grown);
        if (!grown)
            return uhi_fail_memory(call, "no memory for %zu masses", room);
        side->mass = grown;
        side->room = room;
    }
    side->mass[side->n++] = mass;
    return UH_SUCCESS;
}

/* Returns an upper bound, in units, of the mass of v's outer neighbour `next` and everything beyond it. */
static double beyond(struct uhi_wide v, struct uhi_wide next, double series) {
    const double last = uhi_wide_double(v), mass = uhi_wide_double(next);
    const double sum = series > 0 ? mass * series : mass * (last / (last - mass)); /* infinite if both are equal */
    return ldexp(sum * (1 + 0x1p-20), UHI_MASS_BITS) + 1;
}

/* Returns the mass left above the mode, in units, when `found` of `law->above` has been found; errors make it too
 * large. */
static double rest(const struct uhi_law *law, uhi_mass found) {
    const long double all = ldexpl(law->above, UHI_MASS_BITS);
    const long double left = all * (1 + 0x1p-59L) - (long double)found;
    return (double)(left * (1 + 0x1p-20L)) + 1;
}

/* Walks up, or down, as long as masses matter relative to *sum, to which they are added. */
static uh_status walk(const char *call, const struct uhi_law *law, int up, uhi_mass *sum, struct uhi_mass_side *side) {
    const size_t room = max_found + side->n;
    struct uhi_wide v = uhi_wide_of(1, 0);
    uhi_mass found = 0;
    for (uint64_t x = law->mode;; x = up ? x + 1 : x - 1) {
        const struct uhi_wide next = up ? law->up(law, v, x) : law->down(law, v, x);
        const uhi_mass mass = uhi_wide_integer(next, -UHI_MASS_BITS);
        double left = 0;
        if (!next.m)
            break;
        if (up && law->above > 0 && (left = rest(law, found)) < ldexp((double)*sum, -64) * (1 - 0x1p-4)) {
            side->left_out = (uhi_mass)left + 1;
            break;
        }
        if (mass < *sum >> 72 && (left = beyond(v, next, up ? law->series : 0)) < ldexp((double)*sum, -72)) {
            side->left_out = (uhi_mass)left + 1;
            break;
        }
        if (side->n == room)
            return uhi_fail(UH_ERROR_UNSUPPORTED, call, "distribution",
                            "has more than %zu outcomes of a mass that matters (all others of less than 2^-64), "
                            "expected at most that many",
                            UH_SAMPLER_MAX_ITEMS);
        UHI_TRY(append(call, side, mass));
        *sum += mass;
        found += mass;
        v = next;
    }
    return UH_SUCCESS;
}

/* Drops as many outcomes as possible, but not the first `keep`. A mass exceeds its integer by up to 1. */
static void trim(struct uhi_mass_side *side, size_t keep, uhi_mass limit) {
    while (side->n > keep && side->left_out + side->mass[side->n - 1] + 1 < limit)
        side->left_out += side->mass[--side->n] + 1;
}

static void get(const void *context, size_t from, size_t n, uhi_mass *mass) {
    const struct uhi_mass_list *list = context;
    const size_t below = list->down.n;
    for (size_t i = 0; i < n; i++) {
        const size_t at = from + i;
        mass[i] = at < below ? list->down.mass[below - 1 - at] : list->up.mass[at - below];
    }
}

uh_status uhi_masses_walk(const char *call, const struct uhi_law *law, struct uhi_mass_list *list) {
    struct uhi_mass_list made = {.up = {0}};
    uhi_mass sum = (uhi_mass)1 << UHI_MASS_BITS;
    uh_status status = append(call, &made.up, sum); /* the walk up begins with the mode itself */
    status = status ? status : walk(call, law, 1, &sum, &made.up);
    status = status ? status : walk(call, law, 0, &sum, &made.down);
    if (!status) {
        trim(&made.up, 1, sum >> 64);
        trim(&made.down, 0, sum >> 64);
        if (made.up.n + made.down.n > UH_SAMPLER_MAX_ITEMS)
            status = uhi_masses_fail_too_many(call, (double)(made.up.n + made.down.n));
    }
    if (status) {
        uhi_masses_free(&made);
        return status;
    }
    *list = made;
    list->first = (int64_t)(law->mode - made.down.n);
    list->masses = (struct uhi_masses){get, list, made.up.n + made.down.n};
    return UH_SUCCESS;
}

void uhi_masses_free(struct uhi_mass_list *list) {
    free(list->up.mass);
    free(list->down.mass);
    free(list->powers);
    free(list->places);
    *list = (struct uhi_mass_list){.up = {0}};
}
