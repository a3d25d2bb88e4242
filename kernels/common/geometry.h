/* SPDX-License-Identifier: Apache-2.0 */
/* Group size and number of groups of an operation on a device. The first source that specifies them decides: the
 * queue's options, the file `tuning` of the user's cache (below), the built-in rows, the device's properties
 * (engine.h). */
#pragma once

#include <unihist/device.h>

/* Geometry of an operation. It affects speed, never results. */
struct uhi_geometry {
    uint32_t group_size; /* work-items per group, a power of two; 0: device default */
    uint32_t groups;     /* groups of that size that fill the device; 0: device default */
};

/* Returns the built-in geometry; zeros if no row matches the device and the operation. */
struct uhi_geometry uhi_geometry_built_in(const uh_device_properties *device, const char *operation);

/* Returns the file's geometry, read at most once per device and process; zeros if it has none, is invalid or
 * unreadable, or caching is off. Invalid and unreadable files are logged. */
struct uhi_geometry uhi_geometry_tuned(const uh_device_properties *device, const char *operation);

/* Returns the geometry for a queue's operation; logs one that is not from the device's properties. */
struct uhi_geometry uhi_geometry_choose(const uh_queue *queue, const uh_device_properties *device,
                                        const char *operation);

/* ---- the file (geometry_text.c) ---- */

/* The file `tuning` of the user's cache: group sizes and numbers of groups per operation and device, as measured by
 * unihist-perf tune. The text can be read and edited by people. Pure functions, for the library, which reads it, and
 * the harness, which writes it:
 *
 *     [NAME, THREADS threads; driver VERSION; Unihist VERSION]
 *     OPERATION GROUP_SIZE GROUPS
 *
 * Empty lines and lines with a leading # may be anywhere. A head stands for one device with one driver and one
 * version of the library: measurements are not valid for others. */

enum {
    UHI_TUNING_ROWS = 32,
    UHI_TUNING_NAME = 32,
    UHI_TUNING_HEAD = 320,
    UHI_MAX_GROUP_SIZE = 1024, /* of any Intel GPU */
    UHI_MAX_GROUPS = 4096      /* more groups would only start and end */
};
#define UHI_TUNING_FILE "tuning"

/* Rows of the file for one device. */
struct uhi_tuning {
    size_t count;
    struct uhi_tuning_row {
        char operation[UHI_TUNING_NAME];
        struct uhi_geometry geometry;
    } rows[UHI_TUNING_ROWS];
};

/* Writes the head of a device's lines for a version of the library. */
void uhi_tuning_head(const uh_device_properties *device, const char *version, char head[UHI_TUNING_HEAD]);

/* Reads the rows under a head; none if it is missing. Returns 0, or the number of the first invalid line under any
 * head: then the whole file must be ignored. */
size_t uhi_tuning_read(const char *text, const char *head, struct uhi_tuning *tuning);

/* Returns the row of an operation, or NULL. */
const struct uhi_tuning_row *uhi_tuning_find(const struct uhi_tuning *tuning, const char *operation);

/* Returns the text `before` (NULL: empty) with these rows under the head. Everything else is kept: rows of other
 * operations, other devices, drivers and versions, and comments. The caller frees it; NULL if out of memory. */
char *uhi_tuning_write(const char *before, const char *head, const struct uhi_tuning *tuning);
