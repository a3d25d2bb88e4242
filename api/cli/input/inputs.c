/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cli/display/progress.h"

struct entry {
    const char *path;
    struct cli_input *input; /* stays open between the passes where the path cannot be opened again */
    uint64_t bytes;          /* 0: not known */
    uint64_t count;
    int counted;
    int used; /* read before: rewind it */
};

struct cli_inputs {
    const struct cli_input_options *options;
    int several_passes;
    size_t n;
    uh_dtype dtype;
    unsigned dtype_set; /* bit d: dtype d */
    char dtypes[128];
    struct entry *entries;
};

static int can_be_opened_again(const char *path) {
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Adds a type to the set, and its name to the list. The room is enough for all ten. */
static void add_dtype(struct cli_inputs *inputs, uh_dtype dtype) {
    size_t used = strlen(inputs->dtypes);
    if (cli_inputs_have_dtype(inputs, dtype))
        return;
    inputs->dtype_set |= 1U << dtype;
    snprintf(inputs->dtypes + used, sizeof inputs->dtypes - used, "%s%s", used ? ", " : "", uh_dtype_name(dtype));
}

/* Opens an input for the first time and learns what it is. */
static int look_at(struct cli_inputs *inputs, struct entry *entry, struct cli_error *error) {
    if (cli_input_open(entry->path, inputs->options, &entry->input, error))
        return -1;
    entry->bytes = cli_input_bytes_total(entry->input);
    entry->counted = cli_input_count(entry->input, &entry->count);
    if (entry == inputs->entries)
        inputs->dtype = cli_input_dtype(entry->input);
    add_dtype(inputs, cli_input_dtype(entry->input));
    if (can_be_opened_again(entry->path)) {
        cli_input_close(entry->input);
        entry->input = NULL;
    } else if (inputs->several_passes) {
        cli_input_keep(entry->input);
    }
    return 0;
}

int cli_inputs_open(char *const *paths, size_t npaths, const struct cli_input_options *options, int several_passes,
                    struct cli_inputs **out, struct cli_error *error) {
    int result = -1;
    size_t pipes = 0;
    struct cli_inputs *inputs = calloc(1, sizeof *inputs);
    if (!inputs || !(inputs->entries = calloc(npaths, sizeof *inputs->entries))) {
        cli_fail(error, "out of memory for %zu inputs", npaths);
        goto out;
    }
    inputs->options = options;
    inputs->several_passes = several_passes;
    inputs->n = npaths;
    for (size_t i = 0; i < npaths; i++) {
        inputs->entries[i].path = paths[i];
        pipes += strcmp(paths[i], "-") == 0;
    }
    if (pipes > 1) {
        cli_fail(error, "standard input ('-') is given %zu times, but can be read once", pipes);
        goto out;
    }
    for (size_t i = 0; i < npaths; i++)
        if (look_at(inputs, &inputs->entries[i], error))
            goto out;
    *out = inputs;
    inputs = NULL;
    result = 0;
out:
    cli_inputs_close(inputs);
    return result;
}

/* Makes the input ready to be read from its beginning. */
static int ready(struct cli_inputs *inputs, struct entry *entry, struct cli_error *error) {
    if (!entry->input)
        return cli_input_open(entry->path, inputs->options, &entry->input, error);
    return entry->used ? cli_input_rewind(entry->input, error) : 0;
}

static int read_entry(struct cli_inputs *inputs, struct entry *entry, struct cli_progress *progress, uint64_t before,
                      cli_inputs_each each, void *context, struct cli_error *error) {
    if (ready(inputs, entry, error))
        return -1;
    entry->used = 1;
    int more, result = 0;
    const void *data;
    size_t n;
    uh_dtype dtype = cli_input_dtype(entry->input);
    while (result == 0 && (more = cli_input_next(entry->input, &data, &n, error)) != 0) {
        result = more < 0 ? -1 : each(context, dtype, data, n, error);
        cli_progress_update(progress, before + cli_input_bytes_read(entry->input));
    }
    if (can_be_opened_again(entry->path)) {
        cli_input_close(entry->input);
        entry->input = NULL;
    }
    return result;
}

int cli_inputs_pass(struct cli_inputs *inputs, const char *label, cli_inputs_each each, void *context,
                    struct cli_error *error) {
    uint64_t total = 0, before = 0;
    int known = 1, result = 0;
    for (size_t i = 0; i < inputs->n; i++) {
        known = known && inputs->entries[i].bytes > 0;
        total += inputs->entries[i].bytes;
    }
    struct cli_progress *progress = cli_progress_start(stderr, label, known ? total : 0);
    for (size_t i = 0; i < inputs->n && result == 0; i++) {
        result = read_entry(inputs, &inputs->entries[i], progress, before, each, context, error);
        before += inputs->entries[i].bytes;
    }
    cli_progress_finish(progress);
    return result;
}

const char *cli_inputs_dtypes(const struct cli_inputs *inputs) {
    return inputs->dtypes;
}

uh_dtype cli_inputs_dtype(const struct cli_inputs *inputs) {
    return inputs->dtype;
}

int cli_inputs_have_dtype(const struct cli_inputs *inputs, uh_dtype dtype) {
    return (inputs->dtype_set >> dtype & 1) != 0;
}

int cli_inputs_count(const struct cli_inputs *inputs, uint64_t *count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs->n; i++) {
        if (!inputs->entries[i].counted)
            return 0;
        sum += inputs->entries[i].count;
    }
    *count = sum;
    return 1;
}

void cli_inputs_close(struct cli_inputs *inputs) {
    if (!inputs)
        return;
    for (size_t i = 0; i < inputs->n; i++)
        if (inputs->entries[i].input)
            cli_input_close(inputs->entries[i].input);
    free(inputs->entries);
    free(inputs);
}
