/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sections.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/save.h>

#include "runtime/sha256.h"
#include "runtime/status.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");

enum {
    DIGEST = UHI_SHA256_SIZE, /* bytes after the last section */
    MIN_BYTES = UHI_SECTIONS_HEAD + DIGEST,
    /* Offsets in a section's header. */
    TYPE = UHI_SECTION_NAME,
    NUMBERS = TYPE + 8,
    DIMS = NUMBERS + 16
};

/* First eight bytes, as in PNG: a non-text byte, and line ends that a text-mode transfer would change. */
static const char magic[8] = {'\x89', 'U', 'H', 'I', 'S', 'T', '\r', '\n'};

/* Readers may skip unknown sections whose names have this prefix. */
static const char may_be_skipped[] = "meta.";

/* Returns the number of zeros that follow data of `bytes` bytes. */
static uint64_t padding(uint64_t bytes) { return -bytes % 8; }

/* Returns the size of an element in bytes; 0 if the type is invalid. */
static uint64_t element_size(const char *type) {
    static const char *const types[] = {"<f4", "<f8", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "|S1"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return (uint64_t)(type[2] - '0');
    return 0;
}

/* ---- errors ---- */

/* Reports an error of the source. */
static uh_status fail(struct uhi_sections *sections, uh_status status, const char *text) {
    return sections->status = uhi_fail(status, sections->call, NULL, "%s%s%s: %s", sections->quote, sections->source,
                                       sections->quote, text);
}

uh_status uhi_sections_fail(struct uhi_sections *sections, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail(sections, UH_ERROR_INVALID_ARGUMENT, text);
}

void uhi_sections_failed(struct uhi_sections *sections, const char *section) {
    const uh_error_info *inner = uh_last_error_info();
    char text[UHI_MESSAGE_SIZE];
    snprintf(text, sizeof text, "%s%s%s", section ? section : "", section ? ": " : "", inner->text);
    (void)fail(sections, inner->status, text);
}

/* ---- whole container ---- */

void uhi_sections_save(struct uhi_sections *sections, unsigned char *bytes) {
    sections->bytes = bytes;
    sections->size = UHI_SECTIONS_HEAD;
    sections->count = 0;
}

uh_status uhi_sections_length(struct uhi_sections *sections, const void *bytes, size_t size, uint64_t *length) {
    uint32_t version;
    if (size == 0)
        return uhi_sections_fail(sections, "it is empty, expected a saved histogram");
    if (memcmp(bytes, magic, size < sizeof magic ? size : sizeof magic) != 0)
        return uhi_sections_fail(sections, "it is no saved histogram: it does not begin as one");
    if (size < UHI_SECTIONS_HEAD)
        return uhi_sections_fail(sections, "it is truncated: %zu bytes, expected %d at least", size, MIN_BYTES);
    memcpy(&version, (const char *)bytes + 8, sizeof version);
    memcpy(length, (const char *)bytes + 16, sizeof *length);
    if (version > UH_SAVED_VERSION)
        return sections->status = uhi_fail(
                   UH_ERROR_UNSUPPORTED, sections->call, NULL,
                   "%s%s%s: its format has version %" PRIu32 ", and this library (%s) reads up to %d", sections->quote,
                   sections->source, sections->quote, version, uh_version(), UH_SAVED_VERSION);
    if (version < 1 || *length < MIN_BYTES)
        return uhi_sections_fail(
            sections, "it is damaged: its format has version %" PRIu32 ", and it says that it has %" PRIu64 " bytes",
            version, *length);
    return UH_SUCCESS;
}

/* Bytes not yet parsed. */
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

/* Whether `bytes` holds a non-empty printable text that ends within `size` bytes and is padded with zeros. */
static int is_text(const char *bytes, size_t size) {
    const size_t length = strnlen(bytes, size);
    for (size_t i = 0; i < size; i++)
        if (i < length ? bytes[i] <= ' ' || bytes[i] > '~' : bytes[i] != 0)
            return 0;
    return length > 0 && length < size;
}

/* Whether elements of these dimensions take exactly `bytes` bytes, without intermediate overflow. */
static int dims_make(const struct uhi_section *section, uint64_t bytes) {
    uint64_t product = element_size(section->type);
    int zero = 0;
    for (size_t d = 0; d < section->ndims; d++) {
        zero |= section->dims[d] == 0;
        if (section->dims[d] != 0 && __builtin_mul_overflow(product, section->dims[d], &product))
            return 0;
    }
    return (zero ? 0 : product) == bytes;
}

/* Parses section number `count` and increments the count. */
static uh_status parse_section(struct uhi_sections *sections, struct rest *rest) {
    static const char zeros[8];
    struct uhi_section *section = &sections->list[sections->count];
    const char *head = take(rest, DIMS);
    uint64_t numbers[2];
    if (!head)
        return uhi_sections_fail(sections, "section %" PRIu32 " does not fit", sections->count);
    *section = (struct uhi_section){.name = head, .type = head + TYPE};
    memcpy(numbers, head + NUMBERS, sizeof numbers);
    if (!is_text(section->name, UHI_SECTION_NAME))
        return uhi_sections_fail(sections, "section %" PRIu32 " has no proper name", sections->count);
    if (uhi_sections_have(sections, section->name, NULL))
        return uhi_sections_fail(sections, "section '%s' is there twice", section->name);
    if (!is_text(section->type, NUMBERS - TYPE) || !element_size(section->type))
        return uhi_sections_fail(sections, "section '%s' has an unknown type", section->name);
    if (numbers[0] > UHI_SECTION_MAX_DIMS)
        return uhi_sections_fail(sections, "section '%s' has %" PRIu64 " dimensions, expected at most %d",
                                 section->name, numbers[0], UHI_SECTION_MAX_DIMS);
    section->ndims = (size_t)numbers[0];
    const void *dims = take(rest, 8 * numbers[0]);
    if (!dims)
        return uhi_sections_fail(sections, "section '%s' does not fit", section->name);
    memcpy(section->dims, dims, 8 * section->ndims);
    if (!dims_make(section, numbers[1]))
        return uhi_sections_fail(sections, "section '%s' has %" PRIu64 " bytes, which is not what its dimensions say",
                                 section->name, numbers[1]);
    section->data = take(rest, numbers[1]);
    const void *pad = section->data ? take(rest, padding(numbers[1])) : NULL;
    if (!pad)
        return uhi_sections_fail(sections, "section '%s' does not fit", section->name);
    if (memcmp(pad, zeros, padding(numbers[1])) != 0)
        return uhi_sections_fail(sections, "section '%s' is not followed by zeros", section->name);
    sections->count++;
    return UH_SUCCESS;
}

uh_status uhi_sections_load(struct uhi_sections *sections, const void *bytes, size_t size) {
    const unsigned char *first = bytes;
    unsigned char digest[DIGEST];
    uint64_t length = 0;
    uint32_t count;
    sections->loading = 1;
    sections->count = 0;
    sections->size = size;
    UHI_TRY(uhi_sections_length(sections, bytes, size, &length));
    if (length > size)
        return uhi_sections_fail(sections, "it is truncated: %zu bytes, expected %" PRIu64, size, length);
    if (length < size)
        return uhi_sections_fail(sections, "it has more after its end, expected %" PRIu64 " bytes", length);
    uhi_sha256_of(bytes, size - DIGEST, digest);
    if (memcmp(digest, first + size - DIGEST, DIGEST) != 0)
        return uhi_sections_fail(sections, "it is damaged: its contents do not have its checksum");
    memcpy(&count, first + 12, sizeof count);
    if (count < 1 || count > UHI_MAX_SECTIONS)
        return uhi_sections_fail(sections, "it has %" PRIu32 " sections, expected 1 to %d", count, UHI_MAX_SECTIONS);
    struct rest rest = {first + UHI_SECTIONS_HEAD, size - MIN_BYTES};
    uh_status status = UH_SUCCESS;
    while (sections->count < count && !status)
        status = parse_section(sections, &rest);
    if (!status && rest.size > 0)
        status = uhi_sections_fail(sections, "there are %" PRIu64 " bytes after its last section", rest.size);
    return status;
}

void uhi_sections_end(struct uhi_sections *sections) {
    const uint32_t numbers[2] = {UH_SAVED_VERSION, sections->count};
    unsigned char *bytes = sections->bytes;
    for (size_t i = 0; i < sections->count && sections->loading && !sections->status; i++)
        if (!sections->list[i].taken && strncmp(sections->list[i].name, may_be_skipped, sizeof may_be_skipped - 1) != 0)
            uhi_sections_fail(sections, "section '%s' is unknown", sections->list[i].name);
    if (sections->loading)
        return;
    sections->size += DIGEST;
    if (!bytes)
        return;
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + 8, numbers, sizeof numbers);
    memcpy(bytes + 16, &sections->size, sizeof sections->size);
    uhi_sha256_of(bytes, (size_t)sections->size - DIGEST, bytes + sections->size - DIGEST);
}

/* ---- single sections ---- */

void *uhi_sections_add(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                       const uint64_t *dims, const void *data) {
    uint64_t numbers[2] = {ndims, element_size(type)};
    unsigned char *head = sections->bytes ? sections->bytes + sections->size : NULL;
    for (size_t d = 0; d < ndims; d++)
        numbers[1] *= dims[d];
    sections->count++;
    sections->size += DIMS + 8 * ndims + numbers[1] + padding(numbers[1]);
    if (!head)
        return NULL;
    snprintf((char *)head, UHI_SECTION_NAME, "%s", name);
    snprintf((char *)head + TYPE, NUMBERS - TYPE, "%s", type);
    memcpy(head + NUMBERS, numbers, sizeof numbers);
    memcpy(head + DIMS, dims, 8 * ndims);
    if (data && numbers[1] > 0)
        memcpy(head + DIMS + 8 * ndims, data, numbers[1]);
    return head + DIMS + 8 * ndims;
}

static struct uhi_section *find(struct uhi_sections *sections, const char *name) {
    for (size_t i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, name) == 0)
            return &sections->list[i];
    return NULL;
}

int uhi_sections_have(struct uhi_sections *sections, const char *name, const char *type) {
    const struct uhi_section *section = find(sections, name);
    return section && (!type || strcmp(section->type, type) == 0);
}

const void *uhi_sections_get(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                             uint64_t *dims) {
    struct uhi_section *found = find(sections, name);
    if (sections->status)
        return NULL;
    if (!found) {
        uhi_sections_fail(sections, "section '%s' is missing", name);
        return NULL;
    }
    if (strcmp(found->type, type) != 0)
        uhi_sections_fail(sections, "section '%s' is of type '%s', expected '%s'", name, found->type, type);
    else if (found->ndims != ndims)
        uhi_sections_fail(sections, "section '%s' has %zu dimensions, expected %zu", name, found->ndims, ndims);
    for (size_t d = 0; d < ndims && !sections->status; d++) {
        if (dims[d] != 0 && found->dims[d] != dims[d])
            uhi_sections_fail(sections, "dimension %zu of section '%s' is %" PRIu64 ", expected %" PRIu64, d, name,
                              found->dims[d], dims[d]);
        dims[d] = found->dims[d];
    }
    if (sections->status)
        return NULL;
    found->taken = 1;
    return found->data;
}

void uhi_sections_array(struct uhi_sections *sections, const char *name, const char *type, size_t ndims, uint64_t *dims,
                        const void **data) {
    if (sections->loading)
        *data = uhi_sections_get(sections, name, type, ndims, dims);
    else
        (void)uhi_sections_add(sections, name, type, ndims, dims, *data);
}

void uhi_sections_numbers(struct uhi_sections *sections, const char *name, const char *type, uint64_t n,
                          void *numbers) {
    const void *data = numbers;
    uhi_sections_array(sections, name, type, 1, &n, &data);
    if (data && sections->loading)
        memcpy(numbers, data, n * 8);
}

void uhi_sections_choice(struct uhi_sections *sections, const char *name, const char *const *words, size_t count,
                         size_t *choice) {
    uint64_t length = 0;
    if (!sections->loading) {
        length = strlen(words[*choice]);
        (void)uhi_sections_add(sections, name, "|S1", 1, &length, words[*choice]);
        return;
    }
    const char *text = uhi_sections_get(sections, name, "|S1", 1, &length);
    for (size_t i = 0; i < count && text; i++)
        if (length == strlen(words[i]) && memcmp(text, words[i], length) == 0) {
            *choice = i;
            return;
        }
    if (text)
        uhi_sections_fail(sections, "section '%s' says '%.*s', expected %s", name, length < 40 ? (int)length : 40, text,
                          uhi_words_of(words, count).text);
}

void uhi_sections_kind(struct uhi_sections *sections, const char *kind) {
    char writer[64];
    const char *const writers[] = {writer};
    size_t only = 0;
    snprintf(writer, sizeof writer, "unihist %s", uh_version());
    uhi_sections_choice(sections, "kind", &kind, 1, &only);
    if (!sections->loading)
        uhi_sections_choice(sections, "meta.writer", writers, 1, &only);
}
