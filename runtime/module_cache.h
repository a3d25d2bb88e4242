/* SPDX-License-Identifier: Apache-2.0 */
/* Binaries built by drivers, cached on disk: an entry is a file in $XDG_CACHE_HOME/unihist or ~/.cache/unihist, named
 * by the hash of its key. A cache never fails: if it cannot read or write, it finds or keeps nothing, and logs that.
 * UNIHIST_CACHE=off turns it off. */
#pragma once

#include <stdlib.h>

#include "runtime/sha256.h"

/* All that an entry depends on: concatenated fields, each preceded by its size, so that different fields give different
 * bytes. */
struct uhi_cache_key {
    unsigned char *bytes;
    size_t size, room;
    int failed; /* out of memory: finds and keeps nothing */
};

void uhi_cache_key_add(struct uhi_cache_key *key, const void *field, size_t size);

/* Adds the compiler's identity: names, sizes and times of the drivers and compilers loaded at the process's first call,
 * which must come after drivers are loaded, and the environment variables that affect them. */
void uhi_cache_key_add_compiler(struct uhi_cache_key *key);

/* Frees the fields. */
void uhi_cache_key_free(struct uhi_cache_key *key);

/* A binary, and the compiler's output ("" if none). The owner frees both. */
struct uhi_cache_entry {
    void *binary;
    size_t size;
    char *log;
};

int uhi_cache_is_on(void);

/* Returns whether there is an entry, and fills it in; the caller frees it with uhi_cache_entry_free. */
int uhi_cache_find(const struct uhi_cache_key *key, struct uhi_cache_entry *entry);

/* Keeps a copy of an entry, replacing an existing one with the same key. */
void uhi_cache_keep(const struct uhi_cache_key *key, const struct uhi_cache_entry *entry);

/* Makes an entry of copies; returns 0 if out of memory. */
int uhi_cache_entry_make(struct uhi_cache_entry *entry, const void *binary, size_t size, const void *log,
                         size_t length);

static inline void uhi_cache_entry_free(struct uhi_cache_entry *entry) {
    free(entry->binary);
    free(entry->log);
    *entry = (struct uhi_cache_entry){NULL, 0, NULL};
}
