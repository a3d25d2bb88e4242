/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* getloadavg */
#include "perf/machine.h"

#include <unihist/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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

/* The first line of a small file of the system, without its end. Returns 0, or -1 where there is none. */
static int read_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "r");
    char *got = file ? fgets(line, (int)size, file) : NULL;
    if (file)
        fclose(file);
    if (!got)
        return -1;
    line[strcspn(line, "\n")] = '\0';
    return 0;
}

static void find_clock(struct perf_machine *machine) {
    char line[1024];
    if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", line, sizeof line) == 0)
        machine->mhz = strtod(line, NULL) / 1000;
    if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", line, sizeof line) == 0)
        machine->scaling = strcmp(line, "performance") != 0;
    FILE *file = machine->mhz > 0 ? NULL : fopen("/proc/cpuinfo", "r");
    while (file && machine->mhz <= 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "cpu MHz", 7) == 0 && strchr(line, ':'))
            machine->mhz = strtod(strchr(line, ':') + 1, NULL);
    if (file)
        fclose(file);
}

static void find_date(char *date, size_t size) {
    time_t now = time(NULL);
    struct tm local;
    char zone[8] = "";
    size_t length = localtime_r(&now, &local) ? strftime(date, size, "%Y-%m-%dT%H:%M:%S", &local) : 0;
    if (length && strftime(zone, sizeof zone, "%z", &local) == 5)
        snprintf(date + length, size - length, "%.3s:%.2s", zone, zone + 3);
}

int perf_machine_init(struct perf_machine *machine, struct perf_error *error) {
    uh_device *device;
    uh_device_properties host = {.struct_size = sizeof host};
    struct utsname system;
    memset(machine, 0, sizeof *machine);
    if (uh_device_select("cpu", &device) || uh_device_get_properties(device, &host))
        return perf_fail(error, "%s", uh_last_error());
    snprintf(machine->cpu, sizeof machine->cpu, "%s", host.name);
    snprintf(machine->isa, sizeof machine->isa, "%s", host.isa);
    snprintf(machine->compiler, sizeof machine->compiler, "%s", COMPILER);
    machine->build = BUILD_TYPE;
    machine->library = uh_version();
    machine->memory = host.memory;
    machine->last_level_cache = host.cache_l3 ? host.cache_l3 * (host.sockets ? host.sockets : 1)
                                              : host.cache_l2 * (host.cores ? host.cores : 1);
    machine->cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (gethostname(machine->host, sizeof machine->host - 1))
        machine->host[0] = '\0';
    if (readlink("/proc/self/exe", machine->executable, sizeof machine->executable - 1) < 0)
        machine->executable[0] = '\0';
    if (uname(&system) == 0)
        snprintf(machine->kernel, sizeof machine->kernel, "%.64s %.64s %.64s", system.sysname, system.release,
                 system.machine);
    if (getloadavg(machine->load, 3) < 3)
        memset(machine->load, 0, sizeof machine->load);
    find_date(machine->date, sizeof machine->date);
    find_clock(machine);
    return PERF_OK;
}
