/* SPDX-License-Identifier: Apache-2.0 */
/* Files that hold a container of sections. */
#ifndef UHI_SAVED_FILE_H
#define UHI_SAVED_FILE_H

#include "api/sections.h"

/* The section that says what is kept, a word, and when saving the one that says who wrote it. */
void uhi_saved_kind(struct uhi_sections *sections, const char *kind);

/* Writes bytes to a file that appears only when it is whole; `call` is for messages. */
uh_status uhi_saved_write(const char *call, const char *path, const void *bytes, size_t size);

/* Reads the file that `sections` has as its source, as far as its head says and a little more where there is more. The
 * caller frees the bytes, also after a failure. */
uh_status uhi_saved_read(struct uhi_sections *sections, unsigned char **bytes, size_t *size);

#endif
