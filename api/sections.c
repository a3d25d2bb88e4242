/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sections.h"

#include <stdio.h>
#include <string.h>

#include <unihist/save.h>

#include "api/sections_format.h"
#include "runtime/sha256.h"
#include "runtime/status.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");
_Static_assert((int)UHI_SECTIONS_DIGEST == (int)UHI_SHA256_SIZE, "the digest is a SHA-256");

/* ---- types ---- */

size_t uhi_section_element(const char *type) {
    static const char *const types[] = {"<f4", "<f8", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "|S1"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return (size_t)(type[2] - '0');
    return 0;
}

uint64_t uhi_section_elements(const struct uhi_section *section) {
    uint64_t elements = 1;
    for (size_t d = 0; d < section->ndims; d++)
        elements *= section->dims[d];
    return elements;
}

static uint64_t data_bytes(const struct uhi_section *section) {
    return uhi_section_elements(section) * uhi_section_element(section->type);
}

/* ---- writing ---- */

void uhi_sections_add(struct uhi_sections *sections, const char *name, const char *type, size_t ndims,
                      const uint64_t *dims, const void *data) {
    struct uhi_section *section = &sections->list[sections->count++];
    *section = (struct uhi_section){.ndims = ndims, .data = data};
    snprintf(section->name, sizeof section->name, "%s", name);
    snprintf(section->type, sizeof section->type, "%s", type);
    memcpy(section->dims, dims, ndims * sizeof *dims);
    uint64_t bytes = data_bytes(section);
    if (data && bytes <= sizeof section->own) {
        memcpy(section->own, data, bytes);
        section->data = section->own;
    }
}

void uhi_sections_add_text(struct uhi_sections *sections, const char *name, const char *text) {
    const uint64_t length = strlen(text);
    uhi_sections_add(sections, name, "|S1", 1, &length, text);
}

uint64_t uhi_sections_bytes(const struct uhi_sections *sections) {
    uint64_t bytes = UHI_SECTIONS_HEAD + UHI_SECTIONS_DIGEST;
    for (size_t i = 0; i < sections->count; i++) {
        uint64_t data = data_bytes(&sections->list[i]);
        bytes += UHI_SECTION_HEAD + 8 * sections->list[i].ndims + data + uhi_section_padding(data);
    }
    return bytes;
}

/* A sink that hashes what it hands on. */
struct hashing {
    const char *call;
    struct uhi_sha256 hash;
    uhi_sections_sink sink;
    void *context;
};

/* In pieces that are still in the cache when they are handed on. */
static uh_status put(struct hashing *hashing, const void *bytes, uint64_t size) {
    enum { PIECE = 1 << 18 };
    const char *next = bytes;
    uh_status status = UH_SUCCESS;
    while (size > 0 && !status) {
        size_t piece = size < PIECE ? (size_t)size : PIECE;
        uhi_sha256_update(&hashing->hash, next, piece);
        status = hashing->sink(hashing->context, next, piece);
        next += piece;
        size -= piece;
    }
    return status;
}

static uh_status put_head(struct hashing *hashing, const struct uhi_section *section) {
    unsigned char head[UHI_SECTION_HEAD + 8 * UHI_SECTION_MOST_DIMS];
    const uint64_t numbers[2] = {section->ndims, data_bytes(section)};
    memcpy(head, section->name, UHI_SECTION_NAME);
    memcpy(head + UHI_SECTION_NAME, section->type, UHI_SECTION_TYPE);
    memcpy(head + UHI_SECTION_NAME + UHI_SECTION_TYPE, numbers, sizeof numbers);
    memcpy(head + UHI_SECTION_HEAD, section->dims, 8 * section->ndims);
    return put(hashing, head, UHI_SECTION_HEAD + 8 * section->ndims);
}

static uh_status put_padding(struct hashing *hashing, const struct uhi_section *section) {
    static const char zeros[UHI_SECTION_ALIGNMENT];
    return put(hashing, zeros, uhi_section_padding(data_bytes(section)));
}

/* The streamed sections, as their data come. */
struct streaming {
    struct hashing *hashing;
    const struct uhi_section *next, *end; /* that have not begun */
    const struct uhi_section *now;        /* that has begun, or NULL */
    uint64_t left;                        /* of its data */
};

/* Ends sections that are whole, and begins the next, until one waits for data. */
static uh_status turn(struct streaming *s) {
    uh_status status = UH_SUCCESS;
    while (!status && s->left == 0) {
        if (s->now)
            status = put_padding(s->hashing, s->now);
        s->now = s->next < s->end ? s->next++ : NULL;
        if (status || !s->now)
            break;
        s->left = data_bytes(s->now);
        status = put_head(s->hashing, s->now);
    }
    return status;
}

static uh_status take_stream(void *context, const void *bytes, size_t size) {
    struct streaming *s = context;
    const char *next = bytes;
    uh_status status = UH_SUCCESS;
    while (size > 0 && !status) {
        if (s->left == 0)
            return uhi_fail(UH_ERROR_INTERNAL, s->hashing->call, NULL, "more data than sections");
        size_t part = size < s->left ? size : (size_t)s->left;
        status = put(s->hashing, next, part);
        next += part;
        size -= part;
        s->left -= part;
        if (!status)
            status = turn(s);
    }
    return status;
}

static uh_status put_sections(struct hashing *hashing, const struct uhi_sections *sections) {
    const struct uhi_section *section = sections->list, *end = section + sections->count;
    uh_status status = UH_SUCCESS;
    for (; section < end && section->data && !status; section++) {
        status = put_head(hashing, section);
        if (!status)
            status = put(hashing, section->data, data_bytes(section));
        if (!status)
            status = put_padding(hashing, section);
    }
    if (status || section == end)
        return status;
    struct streaming streaming = {.hashing = hashing, .next = section, .end = end};
    status = turn(&streaming);
    if (!status)
        status = sections->stream(sections->stream_from, take_stream, &streaming);
    if (!status && streaming.now)
        status = uhi_fail(UH_ERROR_INTERNAL, hashing->call, NULL, "section '%s' lacks data", streaming.now->name);
    return status;
}

uh_status uhi_sections_write(const char *call, const struct uhi_sections *sections, uhi_sections_sink sink,
                             void *context) {
    struct hashing hashing = {.call = call, .sink = sink, .context = context};
    unsigned char head[UHI_SECTIONS_HEAD], digest[UHI_SECTIONS_DIGEST];
    const uint32_t numbers[2] = {UH_SAVED_VERSION, (uint32_t)sections->count};
    const uint64_t length = uhi_sections_bytes(sections);
    uhi_sha256_init(&hashing.hash);
    memcpy(head, uhi_sections_magic, sizeof uhi_sections_magic);
    memcpy(head + 8, numbers, sizeof numbers);
    memcpy(head + 16, &length, sizeof length);
    uh_status status = put(&hashing, head, sizeof head);
    if (!status)
        status = put_sections(&hashing, sections);
    if (status)
        return status;
    uhi_sha256_final(&hashing.hash, digest);
    return sink(context, digest, sizeof digest);
}
