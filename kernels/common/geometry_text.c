/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/geometry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First lines of a new file. */
static const char preamble[] =
    "# Group sizes and numbers of groups of Unihist's operations on devices, as measured by \"unihist-perf tune\".\n"
    "# They affect speed, never results. Any line, or the file, may be deleted.\n";

/* ---- lines ---- */

/* Returns the length of this line, without its end. */
static size_t line_length(const char *line) { return strcspn(line, "\n"); }

static const char *next_line(const char *line) {
    line += line_length(line);
    return *line ? line + 1 : line;
}

static int is_comment(const char *line, size_t length) { return length == 0 || *line == '#'; }

static int is_head(const char *line, size_t length) { return length > 2 && line[0] == '[' && line[length - 1] == ']'; }

/* Reads one blank and a number of at most 9 digits without leading zeros. Returns the rest of the text, or NULL. */
static const char *read_number(const char *text, uint32_t *number) {
    const size_t digits = *text == ' ' ? strspn(text + 1, "0123456789") : 0;
    if (digits == 0 || digits > 9 || (digits > 1 && text[1] == '0'))
        return NULL;
    *number = (uint32_t)strtoul(text + 1, NULL, 10);
    return text + 1 + digits;
}

/* Reads "OPERATION GROUP_SIZE GROUPS". Returns 0 if the line is invalid. */
static int read_row(const char *line, size_t length, struct uhi_tuning_row *row) {
    const size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (name == 0 || name >= sizeof row->operation)
        return 0;
    memcpy(row->operation, line, name);
    row->operation[name] = '\0';
    const char *end = read_number(line + name, &row->geometry.group_size);
    end = end ? read_number(end, &row->geometry.groups) : NULL;
    const uint32_t size = row->geometry.group_size;
    return end == line + length && size <= UHI_MAX_GROUP_SIZE && (size & (size - 1)) == 0 &&
           row->geometry.groups <= UHI_MAX_GROUPS;
}

/* ---- a file ---- */

void uhi_tuning_head(const uh_device_properties *device, const char *version, char head[UHI_TUNING_HEAD]) {
    snprintf(head, UHI_TUNING_HEAD, "[%s, %u threads; driver %s; Unihist %s]", device->name, (unsigned)device->threads,
             device->driver_version, version);
    for (char *at = head; *at; at++) /* a driver's text must not end the line */
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

const struct uhi_tuning_row *uhi_tuning_find(const struct uhi_tuning *tuning, const char *operation) {
    for (size_t i = 0; i < tuning->count; i++)
        if (strcmp(tuning->rows[i].operation, operation) == 0)
            return &tuning->rows[i];
    return NULL;
}

static int is_this_head(const char *line, size_t length, const char *head) {
    return strlen(head) == length && memcmp(line, head, length) == 0;
}

size_t uhi_tuning_read(const char *text, const char *head, struct uhi_tuning *tuning) {
    struct uhi_tuning_row row;
    int has_head = 0, ours = 0;
    size_t number = 1;
    tuning->count = 0;
    for (const char *line = text; *line; line = next_line(line), number++) {
        const size_t length = line_length(line);
        if (is_comment(line, length))
            continue;
        if (is_head(line, length)) {
            has_head = 1;
            ours = is_this_head(line, length, head);
            continue;
        }
        if (!has_head || !read_row(line, length, &row) || (ours && tuning->count == UHI_TUNING_ROWS) ||
            (ours && uhi_tuning_find(tuning, row.operation))) {
            tuning->count = 0;
            return number;
        }
        if (ours)
            tuning->rows[tuning->count++] = row;
    }
    return 0;
}

static void write_rows(FILE *file, const struct uhi_tuning *tuning) {
    for (size_t i = 0; i < tuning->count; i++)
        fprintf(file, "%s %u %u\n", tuning->rows[i].operation, (unsigned)tuning->rows[i].geometry.group_size,
                (unsigned)tuning->rows[i].geometry.groups);
}

char *uhi_tuning_write(const char *before, const char *head, const struct uhi_tuning *tuning) {
    char *text = NULL;
    size_t size = 0;
    struct uhi_tuning_row row;
    int ours = 0, written = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    before = before && *before ? before : preamble;
    for (const char *line = before; *line; line = next_line(line)) {
        const size_t length = line_length(line);
        const int is_new_head = is_head(line, length);
        ours = is_new_head ? is_this_head(line, length, head) : ours;
        const int is_row = ours && !is_new_head && !is_comment(line, length) && read_row(line, length, &row);
        if (is_row && uhi_tuning_find(tuning, row.operation))
            continue;
        fprintf(file, "%.*s\n", (int)length, line);
        if (is_new_head && ours && !written) {
            write_rows(file, tuning);
            written = 1;
        }
    }
    if (!written) {
        fprintf(file, "\n%s\n", head);
        write_rows(file, tuning);
    }
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}
