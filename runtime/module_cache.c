/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/module_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/fork.h"
#include "runtime/log.h"

/* Limit of the entries in memory together; the least recently used one is removed first. */
#define MAX_MEMORY ((size_t)64 << 20)

struct kept {
    struct uhi_cache_key key;
    struct uhi_cache_entry entry;
    struct kept *next; /* the one used before this one */
};

static struct {
    pthread_mutex_t lock;
    struct kept *latest;
    size_t size;
} memory = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};
UHI_HELD_AT_FORK(memory, memory.lock)

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static int is_on;

static void open_cache(void) {
    const char *text = getenv("UNIHIST_CACHE");
    is_on = !text || strcasecmp(text, "off") != 0;
    if (is_on && text && *text && strcasecmp(text, "on") != 0)
        uhi_log(UH_LOG_WARN, "UNIHIST_CACHE is \"%.64s\", expected on or off; using on", text);
    if (is_on)
        uhi_cache_disk_open();
}

int uhi_cache_is_on(void) {
    pthread_once(&open_once, open_cache);
    return is_on;
}

void uhi_cache_key_add(struct uhi_cache_key *key, const void *field, size_t size) {
    uint64_t length = size;
    if (key->failed)
        return;
    if (key->room - key->size < sizeof length + size) {
        size_t room = 2 * (key->size + sizeof length + size);
        unsigned char *bytes = realloc(key->bytes, room);
        if (!bytes) {
            key->failed = 1;
            return;
        }
        key->bytes = bytes;
        key->room = room;
    }
    memcpy(key->bytes + key->size, &length, sizeof length);
    if (size)
        memcpy(key->bytes + key->size + sizeof length, field, size);
    key->size += sizeof length + size;
}

void uhi_cache_key_free(struct uhi_cache_key *key) {
    free(key->bytes);
    memset(key, 0, sizeof *key);
}

static size_t size_of(const struct kept *k) {
    return sizeof *k + k->key.size + k->entry.size + strlen(k->entry.log) + 1;
}

static void free_kept(struct kept *k) {
    uhi_cache_key_free(&k->key);
    uhi_cache_entry_free(&k->entry);
    free(k);
}

static int copy_entry(struct uhi_cache_entry *to, const struct uhi_cache_entry *from) {
    return uhi_cache_entry_make(to, from->binary, from->size, from->log, strlen(from->log));
}

/* Removes and returns the entry of a key; NULL if none is found. Locked. */
static struct kept *remove_entry(const struct uhi_cache_key *key) {
    for (struct kept **link = &memory.latest; *link; link = &(*link)->next) {
        struct kept *k = *link;
        if (k->key.size == key->size && memcmp(k->key.bytes, key->bytes, key->size) == 0) {
            *link = k->next;
            memory.size -= size_of(k);
            return k;
        }
    }
    return NULL;
}

/* Inserts an entry at the front, and frees the last ones while the limit is exceeded. Locked. */
static void insert_entry(struct kept *k) {
    k->next = memory.latest;
    memory.latest = k;
    memory.size += size_of(k);
    while (memory.size > MAX_MEMORY && memory.latest) {
        struct kept **link = &memory.latest;
        while ((*link)->next)
            link = &(*link)->next;
        struct kept *last = *link;
        *link = NULL;
        memory.size -= size_of(last);
        free_kept(last);
    }
}

static int find_in_memory(const struct uhi_cache_key *key, struct uhi_cache_entry *entry) {
    int found = 0;
    pthread_mutex_lock(&memory.lock);
    struct kept *k = remove_entry(key);
    if (k) {
        found = copy_entry(entry, &k->entry);
        insert_entry(k);
    }
    pthread_mutex_unlock(&memory.lock);
    return found;
}

static void keep_in_memory(const struct uhi_cache_key *key, const struct uhi_cache_entry *entry) {
    struct kept *made = calloc(1, sizeof *made);
    unsigned char *bytes = malloc(key->size);
    if (!made || !bytes || !copy_entry(&made->entry, entry)) {
        free(bytes);
        free(made);
        return;
    }
    memcpy(bytes, key->bytes, key->size);
    made->key = (struct uhi_cache_key){bytes, key->size, key->size, 0};
    pthread_mutex_lock(&memory.lock);
    struct kept *old = remove_entry(key);
    if (size_of(made) > MAX_MEMORY)
        free_kept(made);
    else
        insert_entry(made);
    pthread_mutex_unlock(&memory.lock);
    if (old)
        free_kept(old);
}

enum uhi_cache_source uhi_cache_find(const struct uhi_cache_key *key, struct uhi_cache_entry *entry) {
    if (!uhi_cache_is_on() || key->failed)
        return UHI_CACHE_NOWHERE;
    if (find_in_memory(key, entry))
        return UHI_CACHE_MEMORY;
    if (!uhi_cache_disk_find(key, entry))
        return UHI_CACHE_NOWHERE;
    keep_in_memory(key, entry);
    return UHI_CACHE_DISK;
}

void uhi_cache_keep(const struct uhi_cache_key *key, const struct uhi_cache_entry *entry) {
    if (!uhi_cache_is_on() || key->failed)
        return;
    keep_in_memory(key, entry);
    uhi_cache_disk_keep(key, entry);
}
