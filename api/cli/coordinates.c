/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/job.h"

#include <stdio.h>
#include <string.h>

/* Checks combinations of options. */
static int check(const struct cli_arguments *arguments) {
    const size_t columns = arguments->columns.n, npaths = arguments->npaths;
    if (cli_inputs_check(arguments->paths, npaths))
        return -1;
    if (arguments->row.given && npaths > 1)
        return cli_usage("--row requires a single input, found %zu inputs", npaths);
    if (arguments->column && columns)
        return cli_usage("--column and --columns both select columns; give one");
    if (columns && npaths > 1 && !arguments->axes)
        return cli_usage(
            "--columns requires a single input, found %zu inputs; with --axes it names one column per input", npaths);
    if (arguments->axes && npaths > UH_MAX_AXES)
        return cli_usage("%zu inputs, one per axis, exceed %d", npaths, UH_MAX_AXES);
    if (columns && npaths > 1 && columns != npaths)
        return cli_usage("--columns names %zu columns for %zu inputs, expected one per input", columns, npaths);
    return 0;
}

/* Opens the inputs as one source. */
static int open_source(struct cli_points *points, char **paths, size_t npaths,
                       const struct cli_input_options *options) {
    return cli_inputs_open(paths, npaths, options, &points->sources[points->nsources++]);
}

static void add_axis(struct cli_points *points, struct cli_inputs *inputs, size_t element) {
    points->axis[points->naxes].inputs = inputs;
    points->axis[points->naxes++].element = element;
}

/* Display name of an axis: the file's name without its folder. */
static const char *short_name(const struct cli_inputs *inputs) {
    const char *name = cli_inputs_name(inputs), *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

/* Opens a source that forms one axis. */
static int open_axis(struct cli_points *points, char **paths, size_t npaths, const struct cli_input_options *options) {
    const size_t i = points->nsources;
    const char *column = options->column;
    if (open_source(points, paths, npaths, options))
        return -1;
    add_axis(points, points->sources[i], 0);
    snprintf(points->axis[i].name, sizeof points->axis[i].name, "%.120s%s%.120s", short_name(points->sources[i]),
             column ? ":" : "", column ? column : "");
    return 0;
}

static int open_several(struct cli_points *points, const struct cli_arguments *arguments,
                        const struct cli_input_options *common) {
    for (size_t i = 0; i < arguments->npaths; i++) {
        struct cli_input_options options = *common;
        if (arguments->columns.n)
            options.column = arguments->columns.word[i];
        if (open_axis(points, &arguments->paths[i], 1, &options))
            return -1;
    }
    return 0;
}

/* Finds the elements of the rows that are axes: the numbers in --columns, or all. */
static int find_elements(const struct cli_points *points, const struct cli_words *columns, size_t width,
                         size_t *elements, size_t *n) {
    const char *name = cli_inputs_name(points->sources[0]);
    *n = columns->n ? columns->n : width;
    if (*n > UH_MAX_AXES)
        return cli_fail("%.300s: rows of %zu values are more than %d axes; name some by --columns", name, width,
                        UH_MAX_AXES);
    for (size_t i = 0; i < *n; i++) {
        uint64_t element = i;
        if (columns->n && cli_parse_u64(columns->word[i], 0, width - 1, &element))
            return cli_fail("%.300s: --columns '%.200s': expected a number from 0 to %zu", name, columns->word[i],
                            width - 1);
        elements[i] = (size_t)element;
    }
    return 0;
}

/* An array in Fortran order stores column after column, so each column is opened as a separate input. */
static int open_fortran(struct cli_points *points, char **path, struct cli_input_options options,
                        const size_t *elements, size_t n) {
    if (!cli_inputs_facts(points->sources[0])->is_file)
        return cli_fail("%.300s: the array is in Fortran's order, column after column, which a pipe cannot give as "
                        "rows; give a file, or numpy.ascontiguousarray",
                        cli_inputs_name(points->sources[0]));
    cli_inputs_close(points->sources[0]);
    points->sources[0] = NULL;
    points->nsources = 0;
    for (size_t i = 0; i < n; i++) {
        options.part = elements[i] + 1;
        if (open_source(points, path, 1, &options))
            return -1;
        add_axis(points, points->sources[i], 0);
    }
    return 0;
}

static void name_column(char *name, size_t size, const char *word, size_t number) {
    if (!word)
        snprintf(name, size, "column %zu", number);
    else
        snprintf(name, size, "%s%.200s", strspn(word, "0123456789") < strlen(word) ? "" : "column ", word);
}

static int open_rows(struct cli_points *points, const struct cli_arguments *arguments,
                     const struct cli_input_options *common) {
    const struct cli_words *columns = &arguments->columns;
    struct cli_input_options options = *common;
    size_t elements[UH_MAX_AXES], n;
    options.rows = 1;
    options.row = (size_t)arguments->row.value;
    options.columns = (const char *const *)columns->word;
    options.ncolumns = columns->n;
    if (open_source(points, arguments->paths, 1, &options))
        return -1;
    const struct cli_input_facts facts = *cli_inputs_facts(points->sources[0]);
    if (facts.is_text)
        for (n = 0; n < facts.width; n++)
            elements[n] = n;
    else if (find_elements(points, columns, facts.width, elements, &n))
        return -1;
    if (facts.is_fortran && open_fortran(points, arguments->paths, options, elements, n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *word = columns->n ? columns->word[i] : common->column;
        if (!facts.is_fortran)
            add_axis(points, points->sources[0], elements[i]);
        if (facts.width == 1 && !word)
            snprintf(points->axis[i].name, sizeof points->axis[i].name, "%.200s", short_name(points->sources[0]));
        else
            name_column(points->axis[i].name, sizeof points->axis[i].name, word, i);
    }
    return 0;
}

int cli_coordinates_open(struct cli_points *points, const struct cli_arguments *arguments, int integers,
                         int several_passes) {
    const struct cli_input_options options = {.column = arguments->column,
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
    return (arguments->npaths > 1 ? open_several : open_rows)(points, arguments, &options);
}
