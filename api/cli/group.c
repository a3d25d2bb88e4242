/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/group.h"

#include <stdio.h>
#include <string.h>

const struct cli_group *cli_group;

size_t cli_group_rank(void) {
    return cli_group ? cli_group->exchange->rank : 0;
}

size_t cli_group_ranks(void) {
    return cli_group ? cli_group->exchange->ranks : 1;
}

int cli_group_is_first(void) {
    return cli_group_rank() == 0;
}

int cli_group_agree(int result, struct cli_error *error) {
    enum { FAILED, WENT_ON, NUMBERS };
    const uh_exchange *exchange = cli_group ? cli_group->exchange : NULL;
    struct cli_error first = {.text = ""};
    if (!exchange || error->told)
        return result;
    uint64_t numbers[NUMBERS] = {result ? exchange->ranks - exchange->rank : 0, result == 0};
    if (exchange->maximum(exchange->context, numbers, NUMBERS))
        return cli_fail_library(error);
    if (numbers[FAILED] == 0)
        return 0;
    const size_t rank = exchange->ranks - (size_t)numbers[FAILED];
    if (rank == exchange->rank)
        first = *error;
    if (exchange->broadcast(exchange->context, rank, &first, sizeof first))
        return cli_fail_library(error);
    /* What fails on all is no matter of one. */
    if (numbers[WENT_ON])
        cli_fail(error, "rank %zu: %.1000s", rank, first.text);
    else
        *error = first;
    error->usage = first.usage;
    error->told = 1;
    return -1;
}

static int meet(uh_status status, struct cli_error *error) {
    return status ? cli_fail_library(error) : 0;
}

static int combine(uh_combine how, uint64_t *words, size_t n, struct cli_error *error) {
    if (!cli_group)
        return 0;
    const uh_exchange *exchange = cli_group->exchange;
    return cli_group_agree(0, error) ? -1 : meet(exchange->combine(exchange->context, how, words, n), error);
}

int cli_group_add(uint64_t *numbers, size_t n, struct cli_error *error) {
    return combine(UH_COMBINE_ADD, numbers, n, error);
}

int cli_group_add_f64(uint64_t *bits, size_t n, struct cli_error *error) {
    return combine(UH_COMBINE_ADD_F64, bits, n, error);
}

int cli_group_largest(uint64_t *numbers, size_t n, struct cli_error *error) {
    if (!cli_group)
        return 0;
    const uh_exchange *exchange = cli_group->exchange;
    return cli_group_agree(0, error) ? -1 : meet(exchange->maximum(exchange->context, numbers, n), error);
}

int cli_group_sum(uh_histogram *histogram, struct cli_error *error) {
    if (!cli_group)
        return 0;
    return cli_group_agree(0, error) ? -1 : meet(uh_histogram_exchange(histogram, cli_group->exchange), error);
}

int cli_group_tell(void *bytes, size_t size, struct cli_error *error) {
    if (!cli_group)
        return 0;
    const uh_exchange *exchange = cli_group->exchange;
    return cli_group_agree(0, error) ? -1 : meet(exchange->broadcast(exchange->context, 0, bytes, size), error);
}

uint64_t cli_group_share(uint64_t n, size_t rank, size_t ranks) {
    const uint64_t parts = ranks;
    return n / parts * rank + n % parts * rank / parts; /* there are at most 2^30 */
}
