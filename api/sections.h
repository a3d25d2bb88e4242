/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container of saved histograms: sections with a name, an element type and dimensions. unihist-format(5) describes
 * the bytes. It knows nothing of histograms.
 */
#ifndef UHI_SECTIONS_H
#define UHI_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

enum {
    UHI_SECTIONS_HEAD = 24,   /* bytes before the first section */
    UHI_SECTIONS_DIGEST = 32, /* bytes behind the last */
    UHI_MAX_SECTIONS = 128,   /* sections of one container */
    UHI_SECTION_NAME = 24,    /* bytes of a name, the terminating 0 included */
    UHI_SECTION_TYPE = 8,     /* bytes of a type's name, the terminating 0 included */
    UHI_SECTION_OWN = 64,
    UHI_SECTION_MOST_DIMS = 16
};

struct uhi_section {
    char name[UHI_SECTION_NAME];
    char type[UHI_SECTION_TYPE]; /* as NumPy writes it: "<f8", "<i8", "<u8", "<u2", "|u1", "|S1" ... */
    size_t ndims;
    uint64_t dims[UHI_SECTION_MOST_DIMS];
    const void *data;                   /* lent; where it was parsed, not aligned; NULL: streamed */
    unsigned char own[UHI_SECTION_OWN]; /* a copy of what is as short as this: `data` is here then */
    int taken;                          /* whether a reader has asked for it */
};

/* Takes the next bytes of a container. Anything but UH_SUCCESS ends the writing. */
typedef uh_status (*uhi_sections_sink)(void *context, const void *bytes, size_t size);

/* Hands the data of all streamed sections, one after the other, to a sink, and returns what that returned where it was
 * no success. */
typedef uh_status (*uhi_sections_stream)(const void *from, uhi_sections_sink sink, void *context);

struct uhi_sections {
    uint32_t version;
    size_t count;
    uhi_sections_stream stream; /* of those without data, which are the last; or NULL */
    const void *stream_from;
    struct uhi_section list[UHI_MAX_SECTIONS];
};

/* Where bytes to parse come from, for messages: "CALL: NAME: what is wrong". */
struct uhi_source {
    const char *call;
    const char *name; /* of the file, with quotes, or of the argument */
};

/* ---- writing ---- */

/* Appends a section; `name` and `type` are texts of the library's own that fit. `data` is lent until all is written,
 * but for at most UHI_SECTION_OWN bytes, which are copied, and NULL for a section that is streamed. There is room for
 * UHI_MAX_SECTIONS. */
void uhi_sections_add(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                      const uint64_t *dims, const void *data);

/* The same for a text. */
void uhi_sections_add_text(struct uhi_sections *sections, const char *name, const char *text);

/* How many bytes there will be. */
uint64_t uhi_sections_bytes(const struct uhi_sections *sections);

/* Hands all the bytes to `sink`, and returns what it returned. */
uh_status uhi_sections_write(const char *call, const struct uhi_sections *sections, uhi_sections_sink sink,
                             void *context);

/* ---- reading ---- */

/* Checks the first UHI_SECTIONS_HEAD bytes (or fewer, where there are no more) and stores the length of the whole:
 * UH_ERROR_INVALID_ARGUMENT, or UH_ERROR_UNSUPPORTED for a newer version. */
uh_status uhi_sections_head(const struct uhi_source *source, const void *bytes, size_t size, uint64_t *length);

/* Checks all the bytes and finds their sections, whose data point into them. */
uh_status uhi_sections_parse(const struct uhi_source *source, const void *bytes, size_t size,
                             struct uhi_sections *sections);

/* Returns the section of that name and marks it as taken; NULL where there is none. */
const struct uhi_section *uhi_sections_find(struct uhi_sections *sections, const char *name);

/* Stores the section of that name, which must be there, of that type and with that many dimensions. `dims` may be NULL;
 * where a number in it is not 0 the dimension must be that. */
uh_status uhi_sections_get(const struct uhi_source *source, struct uhi_sections *sections, const char *name,
                           const char *type, size_t ndims, const uint64_t *dims, const struct uhi_section **section);

/* Stores which of `count` words the text of that name is. */
uh_status uhi_sections_choice(const struct uhi_source *source, struct uhi_sections *sections, const char *name,
                              const char *const *words, size_t count, size_t *choice);

/* Fails where a section has not been taken, unless its name says that it may be skipped. */
uh_status uhi_sections_all_taken(const struct uhi_source *source, const struct uhi_sections *sections);

/* Returns the bytes of an element of a type, 0 for a type that is none. */
size_t uhi_section_element(const char *type);

/* Returns how many elements a section has. */
uint64_t uhi_section_elements(const struct uhi_section *section);

/* UH_ERROR_INVALID_ARGUMENT, with "CALL: NAME: " before the text. */
__attribute__((format(printf, 2, 3), cold)) uh_status uhi_source_fail(const struct uhi_source *source,
                                                                      const char *format, ...);

/* The last failure, which was of what the source holds: its text becomes "NAME: SECTION: TEXT", or "NAME: TEXT" where
 * `section` is NULL. Returns its status. */
uh_status uhi_source_failed(const struct uhi_source *source, const char *section);

#ifdef __clang_analyzer__ /* as for uhi_fail */
#define uhi_source_fail(...) (uhi_source_fail(__VA_ARGS__), UH_ERROR_INVALID_ARGUMENT)
#endif

#endif
