/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 16, FIRST_SIZE = 1 << FIRST_BITS };

/* The values whose keys begin with `prefix`: some wanted rank is among them. */
struct group {
    uint64_t prefix;
    uint64_t before; /* values smaller than all of these */
    uint64_t n;
    size_t start; /* where they go in `kept`, when they are collected */
    size_t filled;
};

struct cli_select {
    struct cli_inputs *inputs;
    uh_queue *queue;
    double range[2];
    int ranged;
    struct cli_extent extent;
    size_t keep; /* maximum number of values in `kept`, and of counters */
    double *kept;
    size_t nkept, room;
    int overflow; /* there were more, `kept` is gone */
    uint64_t *counts;
    unsigned depth; /* bits of the groups' prefixes */
    unsigned next;  /* bits counted below them in this pass */
    struct group *groups;
    size_t ngroups;
    size_t *first; /* first[t]: the first group whose prefix has the top bits t or more */
};

#define SIGN (UINT64_C(1) << 63)

/* Orders float64 as unsigned integers are ordered; NaN does not come here. */
static uint64_t key_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

static double value_of(uint64_t key) {
    uint64_t bits = (key & SIGN) != 0 ? key ^ SIGN : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Has `take` called with each block of values that the range admits. */
static int each_block(struct cli_select *select, const uh_array *x, cli_values_take take, struct cli_error *error) {
    const double *range = select->ranged ? select->range : NULL;
    return cli_values_each(x, range, &select->extent.nan, take, select, error);
}

/* Keeps a block's values, or gives up keeping where they become too many. */
static void keep_block(struct cli_select *select, const double *x, size_t n) {
    if (select->overflow)
        return;
    if (n > select->keep - select->nkept) {
        select->overflow = 1;
    } else if (n > select->room - select->nkept) {
        size_t room = select->room * 2 + CLI_BLOCK < select->keep ? select->room * 2 + CLI_BLOCK : select->keep;
        double *kept = realloc(select->kept, room * sizeof *kept);
        if (kept) {
            select->kept = kept;
            select->room = room;
        } else {
            select->overflow = 1;
        }
    }
    if (select->overflow) {
        free(select->kept);
        select->kept = NULL;
        select->nkept = select->room = 0;
    } else if (n) {
        memcpy(select->kept + select->nkept, x, n * sizeof *x);
        select->nkept += n;
    }
}

static int first_block(void *context, const double *x, size_t n, struct cli_error *error) {
    struct cli_select *select = context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        select->extent.min = x[i] < select->extent.min ? x[i] : select->extent.min;
        select->extent.max = x[i] > select->extent.max ? x[i] : select->extent.max;
        select->counts[key_of(x[i]) >> (64 - FIRST_BITS)]++;
    }
    select->extent.n += n;
    keep_block(select, x, n);
    return 0;
}

static int first_chunk(void *context, const uh_array *x, const uh_array *values, struct cli_error *error) {
    struct cli_select *select = context;
    (void)values;
    if (!select->ranged && cli_values_widen(select->queue, x, &select->extent.min, &select->extent.max, error))
        return -1;
    return each_block(select, x, first_block, error);
}

int cli_select_open(struct cli_inputs *inputs, uh_queue *queue, const double *range, size_t keep,
                    struct cli_select **out, struct cli_error *error) {
    struct cli_select *select = calloc(1, sizeof *select);
    if (!select || !(select->counts = calloc(FIRST_SIZE, sizeof *select->counts))) {
        cli_select_close(select);
        return cli_fail(error, "out of memory for the bin rule's counters");
    }
    select->inputs = inputs;
    select->queue = queue;
    select->ranged = range != NULL;
    if (range)
        memcpy(select->range, range, sizeof select->range);
    select->extent.min = INFINITY;
    select->extent.max = -INFINITY;
    select->keep = keep ? keep : CLI_SELECT_KEEP;
    if (cli_inputs_pass(inputs, "looking at the data", first_chunk, select, error)) {
        cli_select_close(select);
        return -1;
    }
    *out = select;
    return 0;
}

const struct cli_extent *cli_select_extent(const struct cli_select *select) {
    return &select->extent;
}

/* The group that a key falls in, or NULL. The table leads to the few groups with the same top bits. */
static struct group *find_group(const struct cli_select *select, uint64_t key) {
    uint64_t prefix = key >> (64 - select->depth), top = key >> (64 - FIRST_BITS);
    size_t low = select->first[top], high = select->first[top + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (select->groups[middle].prefix < prefix)
            low = middle + 1;
        else
            high = middle;
    }
    return low < select->first[top + 1] && select->groups[low].prefix == prefix ? &select->groups[low] : NULL;
}

static void index_groups(struct cli_select *select) {
    size_t g = 0;
    for (size_t top = 0; top <= FIRST_SIZE; top++) {
        while (g < select->ngroups && select->groups[g].prefix >> (select->depth - FIRST_BITS) < top)
            g++;
        select->first[top] = g;
    }
}

/* Goes from groups of `depth` bits, and the counts of `next` bits below each, to the groups of depth + next bits that
 * hold a rank. `old` is NULL for the one group of no bits that everything begins with. */
static int narrow(struct cli_select *select, const uint64_t *ranks, size_t nranks, struct cli_error *error) {
    struct group root = {0, 0, select->extent.n, 0, 0};
    const struct group *old = select->groups ? select->groups : &root;
    size_t nold = select->groups ? select->ngroups : 1, n = 0, r = 0;
    struct group *groups = malloc((nranks ? nranks : 1) * sizeof *groups);
    if (!groups)
        return cli_fail(error, "out of memory for %zu ranks", nranks);
    for (size_t g = 0; g < nold; g++) {
        const uint64_t *counts = select->counts + (g << select->next);
        uint64_t before = old[g].before;
        for (uint64_t cell = 0; cell < UINT64_C(1) << select->next; before += counts[cell++]) {
            if (r == nranks || ranks[r] - before >= counts[cell])
                continue;
            groups[n++] = (struct group){old[g].prefix << select->next | cell, before, counts[cell], 0, 0};
            while (r < nranks && ranks[r] - before < counts[cell])
                r++;
        }
    }
    free(select->groups);
    select->groups = groups;
    select->ngroups = n;
    select->depth += select->next;
    index_groups(select);
    if (r < nranks)
        return cli_fail(error, "an input changed while it was read");
    return 0;
}

static int count_block(void *context, const double *x, size_t n, struct cli_error *error) {
    struct cli_select *select = context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = key_of(x[i]);
        struct group *group = find_group(select, key);
        if (group) {
            uint64_t cell = key << select->depth >> (64 - select->next);
            select->counts[((size_t)(group - select->groups) << select->next) + cell]++;
        }
    }
    return 0;
}

static int count_chunk(void *context, const uh_array *x, const uh_array *values, struct cli_error *error) {
    (void)values;
    return each_block(context, x, count_block, error);
}

static int collect_block(void *context, const double *x, size_t n, struct cli_error *error) {
    struct cli_select *select = context;
    for (size_t i = 0; i < n; i++) {
        struct group *group = find_group(select, key_of(x[i]));
        if (!group)
            continue;
        if (group->filled == group->n)
            return cli_fail(error, "an input changed while it was read");
        select->kept[group->start + group->filled++] = x[i];
    }
    return 0;
}

static int collect_chunk(void *context, const uh_array *x, const uh_array *values, struct cli_error *error) {
    (void)values;
    return each_block(context, x, collect_block, error);
}

/* Counts the next bits below each group in one more pass, as many as the counters' memory allows. */
static int refine(struct cli_select *select, const uint64_t *ranks, size_t nranks, struct cli_error *error) {
    unsigned bits = 1;
    while (bits < FIRST_BITS && bits < 64 - select->depth && select->ngroups << (bits + 1) <= select->keep)
        bits++;
    free(select->counts);
    select->counts = calloc(select->ngroups << bits, sizeof *select->counts);
    if (!select->counts)
        return cli_fail(error, "out of memory for the bin rule's counters");
    select->next = bits;
    if (cli_inputs_pass(select->inputs, "narrowing the ranks", count_chunk, select, error))
        return -1;
    return narrow(select, ranks, nranks, error);
}

/* Brings the groups' values into memory in one more pass. */
static int collect(struct cli_select *select, size_t n, struct cli_error *error) {
    size_t start = 0;
    select->kept = malloc((n ? n : 1) * sizeof *select->kept);
    if (!select->kept)
        return cli_fail(error, "out of memory for %zu values", n);
    for (size_t g = 0; g < select->ngroups; g++) {
        select->groups[g].start = start;
        start += (size_t)select->groups[g].n;
    }
    if (cli_inputs_pass(select->inputs, "finding the ranks", collect_chunk, select, error))
        return -1;
    for (size_t g = 0; g < select->ngroups; g++)
        if (select->groups[g].filled != select->groups[g].n)
            return cli_fail(error, "an input changed while it was read");
    return 0;
}

/* Looks up the ranks: in the groups' collected values, or in the prefixes once these are whole keys. */
static void answer(struct cli_select *select, const uint64_t *ranks, size_t nranks, double *values) {
    size_t r = 0;
    for (size_t g = 0; g < select->ngroups; g++) {
        const struct group *group = &select->groups[g];
        size_t from = r;
        while (r < nranks && ranks[r] - group->before < group->n)
            r++;
        if (select->kept)
            cli_partition(select->kept + group->start, (size_t)group->n, ranks + from, r - from, group->before);
        for (size_t i = from; i < r; i++)
            values[i] = select->kept ? select->kept[group->start + (size_t)(ranks[i] - group->before)]
                                     : value_of(group->prefix);
    }
}

int cli_select_ranks(struct cli_select *select, const uint64_t *ranks, size_t nranks, double *values,
                     struct cli_error *error) {
    if (!select->overflow) {
        cli_partition(select->kept, select->nkept, ranks, nranks, 0);
        for (size_t i = 0; i < nranks; i++)
            values[i] = select->kept[ranks[i]];
        return 0;
    }
    select->first = malloc((FIRST_SIZE + 1) * sizeof *select->first);
    if (!select->first)
        return cli_fail(error, "out of memory for the ranks' table");
    select->next = FIRST_BITS;
    if (narrow(select, ranks, nranks, error))
        return -1;
    for (;;) {
        uint64_t left = 0;
        for (size_t g = 0; g < select->ngroups; g++)
            left += select->groups[g].n;
        if (select->depth == 64)
            break;
        if (left <= select->keep) {
            if (collect(select, (size_t)left, error))
                return -1;
            break;
        }
        if (refine(select, ranks, nranks, error))
            return -1;
    }
    answer(select, ranks, nranks, values);
    return 0;
}

/* The ranks on both sides of each quantile, each once, in order; returns how many. */
static size_t ranks_around(const double *q, size_t nq, uint64_t last, uint64_t *ranks) {
    size_t n = 0;
    for (size_t j = 0; j < nq; j++) {
        uint64_t below = (uint64_t)((double)last * q[j]);
        for (uint64_t rank = below; rank <= below + 1 && rank <= last; rank++)
            if (n == 0 || rank > ranks[n - 1])
                ranks[n++] = rank;
    }
    return n;
}

int cli_select_quantiles(struct cli_select *select, const double *q, size_t nq, double *values,
                         struct cli_error *error) {
    int result = -1;
    size_t i = 0, nranks;
    uint64_t last = select->extent.n - 1;
    uint64_t *ranks = calloc(2 * nq, sizeof *ranks);
    double *found = calloc(2 * nq, sizeof *found);
    if (!ranks || !found) {
        cli_fail(error, "out of memory for %zu quantiles", nq);
        goto out;
    }
    nranks = ranks_around(q, nq, last, ranks);
    if (cli_select_ranks(select, ranks, nranks, found, error))
        goto out;
    for (size_t j = 0; j < nq; j++) {
        double at = (double)last * q[j], t = at - floor(at);
        while (ranks[i] < (uint64_t)at)
            i++;
        double a = found[i], b = ranks[i] < last ? found[i + 1] : a, step = b - a;
        values[j] = t >= 0.5 ? b - step * (1 - t) : a + step * t;
    }
    result = 0;
out:
    free(ranks);
    free(found);
    return result;
}

void cli_select_close(struct cli_select *select) {
    if (!select)
        return;
    free(select->kept);
    free(select->counts);
    free(select->groups);
    free(select->first);
    free(select);
}
