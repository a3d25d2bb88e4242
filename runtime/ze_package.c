/* SPDX-License-Identifier: Apache-2.0 */
/* The package of Intel's driver: Debian and Ubuntu have moved it from the OpenCL package to one of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ze.h"

enum { MAX_RELEASE = 4096 };

/* Reads the value of a line KEY=VALUE or KEY="VALUE" of an os-release file; "" without one. */
static void read_value(const char *release, const char *key, char *value, size_t size) {
    const size_t length = strlen(key);
    value[0] = '\0';
    for (const char *line = release; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            const char *at = line + length + 1;
            at += *at == '"' || *at == '\'';
            snprintf(value, size, "%.*s", (int)strcspn(at, "\"'\n"), at);
        }
    }
}

const char *uhi_ze_package_of(const char *release) {
    static const struct {
        const char *id;
        unsigned long since; /* first version with the new package, times 100 */
    } systems[] = {{"debian", 1300}, {"ubuntu", 2410}};
    char id[32], version[32];
    read_value(release, "ID", id, sizeof id);
    read_value(release, "VERSION_ID", version, sizeof version);
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (strcmp(id, systems[i].id) == 0) {
            char *end = version;
            const unsigned long major = strtoul(version, &end, 10),
                                minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
            /* Debian's next release has no number yet. */
            return version[0] && major * 100 + minor < systems[i].since ? "package intel-opencl-icd"
                                                                        : "package libze-intel-gpu1";
        }
    return "package libze-intel-gpu1 or intel-level-zero-gpu";
}

const char *uhi_ze_package(void) {
    static char release[MAX_RELEASE];
    FILE *file = fopen("/etc/os-release", "r");
    size_t length = 0;
    if (file) {
        length = fread(release, 1, sizeof release - 1, file);
        fclose(file);
    }
    release[length] = '\0';
    return uhi_ze_package_of(release);
}
