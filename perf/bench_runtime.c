/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf runtime: what the runtime adds to the host's time for each small job, beside bare Level Zero calls that
 * do the same in the same rounds. */
#define _GNU_SOURCE /* mkdtemp, nftw, MAP_ANONYMOUS */
#include "perf/bench.h"
#include "perf/harness.h"
#include "perf/jobs_runtime.h"
#include "perf/report.h"
#include "perf/settings_runtime.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the runtime may add to a bare launch in order: a fifth, or a microsecond where that is more. */
#define MAY_ADD_PART    0.2
#define MAY_ADD_SECONDS 1e-6
/* A launch is measured again, so often, where the first figures break that: other work may have hit one side only. */
enum { TRIES = 3 };

enum { RIVALS_MAX = 4 };

struct bench {
    struct runtime_settings settings;
    uh_device_properties device;
    struct perf_machine machine;
    struct perf_ours *ours;
    struct perf_bare *bare; /* NULL on the host device */
    struct perf_report *report;
    char cache[64]; /* a folder of our own, "" before it is made */
    int uses_cache;
    struct perf_error too_slow; /* what --check found */
};

/* One side at work on a job. */
struct rival {
    struct bench *bench;
    const char *name;
    enum perf_job job;
    size_t count; /* of one run */
    int bare;
    enum perf_order order; /* of bare calls */
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    interrupted = signal_number;
}

/* ---- one job ---------------------------------------------------------------------------------------------------- */

static int before(void *context, struct perf_error *error) {
    (void)context;
    return interrupted ? perf_fail(error, "interrupted") : PERF_OK;
}

static int run(void *context, struct perf_error *error) {
    const struct rival *rival = context;
    return rival->bare ? perf_bare_run(rival->bench->bare, rival->job, rival->order, rival->count, error)
                       : perf_ours_run(rival->bench->ours, rival->job, rival->count, error);
}

static int after(void *context, struct perf_error *error) {
    const struct rival *rival = context;
    return rival->bare ? perf_bare_finish(rival->bench->bare, error) : perf_ours_finish(rival->bench->ours, error);
}

static int is_module(enum perf_job job) {
    return job == PERF_JOB_BUILD || job == PERF_JOB_DISK || job == PERF_JOB_MEMORY;
}

/* Lists who does the job: nobody, the library, or the library and its rivals, those in front that do all it does. */
static size_t list_rivals(struct bench *bench, enum perf_job job, struct rival *rivals) {
    const size_t count = is_module(job) ? PERF_JOB_MODULES : bench->settings.batch;
    size_t n = 0;
    int cached = job == PERF_JOB_DISK || job == PERF_JOB_MEMORY;
    if (!bench->settings.job[job] || !perf_ours_can(bench->ours, job) || (cached && !bench->uses_cache))
        return 0;
    rivals[n++] = (struct rival){bench, "unihist", job, count, 0, PERF_ORDER_BARRIER};
    if (!bench->bare)
        return n;
    if (is_module(job) || job == PERF_JOB_EVENT) {
        rivals[n++] = (struct rival){bench, "bare", job, count, 1, PERF_ORDER_BARRIER};
        return n;
    }
    rivals[n++] = (struct rival){bench, "bare-barrier", job, count, 1, PERF_ORDER_BARRIER};
    rivals[n++] = (struct rival){bench, "bare-chain", job, count, 1, PERF_ORDER_CHAIN};
    if (job == PERF_JOB_LAUNCH)
        rivals[n++] = (struct rival){bench, "bare-kept", PERF_JOB_RELAUNCH, count, 1, PERF_ORDER_CHAIN};
    return n;
}

static void write_name(const struct rival *rival, enum perf_job job, char *name, size_t size) {
    snprintf(name, size, "runtime/%s/%s", perf_job_name(job), rival->name);
}

/* The number of the rival with the shortest time, 0 where there is none: `best` picks which time. The last one of a
 * launch does less than the library and does not count. */
static size_t fastest_bare(const struct rival *rivals, size_t count, const struct perf_timing *timings, int best) {
    size_t found = count > 1;
    for (size_t i = 2; i < count; i++)
        if (rivals[i].job != PERF_JOB_RELAUNCH &&
            (best ? timings[i].best < timings[found].best : timings[i].median < timings[found].median))
            found = i;
    return found;
}

static int report_job(struct bench *bench, enum perf_job job, const struct rival *rivals, size_t count,
                      const struct perf_timing *timings, struct perf_error *error) {
    int copies = job == PERF_JOB_COPY || job == PERF_JOB_COPY_USM || job == PERF_JOB_FILL;
    size_t baseline = fastest_bare(rivals, count, timings, 0);
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < count; i++) {
        const double each = (double)rivals[i].count;
        struct perf_result result = {
            .labels = {perf_job_name(job), rivals[i].name},
            .note = perf_job_text(rivals[i].job),
            .threads = 1,
            .items = 1,
            .bytes = copies ? PERF_JOB_BYTES : 0,
            .timing = {timings[i].repetitions, timings[i].best / each, timings[i].median / each, timings[i].cpu / each},
        };
        if (baseline) {
            result.times = timings[i].median / timings[baseline].median;
            result.more = (timings[i].median - timings[baseline].median) / each;
        }
        write_name(&rivals[i], job, result.name, sizeof result.name);
        status = perf_report_add(bench->report, &result, error);
    }
    return status;
}

/* Seconds that the library's best launch takes too long, 0 where it is within the limit. */
static double too_long(const struct rival *rivals, size_t rival_count, const struct perf_timing *timings,
                       struct perf_error *text) {
    const double count = (double)rivals[0].count;
    double ours = timings[0].best / count, bare = timings[fastest_bare(rivals, rival_count, timings, 1)].best / count;
    double limit = bare * MAY_ADD_PART > MAY_ADD_SECONDS ? bare * MAY_ADD_PART : MAY_ADD_SECONDS;
    if (ours - bare <= limit)
        return 0;
    perf_fail(text,
              "a launch takes %.0f ns through the library and %.0f ns by bare calls: %.0f ns more, expected at "
              "most %.0f",
              1e9 * ours, 1e9 * bare, 1e9 * (ours - bare), 1e9 * limit);
    return ours - bare - limit;
}

static int measure_job(struct bench *bench, enum perf_job job, struct perf_error *error) {
    struct rival rivals[RIVALS_MAX];
    struct perf_subject subjects[RIVALS_MAX];
    struct perf_timing timings[RIVALS_MAX];
    size_t count = list_rivals(bench, job, rivals);
    int checked = bench->settings.check && job == PERF_JOB_LAUNCH;
    /* Modules that another process has built can be loaded so often as it has built some. */
    double min_time = is_module(job) ? 0 : bench->settings.common.min_time;
    int status = PERF_OK;
    if (count == 0)
        return PERF_OK;
    for (size_t i = 0; i < count; i++)
        subjects[i] = (struct perf_subject){.before = before, .run = run, .after = after, .context = &rivals[i]};
    for (int tries = 0; status == PERF_OK && tries < (checked ? TRIES : 1); tries++) {
        perf_report_progress("runtime/%s", perf_job_name(job));
        status = perf_measure(subjects, count, min_time, timings, error);
        perf_report_progress(NULL);
        bench->too_slow.text[0] = checked ? '\0' : bench->too_slow.text[0];
        if (status == PERF_OK && checked && too_long(rivals, count, timings, &bench->too_slow) <= 0)
            break;
    }
    return status == PERF_OK ? report_job(bench, job, rivals, count, timings, error) : status;
}

/* ---- the cache of modules --------------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

/* The library is to keep built modules in a folder of our own, empty now. */
static int make_cache(struct bench *bench, struct perf_error *error) {
    const char *cache = getenv("UNIHIST_CACHE");
    char folder[] = "/tmp/unihist-perf.XXXXXX";
    bench->uses_cache = !cache || strcmp(cache, "off") != 0;
    if (!mkdtemp(folder))
        return perf_fail(error, "cannot make a folder in /tmp for built modules");
    snprintf(bench->cache, sizeof bench->cache, "%s", folder);
    return setenv("XDG_CACHE_HOME", folder, 1) ? perf_fail(error, "out of memory") : PERF_OK;
}

/* Finds the device: the one that was asked for, or the first GPU, or the host where there is none. */
static int select_device(struct bench *bench, uh_device **device, struct perf_error *error) {
    uh_status status = uh_device_select(bench->settings.device ? bench->settings.device : "gpu", device);
    if (status == UH_ERROR_NOT_FOUND && !bench->settings.device)
        status = uh_device_select("host:0", device);
    bench->device.struct_size = sizeof bench->device;
    if (!status)
        status = uh_device_get_properties(*device, &bench->device);
    return status ? perf_fail(error, "%s", uh_last_error()) : PERF_OK;
}

static int build_ahead(struct bench *bench, struct perf_error *error) {
    struct perf_ours *ours = NULL;
    uh_device *device;
    int status = select_device(bench, &device, error);
    if (status != PERF_OK || strcmp(bench->device.backend, "host") == 0)
        return status;
    status = perf_ours_create(device, &ours, error);
    if (status == PERF_OK)
        status = perf_ours_build_ahead(ours, PERF_ROUNDS + 1, error);
    perf_ours_destroy(ours);
    return status;
}

/* Has another process build the modules that we shall load. It must be done before this one uses a driver, which would
 * not survive the fork. */
static int build_elsewhere(struct bench *bench, struct perf_error *error) {
    int exit_status = 0;
    struct perf_error *said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        return perf_fail(error, "out of memory");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(build_ahead(bench, said));
    if (child < 0 || waitpid(child, &exit_status, 0) < 0)
        perf_fail(said, "cannot start another process");
    else if (!WIFEXITED(exit_status))
        perf_fail(said, "the process that builds modules ended by signal %d", WTERMSIG(exit_status));
    else if (WEXITSTATUS(exit_status) != PERF_OK && !said->text[0])
        perf_fail(said, "the process that builds modules ended with status %d", WEXITSTATUS(exit_status));
    int status = child > 0 && WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == PERF_OK
                     ? PERF_OK
                     : perf_fail(error, "%s", said->text);
    munmap(said, sizeof *said);
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int print_facts(struct bench *bench, struct perf_error *error) {
    const uh_device_properties *device = &bench->device;
    char text[512];
    int status = perf_report_machine(bench->report, &bench->machine, error);
    snprintf(text, sizeof text, "%s, %s, driver %s%s", device->selector, device->name, device->driver_version,
             bench->bare ? "" : "; no Level Zero device, so there is nothing to compare with");
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "device", text, error);
    snprintf(text, sizeof text, "%zu jobs are submitted and timed at once, then waited for", bench->settings.batch);
    return status == PERF_OK ? perf_report_fact(bench->report, "batch", text, error) : status;
}

static void print_names(struct bench *bench) {
    struct rival rivals[RIVALS_MAX];
    char name[PERF_NAME_MAX];
    for (int job = 0; job < PERF_JOB_COUNT; job++) {
        size_t count = list_rivals(bench, (enum perf_job)job, rivals);
        for (size_t i = 0; i < count; i++) {
            write_name(&rivals[i], (enum perf_job)job, name, sizeof name);
            puts(name);
        }
    }
}

static int run_all(struct bench *bench, struct perf_error *error) {
    static const struct perf_table table = {.of_times = 1,
                                            .count = 2,
                                            .titles = {"job", "by"},
                                            .widths = {-14, -12},
                                            .baseline = "beside the fastest bare calls"};
    int status = perf_report_create(bench->settings.common.json, &table, &bench->report, error);
    if (status == PERF_OK)
        status = perf_machine_init(&bench->machine, error);
    if (status == PERF_OK)
        status = print_facts(bench, error);
    if (status == PERF_OK)
        perf_report_head(bench->report);
    for (int job = 0; status == PERF_OK && job < PERF_JOB_COUNT; job++)
        status = measure_job(bench, (enum perf_job)job, error);
    if (status == PERF_OK)
        status = perf_report_write(bench->report, error);
    return status == PERF_OK && bench->too_slow.text[0] ? perf_fail(error, "%s", bench->too_slow.text) : status;
}

static int open_device(struct bench *bench, struct perf_error *error) {
    uh_device *device;
    int status = select_device(bench, &device, error);
    if (status == PERF_OK)
        status = perf_ours_create(device, &bench->ours, error);
    if (status == PERF_OK && strcmp(bench->device.backend, "level_zero") == 0)
        status = perf_bare_create(&bench->device, &bench->bare, error);
    if (status == PERF_OK && bench->settings.check && (!bench->bare || !bench->settings.job[PERF_JOB_LAUNCH]))
        status = perf_fail(error, "--check compares launches on a Level Zero device, but %s",
                           bench->bare ? "--jobs leaves them out" : "there is none");
    return status;
}

int uhi_perf_runtime(int argc, char **argv, struct perf_error *error) {
    const struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    int status = perf_runtime_settings(&bench->settings, argc, argv, error);
    if (status == PERF_OK && bench->settings.common.help) {
        perf_runtime_help();
        goto out;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    if (status == PERF_OK)
        status = make_cache(bench, error);
    if (status == PERF_OK && bench->uses_cache && bench->settings.job[PERF_JOB_DISK] && !bench->settings.common.list)
        status = build_elsewhere(bench, error);
    if (status == PERF_OK)
        status = open_device(bench, error);
    if (status != PERF_OK)
        goto out;
    if (bench->settings.common.list)
        print_names(bench);
    else
        status = run_all(bench, error);
out:
    perf_report_destroy(bench->report);
    perf_bare_destroy(bench->bare);
    perf_ours_destroy(bench->ours);
    if (bench->cache[0])
        nftw(bench->cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(bench);
    return status;
}
