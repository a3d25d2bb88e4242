/* SPDX-License-Identifier: Apache-2.0 */
/* Status names and texts, the thread's last error and the version. */
#include "runtime/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/log.h"

static _Thread_local char last_message[UHI_MESSAGE_SIZE];

const char *uh_status_name(uh_status status) {
    switch (status) {
#define UHI_STATUS_NAME(name, value, text)                                                                             \
    case name: return #name;
        UH_STATUS_LIST(UHI_STATUS_NAME)
#undef UHI_STATUS_NAME
    }
    return "UH_ERROR_UNKNOWN";
}

const char *uh_status_text(uh_status status) {
    switch (status) {
#define UHI_STATUS_TEXT(name, value, text)                                                                             \
    case name: return text;
        UH_STATUS_LIST(UHI_STATUS_TEXT)
#undef UHI_STATUS_TEXT
    }
    return "unknown status";
}

const char *uh_last_error(void) {
    return last_message;
}

uh_status(uhi_fail)(uh_status status, const char *format, ...) {
    /* Formatted aside, because an argument may be the last message. */
    char message[UHI_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0)
        snprintf(message, sizeof message, "%s", uh_status_text(status));
    else if (length >= UHI_MESSAGE_SIZE)
        memcpy(message + UHI_MESSAGE_SIZE - sizeof "...", "...", sizeof "...");
    memcpy(last_message, message, strlen(message) + 1);
    uhi_log(UHI_LOG_ERROR, "%s (%s)", message, uh_status_text(status));
    return status;
}

uh_status uhi_fail_null(const char *call, const char *argument, const char *expected) {
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL, expected %s", call, argument, expected);
}

uh_status uhi_fail_size(const char *call, const char *argument, size_t size, size_t expected) {
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s->struct_size is %zu, expected %zu", call, argument, size,
                    expected);
}

void uhi_message_keep(struct uhi_message *message) {
    memcpy(message->text, last_message, strlen(last_message) + 1);
}

void uhi_message_restore(const struct uhi_message *message) {
    memcpy(last_message, message->text, strlen(message->text) + 1);
}

#define UHI_TEXT_OF(number)  #number
#define UHI_VERSION(a, b, c) UHI_TEXT_OF(a) "." UHI_TEXT_OF(b) "." UHI_TEXT_OF(c)

const char *uh_version(void) {
    return UHI_VERSION(UNIHIST_VERSION_MAJOR, UNIHIST_VERSION_MINOR, UNIHIST_VERSION_PATCH);
}
