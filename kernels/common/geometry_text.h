/* SPDX-License-Identifier: Apache-2.0 */
/* The file `tuning` of the user's cache: how wide operations run on devices, as unihist-perf tune has measured it. A
 * text that a person can read and edit; here as a pure function, for the library, which reads it, and for the harness,
 * which writes it:
 *
 *     [NAME, THREADS threads; driver VERSION; Unihist VERSION]
 *     OPERATION GROUP_SIZE GROUPS
 *
 * with lines that are empty or begin with # anywhere. A head stands for one device with one driver and one version of
 * the library: what was measured with another is not for this one. */
#ifndef UHI_GEOMETRY_TEXT_H
#define UHI_GEOMETRY_TEXT_H

#include <unihist/runtime.h>

/* How wide an operation runs. It changes speed, never results. */
struct uhi_geometry {
    uint32_t group_size; /* work-items of a group, a power of two; 0: as the device is */
    uint32_t groups;     /* of so many items, that fill the device; 0: as the device is */
};

enum {
    UHI_TUNING_ROWS = 32,
    UHI_TUNING_NAME = 32,
    UHI_TUNING_HEAD = 320,
    UHI_MAX_GROUP_SIZE = 1024, /* of any of Intel's GPUs */
    UHI_MAX_GROUPS = 4096      /* more would only begin and end */
};
#define UHI_TUNING_FILE "tuning"

/* What the file says of one device. */
struct uhi_tuning {
    size_t count;
    struct uhi_tuning_row {
        char operation[UHI_TUNING_NAME];
        struct uhi_geometry geometry;
    } rows[UHI_TUNING_ROWS];
};

/* Not 0 where it is one that a queue or the file may ask for: 0 or a power of two, and within the limits above. */
int uhi_geometry_is_legal(uint64_t group_size, uint64_t groups);

/* Writes the head of a device's lines, for this version of the library. */
void uhi_tuning_head(const uh_device_properties *device, const char *version, char head[UHI_TUNING_HEAD]);

/* Reads the lines under a head; none where there is no such head. Returns 0, or the number of the first line, whoever's
 * it is, that is none of such a file: then nothing of it is to be used. */
size_t uhi_tuning_read(const char *text, const char *head, struct uhi_tuning *tuning);

/* The row of an operation, or NULL. */
const struct uhi_tuning_row *uhi_tuning_find(const struct uhi_tuning *tuning, const char *operation);

/* A text with these rows under the head, and all else of `before` as it was (NULL: there was nothing): the rows of
 * other operations under it, other devices, drivers and versions, and comments. The caller frees it; NULL where memory
 * is lacking. */
char *uhi_tuning_write(const char *before, const char *head, const struct uhi_tuning *tuning);

#endif
