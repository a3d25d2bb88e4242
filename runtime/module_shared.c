/* SPDX-License-Identifier: Apache-2.0 */
/* One live module for all users of a program on a device. The library's own programs are identified by address, since
 * they exist as long as this file. A caller's program may be gone, with another one at its address, at the next call;
 * it is identified by its contents, of which the entry has a copy. */
#include <string.h>

#include "runtime/backend.h"
#include "runtime/fork.h"
#include "runtime/module.h"
#include "runtime/module_cache.h"
#include "runtime/status.h"

/* Number of unused modules of callers' programs to keep. Rebuilding one from the cache takes milliseconds. */
enum { MAX_IDLE = 32 };

struct shared {
    uh_device *device;
    const uh_program *program;     /* of the library; NULL if it is a caller's */
    struct uhi_cache_key contents; /* of a caller's program, otherwise empty */
    uh_module *module;             /* NULL while being built */
    size_t users;                  /* includes waiting ones */
    int building;
    struct shared *next; /* requested before this one, if both are callers' */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t built; /* a module has been built, or its build has failed */
    struct shared *first;
} all = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
UHI_HELD_AT_FORK(all, all.lock)

/* The building threads do not exist in the child. */
static void abandon_builds(void) {
    pthread_cond_init(&all.built, NULL);
    for (struct shared *s = all.first; s; s = s->next)
        s->building = 0;
}
UHI_RENEWED_AT_FORK(abandon_builds)

/* Adds everything that a module is built from. */
static void add_contents(struct uhi_cache_key *contents, const uh_program *program) {
    uhi_cache_key_add(contents, program->spirv, program->spirv_size);
    for (size_t i = 0; i < program->nbinaries; i++) {
        const uh_native_binary *binary = &program->binaries[i];
        const char *target = binary->target ? binary->target : "";
        uhi_cache_key_add(contents, target, strlen(target));
        uhi_cache_key_add(contents, binary->code, binary->code ? binary->size : 0);
    }
}

static int is_of(const struct shared *s, const uh_device *device, const uh_program *program,
                 const struct uhi_cache_key *contents) {
    return s->device == device && s->program == program && s->contents.size == contents->size &&
           (contents->size == 0 || memcmp(s->contents.bytes, contents->bytes, contents->size) == 0);
}

static void discard(struct shared *s) {
    if (!s)
        return;
    uh_module_destroy(s->module);
    uhi_cache_key_free(&s->contents);
    free(s);
}

/* Finds or adds the entry of a device and program, makes it first and adds a user. A new entry takes the contents. NULL
 * if out of memory. Locked. */
static struct shared *add_user(uh_device *device, const uh_program *program, struct uhi_cache_key *contents) {
    struct shared **link = &all.first;
    if (contents->failed)
        return NULL;
    while (*link && !is_of(*link, device, program, contents))
        link = &(*link)->next;
    struct shared *s = *link;
    if (s) {
        *link = s->next;
    } else {
        s = calloc(1, sizeof *s);
        if (!s)
            return NULL;
        s->device = device;
        s->program = program;
        s->contents = *contents;
        *contents = (struct uhi_cache_key){0};
    }
    s->next = all.first;
    all.first = s;
    s->users++;
    return s;
}

/* Removes and returns the least recently requested unused entry of a caller's program if there are too many, otherwise
 * NULL. Entries of a lost device stay: nobody may have waited for their work. Locked. */
static struct shared *take_surplus(void) {
    struct shared **last = NULL;
    size_t idle = 0;
    for (struct shared **link = &all.first; *link; link = &(*link)->next) {
        const struct shared *s = *link;
        if (s->program || s->users || uhi_device_is_lost(s->device))
            continue;
        last = link;
        idle++;
    }
    if (idle <= MAX_IDLE)
        return NULL;
    struct shared *s = *last;
    *last = s->next;
    return s;
}

/* Removes a user; an entry without a module goes with its last user. Returns the entry to discard after unlocking.
 * Locked. */
static struct shared *remove_user(struct shared *s) {
    if (--s->users)
        return NULL;
    if (s->module)
        return take_surplus();
    struct shared **link = &all.first;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    return s;
}

uh_status uhi_module_acquire(uh_device *device, const uh_program *program, int given, uh_module **module) {
    uh_status status = UH_SUCCESS;
    struct shared *surplus = NULL;
    struct uhi_cache_key contents = {0};
    if (!program->spirv)
        return uhi_fail_null("uh_module_create", "program->spirv", "SPIR-V");
    if (program->nbinaries && !program->binaries) /* the call gives a better message */
        return uh_module_create(device, program, NULL, module);
    if (given)
        add_contents(&contents, program);
    pthread_mutex_lock(&all.lock);
    struct shared *s = add_user(device, given ? NULL : program, &contents);
    uhi_cache_key_free(&contents);
    if (!s) {
        pthread_mutex_unlock(&all.lock);
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_module_create", NULL, "out of memory for a shared module");
    }
    while (s->building)
        pthread_cond_wait(&all.built, &all.lock);
    if (!s->module) {
        /* The first request, or the previous build failed; this one must get its own error. */
        uh_module *made = NULL;
        s->building = 1;
        pthread_mutex_unlock(&all.lock);
        status = uh_module_create(device, program, NULL, &made);
        pthread_mutex_lock(&all.lock);
        s->building = 0;
        s->module = made;
        pthread_cond_broadcast(&all.built);
    }
    if (!status)
        *module = s->module;
    else
        surplus = remove_user(s);
    pthread_mutex_unlock(&all.lock);
    discard(surplus);
    return status;
}

void uhi_module_release(const uh_module *module) {
    struct shared *surplus = NULL;
    if (!module)
        return;
    pthread_mutex_lock(&all.lock);
    struct shared *s = all.first;
    while (s && s->module != module)
        s = s->next;
    if (s)
        surplus = remove_user(s);
    pthread_mutex_unlock(&all.lock);
    discard(surplus);
}

void uhi_module_destroy_idle(const uh_device *device) {
    struct shared *idle = NULL;
    pthread_mutex_lock(&all.lock);
    for (struct shared **link = &all.first, *s; (s = *link);) {
        if (s->users || (device ? s->device != device : s->device->is_foreign)) {
            link = &s->next;
            continue;
        }
        *link = s->next;
        s->next = idle;
        idle = s;
    }
    pthread_mutex_unlock(&all.lock);
    while (idle) {
        struct shared *next = idle->next;
        discard(idle);
        idle = next;
    }
}
