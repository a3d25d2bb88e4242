/* SPDX-License-Identifier: Apache-2.0 */
/* Combines words of all ranks in rounds, for any number of ranks P, in ceil(log2 P) steps each way (Träff,
 * arXiv:2410.14234). Up to UHM_PIECE_WORDS words at a time are cut into P blocks; rank r numbers them from its own: its
 * block i is block r + i, modulo P. The skips are P, then each the upper half of the previous one, down to 1.
 *
 * From a skip s' to the next, s, blocks s to s' - 1 go to rank r + s, where they are the first s' - s and are added. At
 * the end block 0 is complete and each block has been sent once. The way back distributes them: at s, the first s' - s
 * blocks go to rank r - s. With a single root they follow a tree of the same steps instead.
 *
 * A message holds the words of its blocks or, if shorter, index and value of each non-zero word; its length tells
 * which. */
#include <string.h>

#include "api/mpi/group.h"

enum { TAG = 0, MAX_ROUNDS = 32 };

/* State of a combination of at most UHM_PIECE_WORDS words. */
struct rounds {
    struct uhm_group *group;
    uh_combine how;
    uint64_t *words;
    size_t n;                 /* number of words */
    int skip[MAX_ROUNDS + 1]; /* first P, last 1 */
    int count;                /* rounds: skips after P */
};

/* Words of a message: blocks [from, from + count) in this rank's numbering, contiguous or wrapped around. */
struct stretch {
    size_t first, length, wrapped; /* `length` words from `first`, then `wrapped` words from 0 */
};

static size_t block_at(const struct rounds *rounds, int block) {
    return (size_t)((uint64_t)rounds->n * (unsigned)block / (unsigned)rounds->group->ranks); /* below 2^49 */
}

static struct stretch stretch_of(const struct rounds *rounds, int from, int count) {
    const int ranks = rounds->group->ranks, begin = (rounds->group->rank + from) % ranks;
    const size_t first = block_at(rounds, begin);
    if (begin + count <= ranks)
        return (struct stretch){first, block_at(rounds, begin + count) - first, 0};
    return (struct stretch){first, rounds->n - first, block_at(rounds, begin + count - ranks)};
}

static size_t place(const struct stretch *stretch, size_t i) {
    return i < stretch->length ? stretch->first + i : i - stretch->length;
}

/* Counts non-zero words, stopping once there are at least `enough`. */
static size_t used_of(const uint64_t *words, size_t n, size_t enough) {
    enum { BLOCK = 1024 };
    size_t used = 0;
    for (size_t from = 0; from < n && used < enough; from += BLOCK)
        for (size_t i = from; i < n && i < from + BLOCK; i++)
            used += words[i] != 0;
    return used;
}

/* Makes a message. Returns its words and stores their number in *length. */
static const uint64_t *pack(const struct rounds *rounds, const struct stretch *stretch, size_t *length) {
    uint64_t *to = rounds->group->sent;
    const size_t n = stretch->length + stretch->wrapped;
    const size_t enough = n / 2 + 1;
    size_t used = used_of(rounds->words + stretch->first, stretch->length, enough);
    if (used < enough)
        used += used_of(rounds->words, stretch->wrapped, enough - used);
    *length = n;
    if (2 * used < n) {
        *length = 2 * used;
        for (size_t i = 0, next = 0; next < *length; i++)
            if (rounds->words[place(stretch, i)] != 0) {
                to[next++] = i;
                to[next++] = rounds->words[place(stretch, i)];
            }
        return to;
    }
    if (!stretch->wrapped)
        return rounds->words + stretch->first;
    memcpy(to, rounds->words + stretch->first, stretch->length * sizeof *to);
    memcpy(to + stretch->length, rounds->words, stretch->wrapped * sizeof *to);
    return to;
}

static void put(uh_combine how, uint64_t *words, const uint64_t *with, size_t n) {
    double a, b;
    for (size_t i = 0; i < n && how == UH_COMBINE_ADD; i++)
        words[i] += with[i];
    for (size_t i = 0; i < n && how == UH_COMBINE_OR; i++)
        words[i] |= with[i];
    for (size_t i = 0; i < n && how == UH_COMBINE_ADD_F64; i++)
        if (with[i]) {
            memcpy(&a, words + i, sizeof a);
            memcpy(&b, with + i, sizeof b);
            a += b;
            memcpy(words + i, &a, sizeof a);
        }
}

/* Unpacks a message: combines it with the words or, on the way back, replaces them. */
static void unpack(const struct rounds *rounds, const struct stretch *stretch, size_t length, int back) {
    const uint64_t *from = rounds->group->received;
    const uh_combine how = back ? UH_COMBINE_OR : rounds->how;
    const int all = length == stretch->length + stretch->wrapped;
    uint64_t *words = rounds->words;
    if (back && all) {
        memcpy(words + stretch->first, from, stretch->length * sizeof *words);
        memcpy(words, from + stretch->length, stretch->wrapped * sizeof *words);
        return;
    }
    if (back) {
        memset(words + stretch->first, 0, stretch->length * sizeof *words);
        memset(words, 0, stretch->wrapped * sizeof *words);
    }
    if (all) {
        put(how, words + stretch->first, from, stretch->length);
        put(how, words, from + stretch->length, stretch->wrapped);
    } else {
        for (size_t i = 0; i + 1 < length; i += 2)
            put(how, &words[place(stretch, from[i])], from + i + 1, 1);
    }
}

/* Performs a step: sends blocks to one rank and receives blocks from another; either may be empty (length 0). */
static uh_status step(const struct rounds *rounds, int to, struct stretch give, int from, struct stretch take,
                      int back) {
    const struct uhm_group *group = rounds->group;
    const size_t max = take.length + take.wrapped;
    const uint64_t *message = group->sent;
    size_t length = 0;
    int received = 0;
    MPI_Status status;
    if (give.length + give.wrapped > 0)
        message = pack(rounds, &give, &length);
    else
        to = MPI_PROC_NULL;
    if (max == 0)
        from = MPI_PROC_NULL;
    int code = MPI_Sendrecv(message, (int)length, MPI_UINT64_T, to, TAG, group->received, (int)max, MPI_UINT64_T, from,
                            TAG, group->comm, &status);
    if (code == MPI_SUCCESS && max > 0)
        code = MPI_Get_count(&status, MPI_UINT64_T, &received);
    if (code != MPI_SUCCESS)
        return uhm_check(group->call, "MPI_Sendrecv", code);
    if (max > 0)
        unpack(rounds, &take, (size_t)received, back);
    return UH_SUCCESS;
}

/* Plans how many of its first blocks a rank sends, and how many it receives, in each round of the way back. */
static void plan_back(const struct rounds *rounds, int give[MAX_ROUNDS], int take[MAX_ROUNDS]) {
    const struct uhm_group *group = rounds->group;
    int at = 0, blocks = group->ranks; /* in the tree: rank relative to the root, and its blocks to send */
    const int own = (group->rank - group->root + group->ranks) % group->ranks;
    for (int i = 0; i < rounds->count; i++) {
        const int skip = rounds->skip[i + 1];
        give[i] = take[i] = rounds->skip[i] - skip;
        if (group->root == UH_MPI_ALL_RANKS)
            continue;
        give[i] = take[i] = 0;
        if (own == at) {
            take[i] = blocks > skip ? blocks - skip : 0;
        } else if (own - at >= skip) {
            at += skip;
            blocks -= skip;
            give[i] = own == at ? blocks : 0;
            continue;
        }
        blocks = blocks < skip ? blocks : skip;
    }
}

static uh_status run(const struct rounds *rounds) {
    const int rank = rounds->group->rank, ranks = rounds->group->ranks, *skip = rounds->skip;
    int give[MAX_ROUNDS], take[MAX_ROUNDS];
    uh_status status = UH_SUCCESS;
    for (int i = 0; i < rounds->count && !status; i++) {
        const int s = skip[i + 1], blocks = skip[i] - s;
        status = step(rounds, (rank + s) % ranks, stretch_of(rounds, s, blocks), (rank + ranks - s) % ranks,
                      stretch_of(rounds, 0, blocks), 0);
    }
    plan_back(rounds, give, take);
    for (int i = rounds->count; i-- > 0 && !status;) {
        const int s = skip[i + 1];
        status = step(rounds, (rank + ranks - s) % ranks, stretch_of(rounds, 0, give[i]), (rank + s) % ranks,
                      stretch_of(rounds, s, take[i]), 1);
    }
    return status;
}

uh_status uhm_combine(void *context, uh_combine how, uint64_t *words, size_t n) {
    struct rounds rounds = {.group = context, .how = how};
    uh_status status = UH_SUCCESS;
    rounds.skip[0] = rounds.group->ranks;
    while (rounds.skip[rounds.count] > 1) {
        const int skip = rounds.skip[rounds.count++];
        rounds.skip[rounds.count] = skip - skip / 2;
    }
    for (size_t from = 0; from < n && !status; from += rounds.n) {
        rounds.words = words + from;
        rounds.n = n - from < UHM_PIECE_WORDS ? n - from : UHM_PIECE_WORDS;
        status = run(&rounds);
    }
    return status;
}
