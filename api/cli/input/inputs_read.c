/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/inputs.h"

/* --edges with more elements than the largest axis are rejected before they fill the memory. */
#define FILE_LIMIT ((size_t)1 << 30)

struct reading {
    const struct cli_inputs *inputs;
    size_t max, expected, room; /* values: maximum, expected (0 if unknown), allocated */
    struct cli_numbers *all;
};

static int take_values(void *context, const uh_array *x) {
    struct reading *reading = context;
    struct cli_numbers *all = reading->all;
    const size_t n = x->count, bytes = uh_dtype_size(x->dtype);
    if (n > reading->max - all->n)
        return cli_fail("%s holds more than %zu values", cli_inputs_name(reading->inputs), reading->max);
    if (all->n + n > reading->room) {
        /* A pipe may announce more than it holds: the expected number ends the doubling, it does not start it. */
        const size_t needed = all->n + n, twice = needed + all->n;
        const size_t room = reading->expected >= needed && reading->expected < twice ? reading->expected : twice;
        all->data = cli_have(realloc(all->data, room * bytes));
        reading->room = room;
    }
    memcpy((char *)all->data + all->n * bytes, x->data, n * bytes);
    all->n += n;
    return 0;
}

int cli_inputs_read(struct cli_inputs *inputs, size_t max, struct cli_numbers *all) {
    uint64_t n;
    struct reading reading = {.inputs = inputs, .max = max, .all = all};
    *all = (struct cli_numbers){.dtype = cli_inputs_facts(inputs)->dtype};
    inputs->whole = 1; /* it is small */
    if (cli_inputs_count(inputs, &n) && n <= max)
        reading.expected = (size_t)n;
    return cli_inputs_pass(inputs, "reading", take_values, &reading);
}

int cli_inputs_convert(const char *path, struct cli_numbers *all) {
    const size_t n = all->n;
    char *text = all->data;
    const int result = cli_csv_numbers(strcmp(path, "-") == 0 ? "standard input" : path, text, n, all);
    free(text);
    if (result)
        cli_numbers_free(all);
    return result;
}

int cli_inputs_read_bytes(const char *path, struct cli_numbers *all, int *bytes) {
    const struct cli_input_options options = {.characters = 1};
    struct cli_inputs *inputs;
    char *paths = (char *)path;
    *all = (struct cli_numbers){.n = 0};
    if (cli_inputs_open(&paths, 1, &options, &inputs))
        return -1;
    int result = cli_inputs_read(inputs, FILE_LIMIT, all);
    *bytes = cli_inputs_facts(inputs)->is_text;
    if (result == 0 && *bytes) {
        all->data = cli_have(realloc(all->data, all->n + 1));
        ((char *)all->data)[all->n] = '\0';
    }
    if (result)
        cli_numbers_free(all);
    cli_inputs_close(inputs);
    return result;
}

int cli_inputs_read_file(const char *path, struct cli_numbers *all) {
    int bytes;
    return cli_inputs_read_bytes(path, all, &bytes) || (bytes && cli_inputs_convert(path, all)) ? -1 : 0;
}
