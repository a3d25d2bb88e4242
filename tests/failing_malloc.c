/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/failing_malloc.h"

size_t fails_at;
size_t seen;

static int fails(void) { return fails_at && ++seen == fails_at; }

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

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }

void *__wrap_realloc(void *pointer, size_t size) { return fails() ? NULL : __real_realloc(pointer, size); }

int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size) {
    return fails() ? 12 : __real_posix_memalign(pointer, alignment, size);
}

char *__wrap_strdup(const char *text) { return fails() ? NULL : __real_strdup(text); }

size_t fail_each(const struct failing_use *use) {
    enum { MAX_ALLOCATIONS = 2000 };
    size_t failed = 0;
    for (size_t at = 1; at < MAX_ALLOCATIONS; at++) {
        seen = 0;
        fails_at = at;
        const uh_status status = use->run(use->context);
        fails_at = 0;
        if (seen < at) {
            test_good(status);
            return failed;
        }
        if (status || !use->may_pass) {
            test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, use->says);
            failed++;
        }
        if (use->check)
            use->check(use->context);
    }
    fail_msg("%s: more than %d allocations", use->says, MAX_ALLOCATIONS);
    return failed;
}
