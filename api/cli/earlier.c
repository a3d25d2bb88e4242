/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "api/cli/bins.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include <unihist/save.h>

#include "api/cli/output/result.h"

struct known {
    enum { EDGES, CATEGORIES, INTEGERS } kind;
    double *numbers; /* owned: edges, categories or the first integer */
    size_t n;        /* of them, or of the integers */
    unsigned closed, flow_bins;
};

/* Makes an axis, and frees the numbers. */
static int add_axis(struct cli_earlier *earlier, struct known *known) {
    const size_t below = known->kind == EDGES && known->flow_bins & UH_FLOW_BINS_BELOW,
                 above = known->kind == EDGES && known->flow_bins & UH_FLOW_BINS_ABOVE;
    const double first = known->numbers ? *known->numbers : 0;
    const int64_t integer = fabs(first) <= 0x1p53 ? (int64_t)first : INT64_MIN;
    uh_axis *axis = NULL, *made = NULL;
    uh_status status;
    if (known->kind == EDGES && known->n < 2 + below + above) {
        free(known->numbers);
        return cli_fail("an axis has %zu edges, expected at least %zu", known->n, 2 + below + above);
    }
    if (known->kind == EDGES)
        status = uh_axis_create_edges(UH_F64, known->numbers + below, known->n - below - above,
                                      (uh_closed)known->closed, &axis);
    else if (known->kind == CATEGORIES)
        status = uh_axis_create_categories(UH_F64, known->numbers, known->n, &axis);
    else
        status = uh_axis_create_integer(integer, integer + (int64_t)known->n - 1, &axis);
    if (!status && known->flow_bins) {
        status = uh_axis_create_with_flow_bins(axis, (uh_flow_bins)known->flow_bins, &made);
        uh_axis_destroy(axis);
        axis = made;
    }
    free(known->numbers);
    earlier->axis[earlier->naxes] = axis;
    earlier->naxes += !status;
    return status ? cli_fail_library() : 0;
}

uh_status cli_earlier_copy(const uh_axis *axis, uh_axis **made) {
    uh_axis_properties known = {.struct_size = sizeof known};
    const uh_status status = uh_axis_get_properties(axis, &known);
    return status ? status : uh_axis_create_with_distribution(axis, known.distribution, made);
}

static int read_saved(const struct cli_numbers *bytes, struct cli_earlier *earlier) {
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    uh_histogram *histogram = NULL;
    uh_queue *queue = NULL;
    uh_device *host;
    const int failed = uh_device_select("host", &host) || uh_queue_create(host, NULL, &queue) ||
                       uh_histogram_load_bytes(queue, bytes->data, bytes->n, &histogram) ||
                       uh_histogram_get_properties(histogram, &properties);
    const char *text = uh_last_error_info()->text;
    text += strncmp(text, "bytes: ", 7) == 0 ? 7 : 0; /* the library's argument */
    int result = failed ? cli_fail("%s", text) : properties.cells ? 0 : cli_fail("it has no bins");
    for (size_t a = 0; a < properties.naxes && !result; a++) {
        result = cli_earlier_copy(uh_histogram_axis(histogram, a), &earlier->axis[a]) ? cli_fail_library() : 0;
        earlier->naxes += !result;
    }
    uh_histogram_destroy(histogram);
    uh_queue_destroy(queue);
    return result;
}

/* ---- .json ------------------------------------------------------------------------------------------------------- */

/* Reads edges, categories, of which the last may be "other", or the first integer. */
static int read_numbers(const cJSON *list, struct known *known) {
    known->numbers = cli_have(malloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof(double)));
    known->numbers[0] = list->valuedouble;
    for (const cJSON *item = list->child; item; item = item->next) {
        const char *text = cJSON_IsString(item) ? item->valuestring : "";
        double *to = &known->numbers[known->n++];
        *to = item->valuedouble;
        if (known->kind == CATEGORIES && !item->next && strcmp(text, "other") == 0) {
            known->flow_bins = UH_FLOW_BINS_ABOVE;
            known->n--;
        } else if (!cJSON_IsNumber(item) && cli_parse_double(text, strlen(text), to))
            return cli_fail("edge %zu is '%.40s', expected a number", known->n - 1, text);
    }
    return 0;
}

static int read_object(const cJSON *root, const cJSON *object, unsigned usual, struct cli_earlier *earlier) {
    static const char *const keys[] = {[EDGES] = "edges", "categories", "first"};
    const char *closed = cJSON_GetStringValue(cJSON_GetObjectItem(object, "closed"));
    const char *flow_bins = cJSON_GetStringValue(cJSON_GetObjectItem(object, "flow_bins"));
    const cJSON *list = NULL, *cells = cJSON_GetObjectItem(root, "counts");
    struct known known = {.closed = closed ? 0 : usual};
    while (known.kind <= INTEGERS && !(list = cJSON_GetObjectItem(object, keys[known.kind])))
        known.kind++;
    while (closed && known.closed < 4 && strcmp(closed, cli_closed_names[known.closed]) != 0)
        known.closed++;
    if (!list || !cJSON_IsNumber(list) != (known.kind != INTEGERS) || known.closed > 3 ||
        earlier->naxes == UH_MAX_AXES || !closed != !cJSON_HasObjectItem(object, "closed") ||
        !flow_bins != !cJSON_HasObjectItem(object, "flow_bins") ||
        (flow_bins && uh_enum_from_name(UH_ENUM_FLOW_BINS, flow_bins, &known.flow_bins)))
        return cli_fail("it is JSON, but no histogram that 'unihist' wrote, with 'edges', 'categories' or 'first'");
    if (read_numbers(list, &known)) {
        free(known.numbers);
        return -1;
    }
    if (known.kind == INTEGERS)
        known.n = (size_t)cJSON_GetArraySize(cells ? cells : cJSON_GetObjectItem(root, "sums"));
    return add_axis(earlier, &known);
}

static int read_json(const struct cli_numbers *bytes, unsigned closed, struct cli_earlier *earlier) {
    cJSON *root = cJSON_ParseWithLength(bytes->data, bytes->n);
    const cJSON *axes = cJSON_GetObjectItem(root, "axes"), *axis;
    int result = root ? 0 : cli_fail("it begins as JSON does, but is not valid");
    if (root && !axes)
        result = read_object(root, root, closed, earlier);
    cJSON_ArrayForEach(axis, axes) result = result ? -1 : read_object(root, axis, closed, earlier);
    cJSON_Delete(root);
    return result || earlier->naxes ? result : cli_fail("its member 'axes' is no list of axes");
}

/* ---- .npz: an archive, whose members are inputs ------------------------------------------------------------------ */

static int read_member(const char *path, const char *name, struct cli_numbers *numbers) {
    char *member = cli_format("%s:%s", path, name);
    const int result = cli_inputs_read_file(member, numbers);
    free(member);
    return result;
}

static int read_axis(const char *path, size_t axis, struct known *known, struct cli_earlier *earlier) {
    struct cli_numbers numbers;
    char name[2][32];
    snprintf(name[0], sizeof *name, "categories%zu", axis);
    snprintf(name[1], sizeof *name, "edges%zu", axis);
    known->kind = read_member(path, name[0], &numbers) ? EDGES : CATEGORIES;
    if (known->kind == EDGES && read_member(path, name[1], &numbers))
        return -1;
    known->numbers = numbers.data;
    known->n = numbers.n;
    if (numbers.dtype == UH_F64)
        return add_axis(earlier, known);
    cli_numbers_free(&numbers);
    return cli_fail("'%s' is not float64", name[known->kind == EDGES]);
}

static int read_npz(const char *path, struct cli_earlier *earlier) {
    struct cli_numbers closed, flow_bins = {.n = 0};
    int result = 0;
    if (read_member(path, "closed", &closed)) { /* one axis of the integers from 0 */
        if (read_member(path, "counts", &closed) && read_member(path, "sums", &closed))
            return -1;
        free(closed.data);
        return add_axis(earlier, &(struct known){.kind = INTEGERS, .n = closed.n});
    }
    if (read_member(path, "flow_bins", &flow_bins) || closed.dtype != UH_U8 || flow_bins.dtype != UH_U8 ||
        closed.n != flow_bins.n || closed.n < 1 || closed.n > UH_MAX_AXES)
        result = cli_fail("its arrays 'closed' and 'flow_bins' are not of 'unihist'");
    for (size_t a = 0; a < closed.n && result == 0; a++) {
        struct known known = {.closed = ((const uint8_t *)closed.data)[a],
                              .flow_bins = ((const uint8_t *)flow_bins.data)[a]};
        result = read_axis(path, a, &known, earlier);
    }
    cli_numbers_free(&closed);
    cli_numbers_free(&flow_bins);
    return result;
}

/* Reads an archive that came through a pipe, from a file in memory. */
static int read_piped_npz(const struct cli_numbers *bytes, struct cli_earlier *earlier) {
    char path[32];
    const int fd = memfd_create("npz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int result = fd < 0 || write(fd, bytes->data, bytes->n) != (ssize_t)bytes->n ? cli_fail("out of memory")
                                                                                       : read_npz(path, earlier);
    if (fd >= 0)
        close(fd);
    return result;
}

/* ---- .csv -------------------------------------------------------------------------------------------------------- */

/* The cells of a .csv: a row has two edges of each axis, or its value twice. */
struct table {
    double *numbers;
    size_t rows, naxes, bins[UH_MAX_AXES], stride[UH_MAX_AXES]; /* rows per bin */
    int values[UH_MAX_AXES];
    char text[2 * UH_MAX_AXES][24]; /* numbers of columns, */
    const char *columns[2 * UH_MAX_AXES];
};

static const double *edges_of(const struct table *table, size_t row, size_t axis) {
    return table->numbers + 2 * (row * table->naxes + axis);
}

/* Finds the axes by the names in the header: left,right or left0,right0,left1,...; value of integers and categories. */
static void read_names(struct table *table, const char *at) {
    for (size_t column = 0, a = 0; a < UH_MAX_AXES; a++) {
        const int single = a == 0 && (strncmp(at, "left,", 5) == 0 || strncmp(at, "value,", 6) == 0);
        const char digit[] = {(char)('0' + a), '\0'}, *of = single ? "" : digit;
        char names[2][24];
        snprintf(names[0], sizeof *names, "left%s,right%s,", of, of);
        snprintf(names[1], sizeof *names, "value%s,", of);
        const int value = strncmp(at, "value", 5) == 0;
        if (strncmp(at, names[value], strlen(names[value])) != 0)
            break;
        at += strlen(names[value]);
        table->values[a] = value;
        for (size_t i = 2 * a; i < 2 * a + 2; i++) {
            snprintf(table->text[i], sizeof *table->text, "%zu", column);
            table->columns[i] = table->text[i];
            column += !value || i % 2;
        }
        table->naxes++;
        a += single ? UH_MAX_AXES : 0;
    }
}

/* Finds the bins of the axes: those of the last one change with the row, until its first bin follows. */
static void find_bins(struct table *table) {
    size_t stride = 1;
    for (size_t a = table->naxes; a-- > 0; stride *= table->bins[a]) {
        size_t n = 1;
        for (; n * stride < table->rows; n++) {
            const double next = *edges_of(table, n * stride, a);
            if (table->values[a] ? next == *edges_of(table, 0, a) : next != edges_of(table, (n - 1) * stride, a)[1])
                break;
        }
        table->bins[a] = n;
        table->stride[a] = stride;
    }
}

static int is_same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static int check_rows(const struct table *table) {
    const size_t cells = table->stride[0] * table->bins[0];
    for (size_t row = 0; row < table->rows; row++)
        for (size_t a = 0; a < table->naxes; a++) {
            const double *found = edges_of(table, row, a);
            const size_t bin = row / table->stride[a] % table->bins[a];
            const double *expected = edges_of(table, bin * table->stride[a], a);
            if (!is_same(found[0], expected[0]) || !is_same(found[1], expected[1]))
                return cli_fail(
                    "row %zu has the bin from %.17g to %.17g of axis %zu, expected one from %.17g or %.17g, "
                    "as bins have no gaps, and cells one row each",
                    row, found[0], found[1], a, row ? edges_of(table, row - 1, a)[1] : found[0],
                    *edges_of(table, 0, a));
        }
    return cells == table->rows ? 0 : cli_fail("it has %zu rows, expected %zu, one per cell", table->rows, cells);
}

static int add_column(const struct table *table, size_t a, unsigned closed, struct cli_bins *bins) {
    struct known known = {table->values[a] ? CATEGORIES : EDGES, NULL, table->bins[a], closed, 0};
    double *numbers = known.numbers = cli_have(calloc(known.n + 1, sizeof *numbers));
    int integers = !bins->categories && table->values[a] && table->naxes == 1;
    for (size_t i = 0; i < known.n; i++) {
        memcpy(&numbers[i], edges_of(table, i * table->stride[a], a), 2 * sizeof *numbers);
        integers &= numbers[i] == (double)i;
    }
    known.kind = integers ? INTEGERS : known.kind; /* of 'unihist bincount' */
    if (known.kind == EDGES) {
        const unsigned below = isinf(numbers[0]) ? (unsigned)UH_FLOW_BINS_BELOW : 0U,
                       above = isinf(numbers[known.n]) ? (unsigned)UH_FLOW_BINS_ABOVE : 0U;
        known.flow_bins = bins->flow_bins & (below | above);
        known.n++;
    } else if (isnan(numbers[known.n - 1])) { /* "other" */
        known.flow_bins = UH_FLOW_BINS_ABOVE;
        known.n--;
    }
    return add_axis(&bins->earlier, &known);
}

/* Returns 1, as cli_bins_earlier. */
static int read_csv(const char *path, unsigned closed, struct cli_bins *bins) {
    const struct cli_numbers *bytes = &bins->edges;
    const char *text = bytes->data;
    struct table table = {.rows = 0};
    struct cli_csv csv;
    size_t room = (size_t)2 * UH_MAX_AXES, used, stored = 0;
    read_names(&table, text);
    if (table.naxes == 0)
        return 0;
    for (size_t i = 0; i < bytes->n; i++)
        room += text[i] == '\n' ? 2 * table.naxes : 0;
    if (cli_csv_start(&csv, path, table.columns, 2 * table.naxes, UH_F64))
        return -1;
    csv.dialect.header = 1;
    csv.dialect.na = "other";
    table.numbers = cli_have(malloc(room * sizeof *table.numbers));
    int result = cli_csv_parse(&csv, text, bytes->n, 1, &used, table.numbers, room, &stored);
    table.rows = stored / (2 * table.naxes);
    if (result == 0) {
        find_bins(&table);
        result = check_rows(&table);
    }
    for (size_t a = 0; a < table.naxes && result == 0; a++)
        result = add_column(&table, a, closed, bins);
    free(table.numbers);
    return result ? -1 : 1;
}

int cli_bins_earlier(const char *path, uh_closed closed, struct cli_bins *bins) {
    const struct cli_numbers *bytes = &bins->edges;
    const char *text = bytes->data, *ending = strrchr(path, '.');
    const size_t n = bytes->n, blanks = n ? strspn(text, " \t\r\n") : 0;
    int result;
    if ((n >= 6 && memcmp(text, "\x89UHIST", 6) == 0) || (ending && strcasecmp(ending, ".uh") == 0))
        result = read_saved(bytes, &bins->earlier);
    else if (n >= 4 && memcmp(text, "PK\3\4", 4) == 0)
        result = strcmp(path, "-") ? read_npz(path, &bins->earlier) : read_piped_npz(bytes, &bins->earlier);
    else if (n > blanks && text[blanks] == '{')
        result = read_json(bytes, closed, &bins->earlier);
    else
        return n ? read_csv(path, closed, bins) : 0;
    return result ? -1 : 1;
}
