/* SPDX-License-Identifier: Apache-2.0 */
/* How a test program drives the driver that it runs on. The functions are found in the library that
 * ZE_ENABLE_ALT_DRIVERS names; see README.md. */
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Called at the begin of every call: its name, and its number from 1. From any thread, no lock held. */
typedef void (*soft_gpu_callback)(const char *name, uint64_t number, void *user);

struct soft_gpu {
    /* Faults as in SOFT_GPU_FAIL, counted from now on; they replace the earlier ones. NULL or "": none. Write
     * (gpu.fail)("..."), as cmocka has a macro of that name. Returns 0, or
     * -1 with a line on stderr. */
    int (*fail)(const char *faults);
    /* Loses the devices at the n-th call from now on, 1 being the next; 0: now. */
    void (*lose)(uint64_t n);
    /* The devices are there again. What was submitted before has gone. */
    void (*recover)(void);
    /* The number of calls of `name` so far (NULL: of any; "execute": of executed commands). */
    uint64_t (*calls)(const char *name);
    void (*trace)(soft_gpu_callback callback, void *user);
    /* How many handles and allocations are alive, and a text of one line each. `text` may be NULL. */
    size_t (*live_handles)(char *text, size_t size);
    /* How many misuses were found since the last call of this function, and the latest. */
    size_t (*misuses)(char *text, size_t size);
    /* Settings as in SOFT_GPU, from now on; the devices and tiles stay. Returns 0, or -1 with a line on
     * stderr. */
    int (*set)(const char *settings);
    /* The nanoseconds of the longest launch since the last call of this function, by the time model (`slow`); 0 without
     * one. */
    uint64_t (*longest)(void);
    /* How many lists of this priority (ze_command_queue_priority_t) are alive. */
    size_t (*lists)(uint32_t priority);
    /* Loses the listed device of that number, with its tiles, at the n-th call about it or command that it executes
     * from now on; 0: now. Returns 0, or -1 if there is no such device. */
    int (*lose_one)(uint32_t number, uint64_t n);
    /* How many copies began or ended while a launch was at work, since the last call of this function. */
    uint64_t (*overlaps)(void);
};

/* Fills in the table; returns 0, or -1 where the driver is not in use. */
static inline int soft_gpu_find(struct soft_gpu *gpu) {
    const char *paths = getenv("ZE_ENABLE_ALT_DRIVERS"); /* the first of them is the driver's */
    char *path = paths ? strndup(paths, strcspn(paths, ",")) : NULL;
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    free(path);
    void *table = library ? dlsym(library, "soft_gpu_table") : NULL;
    if (!table)
        return -1;
    memcpy(gpu, table, sizeof *gpu);
    return 0;
}
