/* SPDX-License-Identifier: Apache-2.0 */
/* The container of saved histograms: sections with a name, an element type and dimensions; see unihist-format(5) for
 * the bytes. It is independent of histograms.
 *
 * The contents are described once: the same calls write and read them. The first failure is kept in `status`; after it
 * all calls do nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

enum {
    UHI_SECTIONS_HEAD = 24, /* bytes before the first section */
    UHI_MAX_SECTIONS = 128, /* sections per container */
    UHI_SECTION_NAME = 24,  /* bytes of a name, including the terminating 0 */
    UHI_SECTION_MAX_DIMS = 16
};

/* A section found in the bytes; its texts and data point into them. */
struct uhi_section {
    const char *name, *type; /* NumPy type string: "<f8", "<i8", "<u8", "<u2", "|u1", "|S1" ... */
    size_t ndims;
    uint64_t dims[UHI_SECTION_MAX_DIMS];
    const void *data; /* unaligned */
    int taken;        /* a reader has asked for it */
};

struct uhi_sections {
    const char *call, *source, *quote; /* for messages when loading: "CALL: QUOTE SOURCE QUOTE: what is wrong" */
    uh_status status;
    int loading;          /* otherwise saving */
    unsigned char *bytes; /* saving: zeroed output; NULL to compute the size only */
    uint64_t size;        /* total, after uhi_sections_end */
    uint32_t count;
    struct uhi_section list[UHI_MAX_SECTIONS]; /* loading only */
};

/* ---- whole container ---- */

/* Starts saving; sections->call must be set. */
void uhi_sections_save(struct uhi_sections *sections, unsigned char *bytes);

/* Starts loading; call, source and quote of `sections` must be set. Checks all bytes and finds the sections. The bytes
 * must stay valid while `sections` is used. */
uh_status uhi_sections_load(struct uhi_sections *sections, const void *bytes, size_t size);

/* Stores the total length according to the first UHI_SECTIONS_HEAD bytes (or fewer, if there are no more).
 * UH_ERROR_INVALID_ARGUMENT, or UH_ERROR_UNSUPPORTED for a newer version. */
uh_status uhi_sections_length(struct uhi_sections *sections, const void *bytes, size_t size, uint64_t *length);

/* Call after the last section. Saving: writes header and checksum. Loading: fails for a section that was not read,
 * unless its name allows skipping it. */
void uhi_sections_end(struct uhi_sections *sections);

/* ---- single sections ----
 *
 * Names and types are the library's own strings and fit. */

/* Saving: appends a section with `data`; if that is NULL, the caller writes the data. Returns the place of the data,
 * aligned to 8, or NULL if only the size is computed. */
void *uhi_sections_add(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                       const uint64_t *dims, const void *data);

/* Loading: returns the data of the named section, or NULL on failure. The section must exist and have this type and
 * these dimensions; a 0 in `dims` accepts any value and is replaced by it. */
const void *uhi_sections_get(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                             uint64_t *dims);

/* Loading: whether the named section exists and has this type (NULL: any type). */
int uhi_sections_have(struct uhi_sections *sections, const char *name, const char *type);

/* An array of 8-byte elements with any dimensions, not copied: when saving, it must live until this returns; when
 * loading, it lives as long as the bytes and is unaligned. `dims` as in uhi_sections_get. */
void uhi_sections_array(struct uhi_sections *sections, const char *name, const char *type, size_t ndims, uint64_t *dims,
                        const void **data);

/* Copies n 8-byte numbers. */
void uhi_sections_numbers(struct uhi_sections *sections, const char *name, const char *type, uint64_t n, void *numbers);

/* A string: word number `choice` of `count` words. */
void uhi_sections_choice(struct uhi_sections *sections, const char *name, const char *const *words, size_t count,
                         size_t *choice);

/* Exchanges the section with the kind of contents, a word; when saving, also adds the section with the writer. */
void uhi_sections_kind(struct uhi_sections *sections, const char *kind);

/* ---- errors ---- */

/* Reports an error in the loaded data as UH_ERROR_INVALID_ARGUMENT. */
__attribute__((format(printf, 2, 3), cold)) uh_status uhi_sections_fail(struct uhi_sections *sections,
                                                                        const char *format, ...);

/* Reports the last failure as an error in the loaded data: its text follows the source and `section` (unless NULL). */
void uhi_sections_failed(struct uhi_sections *sections, const char *section);

/* ---- files that hold a container, or memory (save.c) ---- */

/* Exchanges all sections of an object, and ends. */
typedef void uhi_saved_exchange(struct uhi_sections *sections, void *object);

/* Computes the size of a saved object and, unless `bytes` is NULL, writes it to memory that the caller frees. */
uh_status uhi_saved_make(struct uhi_sections *sections, uhi_saved_exchange *exchange, void *object,
                         unsigned char **bytes);

/* As uhi_saved_make, for one kind of object. */
typedef uh_status uhi_saved_maker(struct uhi_sections *sections, void *object, unsigned char **bytes);

/* Saves to a caller's memory of `size` bytes, unless `bytes` is NULL; *length receives the number of bytes. */
uh_status uhi_saved_to_memory(const char *call, uhi_saved_maker *make, void *object, void *bytes, size_t size,
                              size_t *length);

/* Saves to a file that appears only when complete. */
uh_status uhi_saved_to_file(const char *call, uhi_saved_maker *make, void *object, const char *path);

/* Makes the object that loaded sections describe, as the caller wishes; failures are kept in `sections`. */
typedef void uhi_saved_taker(struct uhi_sections *sections, void *wish);

/* Load from a caller's memory, and from a file: up to the length in its header, or slightly more if it is longer. */
uh_status uhi_saved_in_memory(const char *call, uhi_saved_taker *take, void *wish, const void *bytes, size_t size);
uh_status uhi_saved_in_file(const char *call, uhi_saved_taker *take, void *wish, const char *path);
