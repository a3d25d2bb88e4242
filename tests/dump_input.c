/* SPDX-License-Identifier: Apache-2.0 */
/* dump_input [--OPTION VALUE]... TEXT...: reads each input as the command does, for test_input*.py. Writes a
 * line "DTYPE COUNT WIDTH LARGEST BYTES NAME" (of the elements; per row; in the largest chunk; bytes read; the name of
 * column 1) and the elements, or "error TEXT". The options column, dtype, by,
 * whole and rows are for the next text, the others for all that follow. */
#include <locale.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cli/input/inputs.h"

static struct cli_input_options options;
static const char *column;
static const char *by;     /* the function that reads the text: NULL for cli_input_open, or `readers` */
static long passes = 1;    /* reads the input so often, */
static long limit, single; /* keeps this many bytes in memory, 0 as usual; keeps nothing */
static long every, wait;   /* reads with each size of chunks; waits for a line after a chunk */

struct read {
    int rc;
    struct cli_error error;
    struct cli_numbers all;
    size_t width, largest;
    uint64_t bytes;
    char name[64];
};

static int add(struct read *read, const void *data, size_t n) {
    const size_t size = uh_dtype_size(read->all.dtype);
    if (n == 0 || (uintptr_t)data % size != 0)
        return cli_fail("a chunk of %zu elements at %p", n, data);
    void *grown = realloc(read->all.data, (read->all.n + n) * size);
    if (!grown)
        return cli_fail("no memory");
    read->all.data = grown;
    memcpy((char *)read->all.data + read->all.n * size, data, n * size);
    read->all.n += n;
    read->largest = n > read->largest ? n : read->largest;
    return 0;
}

/* One pass, from where the input is. */
static int drain(struct cli_input *input, struct read *read) {
    const struct cli_input_facts *facts = cli_input_facts(input);
    const void *data;
    size_t n;
    cli_numbers_free(&read->all);
    read->all.n = read->largest = 0;
    read->all.dtype = facts->dtype;
    while ((read->rc = cli_input_next(input, &data, &n)) > 0) {
        if (add(read, data, n))
            return -1;
        if (wait && --wait == 0 && (printf("\n") < 0 || fflush(stdout) != 0 || getchar() == EOF))
            return -1;
    }
    if (read->rc == 0 && cli_input_next(input, &data, &n) != 0)
        return cli_fail("it goes on after its end");
    read->width = facts->width;
    read->bytes = cli_input_bytes_read(input);
    snprintf(read->name, sizeof read->name, "%s", cli_input_column_name(input, 1));
    if (read->rc == 0 && (facts->is_counted ? facts->count : read->all.n) != read->all.n)
        return cli_fail("it was said to have %zu elements and gave %zu", (size_t)facts->count, read->all.n);
    if (read->rc == 0 && facts->bytes && facts->bytes != read->bytes)
        return cli_fail("it was said to have another number of bytes than it gave");
    return read->rc;
}

static int read_input(const char *path, struct read *read) {
    struct cli_input *input = NULL;
    int rc = cli_input_open(path, &options, &input);
    for (long pass = 0; rc == 0 && pass < passes; pass++)
        rc = (pass > 0 && cli_input_rewind(input)) ? -1 : drain(input, read);
    cli_input_close(input);
    return rc;
}

static int read_inputs(const char *path, struct read *read) {
    struct cli_inputs *inputs = NULL;
    char *const paths[] = {(char *)(uintptr_t)path};
    options.several_passes = !single;
    int rc = cli_inputs_open(paths, 1, &options, &inputs);
    if (rc == 0)
        inputs->kept.limit = (size_t)limit;
    for (long pass = 0; rc == 0 && pass < passes; pass++) {
        cli_numbers_free(&read->all);
        rc = cli_inputs_read(inputs, SIZE_MAX, &read->all);
    }
    cli_inputs_close(inputs);
    return rc;
}

static int read_file(const char *path, struct read *read) { return cli_inputs_read_file(path, &read->all); }

static int read_list(const char *text, struct read *read) { return cli_parse_list(text, &read->all); }

static int read_double(const char *text, struct read *read) {
    double value = 7;
    read->all.dtype = UH_F64;
    return cli_parse_double(text, strlen(text), &value) ? cli_fail("%g", value) : add(read, &value, 1);
}

static int read_u64(const char *text, struct read *read) {
    uint64_t value = 7;
    read->all.dtype = UH_U64;
    return cli_parse_u64(text, 0, UINT64_MAX, &value) ? cli_fail("%d", (int)value) : add(read, &value, 1);
}

static const struct {
    const char *name;
    int (*read)(const char *text, struct read *read);
} readers[] = {
    {"inputs", read_inputs}, {"file", read_file}, {"list", read_list}, {"double", read_double}, {"u64", read_u64}};

static struct read read_text(const char *text) {
    struct read read = {.rc = -1};
    if (!by)
        read.rc = read_input(text, &read);
    for (size_t i = 0; by && i < sizeof readers / sizeof *readers; i++)
        if (strcmp(by, readers[i].name) == 0)
            read.rc = readers[i].read(text, &read);
    read.error = cli_error;
    return read;
}

static int is_same(const struct read *a, const struct read *b) {
    return a->rc == b->rc &&
           (a->rc < 0
                ? strcmp(a->error.text, b->error.text) == 0
                : a->all.n == b->all.n && a->width == b->width &&
                      (a->all.n == 0 || memcmp(a->all.data, b->all.data, a->all.n * uh_dtype_size(a->all.dtype)) == 0));
}

static void dump(const char *text) {
    struct read read = read_text(text);
    struct stat info = {.st_size = 0};
    for (size_t size = 1; every && stat(text, &info) == 0 && size <= (size_t)info.st_size + 1; size++) {
        options.chunk_bytes = size;
        options.piece_bytes = 1 + size % 3; /* of several threads, */
        omp_set_num_threads(1 + (int)(size / 3 % 4));
        struct read again = read_text(text);
        const int same = is_same(&read, &again);
        cli_numbers_free(&again.all);
        if (!same) {
            read.rc = cli_fail("in chunks of %zu: %zu elements, '%s'", size, again.all.n, again.error.text);
            read.error = cli_error;
            break;
        }
    }
    if (read.rc < 0)
        printf("error %s\n", read.error.text);
    else
        printf("%s %zu %zu %zu %llu %s\n", uh_enum_name(UH_ENUM_DTYPE, read.all.dtype), read.all.n, read.width,
               read.largest, (unsigned long long)read.bytes, read.name);
    if (read.rc >= 0 && read.all.n > 0)
        fwrite(read.all.data, uh_dtype_size(read.all.dtype), read.all.n, stdout);
    cli_numbers_free(&read.all);
}

int main(int argc, char **argv) {
    long whole = 0, chunk = 0, rows = 0; /* whole: all columns, of finite numbers */
    const struct {
        const char *name;
        long *number;
        const char **text;
    } known[] = {{"--passes", &passes, NULL},       {"--limit", &limit, NULL},  {"--every", &every, NULL},
                 {"--single", &single, NULL},       {"--wait", &wait, NULL},    {"--chunk", &chunk, NULL},
                 {"--whole", &whole, NULL},         {"--rows", &rows, NULL},    {"--by", NULL, &by},
                 {"--dtype", NULL, &options.dtype}, {"--column", NULL, &column}};
    setlocale(LC_ALL, "");
    for (int i = 1; i < argc; i++) {
        size_t n = 0;
        while (n < sizeof known / sizeof *known && strcmp(argv[i], known[n].name) != 0)
            n++;
        if (n == sizeof known / sizeof *known || i + 1 == argc) {
            options.all_columns = options.finite = (int)whole;
            options.chunk_bytes = (size_t)chunk;
            options.rows = (int)rows;
            options.columns = &column;
            options.ncolumns = column != NULL;
            dump(argv[i]);
            options = (struct cli_input_options){0};
            by = column = NULL;
            whole = rows = 0;
        } else if (known[n].text)
            *known[n].text = argv[++i];
        else
            *known[n].number = strtol(argv[++i], NULL, 10);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
