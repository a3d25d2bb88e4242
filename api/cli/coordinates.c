/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/job.h"

#include <string.h>

static int check(const struct cli_arguments *arguments) {
    const size_t columns = arguments->columns.n, npaths = arguments->npaths;
    if (arguments->row.given && npaths > 1)
        return cli_usage("--row requires a single input, found %zu inputs", npaths);
    if (arguments->column && columns)
        return cli_usage("--column and --columns (or --column-name) both select columns; give one");
    if (columns > 1 && arguments->command->which != CLI_HISTOGRAM)
        return cli_usage("--column-name is given %zu times, expected once", columns);
    if (arguments->axes && npaths > UH_MAX_AXES)
        return cli_usage("%zu inputs, one per axis, exceed %d", npaths, UH_MAX_AXES);
    if (columns && npaths > 1 && arguments->axes && columns != npaths)
        return cli_usage("--columns names %zu columns for %zu inputs, expected one per input", columns, npaths);
    return 0;
}

static int open_source(struct cli_points *points, char **paths, size_t npaths,
                       const struct cli_input_options *options) {
    return cli_inputs_open(paths, npaths, options, &points->sources[points->nsources++]);
}

static void add_axis(struct cli_points *points, struct cli_inputs *inputs, size_t element) {
    points->axis[points->naxes].inputs = inputs;
    points->axis[points->naxes++].element = element;
}

static const char *short_name(const struct cli_inputs *inputs) {
    const char *name = cli_inputs_name(inputs), *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

static int open_several(struct cli_points *points, const struct cli_arguments *arguments,
                        const struct cli_input_options *common) {
    for (size_t i = 0; i < arguments->npaths; i++) {
        struct cli_input_options options = *common;
        if (arguments->columns.n) {
            options.columns = (const char *const *)&arguments->columns.word[i];
            options.ncolumns = 1;
        }
        if (open_source(points, &arguments->paths[i], 1, &options))
            return -1;
        const char *column = options.ncolumns ? options.columns[0] : NULL;
        add_axis(points, points->sources[i], 0);
        snprintf(points->axis[i].name, sizeof points->axis[i].name, "%.120s%s%.120s", short_name(points->sources[i]),
                 column ? ":" : "", column ? column : "");
    }
    return 0;
}

/* Opens each column as an input of its own: they are contiguous, or of different types. */
static int open_separately(struct cli_points *points, const struct cli_arguments *arguments,
                           struct cli_input_options options, size_t n) {
    static const char *const numbers[UH_MAX_AXES] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    const char *const *columns = options.ncolumns ? options.columns : numbers;
    for (size_t i = 0; i < arguments->npaths; i++)
        if (!points->sources[0]->entries[i].facts.is_file)
            return cli_fail(
                "%.300s: the columns are separate, in Fortran's order or as fields of different types, which a "
                "pipe cannot give together; give a file, or one column",
                cli_inputs_name(points->sources[0]));
    cli_inputs_close(points->sources[0]);
    points->sources[0] = NULL;
    points->nsources = 0;
    options.ncolumns = 1;
    for (size_t i = 0; i < n; i++) {
        options.columns = &columns[i];
        if (open_source(points, arguments->paths, arguments->npaths, &options))
            return -1;
        add_axis(points, points->sources[i], 0);
    }
    return 0;
}

static void name_column(char *name, size_t size, const char *word, size_t number) {
    if (!word)
        snprintf(name, size, "column %zu", number);
    else
        snprintf(name, size, "%s%.200s", strspn(word, "0123456789") < strlen(word) ? "" : "column ",
                 word + (*word == '='));
}

static int open_rows(struct cli_points *points, const struct cli_arguments *arguments,
                     const struct cli_input_options *common) {
    const struct cli_words *columns = &arguments->columns;
    struct cli_input_options options = *common;
    int separate = 0;
    options.rows = 1;
    options.row = (size_t)arguments->row.value;
    if (columns->n) {
        options.columns = (const char *const *)columns->word;
        options.ncolumns = columns->n;
    }
    if (open_source(points, arguments->paths, arguments->npaths, &options))
        return -1;
    for (size_t i = 0; i < arguments->npaths; i++)
        separate |= points->sources[0]->entries[i].facts.is_separate;
    const size_t n = options.ncolumns ? options.ncolumns : cli_inputs_facts(points->sources[0])->width;
    if (n > UH_MAX_AXES)
        return cli_fail("%.300s: rows of %zu values are more than %d axes; name some by --columns",
                        cli_inputs_name(points->sources[0]), n, UH_MAX_AXES);
    if (separate && open_separately(points, arguments, options, n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!separate)
            add_axis(points, points->sources[0], i);
        if (n == 1 && !options.ncolumns)
            snprintf(points->axis[i].name, sizeof points->axis[i].name, "%.200s", short_name(points->sources[0]));
        else
            name_column(points->axis[i].name, sizeof points->axis[i].name, options.ncolumns ? options.columns[i] : NULL,
                        i);
    }
    return 0;
}

int cli_coordinates_open(struct cli_points *points, const struct cli_arguments *arguments, int integers,
                         int several_passes) {
    const struct cli_input_options options = {.columns = &arguments->column,
                                              .ncolumns = arguments->column != NULL,
                                              .dialect = &arguments->dialect,
                                              .dtype = arguments->dtype,
                                              .integers = integers,
                                              .several_passes = several_passes};
    if (check(arguments))
        return -1;
    if (!arguments->axes && !arguments->row.given && !arguments->columns.n) {
        if (open_source(points, arguments->paths, arguments->npaths, &options))
            return -1;
        add_axis(points, points->sources[0], 0);
        if (arguments->column) /* the title names the inputs */
            name_column(points->axis[0].name, sizeof points->axis[0].name, arguments->column, 0);
        return 0;
    }
    return (arguments->npaths > 1 && arguments->axes ? open_several : open_rows)(points, arguments, &options);
}
