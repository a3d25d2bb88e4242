/* SPDX-License-Identifier: Apache-2.0 */
#include "soft.h"

#include <inttypes.h>

#define MAGIC 0x736f667467707521u
#define DEAD  0xdeaddeaddeaddeadu

/* Freed objects are kept for a while, so that the use of a destroyed handle is seen instead of crashing. */
#define KEPT 4096

static pthread_mutex_t object_lock = PTHREAD_MUTEX_INITIALIZER;
static struct soft_object alive = {.previous = &alive, .next = &alive};
static struct soft_object *kept[KEPT];
static size_t kept_next;
static uint64_t number;

static const char *const names[] = {
#define NAME(name) #name,
    SOFT_KINDS(NAME)
#undef NAME
};

/* Those that a program must destroy. */
static bool counted(enum soft_kind kind) { return kind >= SOFT_KIND_context && kind <= SOFT_KIND_memory; }

void *soft_new(enum soft_kind kind, size_t size, struct soft_object *parent, void (*release)(struct soft_object *)) {
    struct soft_object *object = calloc(1, size);
    if (!object)
        return NULL;
    object->library = &alive;
    object->magic = MAGIC;
    object->kind = kind;
    object->release = release;
    object->size = size;
    atomic_init(&object->references, 1);
    object->parent = parent;
    if (parent)
        soft_reference(parent);
    pthread_mutex_lock(&object_lock);
    object->number = ++number;
    if (counted(kind)) {
        object->previous = alive.previous;
        object->next = &alive;
        object->previous->next = object;
        alive.previous = object;
        if (parent)
            parent->children++;
    }
    pthread_mutex_unlock(&object_lock);
    return object;
}

void soft_reference(struct soft_object *object) { atomic_fetch_add(&object->references, 1); }

static void keep(struct soft_object *object) {
    memset((char *)object + sizeof *object, 0xdd, object->size - sizeof *object);
    pthread_mutex_lock(&object_lock);
    free(kept[kept_next]);
    kept[kept_next] = object;
    kept_next = (kept_next + 1) % KEPT;
    pthread_mutex_unlock(&object_lock);
}

void soft_unreference(struct soft_object *object) {
    if (!object || atomic_fetch_sub(&object->references, 1) != 1)
        return;
    struct soft_object *parent = object->parent;
    if (object->release)
        object->release(object);
    if (counted(object->kind))
        keep(object);
    else
        free(object);
    soft_unreference(parent);
}

void *soft_get(const void *handle, enum soft_kind kind, const char *call) {
    struct soft_object *object;
    memcpy(&object, &handle, sizeof handle);
    if (!object)
        soft_misuse(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, call, "the %s is NULL", names[kind]);
    else if ((uintptr_t)object % _Alignof(struct soft_object) || (object->magic != MAGIC && object->magic != DEAD))
        soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "%p is no handle of a %s", handle, names[kind]);
    else if (object->magic == DEAD)
        soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "%s %" PRIu64 " has been destroyed", names[object->kind],
                    object->number);
    else if (object->kind != kind)
        soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "the handle is that of a %s, expected a %s",
                    names[object->kind], names[kind]);
    else
        return object;
    return NULL;
}

void soft_destroy(struct soft_object *object, const char *call) {
    pthread_mutex_lock(&soft_lock);
    uint32_t uses = object->uses;
    pthread_mutex_unlock(&soft_lock);
    pthread_mutex_lock(&object_lock);
    uint32_t children = object->children;
    object->previous->next = object->next;
    object->next->previous = object->previous;
    if (object->parent)
        object->parent->children--;
    pthread_mutex_unlock(&object_lock);
    if (uses && !soft_is_lost(NULL))
        soft_misuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, call,
                    "%s %" PRIu64 " is used by %u commands that are not done", names[object->kind], object->number,
                    uses);
    if (children)
        soft_misuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, call, "%s %" PRIu64 " still has %u handles alive",
                    names[object->kind], object->number, children);
    object->magic = DEAD;
    soft_unreference(object);
}

size_t soft_live(char *text, size_t size) {
    uint64_t counts[SOFT_KIND_COUNT] = {0};
    size_t total = 0, used = 0;
    pthread_mutex_lock(&object_lock);
    for (const struct soft_object *object = alive.next; object != &alive; object = object->next, total++)
        counts[object->kind]++;
    if (text && size)
        text[0] = '\0';
    for (size_t kind = 0; text && kind < SOFT_KIND_COUNT; kind++)
        if (counts[kind] && used < size) {
            int written =
                snprintf(text + used, size - used, "%" PRIu64 " %s, the first is number", counts[kind], names[kind]);
            used += written > 0 ? (size_t)written : 0;
            const struct soft_object *object = alive.next;
            while (object->kind != (enum soft_kind)kind)
                object = object->next;
            if (used < size)
                written = snprintf(text + used, size - used, " %" PRIu64 "\n", object->number);
            used += written > 0 ? (size_t)written : 0;
        }
    pthread_mutex_unlock(&object_lock);
    return total;
}
