/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/machine.h"

#include <unihist/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NDEBUG
#define BUILD_TYPE "release"
#else
#define BUILD_TYPE "debug"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

void perf_machine_init(struct perf_machine *machine) {
    uh_device *device;
    uh_device_properties host = {.struct_size = sizeof host};
    memset(machine, 0, sizeof *machine);
    perf_check(uh_device_select("cpu", &device) || uh_device_get_properties(device, &host));
    snprintf(machine->cpu, sizeof machine->cpu, "%s", host.name);
    snprintf(machine->isa, sizeof machine->isa, "%s", host.isa);
    snprintf(machine->compiler, sizeof machine->compiler, "%s", COMPILER);
    machine->build = BUILD_TYPE;
    machine->library = uh_version();
    machine->memory = host.memory;
    machine->last_level_cache = host.cache_l3 ? host.cache_l3 * (host.sockets ? host.sockets : 1)
                                              : host.cache_l2 * (host.cores ? host.cores : 1);
}

double perf_peak_memory(int again) {
    static const char name[] = "VmHWM:";
    char line[128];
    double kibibytes = 0;
    FILE *file = again ? fopen("/proc/self/clear_refs", "w") : NULL;
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, sizeof name - 1) == 0)
            kibibytes = strtod(line + sizeof name - 1, NULL);
    if (file)
        fclose(file);
    return 1024 * kibibytes;
}
