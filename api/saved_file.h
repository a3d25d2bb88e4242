/* SPDX-License-Identifier: Apache-2.0 */
/* Files that hold a container of sections. */
#pragma once

#include "api/sections.h"

/* Exchanges the section with the kind of contents, a word; when saving, also adds the section with the writer. */
void uhi_saved_kind(struct uhi_sections *sections, const char *kind);

/* Writes bytes to a file that appears only when complete; `call` is for messages. */
uh_status uhi_saved_write(const char *call, const char *path, const void *bytes, size_t size);

/* Reads the file sections->source up to the length in its header, or slightly more if the file is longer. The caller
 * frees the bytes, also after a failure. */
uh_status uhi_saved_read(struct uhi_sections *sections, unsigned char **bytes, size_t *size);
