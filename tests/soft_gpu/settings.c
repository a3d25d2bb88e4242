/* SPDX-License-Identifier: Apache-2.0 */
#include "soft.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>

struct soft_settings soft_settings;

bool soft_refuse(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "soft_gpu: %s\n", text);
    return false;
}

static const struct number {
    const char *name;
    size_t offset;
    uint64_t least, most, standard;
} numbers[] = {
#define NUMBER(name, least, most, standard) {#name, offsetof(struct soft_settings, name), least, most, standard},
    SOFT_NUMBERS(NUMBER)
#undef NUMBER
};

static void set_number(struct soft_settings *settings, const struct number *number, uint64_t value) {
    memcpy((char *)settings + number->offset, &value, sizeof value);
}

static bool read_number(struct soft_settings *settings, const struct number *number, const char *text) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)text[0]) || *end || errno || value < number->least || value > number->most)
        return soft_refuse("%s is '%s', expected a number from %llu to %llu", number->name, text,
                           (unsigned long long)number->least, (unsigned long long)number->most);
    set_number(settings, number, value);
    return true;
}

static bool read_text(const char *key, char to[ZE_MAX_DEVICE_NAME], const char *text) {
    size_t length = strlen(text);
    if (length == 0 || length >= ZE_MAX_DEVICE_NAME)
        return soft_refuse("%s is '%s', expected 1 to %d bytes", key, text, ZE_MAX_DEVICE_NAME - 1);
    memcpy(to, text, length + 1);
    return true;
}

/* NUMBER/NUMBER/... */
static bool read_slow(struct soft_settings *settings, const char *text) {
    const char *at = text;
    settings->nslow = 0;
    while (settings->nslow < SOFT_MAX_SLOW && isdigit((unsigned char)*at)) {
        char *end;
        const unsigned long value = strtoul(at, &end, 10);
        if (value > 1000000)
            break;
        settings->slow[settings->nslow++] = value;
        if (*end == '\0')
            return true;
        at = *end == '/' ? end + 1 : "";
    }
    return soft_refuse("slow is '%s', expected numbers from 0 to 1000000 with slashes between them", text);
}

static bool read_one(struct soft_settings *settings, char *item) {
    char *value = strchr(item, '=');
    if (!value)
        return soft_refuse("'%s' is no KEY=VALUE", item);
    *value++ = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(item, numbers[i].name) == 0)
            return read_number(settings, &numbers[i], value);
    if (strcmp(item, "name") == 0)
        return read_text("name", settings->name, value);
    if (strcmp(item, "flush_in") == 0)
        return read_text("flush_in", settings->flush_in, value);
    if (strcmp(item, "torn_in") == 0)
        return read_text("torn_in", settings->torn_in, value);
    if (strcmp(item, "slow") == 0)
        return read_slow(settings, value);
    return soft_refuse("there is no setting '%s'", item);
}

bool soft_settings_read(struct soft_settings *settings, const char *text) {
    struct soft_settings read = *settings;
    char *copy = strdup(text), *rest;
    bool right = true;
    if (!copy)
        return soft_refuse("out of memory");
    for (char *item = strtok_r(copy, ",", &rest); right && item; item = strtok_r(NULL, ",", &rest))
        right = read_one(&read, item);
    free(copy);
    if (right)
        *settings = read;
    return right;
}

bool soft_settings_from_environment(void) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        set_number(&soft_settings, &numbers[i], numbers[i].standard);
    memcpy(soft_settings.name, "Soft GPU", sizeof "Soft GPU");
    const char *text = getenv("SOFT_GPU");
    return !text || soft_settings_read(&soft_settings, text);
}
