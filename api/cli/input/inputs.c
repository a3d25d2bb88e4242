/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/progress.h"
#include "api/cli/group.h"

/* Maximum number of values widened at a time. */
#define WIDENED ((size_t)1 << 20)

static void add_dtype(struct cli_inputs *inputs, uh_dtype dtype) {
    if (cli_inputs_have_dtype(inputs, dtype))
        return;
    inputs->dtype_set |= 1U << dtype;
    cli_append(inputs->dtypes, sizeof inputs->dtypes, ", ", "%s", uh_enum_name(UH_ENUM_DTYPE, dtype));
}

const char *cli_inputs_name(const struct cli_inputs *inputs) {
    const char *path = inputs->entries[0].path;
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Closes an input that can be reopened, so that there may be many. */
static void leave(struct cli_entry *entry) {
    if (!entry->facts.is_file)
        return;
    cli_input_close(entry->input);
    entry->input = NULL;
}

/* Adds what an input's facts, and the lines of it that were read, say of the columns' kinds. */
static int add_kinds(struct cli_inputs *inputs, const struct cli_entry *entry) {
    const struct cli_csv *csv = cli_input_text(entry->input);
    for (int times = 0; times < 2; times++)
        inputs->kinds[times] |= csv ? cli_csv_kinds(csv, times) : cli_input_facts(entry->input)->kinds[times];
    return inputs->kinds[0] & inputs->kinds[1]
               ? cli_fail("%.300s has dates where another input has numbers, or the reverse", entry->path)
               : 0;
}

static int join_kinds(struct cli_inputs *inputs) {
    uint64_t known[2 * CLI_CSV_COLUMNS];
    const size_t n = sizeof known / sizeof *known;
    for (size_t i = 0; i < n; i++)
        known[i] = inputs->kinds[i % 2] >> i / 2 & 1;
    if (!cli_group || cli_group_largest(known, n))
        return cli_group ? -1 : 0;
    for (size_t i = 0; i < n; i++)
        inputs->kinds[i % 2] |= (uint32_t)known[i] << i / 2;
    return inputs->kinds[0] & inputs->kinds[1]
               ? cli_fail("%.300s: a column has numbers in one part and dates in another", cli_inputs_name(inputs))
               : 0;
}

int cli_inputs_open(char *const *paths, size_t npaths, const struct cli_input_options *options,
                    struct cli_inputs **out) {
    struct cli_inputs *inputs = cli_have(calloc(1, sizeof *inputs + npaths * sizeof *inputs->entries));
    inputs->options = *options;
    inputs->n = npaths;
    for (size_t i = 0; i < npaths; i++) {
        struct cli_entry *entry = &inputs->entries[i];
        entry->path = paths[i];
        if (cli_input_open(entry->path, &inputs->options, &entry->input) || add_kinds(inputs, entry)) {
            cli_inputs_close(inputs);
            return -1;
        }
        entry->facts = *cli_input_facts(entry->input);
        /* To parse a text again costs more than to keep its values. */
        if (options->several_passes && !cli_group && (entry->facts.is_text || !entry->facts.is_seekable))
            inputs->keeping = CLI_KEEPING;
        add_dtype(inputs, entry->facts.dtype);
        leave(entry);
    }
    *out = inputs;
    return 0;
}

const struct cli_input_facts *cli_inputs_facts(const struct cli_inputs *inputs) { return &inputs->entries[0].facts; }

int cli_inputs_have_dtype(const struct cli_inputs *inputs, uh_dtype dtype) {
    return (inputs->dtype_set >> dtype & 1) != 0;
}

int cli_inputs_are_divided(const struct cli_inputs *inputs) { return cli_group && !inputs->whole; }

int cli_inputs_count(const struct cli_inputs *inputs, uint64_t *count) {
    *count = 0;
    for (size_t i = 0; i < inputs->n; i++) {
        if (!inputs->entries[i].facts.is_counted)
            return 0;
        *count += inputs->entries[i].facts.count;
    }
    return 1;
}

void cli_inputs_close(struct cli_inputs *inputs) {
    if (!inputs)
        return;
    for (size_t i = 0; i < inputs->n; i++)
        cli_input_close(inputs->entries[i].input);
    cli_kept_free(&inputs->kept);
    free(inputs);
}

/* ---- one input after the other ----------------------------------------------------------------------------------- */

static void start_pass(struct cli_inputs *inputs) {
    if (inputs->keeping != CLI_KEPT)
        inputs->text = (struct cli_text_report){.texts = 0};
    inputs->at = inputs->left = inputs->chunk = 0;
    inputs->before = inputs->rows = inputs->number = 0;
    inputs->reading = 0;
    inputs->numbered = 1;
}

/* Keeps a chunk; gives up if the memory does not suffice and all can be read again. */
static int keep(struct cli_inputs *inputs, const void *data, size_t n) {
    const size_t bytes = n * uh_dtype_size(inputs->dtype);
    int again = 1;
    for (size_t i = 0; i < inputs->n; i++)
        again &= inputs->entries[i].facts.is_file || inputs->entries[i].facts.is_seekable;
    if (!again || cli_kept_fits(&inputs->kept, bytes))
        return cli_kept_add(&inputs->kept, inputs->at, data, n, bytes);
    cli_kept_free(&inputs->kept);
    inputs->keeping = CLI_NOT_KEPT;
    return 0;
}

/* Returns the next chunk of those kept, like refill. */
static int take_kept(struct cli_inputs *inputs) {
    if (inputs->chunk == inputs->kept.nchunks)
        return 0;
    const struct cli_chunk *chunk = &inputs->kept.chunks[inputs->chunk];
    const struct cli_entry *entry = &inputs->entries[chunk->entry];
    inputs->data = cli_kept_get(&inputs->kept, inputs->chunk++);
    inputs->left = chunk->n / entry->facts.width;
    inputs->dtype = entry->facts.dtype;
    return inputs->data ? 1 : -1;
}

static void number_share(struct cli_inputs *inputs) {
    const size_t width = inputs->entries[inputs->at].facts.width;
    inputs->number = cli_input_before(inputs->entries[inputs->at].input) / width;
    for (size_t i = 0; i <= inputs->at; i++) {
        const struct cli_input_facts *facts = &inputs->entries[i].facts;
        inputs->numbered &= facts->is_counted;
        inputs->number += i < inputs->at ? facts->count / facts->width : 0;
    }
}

static int refill(struct cli_inputs *inputs) {
    if (inputs->keeping == CLI_KEPT)
        return take_kept(inputs);
    for (; inputs->at < inputs->n; inputs->at++) {
        struct cli_entry *entry = &inputs->entries[inputs->at];
        const void *data = NULL;
        size_t n = 0;
        int more = 0;
        if (!inputs->reading)
            more = entry->input ? cli_input_rewind(entry->input)
                                : cli_input_open(entry->path, &inputs->options, &entry->input);
        if (more == 0 && !inputs->reading && inputs->options.shares)
            number_share(inputs);
        if (more == 0) {
            inputs->reading = 1;
            more = cli_input_next(entry->input, &data, &n);
        }
        inputs->failed |= more < 0;
        inputs->data = data;
        inputs->left = n / entry->facts.width;
        inputs->dtype = entry->facts.dtype;
        if (more > 0 && inputs->keeping == CLI_KEEPING && keep(inputs, data, n))
            return -1;
        if (more)
            return more;
        cli_text_report_add(&inputs->text, cli_input_text(entry->input));
        if (add_kinds(inputs, entry))
            return -1;
        leave(entry);
        inputs->reading = 0;
        inputs->before += entry->facts.bytes / (inputs->options.shares ? inputs->options.shares : 1);
    }
    inputs->keeping = inputs->keeping == CLI_KEEPING ? CLI_KEPT : inputs->keeping;
    inputs->chunk = inputs->kept.nchunks;
    return 0;
}

static uh_array array_of(const struct cli_inputs *inputs, size_t element, size_t n) {
    const size_t bytes = uh_dtype_size(inputs->dtype);
    return (uh_array){.dtype = inputs->dtype,
                      .data = inputs->data + element * bytes,
                      .stride = (ptrdiff_t)(cli_inputs_facts(inputs)->width * bytes),
                      .count = n};
}

static void skip_rows(struct cli_inputs *inputs, size_t n) {
    inputs->data += n * cli_inputs_facts(inputs)->width * uh_dtype_size(inputs->dtype);
    inputs->left -= n;
    inputs->rows += n;
    inputs->number += n;
}

/* ---- several inputs in step -------------------------------------------------------------------------------------- */

int cli_points_check(const struct cli_points *points) {
    const struct cli_inputs *first = NULL;
    uint64_t expected = 0, rows;
    for (size_t i = 0; i < points->nsources; i++) {
        const struct cli_inputs *inputs = points->sources[i];
        if (!cli_inputs_count(inputs, &rows))
            continue;
        rows /= cli_inputs_facts(inputs)->width;
        if (first && rows != expected)
            return cli_fail("%.300s holds %" PRIu64 " and %.300s %" PRIu64 ", expected as many of each",
                            cli_inputs_name(first), expected, cli_inputs_name(inputs), rows);
        if (!first)
            expected = rows;
        first = first ? first : inputs;
    }
    return 0;
}

/* Refills every empty source, and finds the number of rows available in all. Returns 1; 0 at the end of all; -1. */
static int refill_all(const struct cli_points *points, size_t *n) {
    const struct cli_inputs *ended = NULL, *more = NULL;
    *n = SIZE_MAX;
    for (size_t i = points->nsources; i-- > 0;) {
        struct cli_inputs *inputs = points->sources[i];
        if (!inputs->left && refill(inputs) < 0)
            return -1;
        if (inputs->left)
            more = inputs;
        else
            ended = inputs;
        *n = inputs->left < *n ? inputs->left : *n;
    }
    if (ended && more)
        return cli_fail("%.300s ends after %" PRIu64 ", and %.300s holds more, expected as many of each",
                        cli_inputs_name(ended), ended->rows, cli_inputs_name(more));
    return more != NULL;
}

static int is_accepted(uh_dtype dtype) {
    return dtype == UH_F32 || dtype == UH_F64 || dtype == UH_I32 || dtype == UH_I64;
}

#define WIDEN(type)                                                                                                    \
    for (size_t i = 0; i < values->count; i++)                                                                         \
        wide[i] = (int64_t)((const type *)values->data)[i];                                                            \
    break

static int widen(const struct cli_inputs *inputs, uh_array *values, int64_t *wide) {
    switch (values->dtype) {
    case UH_I8: WIDEN(int8_t);
    case UH_I16: WIDEN(int16_t);
    case UH_U8: WIDEN(uint8_t);
    case UH_U16: WIDEN(uint16_t);
    case UH_U32: WIDEN(uint32_t);
    default: WIDEN(uint64_t);
    }
    for (size_t i = 0; i < values->count && values->dtype == UH_U64; i++)
        if (wide[i] < 0)
            return cli_fail("%.300s: value %" PRIu64 " is above 2^63 - 1, the largest weight", cli_inputs_name(inputs),
                            inputs->number + i);
    *values = uh_array_of(UH_I64, wide, values->count);
    return 0;
}

static size_t piece_of(const struct cli_points *points, size_t n) {
    const int narrow = points->values && !is_accepted(points->values->dtype);
    return narrow && n > WIDENED ? WIDENED : n;
}

/* Passes the next n points of all. `*wide`: room for values, allocated when needed. */
static int pass_points(const struct cli_points *points, size_t n, int64_t **wide, cli_points_function each,
                       void *context) {
    uh_array arrays[UH_MAX_AXES + 1], *values = &arrays[points->naxes];
    const int narrow = points->values && !is_accepted(points->values->dtype);
    if (narrow && !*wide)
        *wide = cli_have(malloc(WIDENED * sizeof **wide));
    for (size_t a = 0; a < points->naxes; a++)
        arrays[a] = array_of(points->axis[a].inputs, points->axis[a].element, n);
    if (points->values)
        *values = array_of(points->values, 0, n);
    if (narrow && widen(points->values, values, *wide))
        return -1;
    return each(context, arrays);
}

/* Returns the bytes of all sources together, 0 if unknown. */
static uint64_t sum_total(const struct cli_points *points) {
    uint64_t total = 0;
    for (size_t i = 0; i < points->nsources; i++)
        for (size_t j = 0; j < points->sources[i]->n; j++) {
            if (!points->sources[i]->entries[j].facts.bytes)
                return 0;
            total += points->sources[i]->entries[j].facts.bytes;
        }
    return points->sources[0]->options.shares ? total / points->sources[0]->options.shares : total;
}

static uint64_t sum_read(const struct cli_points *points) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < points->nsources; i++) {
        const struct cli_inputs *inputs = points->sources[i];
        bytes += inputs->before + (inputs->reading ? cli_input_bytes_read(inputs->entries[inputs->at].input) : 0);
    }
    return bytes;
}

/* ---- passes of several processes ---- */

/* Returns whether shares of the sources hold the same points: one source, counted rows, or a single file. */
static int are_cut_equally(const struct cli_points *points) {
    const struct cli_inputs *first = points->sources[0];
    int counted = 1, one = 1;
    for (size_t i = 0; i < points->nsources; i++) {
        const struct cli_inputs *inputs = points->sources[i];
        for (size_t j = 0; j < inputs->n; j++)
            counted &= inputs->entries[j].facts.is_counted;
        one &= inputs->n == first->n && (i == 0 || strcmp(inputs->entries[0].path, first->entries[0].path) == 0);
    }
    return points->nsources == 1 || counted || (one && first->n == 1);
}

/* Sets this process's share of the sources. Returns whether it reads all, and takes pieces in turn with the others. */
static int divide_sources(const struct cli_points *points) {
    int divided = cli_group != NULL;
    for (size_t i = 0; i < points->nsources; i++)
        divided &= cli_inputs_are_divided(points->sources[i]);
    const int shares = divided && are_cut_equally(points);
    for (size_t i = 0; i < points->nsources; i++) {
        points->sources[i]->options.share = cli_group_rank();
        points->sources[i]->options.shares = shares ? cli_group_ranks() : 0;
    }
    return divided && !shares;
}

int cli_points_pass(const struct cli_points *points, const char *label, cli_points_function each, void *context) {
    int64_t *wide = NULL;
    size_t n, piece = 0;
    int more = 1, result = 0;
    const int turns = divide_sources(points);
    for (size_t i = 0; i < points->nsources; i++)
        start_pass(points->sources[i]);
    struct cli_progress *progress = cli_progress_start(stderr, label, sum_total(points), "B", 1);
    while (result == 0 && more) {
        more = refill_all(points, &n);
        if (more < 0)
            result = -1;
        n = more > 0 ? piece_of(points, n) : 0;
        if (more > 0 && (!turns || piece++ % cli_group_ranks() == cli_group_rank()))
            result = pass_points(points, n, &wide, each, context);
        for (size_t i = 0; i < points->nsources && more > 0; i++)
            skip_rows(points->sources[i], n);
        cli_progress_update(progress, sum_read(points));
    }
    for (size_t i = 0; i < points->nsources; i++)
        if (points->sources[i]->reading)
            leave(&points->sources[i]->entries[points->sources[i]->at]);
    cli_progress_finish(progress);
    free(wide);
    int agreed = cli_group_agree(result);
    for (size_t i = 0; i < points->nsources && result != agreed; i++) /* another process has failed */
        points->sources[i]->failed = 1;
    for (size_t i = 0; i < points->nsources && agreed == 0; i++)
        agreed = join_kinds(points->sources[i]);
    return agreed;
}

int cli_inputs_pass(struct cli_inputs *inputs, const char *label, cli_points_function each, void *context) {
    const struct cli_points points = {
        .sources = {inputs}, .nsources = 1, .naxes = 1, .axis = {{.inputs = inputs, .element = inputs->element}}};
    return cli_points_pass(&points, label, each, context);
}
