/* SPDX-License-Identifier: Apache-2.0 */
/* One live module for all users of a program on a device. The library's own programs are known by their addresses, as
 * they are there as long as this file is. A caller's program may be gone, and another one at its address, when the
 * next call comes: it is known by its bytes, of which the entry has a copy. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend.h"
#include "runtime/fork.h"
#include "runtime/module.h"
#include "runtime/status.h"

/* Modules of callers' programs that stay without a user. To build one again from the cache takes milliseconds. */
enum { MOST_IDLE = 32 };

struct shared {
    uh_device *device;
    const uh_program *program;
    uh_program *copy;  /* what `program` is where it is a caller's, else NULL */
    uh_module *module; /* NULL while it is being built */
    size_t users;      /* those that wait for it included */
    int building;
    struct shared *next; /* one that was asked for before this one, where both are callers' */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t built; /* some module has been built, or could not be */
    struct shared *first;
} all = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
UHI_HELD_AT_FORK(all, all.lock)

/* Who was building is not in the child. */
static void forget_builders(void) {
    pthread_cond_init(&all.built, NULL);
    for (struct shared *s = all.first; s; s = s->next)
        s->building = 0;
}
UHI_RENEWED_AT_FORK(forget_builders)

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static size_t code_size(const uh_native_binary *binary) {
    return binary->code ? binary->size : 0;
}

static const char *target_of(const uh_native_binary *binary) {
    return binary->target ? binary->target : "";
}

/* Whether all that a module is built from is the same. */
static int holds_the_same(const uh_program *a, const uh_program *b) {
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

static void *put(char **to, const void *from, size_t size) {
    char *at = *to;
    *to += size;
    return size ? memcpy(at, from, size) : at;
}

/* Copies a program, but for its name, into one block. NULL when out of memory. */
static uh_program *copy_program(const uh_program *from) {
    size_t bytes = from->spirv_size;
    for (size_t i = 0; i < from->nbinaries; i++)
        bytes += code_size(&from->binaries[i]) + strlen(target_of(&from->binaries[i])) + 1;
    uh_program *copy = calloc(1, sizeof *copy + from->nbinaries * sizeof *from->binaries + bytes);
    if (!copy)
        return NULL;
    uh_native_binary *binaries = (uh_native_binary *)(void *)(copy + 1);
    char *to = (char *)(binaries + from->nbinaries);
    copy->spirv = put(&to, from->spirv, from->spirv_size);
    copy->spirv_size = from->spirv_size;
    copy->binaries = binaries;
    copy->nbinaries = from->nbinaries;
    for (size_t i = 0; i < from->nbinaries; i++) {
        const uh_native_binary *binary = &from->binaries[i];
        binaries[i].code = put(&to, binary->code, code_size(binary));
        binaries[i].size = code_size(binary);
        binaries[i].target = put(&to, target_of(binary), strlen(target_of(binary)) + 1);
    }
    return copy;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static int is_of(const struct shared *s, const uh_device *device, const uh_program *program, int given) {
    return s->device == device && (s->copy != NULL) == given &&
           (given ? holds_the_same(s->program, program) : s->program == program);
}

static void discard(struct shared *s) {
    if (!s)
        return;
    (void)uh_module_destroy(s->module);
    free(s->copy);
    free(s);
}

/* Finds the entry of the two, or adds one, and puts it first. NULL when out of memory. Locked. */
static struct shared *enter(uh_device *device, const uh_program *program, int given) {
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

/* Takes out the callers' entry that nobody has and that was asked for before all others, if these are too many; else
 * NULL. A lost device's stay: what runs there may never have been waited for. Locked. */
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
    if (idle <= MOST_IDLE)
        return NULL;
    struct shared *s = *last;
    *last = s->next;
    return s;
}

/* Takes a user off; an entry without a module goes with the last. Returns what is to be discarded when the lock is
 * given up. Locked. */
static struct shared *leave(struct shared *s) {
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
    if (!program->spirv || (program->nbinaries && !program->binaries)) /* which the call says better */
        return uh_module_create_program(device, program, NULL, module);
    pthread_mutex_lock(&all.lock);
    struct shared *s = enter(device, program, given);
    if (!s) {
        pthread_mutex_unlock(&all.lock);
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "uh_module_create_program", NULL, "out of memory for a shared module");
    }
    while (s->building)
        pthread_cond_wait(&all.built, &all.lock);
    if (!s->module) {
        /* The first to ask; or the one before failed, and this one finds out for itself why. */
        uh_module *made = NULL;
        s->building = 1;
        pthread_mutex_unlock(&all.lock);
        status = uh_module_create_program(device, program, NULL, &made);
        pthread_mutex_lock(&all.lock);
        s->building = 0;
        s->module = made;
        pthread_cond_broadcast(&all.built);
    }
    if (status == UH_SUCCESS)
        *module = s->module;
    else
        surplus = leave(s);
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
        surplus = leave(s);
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
