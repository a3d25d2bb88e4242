/* SPDX-License-Identifier: Apache-2.0 */
/* Files that contain others: compressed ones, archives, HDF5. Each is decoded by a filter of its stream. */
#pragma once

#include "api/cli/input/stream.h"

/* Lists what this program can read and not, by build, for --version. */
extern const char cli_container_list[];

/* Returns the ending of a path that is one of some, each after a blank; NULL if none is. */
const char *cli_ending_of(const char *endings, const char *path);

/* Splits FILE:MEMBER: returns the colon, or NULL if a file has the whole name, or no file that ends at a colon has
 * members. */
const char *cli_container_colon(const char *path);

/* Opens a stream as cli_stream_open does. If it is a container, it becomes that of its contents, or of the member that
 * the path names; a raw binary file (`raw` above 0) is one only by its name's ending, and an archive without a member's
 * name stays as it is if it is below 0. `*contents`: the name of the contents, which the caller frees also after a
 * failure; its ending tells what they are. */
int cli_container_open(struct cli_stream *stream, const char *path, int raw, char **contents);

/* Replaces a stream of text by UTF-8. `*encoding`: as given, a name of iconv's, or NULL; then it becomes that which the
 * first bytes show. Returns 0 or -1. */
int cli_encoding_open(struct cli_stream *stream, const char **encoding);

/* ---- decoders (archive.c, hdf5.c) -------------------------------------------------------------------------------- */

int cli_decode_gzip(struct cli_filter *filter);

/* The argument is the name of a zip archive's member, or NULL for another compressed file. */
int cli_decode_archive(struct cli_filter *filter);

/* Writes a .npy file; the argument is a data set's path. */
int cli_decode_hdf5(struct cli_filter *filter);

/* ---- the search for a member by its name ------------------------------------------------------------------------- */

struct cli_members {
    const char *wanted; /* its name, without ".npy" too, or NULL: the only one */
    size_t n, nfound;
    char *found;
    char list[900];
};

void cli_members_add(struct cli_members *members, const char *name);

/* Stores the name of the member found, which the caller frees. Returns -1 with a message, or if `result` is one. */
int cli_members_end(struct cli_members *members, const char *file, int result, char **name);

/* Find a member as cli_members_end does. */
int cli_zip_find(struct cli_stream *stream, const char *member, char **name);
int cli_hdf5_find(struct cli_stream *stream, const char *member, char **name);
