/* SPDX-License-Identifier: Apache-2.0 */
/* Status names and texts, the thread's last error and the version. */
#include "runtime/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/log.h"

#define NO_FAILURE                                                                                                     \
    { .status = UH_SUCCESS, .call = "", .argument = "", .index = UH_NO_INDEX, .text = "" }

/* The thread's last failure. Its texts are in the two arrays, separate so that they start as zeros. */
static _Thread_local uh_error_info last = NO_FAILURE;
static _Thread_local char last_argument[UHI_ARGUMENT_SIZE];
static _Thread_local char last_message[UHI_MESSAGE_SIZE];

const char *uh_status_name(uh_status status) {
    switch (status) {
#define UHI_STATUS_NAME(name, value, text)                                                                             \
    case name: return #name;
        UH_STATUS_LIST(UHI_STATUS_NAME)
    }
    return "UH_ERROR_UNKNOWN";
}

const char *uh_status_text(uh_status status) {
    switch (status) {
#define UHI_STATUS_TEXT(name, value, text)                                                                             \
    case name: return text;
        UH_STATUS_LIST(UHI_STATUS_TEXT)
    }
    return "unknown status";
}

const char *uh_last_error(void) { return last_message; }

const uh_error_info *uh_last_error_info(void) { return &last; }

/* Stores the last failure. The arguments may point into the previous one. */
static void store_failure(uh_status status, const char *call, size_t index, const char *argument, const char *message) {
    memmove(last_argument, argument, strlen(argument) + 1);
    memmove(last_message, message, strlen(message) + 1);
    last = (uh_error_info){.status = status,
                           .call = call,
                           .argument = last_argument,
                           .index = index,
                           .text = last_message + strlen(call) + strlen(": ")};
}

/* Appends to a message of `used` bytes. Returns the new length; a longer message is cut and ends in "...". */
static size_t append_list(char *message, size_t used, const char *format, va_list arguments) {
    const size_t room = UHI_MESSAGE_SIZE - used;
    const int length = vsnprintf(message + used, room, format, arguments);
    if (length < 0) {
        message[used] = '\0';
        return used;
    }
    if ((size_t)length < room)
        return used + (size_t)length;
    memcpy(message + UHI_MESSAGE_SIZE - sizeof "...", "...", sizeof "...");
    return UHI_MESSAGE_SIZE - 1;
}

__attribute__((format(printf, 3, 4))) static size_t append(char *message, size_t used, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    used = append_list(message, used, format, arguments);
    va_end(arguments);
    return used;
}

/* Formats into local buffers, because the arguments may point into the last failure. */
uh_status(uhi_fail_member)(uh_status status, const char *call, const char *argument, size_t index, const char *member,
                           const char *format, ...) {
    char message[UHI_MESSAGE_SIZE], place[UHI_ARGUMENT_SIZE] = "";
    const int has_index = index != UH_NO_INDEX;
    const char *of = !member[0] ? "" : has_index ? "." : "->";
    size_t used = append(message, 0, "%s: ", call);
    va_list arguments;
    if (argument) {
        snprintf(place, sizeof place, "%s%s%s%s", argument, has_index && member[0] ? "[]" : "", of, member);
        used = append(message, used, "%s", argument);
        if (has_index)
            used = append(message, used, "[%zu]", index);
        used = append(message, used, "%s%s%s", of, member, format[0] == ':' || format[0] == '(' ? "" : " ");
    }
    va_start(arguments, format);
    append_list(message, used, format, arguments);
    va_end(arguments);
    store_failure(status, call, index, place, message);
    uhi_log(status == UH_ERROR_NOT_FOUND ? UH_LOG_INFO : UH_LOG_ERROR, "%s (%s)", message, uh_status_text(status));
    return status;
}

struct uhi_words uhi_words_of(const char *const *words, size_t count) {
    struct uhi_words all = {""};
    for (size_t i = 0, used = 0; i < count && used < sizeof all.text; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used += (size_t)snprintf(all.text + used, sizeof all.text - used, "%s%s", before, words[i]);
    }
    return all;
}

uh_status(uhi_fail_null)(const char *call, const char *argument, const char *expected) {
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, argument, "is NULL, expected %s", expected);
}

uh_status uhi_fail_relabel(const char *call, uh_status status) {
    char message[UHI_MESSAGE_SIZE];
    if (strcmp(last.call, call) != 0) {
        append(message, 0, "%s: %s", call, last.text);
        store_failure(last.status, call, last.index, last.argument, message);
    }
    return status;
}

uh_status uh_set_last_error(const uh_error_info *failed) {
    char message[UHI_MESSAGE_SIZE], argument[UHI_ARGUMENT_SIZE];
    UHI_NEED(__func__, failed, "the failed action");
    if (!failed->status)
        return UH_SUCCESS;
    const char *call = failed->call ? failed->call : "";
    snprintf(argument, sizeof argument, "%s", failed->argument ? failed->argument : "");
    append(message, 0, "%s: %s", call, failed->text ? failed->text : "");
    store_failure(failed->status, call, failed->index, argument, message);
    uhi_log(UH_LOG_ERROR, "%s (%s)", message, uh_status_text(failed->status));
    return failed->status;
}

void uhi_message_keep(struct uhi_message *message) {
    message->info = last;
    memcpy(message->argument, last_argument, strlen(last_argument) + 1);
    memcpy(message->text, last_message, strlen(last_message) + 1);
}

void uhi_message_restore(const struct uhi_message *message) {
    if (message->info.status) {
        store_failure(message->info.status, message->info.call, message->info.index, message->argument, message->text);
    } else {
        last = (uh_error_info)NO_FAILURE;
        last_message[0] = '\0';
    }
}

/* ---- structures that begin with their size ---- */

static size_t size_of(const void *structure) {
    size_t size;
    memcpy(&size, structure, sizeof size);
    return size;
}

uh_status uhi_sized_check(const char *call, const char *argument, const void *structure, size_t size) {
    const size_t is = size_of(structure);
    if (is == size)
        return UH_SUCCESS;
    return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, UH_NO_INDEX, "struct_size",
                           "is %zu, expected %zu", is, size);
}

uh_status uhi_sized_read(const char *call, const char *argument, const void *from, void *to, size_t size) {
    UHI_TRY(from ? uhi_sized_check(call, argument, from, size) : UH_SUCCESS);
    if (from)
        memcpy(to, from, size);
    else
        memset(to, 0, size);
    memcpy(to, &size, sizeof size);
    return UH_SUCCESS;
}

uh_status uhi_sized_fill(const char *call, void *properties, const void *made, size_t size) {
    UHI_NEED(call, properties, "where to store them");
    const uh_status status = uhi_sized_check(call, "properties", properties, size);
    if (!status)
        uhi_sized_write(properties, made);
    return status;
}

void uhi_sized_write(void *to, const void *made) {
    memcpy((char *)to + sizeof(size_t), (const char *)made + sizeof(size_t), size_of(to) - sizeof(size_t));
}

/* ---- the version ---- */

#define UHI_TEXT_OF(number)  #number
#define UHI_VERSION(a, b, c) UHI_TEXT_OF(a) "." UHI_TEXT_OF(b) "." UHI_TEXT_OF(c)

const char *uh_version(void) {
    return UHI_VERSION(UNIHIST_VERSION_MAJOR, UNIHIST_VERSION_MINOR, UNIHIST_VERSION_PATCH);
}
