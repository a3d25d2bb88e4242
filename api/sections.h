/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container of saved histograms: sections with a name, an element type and dimensions. unihist-format(5) describes
 * the bytes. It knows nothing of histograms.
 *
 * What is kept is described once: the same calls write it and read it. The first failure stays in `status`, and after
 * it all calls do nothing.
 */
#ifndef UHI_SECTIONS_H
#define UHI_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

enum {
    UHI_SECTIONS_HEAD = 24, /* bytes before the first section */
    UHI_MAX_SECTIONS = 128, /* sections of one container */
    UHI_SECTION_NAME = 24,  /* bytes of a name, the terminating 0 included */
    UHI_SECTION_MOST_DIMS = 16
};

/* One that was found in the bytes, where its texts and data are. */
struct uhi_section {
    const char *name, *type; /* the type as NumPy writes it: "<f8", "<i8", "<u8", "<u2", "|u1", "|S1" ... */
    size_t ndims;
    uint64_t dims[UHI_SECTION_MOST_DIMS];
    const void *data; /* not aligned */
    int taken;        /* whether a reader has asked for it */
};

struct uhi_sections {
    const char *call, *source, *quote; /* for messages of loading: "CALL: QUOTE SOURCE QUOTE: what is wrong" */
    uh_status status;
    int loading;          /* else they are saved */
    unsigned char *bytes; /* saving: where to, all zero; NULL where nothing is written, but sizes are counted */
    uint64_t size;        /* of all, once uhi_sections_end has been called */
    uint32_t count;
    struct uhi_section list[UHI_MAX_SECTIONS]; /* loading */
};

/* ---- all of them ---- */

/* Begins to save, with what `sections` has of `call`. */
void uhi_sections_save(struct uhi_sections *sections, unsigned char *bytes);

/* Begins to load, with what `sections` has of call, source and quote: checks all the bytes, which are lent, and finds
 * the sections. */
uh_status uhi_sections_load(struct uhi_sections *sections, const void *bytes, size_t size);

/* Stores the length of the whole, going by the first UHI_SECTIONS_HEAD bytes (or fewer, where there are no more):
 * UH_ERROR_INVALID_ARGUMENT, or UH_ERROR_UNSUPPORTED for a newer version. */
uh_status uhi_sections_length(struct uhi_sections *sections, const void *bytes, size_t size, uint64_t *length);

/* After the last section. Saving: writes head and checksum. Loading: fails where nobody has asked for a section, unless
 * its name says that it may be skipped. */
void uhi_sections_end(struct uhi_sections *sections);

/* ---- one of them ----
 *
 * Names and types are texts of the library's own that fit. */

/* Saving: appends a section of `data`, or of what the caller writes where that is NULL: returns the place for it,
 * aligned to 8, or NULL where sizes are counted. */
void *uhi_sections_add(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                       const uint64_t *dims, const void *data);

/* Loading: returns the data of the section of that name, or NULL. It must be there, of that type, with these
 * dimensions; what is 0 of `dims` may be anything, and is stored. */
const void *uhi_sections_get(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                             uint64_t *dims);

/* Loading: whether there is such a section, of that type unless it is NULL. */
int uhi_sections_have(struct uhi_sections *sections, const char *name, const char *type);

/* An array of 8-byte elements of any dimensions, lent: saving, until this returns; loading, as long as the bytes, and
 * not aligned. `dims` as of uhi_sections_get. */
void uhi_sections_lend(struct uhi_sections *sections, const char *name, const char *type, size_t ndims, uint64_t *dims,
                       const void **data);

/* So many 8-byte numbers, copied. */
void uhi_sections_numbers(struct uhi_sections *sections, const char *name, const char *type, uint64_t n, void *numbers);

/* A text: word number `choice` of `count`. */
void uhi_sections_choice(struct uhi_sections *sections, const char *name, const char *const *words, size_t count,
                         size_t *choice);

/* ---- what is wrong ---- */

/* UH_ERROR_INVALID_ARGUMENT for what is loaded. */
__attribute__((format(printf, 2, 3), cold)) uh_status uhi_sections_fail(struct uhi_sections *sections,
                                                                        const char *format, ...);

/* Takes a failure that was of what is loaded: its text comes behind the source, and `section` unless that is NULL. */
void uhi_sections_failed(struct uhi_sections *sections, const char *section);

#endif
