/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/coordinates.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int cli_coordinates_decide(const struct cli_coordinates *coordinates) {
    return coordinates->axes || coordinates->row || coordinates->columns.n;
}

int cli_coordinates_check(const struct cli_coordinates *coordinates, const char *column, size_t npaths,
                          struct cli_error *error) {
    const size_t columns = coordinates->columns.n;
    if (coordinates->row && npaths > 1)
        return cli_usage(error, "--row is for one input of rows, there are %zu inputs", npaths);
    if (column && columns)
        return cli_usage(error, "--column and --columns both say what is read; give one");
    if (columns && npaths > 1 && !coordinates->axes)
        return cli_usage(
            error, "--columns is for one input, there are %zu inputs; with --axes it names a column of each", npaths);
    if (coordinates->axes && npaths > UH_MAX_AXES)
        return cli_usage(error, "%zu inputs, one an axis, are more than %d", npaths, UH_MAX_AXES);
    if (columns && npaths > 1 && columns != npaths)
        return cli_usage(error, "--columns names %zu columns for %zu inputs, expected one each", columns, npaths);
    return 0;
}

/* Opens the inputs as one source. */
static int open_source(struct cli_coordinates *coordinates, char **paths, size_t npaths,
                       const struct cli_input_options *options, struct cli_error *error) {
    if (cli_inputs_open(paths, npaths, options, &coordinates->sources[coordinates->nsources], error))
        return -1;
    coordinates->nsources++;
    return 0;
}

static void add_axis(struct cli_coordinates *coordinates, struct cli_inputs *inputs, size_t element) {
    struct cli_points *points = &coordinates->points;
    points->axis[points->naxes].inputs = inputs;
    points->axis[points->naxes].element = element;
    points->naxes++;
}

/* What the axis is called where it is shown: a file's name without its folder. */
static const char *short_name(const struct cli_inputs *inputs) {
    const char *name = cli_inputs_name(inputs), *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

/* ---- whole inputs ----------------------------------------------------------------------------------------------- */

/* Opens a source that is an axis. */
static int open_axis(struct cli_coordinates *coordinates, char **paths, size_t npaths,
                     const struct cli_input_options *options, struct cli_error *error) {
    const size_t i = coordinates->nsources;
    const char *column = options->column;
    if (open_source(coordinates, paths, npaths, options, error))
        return -1;
    add_axis(coordinates, coordinates->sources[i], 0);
    snprintf(coordinates->names[i], sizeof coordinates->names[i], "%.120s%s%.120s", short_name(coordinates->sources[i]),
             column ? ":" : "", column ? column : "");
    return 0;
}

static int open_several(struct cli_coordinates *coordinates, char **paths, size_t npaths,
                        const struct cli_input_options *common, struct cli_error *error) {
    size_t pipes = 0;
    for (size_t i = 0; i < npaths; i++)
        pipes += strcmp(paths[i], "-") == 0;
    if (pipes > 1)
        return cli_fail(error, "standard input ('-') is given %zu times, but can be read once", pipes);
    for (size_t i = 0; i < npaths; i++) {
        struct cli_input_options options = *common;
        if (coordinates->columns.n)
            options.column = coordinates->columns.word[i];
        if (open_axis(coordinates, &paths[i], 1, &options, error))
            return -1;
    }
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Finds the elements of the rows that are axes: those that are named by number, or all. */
static int find_elements(const struct cli_coordinates *coordinates, size_t width, size_t *elements, size_t *n,
                         struct cli_error *error) {
    const char *name = cli_inputs_name(coordinates->sources[0]);
    const struct cli_words *columns = &coordinates->columns;
    *n = columns->n ? columns->n : width;
    if (*n > UH_MAX_AXES)
        return cli_fail(error, "%.300s: rows of %zu values are more than %d axes; name some by --columns", name, width,
                        UH_MAX_AXES);
    for (size_t i = 0; i < *n; i++) {
        uint64_t element = i;
        if (columns->n && cli_parse_u64(columns->word[i], 0, width - 1, &element))
            return cli_fail(error, "%.300s: --columns '%.200s': expected a number from 0 to %zu", name,
                            columns->word[i], width - 1);
        elements[i] = (size_t)element;
    }
    return 0;
}

/* An array in Fortran's order holds one column after the other: each is an input of its own. */
static int open_fortran(struct cli_coordinates *coordinates, char **path, struct cli_input_options options,
                        const size_t *elements, size_t n, struct cli_error *error) {
    struct stat status;
    if (strcmp(*path, "-") == 0 || stat(*path, &status) || !S_ISREG(status.st_mode))
        return cli_fail(error,
                        "%.300s: the array is in Fortran's order, column after column, which a pipe cannot give as "
                        "rows; give a file, or numpy.ascontiguousarray",
                        cli_inputs_name(coordinates->sources[0]));
    cli_inputs_close(coordinates->sources[0]);
    coordinates->sources[0] = NULL;
    coordinates->nsources = 0;
    for (size_t i = 0; i < n; i++) {
        options.part = elements[i] + 1;
        if (open_source(coordinates, path, 1, &options, error))
            return -1;
        add_axis(coordinates, coordinates->sources[i], 0);
    }
    return 0;
}

static int open_rows(struct cli_coordinates *coordinates, char **path, const struct cli_input_options *common,
                     struct cli_error *error) {
    const struct cli_words *columns = &coordinates->columns;
    struct cli_input_options options = *common;
    size_t elements[UH_MAX_AXES], n;
    options.rows = 1;
    options.row = coordinates->row;
    options.columns = (const char *const *)columns->word;
    options.ncolumns = columns->n;
    if (open_source(coordinates, path, 1, &options, error))
        return -1;
    size_t width = cli_inputs_facts(coordinates->sources[0])->width;
    if (cli_inputs_facts(coordinates->sources[0])->is_text)
        for (n = 0; n < width; n++)
            elements[n] = n;
    else if (find_elements(coordinates, width, elements, &n, error))
        return -1;
    if (cli_inputs_facts(coordinates->sources[0])->is_fortran) {
        if (open_fortran(coordinates, path, options, elements, n, error))
            return -1;
    } else {
        for (size_t i = 0; i < n; i++)
            add_axis(coordinates, coordinates->sources[0], elements[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const char *word = columns->n ? columns->word[i] : common->column;
        char *name = coordinates->names[i];
        const size_t room = sizeof coordinates->names[i];
        if (width == 1 && !word)
            snprintf(name, room, "%.200s", short_name(coordinates->sources[0]));
        else if (word && strspn(word, "0123456789") < strlen(word))
            snprintf(name, room, "%.200s", word);
        else if (word)
            snprintf(name, room, "column %.200s", word);
        else
            snprintf(name, room, "column %zu", i);
    }
    return 0;
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

int cli_coordinates_open(struct cli_coordinates *coordinates, char **paths, size_t npaths,
                         const struct cli_input_options *options, struct cli_error *error) {
    if (!cli_coordinates_decide(coordinates))
        return open_axis(coordinates, paths, npaths, options, error);
    return npaths > 1 ? open_several(coordinates, paths, npaths, options, error)
                      : open_rows(coordinates, paths, options, error);
}

void cli_coordinates_close(struct cli_coordinates *coordinates) {
    for (size_t i = 0; i < UH_MAX_AXES; i++)
        cli_inputs_close(coordinates->sources[i]);
    cli_words_free(&coordinates->columns);
}
