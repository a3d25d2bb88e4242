/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers have built, kept in memory for the process and on disk for the next one. A cache never fails: where it
 * cannot read or write it finds nothing and keeps nothing, and says so in the log.
 *
 * On disk an entry is a file of $XDG_CACHE_HOME/unihist, or ~/.cache/unihist, named by the hash of its key; see
 * module_cache_disk.c. UNIHIST_CACHE=off turns both off. */
#ifndef UHI_MODULE_CACHE_H
#define UHI_MODULE_CACHE_H

#include <stdlib.h>

#include "runtime/sha256.h"

/* All that an entry depends on: fields one behind the other, each behind its size, so that no two lists of fields give
 * the same bytes. */
struct uhi_cache_key {
    unsigned char *bytes;
    size_t size, room;
    int failed; /* out of memory: finds and keeps nothing */
};

/* Adds a field. */
void uhi_cache_key_add(struct uhi_cache_key *key, const void *field, size_t size);

/* Adds what compiles for devices: names, sizes and times of the drivers and compilers that are loaded when the process
 * first asks, which is to be after drivers have been, and the variables of the environment that they compile by. */
void uhi_cache_key_add_compiler(struct uhi_cache_key *key);

/* Frees what the fields took. */
void uhi_cache_key_free(struct uhi_cache_key *key);

/* What is kept: a binary, and what the compiler said ("" for nothing). The owner frees both. */
struct uhi_cache_entry {
    void *binary;
    size_t size;
    char *log;
};

/* Where an entry was found. */
enum uhi_cache_place { UHI_CACHE_NOWHERE = 0, UHI_CACHE_MEMORY = 1, UHI_CACHE_DISK = 2 };

/* Whether there is a cache at all. */
int uhi_cache_is_on(void);

/* Looks an entry up, and fills in `entry` where there is one; the caller frees it with uhi_cache_entry_free. */
enum uhi_cache_place uhi_cache_find(const struct uhi_cache_key *key, struct uhi_cache_entry *entry);

/* Keeps a copy of an entry, in place of one that has the key already. */
void uhi_cache_keep(const struct uhi_cache_key *key, const struct uhi_cache_entry *entry);

/* Makes an entry of copies; returns whether there was memory for it. */
int uhi_cache_entry_make(struct uhi_cache_entry *entry, const void *binary, size_t size, const void *log,
                         size_t length);

static inline void uhi_cache_entry_free(struct uhi_cache_entry *entry) {
    free(entry->binary);
    free(entry->log);
    *entry = (struct uhi_cache_entry){NULL, 0, NULL};
}

/* ---- the files (module_cache_disk.c) ---------------------------------------------------------------------------- */

/* Finds out where the files are; called once. */
void uhi_cache_disk_open(void);

/* As uhi_cache_find and uhi_cache_keep, in files alone; find returns whether there is one. */
int uhi_cache_disk_find(const struct uhi_cache_key *key, struct uhi_cache_entry *entry);
void uhi_cache_disk_keep(const struct uhi_cache_key *key, const struct uhi_cache_entry *entry);

#endif
