/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last error, set here by every call that fails. */
#pragma once

#include <unihist/base.h>

/* Stores the thread's last failure, with its structure, and returns `status`. The message is "CALL: ARGUMENT SAYS",
 * where SAYS is the formatted text: the value and what was expected. So
 *
 *     uhi_fail_argument(call, "bins", "is %zu, expected 1 to %zu", bins, UH_MAX_BINS)
 *
 * gives "uh_axis_create_regular: bins is 0, expected 1 to 1073741824". `call` is the public call, kept as a pointer: a
 * literal or __func__. `argument` is NULL if no argument is at fault. A text that begins with ':' or '(' has no space
 * before it. The message is also logged: as an error, or as information that nothing has a name, which callers may ask.
 * The arguments may point into the last failure. */
#define uhi_fail(status, call, argument, ...) uhi_fail_at(status, call, argument, UH_NO_INDEX, __VA_ARGS__)

/* The same for an invalid argument, and for missing memory. */
#define uhi_fail_argument(...)     uhi_fail(UH_ERROR_INVALID_ARGUMENT, __VA_ARGS__)
#define uhi_fail_memory(call, ...) uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, __VA_ARGS__)

/* The same for an element: "CALL: ARGUMENT[INDEX] SAYS". */
#define uhi_fail_at(status, call, argument, index, ...) uhi_fail_member(status, call, argument, index, "", __VA_ARGS__)

/* The same for a member of an argument or of its element: "CALL: ARGUMENT->MEMBER SAYS" if `index` is UH_NO_INDEX,
 * otherwise "CALL: ARGUMENT[INDEX].MEMBER SAYS". */
__attribute__((format(printf, 6, 7), cold)) uh_status uhi_fail_member(uh_status status, const char *call,
                                                                      const char *argument, size_t index,
                                                                      const char *member, const char *format, ...);

/* For an argument that must not be NULL: "CALL: ARGUMENT is NULL, expected EXPECTED". */
__attribute__((cold)) uh_status uhi_fail_null(const char *call, const char *argument, const char *expected);

/* Returns that failure from the calling function if the argument, a variable of its name, is NULL. */
#define UHI_NEED(call, argument, expected)                                                                             \
    do {                                                                                                               \
        if (!(argument))                                                                                               \
            return uhi_fail_null(call, #argument, expected);                                                           \
    } while (0)

/* A list of words for a message: "one, two or three". */
struct uhi_words {
    char text[256];
};
struct uhi_words uhi_words_of(const char *const *words, size_t count);

/* Relabels the last failure, recorded by a public call that the library itself made, as one of `call`, which the user
 * made. Returns `status`. */
__attribute__((cold)) uh_status uhi_fail_relabel(const char *call, uh_status status);

/* Returns `status`; a failure is one of `call` afterwards. */
static inline uh_status uhi_fail_of(const char *call, uh_status status) {
    return status ? uhi_fail_relabel(call, status) : status;
}

/* Returns the failure of a call from the calling function, which must hold nothing to release. */
#define UHI_TRY(call)                                                                                                  \
    do {                                                                                                               \
        const uh_status tried = (call);                                                                                \
        if (tried)                                                                                                     \
            return tried;                                                                                              \
    } while (0)

/* Fits the tail of a driver's build log; a longer message is cut and ends in "...". */
enum { UHI_MESSAGE_SIZE = 4096, UHI_ARGUMENT_SIZE = 64 };

/* Saves the last failure during cleanup, so that a failure of the cleanup does not replace it. */
struct uhi_message {
    uh_error_info info; /* its texts are the members below */
    char argument[UHI_ARGUMENT_SIZE];
    char text[UHI_MESSAGE_SIZE]; /* includes the call */
};
void uhi_message_keep(struct uhi_message *message);
void uhi_message_restore(const struct uhi_message *message);

#ifdef __clang_analyzer__ /* it analyzes one file at a time and cannot see that these return `status` */
#define uhi_fail_null(...)           (uhi_fail_null(__VA_ARGS__), UH_ERROR_INVALID_ARGUMENT)
#define uhi_fail_member(status, ...) (uhi_fail_member(status, __VA_ARGS__), status)
#endif

/* ---- structures of the public headers that begin with their size; `argument` is their name in messages. When one
 * gains a member, at its end and never in padding, its earlier sizes have to be accepted here: members that they lack
 * count as zero, or are not filled in. ---- */

/* Returns UH_ERROR_INVALID_ARGUMENT for a wrong size. */
uh_status uhi_sized_check(const char *call, const char *argument, const void *structure, size_t size);

/* Copies the caller's structure to `to`; all zero except the size if `from` is NULL. Fails as uhi_sized_check; `to` is
 * then unchanged. */
uh_status uhi_sized_read(const char *call, const char *argument, const void *from, void *to, size_t size);

/* Fills in a checked structure of the caller's. */
void uhi_sized_write(void *to, const void *made);

/* Checks and fills in the argument `properties`; UH_ERROR_INVALID_ARGUMENT also if it is NULL. */
uh_status uhi_sized_fill(const char *call, void *properties, const void *made, size_t size);
