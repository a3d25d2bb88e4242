/* SPDX-License-Identifier: Apache-2.0 */
/* Reading sections of untrusted bytes. */
#include "api/sections.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <unihist/save.h>

#include "api/sections_format.h"
#include "runtime/sha256.h"
#include "runtime/status.h"

/* Sections whose names begin so may be skipped by readers that do not know them. */
static const char may_be_skipped[] = "meta.";

uh_status(uhi_source_fail)(const struct uhi_source *source, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, source->call, NULL, "%s: %s", source->name, text);
}

uh_status uhi_source_failed(const struct uhi_source *source, const char *section) {
    const uh_error_info *inner = uh_last_error_info();
    return uhi_fail(inner->status, source->call, NULL, "%s: %s%s%s", source->name, section ? section : "",
                    section ? ": " : "", inner->text);
}

uh_status uhi_sections_head(const struct uhi_source *source, const void *bytes, size_t size, uint64_t *length) {
    uint32_t version;
    if (size == 0)
        return uhi_source_fail(source, "it is empty, expected a saved histogram");
    if (memcmp(bytes, uhi_sections_magic, size < 8 ? size : 8) != 0)
        return uhi_source_fail(source, "it is no saved histogram: it does not begin as one");
    if (size < UHI_SECTIONS_HEAD)
        return uhi_source_fail(source, "it is truncated: %zu bytes, expected %d at least", size,
                               UHI_SECTIONS_HEAD + UHI_SECTIONS_DIGEST);
    memcpy(&version, (const char *)bytes + 8, sizeof version);
    memcpy(length, (const char *)bytes + 16, sizeof *length);
    if (version > UH_SAVED_VERSION)
        return uhi_fail(UH_ERROR_UNSUPPORTED, source->call, NULL,
                        "%s: its format has version %" PRIu32 ", and this library (%s) reads up to %d", source->name,
                        version, uh_version(), UH_SAVED_VERSION);
    if (version < 1)
        return uhi_source_fail(source, "it is damaged: its format has version 0");
    if (*length < UHI_SECTIONS_HEAD + UHI_SECTIONS_DIGEST)
        return uhi_source_fail(source, "it is damaged: it says that it has %" PRIu64 " bytes", *length);
    return UH_SUCCESS;
}

/* What is not parsed yet. */
struct rest {
    const unsigned char *next;
    uint64_t size;
};

static const void *take(struct rest *rest, uint64_t size) {
    const unsigned char *taken = rest->next;
    if (size > rest->size)
        return NULL;
    rest->next += size;
    rest->size -= size;
    return taken;
}

/* Copies a text that ends within `size` bytes and is followed by zeros alone; 0 where it is none. */
static int copy_text(char *to, const void *from, size_t size) {
    const char *bytes = from;
    size_t length = strnlen(bytes, size);
    if (length == 0 || length == size)
        return 0;
    for (size_t i = 0; i < size; i++)
        if (i < length ? bytes[i] <= ' ' || bytes[i] > '~' : bytes[i] != 0)
            return 0;
    memcpy(to, bytes, size);
    return 1;
}

/* Whether the dimensions make `bytes` bytes of elements, without overflow on the way. */
static int dims_make(const struct uhi_section *section, uint64_t bytes) {
    uint64_t product = uhi_section_element(section->type);
    int zero = 0;
    for (size_t d = 0; d < section->ndims; d++) {
        zero |= section->dims[d] == 0;
        if (section->dims[d] != 0 && __builtin_mul_overflow(product, section->dims[d], &product))
            return 0;
    }
    return (zero ? 0 : product) == bytes;
}

static uh_status parse_section(const struct uhi_source *source, struct rest *rest, size_t number,
                               struct uhi_section *section) {
    static const char zeros[UHI_SECTION_ALIGNMENT];
    const char *head = take(rest, UHI_SECTION_HEAD);
    uint64_t numbers[2];
    *section = (struct uhi_section){.taken = 0};
    if (!head)
        return uhi_source_fail(source, "section %zu does not fit", number);
    if (!copy_text(section->name, head, UHI_SECTION_NAME))
        return uhi_source_fail(source, "section %zu has no proper name", number);
    if (!copy_text(section->type, head + UHI_SECTION_NAME, UHI_SECTION_TYPE) || !uhi_section_element(section->type))
        return uhi_source_fail(source, "section '%s' has an unknown type", section->name);
    memcpy(numbers, head + UHI_SECTION_NAME + UHI_SECTION_TYPE, sizeof numbers);
    if (numbers[0] > UHI_SECTION_MOST_DIMS)
        return uhi_source_fail(source, "section '%s' has %" PRIu64 " dimensions, expected at most %d", section->name,
                               numbers[0], UHI_SECTION_MOST_DIMS);
    section->ndims = (size_t)numbers[0];
    const void *dims = take(rest, 8 * numbers[0]);
    if (!dims)
        return uhi_source_fail(source, "section '%s' does not fit", section->name);
    memcpy(section->dims, dims, 8 * section->ndims);
    if (!dims_make(section, numbers[1]))
        return uhi_source_fail(source, "section '%s' has %" PRIu64 " bytes, which is not what its dimensions say",
                               section->name, numbers[1]);
    section->data = take(rest, numbers[1]);
    const void *pad = section->data ? take(rest, uhi_section_padding(numbers[1])) : NULL;
    if (!pad)
        return uhi_source_fail(source, "section '%s' does not fit", section->name);
    if (memcmp(pad, zeros, uhi_section_padding(numbers[1])) != 0)
        return uhi_source_fail(source, "section '%s' is not followed by zeros", section->name);
    return UH_SUCCESS;
}

static uh_status check_digest(const struct uhi_source *source, const unsigned char *bytes, size_t size) {
    unsigned char digest[UHI_SECTIONS_DIGEST];
    uhi_sha256_of(bytes, size - sizeof digest, digest);
    if (memcmp(digest, bytes + size - sizeof digest, sizeof digest) != 0)
        return uhi_source_fail(source, "it is damaged: its contents do not have its checksum");
    return UH_SUCCESS;
}

uh_status uhi_sections_parse(const struct uhi_source *source, const void *bytes, size_t size,
                             struct uhi_sections *sections) {
    uint64_t length = 0;
    uint32_t count;
    uh_status status = uhi_sections_head(source, bytes, size, &length);
    if (status)
        return status;
    if (length != size)
        return uhi_source_fail(source, "%s: %zu bytes, expected %" PRIu64,
                               size < length ? "it is truncated" : "it has more behind its end", size, length);
    status = check_digest(source, bytes, size);
    if (status)
        return status;
    memcpy(&sections->version, (const char *)bytes + 8, sizeof sections->version);
    memcpy(&count, (const char *)bytes + 12, sizeof count);
    if (count < 1 || count > UHI_MAX_SECTIONS)
        return uhi_source_fail(source, "it has %" PRIu32 " sections, expected 1 to %d", count, UHI_MAX_SECTIONS);
    struct rest rest = {(const unsigned char *)bytes + UHI_SECTIONS_HEAD,
                        length - UHI_SECTIONS_HEAD - UHI_SECTIONS_DIGEST};
    sections->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct uhi_section *section = &sections->list[i];
        status = parse_section(source, &rest, i, section);
        if (status)
            return status;
        if (uhi_sections_find(sections, section->name))
            return uhi_source_fail(source, "section '%s' is there twice", section->name);
        sections->count++;
    }
    for (size_t i = 0; i < sections->count; i++)
        sections->list[i].taken = 0;
    if (rest.size > 0)
        return uhi_source_fail(source, "there are %" PRIu64 " bytes behind its last section", rest.size);
    return UH_SUCCESS;
}

const struct uhi_section *uhi_sections_find(struct uhi_sections *sections, const char *name) {
    for (size_t i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, name) == 0) {
            sections->list[i].taken = 1;
            return &sections->list[i];
        }
    return NULL;
}

uh_status uhi_sections_get(const struct uhi_source *source, struct uhi_sections *sections, const char *name,
                           const char *type, size_t ndims, const uint64_t *dims, const struct uhi_section **section) {
    const struct uhi_section *found = uhi_sections_find(sections, name);
    if (!found)
        return uhi_source_fail(source, "section '%s' is missing", name);
    if (strcmp(found->type, type) != 0)
        return uhi_source_fail(source, "section '%s' is of type '%s', expected '%s'", name, found->type, type);
    if (found->ndims != ndims)
        return uhi_source_fail(source, "section '%s' has %zu dimensions, expected %zu", name, found->ndims, ndims);
    for (size_t d = 0; dims && d < ndims; d++)
        if (dims[d] != 0 && found->dims[d] != dims[d])
            return uhi_source_fail(source, "dimension %zu of section '%s' is %" PRIu64 ", expected %" PRIu64, d, name,
                                   found->dims[d], dims[d]);
    *section = found;
    return UH_SUCCESS;
}

uh_status uhi_sections_choice(const struct uhi_source *source, struct uhi_sections *sections, const char *name,
                              const char *const *words, size_t count, size_t *choice) {
    const struct uhi_section *section;
    char expected[256] = "";
    uh_status status = uhi_sections_get(source, sections, name, "|S1", 1, NULL, &section);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]), used = strlen(expected);
        if (section->dims[0] == length && memcmp(section->data, words[i], length) == 0) {
            *choice = i;
            return UH_SUCCESS;
        }
        snprintf(expected + used, sizeof expected - used, "%s%s",
                 i == 0           ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 words[i]);
    }
    return uhi_source_fail(source, "section '%s' says '%.*s', expected %s", name,
                           section->dims[0] < 40 ? (int)section->dims[0] : 40, (const char *)section->data, expected);
}

uh_status uhi_sections_all_taken(const struct uhi_source *source, const struct uhi_sections *sections) {
    for (size_t i = 0; i < sections->count; i++)
        if (!sections->list[i].taken && strncmp(sections->list[i].name, may_be_skipped, sizeof may_be_skipped - 1) != 0)
            return uhi_source_fail(source, "section '%s' is unknown", sections->list[i].name);
    return UH_SUCCESS;
}
