/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/rules.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/group.h"

enum { FIRST_BITS = 16 };

/* Kept values are sorted if they are at most SORTED plus SORTED_GROUP per group; above that, counting costs less. */
enum { SORTED = 1 << 16, SORTED_GROUP = 64 };

/* Values whose keys begin with `prefix`, including some wanted rank. */
struct group {
    uint64_t prefix;
    uint64_t before; /* values smaller than all of these */
    uint64_t n;
};

struct cli_select {
    struct cli_selection *of;
    double *kept; /* those of the groups once they are few, or NULL */
    size_t nkept;
    int sorted;  /* `kept` is sorted */
    int divided; /* it has this process's values, not all */
    uint64_t *counts;
    unsigned depth; /* bits of the groups' prefixes */
    unsigned next;  /* bits counted after them in this pass */
    struct group *groups;
    size_t ngroups;
    double *gathered; /* future contents of `kept` */
    size_t ngathered, room;
};

static int first_block(void *context, const double *x, size_t n) {
    struct cli_select *select = context;
    for (size_t i = 0; i < n; i++)
        select->counts[cli_key_of(x[i]) >> (64 - FIRST_BITS)]++;
    return 0;
}

static int join_ranks(struct cli_select *select, size_t counters) {
    return select->divided ? cli_group_add(select->counts, counters) : 0;
}

/* Counts all values by their first bits. */
static int start(struct cli_select *select, struct cli_selection *of) {
    *select = (struct cli_select){.of = of, .next = FIRST_BITS};
    select->counts = cli_have(calloc((size_t)1 << FIRST_BITS, sizeof *select->counts));
    select->divided = cli_inputs_are_divided(of->inputs);
    return cli_extent_read(of->inputs, of->queue, of->range, first_block, select, &of->extent) ||
                   join_ranks(select, (size_t)1 << FIRST_BITS)
               ? -1
               : 0;
}

/* Returns the group of a key, or NULL. The search has no branches because the place of a value is unpredictable. */
static struct group *find_group(const struct cli_select *select, uint64_t key) {
    const uint64_t prefix = key >> (64 - select->depth);
    struct group *group = select->groups;
    for (size_t n = select->ngroups, half; n > 1; n -= half) {
        half = n / 2;
        group += group[half].prefix <= prefix ? half : 0;
    }
    return select->ngroups && group->prefix == prefix ? group : NULL;
}

static int count_block(void *context, const double *x, size_t n) {
    struct cli_select *select = context;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = cli_key_of(x[i]);
        struct group *group = find_group(select, key);
        if (group) {
            uint64_t cell = key << select->depth >> (64 - select->next);
            select->counts[((size_t)(group - select->groups) << select->next) + cell]++;
        }
    }
    return 0;
}

static int gather_block(void *context, const double *x, size_t n) {
    struct cli_select *select = context;
    for (size_t i = 0; i < n; i++) {
        if (!find_group(select, cli_key_of(x[i])))
            continue;
        if (select->ngathered == select->room)
            return cli_fail("an input changed while it was read");
        select->gathered[select->ngathered++] = x[i];
    }
    return 0;
}

static int read_again(struct cli_select *select, cli_values_function take) {
    struct cli_extent ignored = {.n = 0};
    const double all[2] = {-DBL_MAX, DBL_MAX};
    if (select->kept)
        return take(select, select->kept, select->nkept);
    return cli_extent_read(select->of->inputs, NULL, select->of->range ? select->of->range : all, take, select,
                           &ignored);
}

/* Replaces groups of `depth` bits, with the counts of `next` bits after each, by the groups of depth + next bits that
 * contain a rank. Starts with one group of no bits. */
static int narrow(struct cli_select *select, const uint64_t *ranks, size_t nranks) {
    struct group root = {0, 0, select->of->extent.n};
    const struct group *old = select->groups ? select->groups : &root;
    size_t nold = select->groups ? select->ngroups : 1, n = 0, r = 0;
    struct group *groups = cli_have(malloc((nranks ? nranks : 1) * sizeof *groups));
    for (size_t g = 0; g < nold; g++) {
        const uint64_t *counts = select->counts + (g << select->next);
        uint64_t before = old[g].before;
        for (uint64_t cell = 0; cell < UINT64_C(1) << select->next; before += counts[cell++]) {
            if (r == nranks || ranks[r] - before >= counts[cell])
                continue;
            groups[n++] = (struct group){old[g].prefix << select->next | cell, before, counts[cell]};
            while (r < nranks && ranks[r] - before < counts[cell])
                r++;
        }
    }
    free(select->groups);
    select->groups = groups;
    select->ngroups = n;
    select->depth += select->next;
    return r < nranks ? cli_fail("an input changed while it was read") : 0;
}

/* Counts the next bits of each group in one more pass, as many as the counters' memory allows. */
static int refine(struct cli_select *select, const uint64_t *ranks, size_t nranks) {
    unsigned bits = 1;
    while (bits < FIRST_BITS && bits < 64 - select->depth && select->ngroups << (bits + 1) <= CLI_SELECT_KEEP)
        bits++;
    free(select->counts);
    select->counts = cli_have(calloc(select->ngroups << bits, sizeof *select->counts));
    select->next = bits;
    return read_again(select, count_block) || join_ranks(select, select->ngroups << bits) ||
                   narrow(select, ranks, nranks)
               ? -1
               : 0;
}

/* Collects the gathered values of all processes on all, in the order of ranks: each has zeros in the places of the
 * others, and all are added as integers. */
static int gather_all(struct cli_select *select) {
    uint64_t *words = cli_have(calloc(select->room ? select->room : 1, sizeof *words)), before, all;
    int result = cli_group_offset(select->ngathered, &before, &all);
    if (result == 0 && all > select->room)
        result = cli_fail("an input changed while it was read");
    if (result == 0) {
        memcpy(words + before, select->gathered, select->ngathered * sizeof *words);
        result = cli_group_add(words, (size_t)all);
        memcpy(select->gathered, words, (size_t)all * sizeof *words);
        select->ngathered = (size_t)all;
        select->divided = 0;
    }
    free(words);
    return result;
}

static int gather(struct cli_select *select, size_t n) {
    select->room = n;
    select->ngathered = 0;
    select->gathered = cli_have(malloc((n ? n : 1) * sizeof *select->gathered));
    if (read_again(select, gather_block) || (select->divided && gather_all(select)))
        return -1;
    free(select->kept);
    select->kept = select->gathered;
    select->nkept = select->ngathered;
    select->gathered = NULL;
    return select->nkept < n ? cli_fail("an input changed while it was read") : 0;
}

static int find(struct cli_select *select, const uint64_t *ranks, size_t nranks, double *values) {
    int result = narrow(select, ranks, nranks);
    /* 64-bit keys are the values themselves. */
    while (result == 0 && select->depth < 64 && !select->sorted) {
        uint64_t left = 0;
        for (size_t g = 0; g < select->ngroups; g++)
            left += select->groups[g].n;
        const int few = left <= SORTED + SORTED_GROUP * select->ngroups;
        if (few || (!select->kept && left <= CLI_SELECT_KEEP))
            result = gather(select, (size_t)left);
        else
            result = refine(select, ranks, nranks);
        select->sorted = few;
    }
    if (result)
        return result;
    if (select->sorted)
        qsort(select->kept, select->nkept, sizeof *select->kept, cli_values_compare);
    size_t begin = 0; /* start of the group's values */
    for (size_t g = 0, r = 0; g < select->ngroups; begin += (size_t)select->groups[g++].n) {
        const struct group *group = &select->groups[g];
        for (; r < nranks && ranks[r] - group->before < group->n; r++)
            values[r] = select->sorted ? select->kept[begin + ranks[r] - group->before] : cli_value_of(group->prefix);
    }
    return 0;
}

/* Lists the ranks on both sides of each quantile, distinct and in order; returns their number. */
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

static void finish(struct cli_select *select) {
    free(select->kept);
    free(select->gathered);
    free(select->counts);
    free(select->groups);
}

int cli_select_quantiles(struct cli_selection *of, const double *q, size_t nq, double *values) {
    struct cli_select select;
    uint64_t *ranks = cli_have(calloc(2 * nq, sizeof *ranks));
    double *found = cli_have(calloc(2 * nq, sizeof *found));
    int result = start(&select, of);
    const uint64_t last = of->extent.n - 1;
    const int have = of->extent.n && isfinite(of->extent.min) && isfinite(of->extent.max);
    if (result == 0 && have)
        result = find(&select, ranks, ranks_around(q, nq, last, ranks), found);
    for (size_t i = 0, j = 0; j < nq && result == 0 && have; j++) {
        double at = (double)last * q[j], t = at - floor(at);
        while (ranks[i] < (uint64_t)at)
            i++;
        double a = found[i], b = ranks[i] < last ? found[i + 1] : a, step = b - a;
        values[j] = t >= 0.5 ? b - step * (1 - t) : a + step * t;
    }
    finish(&select);
    free(ranks);
    free(found);
    return result;
}
