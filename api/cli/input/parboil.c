/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/parboil.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORD = 4, HEAD_WORDS = 4, FIRST_INDICES = 1 << 18 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "indices are used as they lie in the file");

static int read_head(FILE *file, const char *name, struct cli_parboil *parboil, struct cli_error *error) {
    uint32_t head[HEAD_WORDS];
    const size_t got = fread(head, 1, sizeof head, file);
    if (ferror(file))
        return cli_fail(error, "cannot read '%s': %s", name, strerror(errno));
    if (got < sizeof head)
        return cli_fail(error, "'%s' has %zu bytes, expected Parboil's head of %zu and indices", name, got,
                        sizeof head);
    if (head[2] == 0 || head[3] == 0)
        return cli_fail(error, "'%s' is for a histogram of %lu x %lu bins, expected at least 1 x 1; is it Parboil's?",
                        name, (unsigned long)head[2], (unsigned long)head[3]);
    if ((uint64_t)head[2] * head[3] > UINT64_C(1) << 32)
        return cli_fail(error,
                        "'%s' is for a histogram of %lu x %lu bins, expected at most 2^32, all that an index can name; "
                        "is it Parboil's?",
                        name, (unsigned long)head[2], (unsigned long)head[3]);
    if ((uint64_t)head[0] * head[1] > SIZE_MAX / WORD)
        return cli_fail(error, "'%s' is of a picture of %lu x %lu, more than fit in memory; is it Parboil's?", name,
                        (unsigned long)head[0], (unsigned long)head[1]);
    *parboil = (struct cli_parboil){.width = head[2],
                                    .height = head[3],
                                    .picture_width = head[0],
                                    .picture_height = head[1],
                                    .n = (size_t)head[0] * head[1]};
    return 0;
}

/* What a regular file's length says, before anything is read for nothing. */
static int check_length(FILE *file, const char *name, const struct cli_parboil *parboil, struct cli_error *error) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    const uint64_t expected = (uint64_t)(parboil->n + HEAD_WORDS) * WORD, size = (uint64_t)status.st_size;
    if (size == expected)
        return 0;
    return cli_fail(error, "'%s' has %llu bytes, expected %llu for a picture of %zu x %zu: it is %s", name,
                    (unsigned long long)size, (unsigned long long)expected, parboil->picture_width,
                    parboil->picture_height, size < expected ? "cut short" : "too long, or not Parboil's");
}

/* In growing pieces, so that a head that lies costs no memory. */
static int read_indices(FILE *file, const char *name, struct cli_parboil *parboil, struct cli_error *error) {
    size_t have = 0, room = 0;
    while (have < parboil->n) {
        room = room == 0 ? FIRST_INDICES : room < parboil->n / 2 ? 2 * room : parboil->n;
        room = room < parboil->n ? room : parboil->n;
        uint32_t *grown = realloc(parboil->indices, room * sizeof *grown);
        if (!grown)
            return cli_fail(error, "out of memory for the %zu indices of '%s'", parboil->n, name);
        parboil->indices = grown;
        const size_t got = fread(grown + have, sizeof *grown, room - have, file);
        have += got;
        if (ferror(file))
            return cli_fail(error, "cannot read '%s': %s", name, strerror(errno));
        if (have < room)
            return cli_fail(error, "'%s' is cut short: it has %zu indices, expected %zu for a picture of %zu x %zu",
                            name, have, parboil->n, parboil->picture_width, parboil->picture_height);
    }
    if (getc(file) != EOF)
        return cli_fail(error, "'%s' goes on after the %zu indices of a picture of %zu x %zu; is it Parboil's?", name,
                        parboil->n, parboil->picture_width, parboil->picture_height);
    return ferror(file) ? cli_fail(error, "cannot read '%s': %s", name, strerror(errno)) : 0;
}

int cli_parboil_read(const char *path, struct cli_parboil *parboil, struct cli_error *error) {
    const int from_input = strcmp(path, "-") == 0;
    const char *name = from_input ? "standard input" : path;
    FILE *file = from_input ? stdin : fopen(path, "rb");
    int result = -1;
    *parboil = (struct cli_parboil){0};
    if (!file)
        return cli_fail(error, "cannot read '%s': %s", name, strerror(errno));
    if (read_head(file, name, parboil, error) || check_length(file, name, parboil, error) ||
        read_indices(file, name, parboil, error))
        goto out;
    result = 0;
out:
    if (!from_input)
        fclose(file);
    if (result)
        cli_parboil_free(parboil);
    return result;
}

void cli_parboil_free(struct cli_parboil *parboil) {
    free(parboil->indices);
    parboil->indices = NULL;
}
