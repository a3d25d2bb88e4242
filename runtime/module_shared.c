/* SPDX-License-Identifier: Apache-2.0 */
/* One live module for all users of a program on a device. The library's own programs are identified by address, since
 * they exist as long as this file. A caller's program may be gone, with another one at its address, at the next call;
 * it is identified by its bytes, of which the entry has a copy. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend.h"
#include "runtime/fork.h"
#include "runtime/module.h"
#include "runtime/status.h"

/* Number of unused modules of callers' programs to keep. Rebuilding one from the cache takes milliseconds. */
enum { MAX_IDLE = 32 };

struct shared {
    uh_device *device;
    const uh_program *program;
    uh_program *copy;  /* `program` if it is a caller's, otherwise NULL */
    uh_module *module; /* NULL while being built */
    size_t users;      /* includes waiting ones */
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

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static size_t code_size(const uh_native_binary *binary) { return binary->code ? binary->size : 0; }

static const char *target_of(const uh_native_binary *binary) { return binary->target ? binary->target : ""; }

/* Returns whether everything that a module is built from is equal. */
static int are_equal(const uh_program *a, const uh_program *b) {
    int same = a->spirv_size == b->spirv_size && a->nbinaries == b->nbinaries &&
               memcmp(a->spirv, b->spirv, a->spirv_size) == 0;
    for (size_t i = 0; same && i < a->nbinaries; i++) {
        const uh_native_binary *p = &a->binaries[i], *q = &b->binaries[i];
        const size_t size = code_size(p);
        same = size == code_size(q) && strcmp(target_of(p), target_of(q)) == 0 &&
               (size == 0 || memcmp(p->code, q->code, size) == 0);
    }
    return same;
}

static void *put_copy(char **to, const void *from, size_t size) {
    char *at = *to;
    *to += size;
    return size ? memcpy(at, from, size) : at;
}

/* Copies a program, except its name, into one block. NULL if out of memory. */
static uh_program *copy_program(const uh_program *from) {
    size_t bytes = from->spirv_size;
    for (size_t i = 0; i < from->nbinaries; i++)
        bytes += code_size(&from->binaries[i]) + strlen(target_of(&from->binaries[i])) + 1;
    uh_program *copy = calloc(1, sizeof *copy + from->nbinaries * sizeof *from->binaries + bytes);
    if (!copy)
        return NULL;
    uh_native_binary *binaries = (uh_native_binary *)(void *)(copy + 1);
    char *to = (char *)(binaries + from->nbinaries);
    copy->spirv = put_copy(&to, from->spirv, from->spirv_size);
    copy->spirv_size = from->spirv_size;
    copy->binaries = binaries;
    copy->nbinaries = from->nbinaries;
    for (size_t i = 0; i < from->nbinaries; i++) {
        const uh_native_binary *binary = &from->binaries[i];
        binaries[i].code = put_copy(&to, binary->code, code_size(binary));
        binaries[i].size = code_size(binary);
        binaries[i].target = put_copy(&to, target_of(binary), strlen(target_of(binary)) + 1);
    }
    return copy;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static int is_of(const struct shared *s, const uh_device *device, const uh_program *program, int given) {
    return s->device == device && (s->copy != NULL) == given &&
           (given ? are_equal(s->program, program) : s->program == program);
}

static void discard(struct shared *s) {
    if (!s)
        return;
    uh_module_destroy(s->module);
    free(s->copy);
    free(s);
}

/* Finds or adds the entry of a device and program, makes it first and adds a user. NULL if out of memory. Locked. */
static struct shared *add_user(uh_device *device, const uh_program *program, int given) {
    struct shared **link = &all.first;
    while (*link && !is_of(*link, device, program, given))
        link = &(*link)->next;
    struct shared *s = *link;
    if (s) {
        *link = s->next;
    } else {
        s = calloc(1, sizeof *s);
        if (s && given)
            s->copy = copy_program(program);
        if (!s || (given && !s->copy)) {
            free(s);
            return NULL;
        }
        s->device = device;
        s->program = given ? s->copy : program;
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
        if (!s->copy || s->users || uhi_device_is_lost(s->device))
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
    if (!program->spirv)
        return uhi_fail_null("uh_module_create", "program->spirv", "SPIR-V");
    if (program->nbinaries && !program->binaries) /* the call gives a better message */
        return uh_module_create(device, program, NULL, module);
    pthread_mutex_lock(&all.lock);
    struct shared *s = add_user(device, program, given);
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
