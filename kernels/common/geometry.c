/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/geometry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend.h"
#include "runtime/cache_folder.h"
#include "runtime/fork.h"
#include "runtime/log.h"
#include "runtime/module_cache.h"

/* Maximum file size in bytes; larger files are ignored. */
enum { MAX_FILE = 1 << 20 };

/* ---- built-in rows ---- */

enum { INTEL = 0x8086, IDS = 10 };
static const uint32_t iris_xe[IDS] = {0x9a40, 0x9a49, 0x9a59, 0x46a6, 0x46a8, 0x4626, 0x4628, 0xa7a0, 0xa7a1};

/* By perf/model and its resident threads, not measured. Without a row the device's properties decide: so on Max 1550,
 * as a core's 64 threads hold whole groups of 512, two with 16 lanes and four with 32. */
static const struct built_in {
    const uint32_t *ids;   /* NULL: any device */
    const char *operation; /* NULL: any */
    struct uhi_geometry geometry;
} built_in[] = {
    /* With 16 lanes a group of 512 takes 32 threads: a core's 112 threads hold three (96 threads), or seven of 256. */
    {iris_xe, "random", {256, 0}},
    {iris_xe, "meanshift", {256, 0}},
    {NULL, NULL, {0, 0}},
};

static int is_of(const struct built_in *row, const uh_device_properties *device, const char *operation) {
    int of_device = row->ids == NULL;
    for (size_t i = 0; row->ids && device->vendor_id == INTEL && i < IDS && row->ids[i]; i++)
        of_device |= row->ids[i] == device->device_id;
    return of_device && (!row->operation || strcmp(row->operation, operation) == 0);
}

struct uhi_geometry uhi_geometry_built_in(const uh_device_properties *device, const char *operation) {
    const struct built_in *row = built_in;
    while (!is_of(row, device, operation))
        row++;
    return row->geometry;
}

/* ---- file ---- */

/* Rows read for a device; kept for the process. */
struct read_device {
    struct read_device *next;
    char head[UHI_TUNING_HEAD];
    struct uhi_tuning tuning;
};

static struct {
    pthread_mutex_t lock;
    struct read_device *first;
} devices = {PTHREAD_MUTEX_INITIALIZER, NULL};
UHI_HELD_AT_FORK(devices, devices.lock)

/* Returns the text of the file, or NULL with the reason; the reason is NULL if there is no file. */
static char *read_text(const char *folder, const char **why) {
    size_t size = 0;
    char *text = uhi_cache_file_read(folder, UHI_TUNING_FILE, MAX_FILE, &size, why);
    if (!text || strlen(text) == size)
        return text;
    *why = "it is not text";
    free(text);
    return NULL;
}

static void read_device(const uh_device_properties *device, struct read_device *to) {
    char folder[UHI_CACHE_PATH];
    const char *why = NULL;
    char *text = uhi_cache_folder_path(folder) ? read_text(folder, &why) : NULL;
    const size_t wrong = text ? uhi_tuning_read(text, to->head, &to->tuning) : 0;
    if (wrong)
        uhi_log(UH_LOG_WARN, "tuning: %s/%s is not used: line %zu is invalid", folder, UHI_TUNING_FILE, wrong);
    else if (why && !text)
        uhi_log(UH_LOG_WARN, "tuning: %s/%s is not used: %s", folder, UHI_TUNING_FILE, why);
    for (size_t i = 0; i < to->tuning.count; i++)
        if (to->tuning.rows[i].geometry.group_size > device->max_group_size) {
            uhi_log(UH_LOG_WARN, "tuning: %s/%s: %s has groups of %u, %s can run %llu", folder, UHI_TUNING_FILE,
                    to->tuning.rows[i].operation, (unsigned)to->tuning.rows[i].geometry.group_size, device->selector,
                    (unsigned long long)device->max_group_size);
            to->tuning.rows[i].geometry = (struct uhi_geometry){0, 0};
        }
    free(text);
}

/* Returns the rows of a device, reading them once. NULL if out of memory. Locked. */
static const struct read_device *find_device(const uh_device_properties *device) {
    char head[UHI_TUNING_HEAD];
    struct read_device *found = devices.first;
    uhi_tuning_head(device, uh_version(), head);
    while (found && strcmp(found->head, head) != 0)
        found = found->next;
    if (found || !(found = calloc(1, sizeof *found)))
        return found;
    memcpy(found->head, head, sizeof head);
    read_device(device, found);
    found->next = devices.first;
    devices.first = found;
    return found;
}

struct uhi_geometry uhi_geometry_tuned(const uh_device_properties *device, const char *operation) {
    struct uhi_geometry geometry = {0, 0};
    if (!uhi_cache_is_on())
        return geometry;
    pthread_mutex_lock(&devices.lock);
    const struct read_device *found = find_device(device);
    const struct uhi_tuning_row *row = found ? uhi_tuning_find(&found->tuning, operation) : NULL;
    if (row)
        geometry = row->geometry;
    pthread_mutex_unlock(&devices.lock);
    return geometry;
}

/* ---- decision ---- */

static int says(struct uhi_geometry geometry) { return geometry.group_size || geometry.groups; }

struct uhi_geometry uhi_geometry_choose(const uh_queue *queue, const uh_device_properties *device,
                                        const char *operation) {
    struct uhi_geometry geometry = {queue->options.group_size, queue->options.groups};
    const char *from = "the queue's options";
    if (!says(geometry)) {
        geometry = uhi_geometry_tuned(device, operation);
        from = "the file tuning";
    }
    if (!says(geometry)) {
        geometry = uhi_geometry_built_in(device, operation);
        from = "the model";
    }
    if (says(geometry))
        uhi_log(UH_LOG_INFO, "%s on %s: %u groups of %u (0: device default), by %s", operation, device->selector,
                (unsigned)geometry.groups, (unsigned)geometry.group_size, from);
    return geometry;
}
