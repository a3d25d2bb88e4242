/* SPDX-License-Identifier: Apache-2.0 */
/* For test_*_out_of_memory.c, which is linked with --wrap: the program's calls of malloc and its kin come here, and one
 * of them fails. To be included once in a program. */
#ifndef TEST_FAILING_MALLOC_H
#define TEST_FAILING_MALLOC_H

#include <stddef.h>

/* Which allocation from now on fails, 1 for the next; 0 for none. */
static size_t fails_at;
static size_t seen;

static int fails(void) {
    return fails_at && ++seen == fails_at;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
int __real_posix_memalign(void **pointer, size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size) {
    return fails() ? NULL : __real_realloc(pointer, size);
}

int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size) {
    return fails() ? 12 : __real_posix_memalign(pointer, alignment, size);
}

char *__wrap_strdup(const char *text) {
    return fails() ? NULL : __real_strdup(text);
}

#endif
