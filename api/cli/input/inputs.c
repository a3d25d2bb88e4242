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
    struct cli_input_facts facts;
    int used; /* read before: rewind it */
};

struct cli_inputs {
    struct cli_input_options options;
    size_t n;
    unsigned dtype_set; /* bit d: dtype d */
    char dtypes[128];
    size_t element; /* of a row that is given alone, or CLI_INPUTS_ROWS */
    struct entry *entries;
    size_t at;       /* the entry being read */
    uint64_t before; /* bytes of those in front of it */
    int reading;     /* it is open */
    void *chosen;    /* elements of rows, gathered */
    size_t chosen_bytes;
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
    if (cli_input_open(entry->path, &inputs->options, &entry->input, error))
        return -1;
    entry->facts = *cli_input_facts(entry->input);
    add_dtype(inputs, entry->facts.dtype);
    if (can_be_opened_again(entry->path)) {
        cli_input_close(entry->input);
        entry->input = NULL;
    }
    return 0;
}

int cli_inputs_open(char *const *paths, size_t npaths, const struct cli_input_options *options, struct cli_inputs **out,
                    struct cli_error *error) {
    int result = -1;
    size_t pipes = 0;
    struct cli_inputs *inputs = calloc(1, sizeof *inputs);
    if (!inputs || !(inputs->entries = calloc(npaths, sizeof *inputs->entries))) {
        cli_fail(error, "out of memory for %zu inputs", npaths);
        goto out;
    }
    inputs->options = *options;
    inputs->element = CLI_INPUTS_ROWS;
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
        return cli_input_open(entry->path, &inputs->options, &entry->input, error);
    return entry->used ? cli_input_rewind(entry->input, error) : 0;
}

void cli_inputs_start(struct cli_inputs *inputs) {
    inputs->at = 0;
    inputs->before = 0;
    inputs->reading = 0;
}

/* Gathers the chosen elements of a chunk's rows. */
static int choose(struct cli_inputs *inputs, size_t element_bytes, size_t width, const void **data, size_t *n,
                  struct cli_error *error) {
    size_t rows = *n / width;
    if (rows * element_bytes > inputs->chosen_bytes) {
        free(inputs->chosen);
        inputs->chosen_bytes = 0;
        if (posix_memalign(&inputs->chosen, 64, rows * element_bytes)) {
            inputs->chosen = NULL;
            return cli_fail(error, "out of memory for a column of %zu values", rows);
        }
        inputs->chosen_bytes = rows * element_bytes;
    }
    const char *from = (const char *)*data + inputs->element * element_bytes;
    for (size_t i = 0; i < rows; i++)
        memcpy((char *)inputs->chosen + i * element_bytes, from + i * width * element_bytes, element_bytes);
    *data = inputs->chosen;
    *n = rows;
    return 0;
}

static void leave(struct cli_inputs *inputs, struct entry *entry) {
    inputs->reading = 0;
    if (can_be_opened_again(entry->path)) {
        cli_input_close(entry->input);
        entry->input = NULL;
    }
}

int cli_inputs_next(struct cli_inputs *inputs, uh_dtype *dtype, const void **data, size_t *n, struct cli_error *error) {
    for (; inputs->at < inputs->n; inputs->at++) {
        struct entry *entry = &inputs->entries[inputs->at];
        if (!inputs->reading && ready(inputs, entry, error))
            return -1;
        inputs->reading = entry->used = 1;
        int more = cli_input_next(entry->input, data, n, error);
        if (more < 0)
            return -1;
        if (more) {
            const size_t width = cli_input_facts(entry->input)->width;
            *dtype = cli_input_facts(entry->input)->dtype;
            return inputs->element != CLI_INPUTS_ROWS && width > 1 &&
                           choose(inputs, uh_dtype_size(*dtype), width, data, n, error)
                       ? -1
                       : 1;
        }
        leave(inputs, entry);
        inputs->before += entry->facts.bytes;
    }
    return 0;
}

void cli_inputs_stop(struct cli_inputs *inputs) {
    if (inputs->reading)
        leave(inputs, &inputs->entries[inputs->at]);
}

uint64_t cli_inputs_bytes_total(const struct cli_inputs *inputs) {
    uint64_t total = 0;
    for (size_t i = 0; i < inputs->n; i++) {
        if (!inputs->entries[i].facts.bytes)
            return 0;
        total += inputs->entries[i].facts.bytes;
    }
    return total;
}

uint64_t cli_inputs_bytes_read(const struct cli_inputs *inputs) {
    return inputs->before + (inputs->reading ? cli_input_bytes_read(inputs->entries[inputs->at].input) : 0);
}

int cli_inputs_pass(struct cli_inputs *inputs, const char *label, cli_inputs_each each, void *context,
                    struct cli_error *error) {
    const void *data;
    size_t n;
    uh_dtype dtype;
    int more = 1, result = 0;
    struct cli_progress *progress = cli_progress_start(stderr, label, cli_inputs_bytes_total(inputs), "B");
    cli_inputs_start(inputs);
    while (result == 0 && more) {
        more = cli_inputs_next(inputs, &dtype, &data, &n, error);
        if (more)
            result = more < 0 ? -1 : each(context, dtype, data, n, error);
        cli_progress_update(progress, cli_inputs_bytes_read(inputs));
    }
    cli_inputs_stop(inputs);
    cli_progress_finish(progress);
    return result;
}

const struct cli_input_facts *cli_inputs_facts(const struct cli_inputs *inputs) {
    return &inputs->entries[0].facts;
}

void cli_inputs_choose(struct cli_inputs *inputs, size_t element) {
    inputs->element = element;
}

const char *cli_inputs_name(const struct cli_inputs *inputs) {
    const char *path = inputs->entries[0].path;
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *cli_inputs_dtypes(const struct cli_inputs *inputs) {
    return inputs->dtypes;
}

int cli_inputs_have_dtype(const struct cli_inputs *inputs, uh_dtype dtype) {
    return (inputs->dtype_set >> dtype & 1) != 0;
}

int cli_inputs_count(const struct cli_inputs *inputs, uint64_t *count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs->n; i++) {
        if (!inputs->entries[i].facts.is_counted)
            return 0;
        sum += inputs->entries[i].facts.count;
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
    free(inputs->chosen);
    free(inputs->entries);
    free(inputs);
}
