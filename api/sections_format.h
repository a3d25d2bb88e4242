/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer and the reader of sections share. */
#ifndef UHI_SECTIONS_FORMAT_H
#define UHI_SECTIONS_FORMAT_H

#include "api/sections.h"

/* The first eight bytes, as PNG's: one that is no text, and line ends that a transfer of text would change. */
static const char uhi_sections_magic[8] = {'\x89', 'U', 'H', 'I', 'S', 'T', '\r', '\n'};

enum {
    UHI_SECTION_HEAD = UHI_SECTION_NAME + UHI_SECTION_TYPE + 16, /* bytes of a section before its dimensions */
    UHI_SECTION_ALIGNMENT = 8
};

/* How many zeros follow so many bytes of data. */
static inline size_t uhi_section_padding(uint64_t bytes) {
    return (size_t)(-bytes % UHI_SECTION_ALIGNMENT);
}

#endif
