/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strchrnul */
#include "api/cli/input/container.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Decoders: whether there are members, the decoder and the search for a member. */
#define NOTHING 0, NULL, NULL
#ifdef UNIHIST_ARCHIVE
#define GZIP       0, cli_decode_gzip, NULL
#define COMPRESSED 0, cli_decode_archive, NULL
#define ZIP        1, cli_decode_archive, cli_zip_find
#define ARCHIVES   "gzip, bzip2, xz, zstd, lz4, zip and .npz"
#else
#define GZIP       NOTHING
#define COMPRESSED NOTHING
#define ZIP        1, NULL, NULL
#define ARCHIVES   "no compressed files (built without libarchive and zlib)"
#endif
#ifdef UNIHIST_HDF5
#define HDF5  1, cli_decode_hdf5, cli_hdf5_find
#define HDF5S "HDF5"
#else
#define HDF5  1, NULL, NULL
#define HDF5S "no HDF5 (built without libhdf5)"
#endif

const char cli_container_list[] = ARCHIVES ", " HDF5S;

static const struct container {
    const char *magic;
    size_t bytes;
    const char *endings;  /* each after a blank */
    const char *is, *use; /* the latter: where no decoder exists */
    int has_members;
    int (*decode)(struct cli_filter *filter);
    int (*find)(struct cli_stream *stream, const char *member, char **name);
} containers[] = {
    {"\x1f\x8b\x08", 3, " .gz", "compressed by gzip", "zcat FILE | unihist ... -", GZIP},
    {"BZh", 3, " .bz2", "compressed by bzip2", "bzcat FILE | unihist ... -", COMPRESSED},
    {"\xfd\x37zXZ", 5, " .xz", "compressed by xz", "xzcat FILE | unihist ... -", COMPRESSED},
    {"\x28\xb5\x2f\xfd", 4, " .zst", "compressed by zstd", "zstdcat FILE | unihist ... -", COMPRESSED},
    {"\x04\x22\x4d\x18", 4, " .lz4", "compressed by lz4", "lz4cat FILE | unihist ... -", COMPRESSED},
    {"PK\x03\x04", 4, " .zip .npz", "a zip archive", "unzip -p FILE MEMBER | unihist ... -", ZIP},
    {"PK\x05\x06", 4, " .zip .npz", "an empty zip archive", "an archive with members", NOTHING},
    {"\x89HDF\r\n\x1a\n", 8, " .h5 .hdf5", "an HDF5 file", "h5dump -d DATASET -b LE -o OUT FILE, and -t T OUT", HDF5},
    {"PAR1", 4, " .parquet", "a Parquet file", "duckdb -csv -c \"from 'FILE'\" | unihist ... -", NOTHING},
    {"ARROW1", 6, " .arrow .feather", "an Arrow file",
     "python3 -c \"import pyarrow.feather as f; print(f.read_feather('FILE').to_csv())\" | unihist ... -", NOTHING},
};

static const struct container *find_container(const unsigned char *head, size_t have) {
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (have >= containers[i].bytes && memcmp(head, containers[i].magic, containers[i].bytes) == 0)
            return &containers[i];
    return NULL;
}

static int has_members(const char *path) {
    unsigned char head[8];
    struct stat status;
    const int fd = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t have = fd < 0 ? 0 : read(fd, head, sizeof head);
    const struct container *container = find_container(head, have > 0 ? (size_t)have : 0);
    if (fd >= 0)
        close(fd);
    return container && container->has_members;
}

const char *cli_container_colon(const char *path) {
    char file[4096];
    if (access(path, F_OK) == 0)
        return NULL;
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        snprintf(file, sizeof file, "%.*s", (int)(colon - path), path);
        if (has_members(file))
            return colon;
    }
    return NULL;
}

const char *cli_ending_of(const char *endings, const char *path) {
    const char *dot = strrchr(path, '.');
    for (const char *at = endings; dot && *at; at = strchrnul(at + 1, ' '))
        if (strlen(dot) == strcspn(at + 1, " ") && strncasecmp(at + 1, dot, strlen(dot)) == 0)
            return dot;
    return NULL;
}

/* Replaces the stream by the contents. `*contents` is the file's name. */
static int decode(struct cli_stream *stream, const struct container *container, const char *member, char **contents) {
    if (!container->decode)
        return cli_fail("%s: is %s, which this program does not read; use %s", stream->name, container->is,
                        container->use);
    if (!container->has_members) {
        const char *ending = cli_ending_of(container->endings, *contents);
        (*contents)[ending ? (size_t)(ending - *contents) : strlen(*contents)] = '\0';
        return cli_stream_filter(stream, container->decode, NULL);
    }
    char *name = NULL;
    if (!stream->is_file)
        return cli_fail("%s: is %s, which cannot be read from a pipe; give the file's name", stream->name,
                        container->is);
    if (container->find(stream, member, &name))
        return -1;
    free(*contents);
    *contents = name;
    return cli_stream_filter(stream, container->decode, name);
}

int cli_container_open(struct cli_stream *stream, const char *path, int raw, char **contents) {
    const char *colon = cli_container_colon(path);
    const unsigned char *head;
    size_t have = 0;
    *contents = cli_have(strdup(path));
    if (colon)
        (*contents)[colon - path] = '\0';
    if (cli_stream_open(stream, *contents) || cli_stream_peek(stream, 8, &head, &have))
        return -1;
    const struct container *container = find_container(head, have);
    if (!container || (raw < 0 && container->has_members && !colon))
        return 0;
    if (raw <= 0 || cli_ending_of(container->endings, *contents))
        return decode(stream, container, colon ? colon + 1 : NULL, contents);
    if (cli_ending_of(" .bin .raw", path))
        return 0;
    return cli_fail("%s: begins as if it were %s; expected a name that ends in%s then, or for raw binary in .bin",
                    stream->name, container->is, container->endings);
}
