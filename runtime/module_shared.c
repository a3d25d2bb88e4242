/* SPDX-License-Identifier: Apache-2.0 */
/* One live module for all users of a program on a device. */
#include <pthread.h>
#include <stdlib.h>

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

/* Takes a user off; returns the module for the caller to destroy if it was the last. Locked. */
static uh_module *leave(struct shared *s) {
    if (--s->users)
        return NULL;
    struct shared **link = &all.first;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    uh_module *module = s->module;
    free(s);
    return module;
}

uh_status uhi_module_acquire(uh_device *device, const uh_program *program, uh_module **module) {
    uh_status status = UH_SUCCESS;
    pthread_mutex_lock(&all.lock);
    struct shared *s = enter(device, program);
    if (!s) {
        pthread_mutex_unlock(&all.lock);
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: out of memory for a shared module", __func__);
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
        (void)leave(s);
    pthread_mutex_unlock(&all.lock);
    return status;
}

void uhi_module_release(uh_module *module) {
    uh_module *last = NULL;
    if (!module)
        return;
    pthread_mutex_lock(&all.lock);
    struct shared *s = all.first;
    while (s && s->module != module)
        s = s->next;
    if (s)
        last = leave(s);
    pthread_mutex_unlock(&all.lock);
    uh_module_destroy(last);
}
