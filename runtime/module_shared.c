/* SPDX-License-Identifier: Apache-2.0 */
/* One live module for all users of a program on a device. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime/backend.h"
#include "runtime/module.h"
#include "runtime/status.h"

struct shared {
    uh_device *device;
    const uh_program *program;
    uh_module *module; /* NULL while it is being built */
    size_t users;      /* those that wait for it included */
    int building;
    struct shared *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t built; /* some module has been built, or could not be */
    struct shared *first;
} all = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};

/* Finds the entry of the two, or adds one. NULL when out of memory. Locked. */
static struct shared *enter(uh_device *device, const uh_program *program) {
    struct shared *s = all.first;
    while (s && (s->device != device || s->program != program))
        s = s->next;
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s)
            return NULL;
        s->device = device;
        s->program = program;
        s->next = all.first;
        all.first = s;
    }
    s->users++;
    return s;
}

/* Takes a user off; an entry without a module goes with the last. Locked. */
static void leave(struct shared *s) {
    if (--s->users || s->module)
        return;
    struct shared **link = &all.first;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    free(s);
}

uh_status uhi_module_acquire(uh_device *device, const uh_program *program, uh_module **module) {
    uh_status status = UH_SUCCESS;
    pthread_mutex_lock(&all.lock);
    struct shared *s = enter(device, program);
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
        leave(s);
    pthread_mutex_unlock(&all.lock);
    return status;
}

void uhi_module_release(const uh_module *module) {
    if (!module)
        return;
    pthread_mutex_lock(&all.lock);
    struct shared *s = all.first;
    while (s && s->module != module)
        s = s->next;
    if (s)
        leave(s);
    pthread_mutex_unlock(&all.lock);
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
        uh_module_destroy(idle->module);
        free(idle);
        idle = next;
    }
}
