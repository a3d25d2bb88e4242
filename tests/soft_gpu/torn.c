/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of many groups that lose what one of them has written: of each allocation that the kernel was given, the
 * last cache line that the launch has changed is as it was before. */
#include <stdlib.h>
#include <string.h>

#include "stream.h"

enum { LINE = 64 };
#define MOST ((size_t)256 << 20) /* larger allocations are left alone */

/* A copy of an allocation, as it was. */
struct copy {
    struct soft_memory *memory;
    char *bytes;
};

static bool is_torn(const struct soft_launch *launch) {
    uint64_t groups = 1;
    for (int i = 0; i < 3; i++)
        groups *= launch->local[i] ? launch->global[i] / launch->local[i] : 1;
    return soft_settings.torn && groups >= soft_settings.torn &&
           strstr(launch->description->name, soft_settings.torn_in) != NULL;
}

static void lose_last_line(const struct copy *copy) {
    char *now = copy->memory->base;
    size_t end = copy->memory->size;
    while (end > 0) {
        const size_t begin = (end - 1) / LINE * LINE;
        if (memcmp(now + begin, copy->bytes + begin, end - begin) != 0) {
            memcpy(now + begin, copy->bytes + begin, end - begin);
            return;
        }
        end = begin;
    }
}

ze_result_t soft_torn_run(struct soft_stream *stream, struct soft_work *work) {
    struct copy *copies = is_torn(work->launch) ? calloc(work->nused + 1, sizeof *copies) : NULL;
    size_t count = 0;
    for (size_t i = 0; copies && i < work->nused; i++) {
        struct soft_memory *memory = (struct soft_memory *)work->used[i];
        if (work->used[i]->kind != SOFT_KIND_memory || memory->size > MOST)
            continue;
        copies[count] = (struct copy){memory, malloc(memory->size)};
        if (copies[count].bytes)
            memcpy(copies[count++].bytes, memory->base, memory->size);
    }
    const ze_result_t result = soft_pace_run(stream, work->launch);
    while (count > 0) {
        lose_last_line(&copies[--count]);
        free(copies[count].bytes);
    }
    free(copies);
    return result;
}
