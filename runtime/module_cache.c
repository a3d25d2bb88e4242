/* SPDX-License-Identifier: Apache-2.0 */
/* One file per entry. Readers see all of a file or none. It contains its full key and a hash of itself; a file that is
 * truncated, altered, of another format or of another key counts as absent and is replaced. Only a folder and files
 * that belong to the user and that nobody else can write are read, because a binary is code that will run.
 *
 * A file: struct head, the key, the log without its NUL, the binary, and the SHA-256 of all that. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/atomic_file.h"
#include "runtime/cache_folder.h"
#include "runtime/grow.h"
#include "runtime/log.h"
#include "runtime/module_cache.h"

#define SUFFIX          ".bin"
#define ENTRY_NAME_SIZE (UHI_SHA256_HEX - 1 + sizeof SUFFIX)

enum { FORMAT = 1 };
enum { PATH_SIZE = UHI_CACHE_PATH + 128 };
/* Limit per file; a larger one is neither written nor read. */
#define MAX_FILE ((uint64_t)64 << 20)
/* Limit of all files together; beyond it the least recently used are removed until half is left. */
#define MAX_FOLDER ((uint64_t)256 << 20)
struct head {
    char magic[8];
    uint32_t format;
    uint32_t reserved;
    uint64_t key_size;
    uint64_t log_size;
    uint64_t binary_size;
};

static const char magic[8] = {'U', 'N', 'I', 'H', 'I', 'S', 'T', '\n'};

/* "" if there is no folder. */
static char folder[UHI_CACHE_PATH];

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static int is_on;

static void open_cache(void) {
    const char *text = getenv("UNIHIST_CACHE");
    is_on = !text || strcasecmp(text, "off") != 0;
    if (is_on && text && *text && strcasecmp(text, "on") != 0)
        uhi_log(UH_LOG_WARN, "UNIHIST_CACHE is \"%.64s\", expected on or off; using on", text);
    if (is_on && uhi_cache_folder_path(folder))
        uhi_log(UH_LOG_INFO, "module cache: %s", folder);
    else if (is_on)
        uhi_log(UH_LOG_INFO, "module cache: none: neither XDG_CACHE_HOME nor HOME names a folder to use");
}

int uhi_cache_is_on(void) {
    pthread_once(&open_once, open_cache);
    return is_on;
}

/* ---- keys and entries ---- */

void uhi_cache_key_add(struct uhi_cache_key *key, const void *field, size_t size) {
    uint64_t length = size;
    if (key->failed)
        return;
    key->failed = !uhi_grow(&key->bytes, &key->room, key->size + sizeof length + size, 1);
    if (key->failed)
        return;
    memcpy(key->bytes + key->size, &length, sizeof length);
    if (size)
        memcpy(key->bytes + key->size + sizeof length, field, size);
    key->size += sizeof length + size;
}

void uhi_cache_key_free(struct uhi_cache_key *key) {
    free(key->bytes);
    memset(key, 0, sizeof *key);
}

/* Writes the path of an entry's file. Returns its name, the path's end. */
static const char *name_file(const struct uhi_cache_key *key, char path[PATH_SIZE]) {
    unsigned char digest[UHI_SHA256_SIZE];
    char hex[UHI_SHA256_HEX];
    uhi_sha256_of(key->bytes, key->size, digest);
    uhi_sha256_hex(digest, hex);
    snprintf(path, PATH_SIZE, "%s/%s" SUFFIX, folder, hex);
    return path + strlen(folder) + 1;
}

/* Returns whether `size` bytes are a complete entry of the key. */
static int is_entry_of(const unsigned char *bytes, size_t size, const struct uhi_cache_key *key, struct head *head) {
    unsigned char digest[UHI_SHA256_SIZE];
    if (size < sizeof *head + UHI_SHA256_SIZE)
        return 0;
    memcpy(head, bytes, sizeof *head);
    size_t payload = size - sizeof *head - UHI_SHA256_SIZE;
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->format != FORMAT || head->key_size != key->size ||
        head->key_size > payload || head->log_size > payload - head->key_size ||
        head->binary_size != payload - head->key_size - head->log_size)
        return 0;
    uhi_sha256_of(bytes, size - UHI_SHA256_SIZE, digest);
    return memcmp(digest, bytes + size - UHI_SHA256_SIZE, sizeof digest) == 0 &&
           memcmp(bytes + sizeof *head, key->bytes, key->size) == 0;
}

int uhi_cache_entry_make(struct uhi_cache_entry *entry, const void *binary, size_t size, const void *log,
                         size_t length) {
    struct uhi_cache_entry made = {malloc(size + 1), size, malloc(length + 1)};
    if (!made.binary || !made.log) {
        uhi_cache_entry_free(&made);
        return 0;
    }
    memcpy(made.binary, binary, size);
    memcpy(made.log, log, length);
    made.log[length] = '\0';
    *entry = made;
    return 1;
}

/* ---- finding ---- */

int uhi_cache_find(const struct uhi_cache_key *key, struct uhi_cache_entry *entry) {
    char path[PATH_SIZE];
    struct head head;
    const char *why = NULL;
    size_t size = 0;
    int found = 0;
    if (!uhi_cache_is_on() || key->failed)
        return 0;
    const char *name = name_file(key, path);
    unsigned char *bytes = uhi_cache_file_read(folder, name, MAX_FILE, &size, &why);
    if (bytes && is_entry_of(bytes, size, key, &head)) {
        const unsigned char *log = bytes + sizeof head + head.key_size;
        found = uhi_cache_entry_make(entry, log + head.log_size, head.binary_size, log, head.log_size);
        /* Marks the use: the least recently used files are removed first. */
        (void)utimensat(AT_FDCWD, path, NULL, 0);
    } else if (bytes) {
        why = "it is damaged, or of another version";
    }
    if (why)
        uhi_log(UH_LOG_INFO, "module cache: %s is not used: %s", path, why);
    free(bytes);
    return found;
}

struct file {
    char name[ENTRY_NAME_SIZE];
    uint64_t size;
    struct timespec used;
};

static int compare_used(const void *a, const void *b) {
    const struct timespec *x = &((const struct file *)a)->used, *y = &((const struct file *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Returns whether a name is an entry's: hexadecimal digits and the suffix. */
static int is_entry_name(const char *name) {
    return strspn(name, "0123456789abcdef") == UHI_SHA256_HEX - 1 && strcmp(name + UHI_SHA256_HEX - 1, SUFFIX) == 0;
}

/* Lists the entries. Returns the number of entries; the caller frees `*files`. */
static size_t list_files(int at, struct file **files, uint64_t *total) {
    size_t count = 0, room = 0;
    struct stat info;
    int copy = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    if (!dir && copy >= 0)
        close(copy);
    for (const struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        if (!is_entry_name(d->d_name) || fstatat(at, d->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!uhi_grow(files, &room, count + 1, sizeof **files))
            break;
        struct file *f = &(*files)[count++];
        memcpy(f->name, d->d_name, ENTRY_NAME_SIZE);
        f->size = (uint64_t)info.st_size;
        f->used = info.st_mtim;
        *total += f->size;
    }
    if (dir)
        closedir(dir);
    return count;
}

/* Keeps the folder within its limit. */
static void tidy(int at) {
    struct file *files = NULL;
    uint64_t total = 0;
    size_t count = list_files(at, &files, &total);
    if (total > MAX_FOLDER) {
        qsort(files, count, sizeof *files, compare_used);
        for (size_t i = 0; i < count && total > MAX_FOLDER / 2; i++) {
            if (unlinkat(at, files[i].name, 0) == 0)
                uhi_log(UH_LOG_INFO, "module cache: removed %s/%s to make room", folder, files[i].name);
            total -= files[i].size;
        }
    }
    free(files);
}

/* Returns the bytes of an entry's file; NULL if out of memory. */
static unsigned char *make_file(const struct uhi_cache_key *key, const struct uhi_cache_entry *entry, size_t *size) {
    struct head head = {.format = FORMAT, .key_size = key->size, .log_size = strlen(entry->log)};
    memcpy(head.magic, magic, sizeof magic);
    head.binary_size = entry->size;
    size_t hashed = sizeof head + key->size + (size_t)head.log_size + entry->size;
    unsigned char *bytes = malloc(hashed + UHI_SHA256_SIZE), *next = bytes;
    if (!bytes)
        return NULL;
    memcpy(next, &head, sizeof head);
    next += sizeof head;
    memcpy(next, key->bytes, key->size);
    next += key->size;
    memcpy(next, entry->log, (size_t)head.log_size);
    next += head.log_size;
    memcpy(next, entry->binary, entry->size);
    uhi_sha256_of(bytes, hashed, bytes + hashed);
    *size = hashed + UHI_SHA256_SIZE;
    return bytes;
}

/* Writes a file that this user alone can access, and removes what a crash has left. */
static int write_file(const char *path, const unsigned char *bytes, size_t size) {
    struct uhi_atomic_file file;
    int failed = uhi_atomic_name(&file, path);
    file.mode = 0600;
    if (!failed)
        failed = uhi_atomic_create(&file);
    if (!failed)
        failed = uhi_write_all(file.fd, bytes, size);
    if (failed) {
        const int number = errno;
        uhi_atomic_abort(&file);
        errno = number;
        return -1;
    }
    uhi_atomic_clean(&file);
    return uhi_atomic_commit(&file, 0);
}

void uhi_cache_keep(const struct uhi_cache_key *key, const struct uhi_cache_entry *entry) {
    char path[PATH_SIZE];
    const char *why = NULL;
    size_t size = 0;
    const int at = uhi_cache_is_on() && !key->failed ? uhi_cache_folder_open(folder, 1, &why) : -1;
    if (why)
        uhi_log(UH_LOG_INFO, "module cache: %s is not used: %s", folder, why);
    if (at < 0)
        return;
    (void)name_file(key, path);
    unsigned char *bytes = make_file(key, entry, &size);
    if (bytes && size <= MAX_FILE && write_file(path, bytes, size) != 0)
        uhi_log(UH_LOG_INFO, "module cache: %s cannot be written: %s", path, strerror(errno));
    else
        tidy(at);
    free(bytes);
    close(at);
}
