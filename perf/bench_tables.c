/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf tables: what the tables of the paper show, measured here. Tables of the same bins share their
 * measurements: the paper has four devices, and a run has the one (or all) that it is told. */
#include "perf/bench.h"
#include "perf/settings_tables.h"
#include "perf/tables_measure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DATA_SEED UINT64_C(1)

/* Values of a measurement where --n does not say: on the host, and on devices that are faster than that. */
#define N_LEAST     ((size_t)16 << 20)
#define N_MOST_HOST ((size_t)64 << 20)
#define N_GPU       ((size_t)256 << 20)

/* Bytes that NumPy has at once for a sample of table XIII: a float64, an index, and one of what is checked. */
#define NUMPY_SAMPLE 24

/* Everything of one run. */
struct bench {
    struct tables_settings settings;
    struct tables tables;
    struct perf_cpus cpus;
    uint32_t threads; /* of the host */
    struct perf_report *report;
    struct perf_folder *folder;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
    interrupted = signal_number;
}

static int library_failed(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

/* ---- one device ------------------------------------------------------------------------------------------------- */

static size_t default_n(const struct bench *bench, const struct tables_device *device) {
    const uint64_t unknown_cache = (uint64_t)64 << 20;
    const struct perf_machine *machine = &bench->tables.machine;
    uint64_t cache = machine->last_level_cache ? machine->last_level_cache : unknown_cache;
    uint64_t n = device->host ? cache / sizeof(float) * 4 : N_GPU, most = machine->memory / 4 / sizeof(float);
    if (device->host)
        n = n < N_LEAST ? N_LEAST : n > N_MOST_HOST ? N_MOST_HOST : n;
    n = most && n > most ? most : n;
    if (!device->host && device->properties.memory && n > device->properties.memory / 4 / sizeof(float))
        n = device->properties.memory / 4 / sizeof(float);
    return (size_t)n;
}

/* As many as the paper's: those of its laptop on the host, else those of its server. */
static size_t default_samples(const struct bench *bench, const struct tables_device *device) {
    const struct perf_machine *machine = &bench->tables.machine;
    uint64_t n = (uint64_t)paper_devices[device->host ? PAPER_LAPTOP_CPU : PAPER_SERVER_GPU].n;
    const uint64_t most = machine->memory / 4 / NUMPY_SAMPLE, memory = device->properties.memory / 4 / sizeof(uint32_t);
    if (device->host)
        return (size_t)(most && n > most ? most : n);
    return (size_t)(memory && n > memory ? memory : n);
}

static int draw_values(struct tables_site *site, struct perf_error *error) {
    const size_t n = site->device->n;
    const double range[2] = {0, PAPER_RANGE};
    perf_report_progress("%s: drawing %zu values", site->device->properties.selector, n);
    site->x = n > SIZE_MAX / sizeof *site->x ? NULL : perf_array_create(n * sizeof *site->x, site->threads);
    if (!site->x || case_fill_f32(CASE_UNIFORM, 1, range, DATA_SEED, site->x, n))
        return perf_fail(error, "out of memory for %zu values; --n sets how many", n);
    perf_limit_init(&site->limit, site->x, n * sizeof *site->x, site->threads);
    return perf_site_interrupted(site, error);
}

/* Draws the values, and takes them into the memory of a device that has its own: that first, for it may lack. */
static int place_values(struct tables_site *site, struct perf_error *error) {
    const size_t n = site->device->n;
    void *there = NULL;
    if (!site->device->host) {
        if (n > SIZE_MAX / sizeof *site->x)
            return perf_fail(error, "out of memory for %zu values; --n sets how many", n);
        if (uh_malloc_device(site->device->device, n * sizeof *site->x, 0, &there))
            return perf_fail(error, "%s; --n sets how many values", uh_last_error());
        site->there = there;
    }
    int status = draw_values(site, error);
    if (status == PERF_OK && there &&
        (uh_memcpy(site->queue, there, site->x, n * sizeof *site->x, NULL, 0, NULL) || uh_queue_wait(site->queue)))
        return library_failed(error);
    site->there = there ? there : site->x;
    return status;
}

/* The peers, and how many seconds they may take for all values once. */
#define NUMPY          "numpy"
#define CHOICE         "numpy_choice"
#define NUMPY_PATIENCE 3600

/* Starts a peer of NumPy, or notes why there is none. */
static int start_numpy(const struct tables_site *site, const char *name, const char *instead,
                       struct tables_numpy *numpy, struct perf_peers **peers, struct perf_error *error) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a site is for a device, of which there are `count` */
    if (!site->device->host) {
        snprintf(numpy->why, sizeof numpy->why, "%s", instead);
        return PERF_OK;
    }
    struct perf_peer_options options = {.timeout = NUMPY_PATIENCE, .count = 1};
    snprintf(options.name[0], sizeof options.name[0], "%s", name);
    int status = perf_peers_create(&options, NULL, peers, error);
    if (status != PERF_OK)
        return perf_site_failed(site, status, error);
    const char *title = perf_peers_title(*peers, 0);
    if (title) {
        snprintf(numpy->version, sizeof numpy->version, "%.63s", title + strlen(name) + 1);
        return PERF_OK;
    }
    snprintf(numpy->why, sizeof numpy->why, "%.255s", perf_peers_left_out(*peers) + strlen(name) + 2);
    perf_peers_destroy(*peers);
    *peers = NULL;
    return PERF_OK;
}

static int start_both(struct tables_site *site, const int *wanted, struct perf_error *error) {
    struct tables_device *device = site->device;
    int status = PERF_OK;
    if (perf_tables_needs_histograms(wanted))
        status = start_numpy(site, NUMPY, "numpy.histogram counts on the host", &device->numpy, &site->numpy, error);
    if (status == PERF_OK && perf_tables_needs_sampling(wanted))
        status = start_numpy(site, CHOICE, "NumPy draws on the host", &device->choice, &site->choice, error);
    return status;
}

static int print_numpy(struct perf_report *report, const char *key, const struct tables_numpy *numpy,
                       struct perf_error *error) {
    char text[512];
    snprintf(text, sizeof text, "%s%s",
             *numpy->version ? numpy->version : "left out: ", *numpy->version ? "" : numpy->why);
    return perf_report_fact(report, key, text, error);
}

static int print_device(const struct tables_site *site, const int *wanted, struct perf_error *error) {
    const struct tables_device *device = site->device;
    struct perf_report *report = site->report;
    char text[1024], values[128] = "", samples[64] = "";
    perf_report_progress(NULL);
    if (perf_tables_needs_histograms(wanted))
        snprintf(values, sizeof values, "n = %zu float32 (%.1f MiB), ", device->n,
                 (double)device->n * sizeof(float) / 0x1p20);
    if (perf_tables_needs_sampling(wanted))
        snprintf(samples, sizeof samples, "%zu samples, ", device->samples);
    snprintf(text, sizeof text, "%s, %s%s%s", device->properties.name, values, samples, device->how);
    int status = perf_report_fact(report, device->properties.selector, text, error);
    if (status == PERF_OK && device->host && perf_tables_needs_histograms(wanted))
        status = print_numpy(report, "numpy", &device->numpy, error);
    if (status == PERF_OK && device->host && perf_tables_needs_sampling(wanted))
        status = print_numpy(report, "numpy_choice", &device->choice, error);
    return status;
}

static int open_site(struct bench *bench, struct tables_site *site, struct perf_error *error) {
    struct tables_device *device = site->device;
    uh_queue_options options = {.struct_size = sizeof options, .threads = device->host ? bench->threads : 0};
    char pinning[128];
    if (uh_queue_create(device->device, &options, &site->queue))
        return library_failed(error);
    const int *wanted = bench->settings.wanted;
    const size_t n = bench->settings.common.n;
    device->n = n ? n : default_n(bench, device);
    device->samples = n ? n : default_samples(bench, device);
    /* Threads that a driver starts would inherit what this thread is bound to. */
    if (device->host) {
        perf_pin_threads(&bench->cpus, bench->threads, pinning, sizeof pinning);
        snprintf(device->how, sizeof device->how, "%" PRIu32 " thread%s, %s", bench->threads,
                 bench->threads > 1 ? "s" : "", pinning);
    } else {
        snprintf(device->how, sizeof device->how, "in the device's memory");
    }
    int status = perf_tables_needs_histograms(wanted) ? place_values(site, error) : PERF_OK;
    if (status == PERF_OK)
        status = start_both(site, wanted, error);
    return status == PERF_OK ? print_device(site, wanted, error) : status;
}

static void close_site(struct tables_site *site) {
    perf_peers_destroy(site->numpy);
    perf_peers_destroy(site->choice);
    if (site->there != site->x)
        uh_free(site->there);
    uh_queue_destroy(site->queue);
    free(site->x);
}

static int run_device(struct bench *bench, struct tables_device *device, struct perf_error *error) {
    struct tables_site site = {.device = device,
                               .cpus = &bench->cpus,
                               .threads = bench->threads,
                               .min_time = bench->settings.common.min_time,
                               .report = bench->report,
                               .interrupted = &interrupted};
    site.expected.bins = site.right;
    int status = open_site(bench, &site, error);
    for (int bins = 0; bins < PAPER_FAMILIES; bins++)
        for (size_t k = 0; k < PAPER_KS; k++)
            for (size_t h = 0; h < PAPER_HS; h++)
                if (status == PERF_OK && perf_tables_needs(bench->settings.wanted, (enum paper_bins)bins))
                    status = perf_site_measure(&site, (enum paper_bins)bins, k, h, error);
    if (status == PERF_OK && perf_tables_needs_sampling(bench->settings.wanted))
        status = perf_site_sample(&site, error);
    close_site(&site);
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static int add_device(struct tables *tables, uh_device *device, struct perf_error *error) {
    struct tables_device *added = &tables->devices[tables->count];
    added->device = device;
    added->properties.struct_size = sizeof added->properties;
    if (uh_device_get_properties(device, &added->properties))
        return library_failed(error);
    added->host = strcmp(added->properties.backend, "host") == 0;
    tables->count++;
    return PERF_OK;
}

/* Lists the devices: the one that is named, or all but tiles, which are parts of others. */
static int list_devices(struct bench *bench, struct perf_error *error) {
    struct tables *tables = &bench->tables;
    int all = strcmp(bench->settings.device, "all") == 0, status = PERF_OK;
    size_t count = 1;
    uh_device *device;
    if (all && uh_device_count(&count))
        return library_failed(error);
    tables->devices = calloc(count, sizeof *tables->devices);
    if (!tables->devices)
        return perf_fail(error, "out of memory for %zu devices", count);
    for (size_t i = 0; status == PERF_OK && i < count; i++) {
        if (all ? uh_device_get(i, &device) : uh_device_select(bench->settings.device, &device))
            return library_failed(error);
        status = add_device(tables, device, error);
        if (status == PERF_OK && all && strchr(tables->devices[tables->count - 1].properties.selector, '.'))
            tables->count--;
    }
    return status;
}

static int find_threads(struct bench *bench, struct perf_error *error) {
    uh_queue_options options = {.struct_size = sizeof options, .threads = bench->settings.common.threads};
    uh_device *host;
    uh_queue *queue;
    if (uh_device_select("cpu", &host) || uh_queue_create(host, &options, &queue))
        return library_failed(error);
    bench->threads = uh_queue_threads(queue);
    uh_queue_destroy(queue);
    return PERF_OK;
}

static int print_names(struct bench *bench, struct perf_error *error) {
    char name[PERF_NAME_MAX];
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < bench->tables.count; i++) {
        struct tables_site site = {.device = &bench->tables.devices[i], .interrupted = &interrupted};
        status = start_both(&site, bench->settings.wanted, error);
        perf_peers_destroy(site.numpy);
        perf_peers_destroy(site.choice);
        for (int bins = 0; status == PERF_OK && bins < PAPER_FAMILIES; bins++)
            for (size_t k = 0; k < PAPER_KS && perf_tables_needs(bench->settings.wanted, (enum paper_bins)bins); k++)
                for (size_t h = 0; h < PAPER_HS; h++)
                    for (int variant = 0; variant < TABLES_VARIANTS; variant++)
                        if (perf_tables_takes_part(site.device, (enum tables_variant)variant)) {
                            perf_tables_name(site.device, (enum paper_bins)bins, k, h, (enum tables_variant)variant,
                                             name, sizeof name);
                            puts(name);
                        }
        for (int row = 0; row < TABLES_SAMPLERS && perf_tables_needs_sampling(bench->settings.wanted); row++)
            if (status == PERF_OK && perf_tables_samples(site.device, (enum tables_sampler)row)) {
                perf_tables_sampling_name(site.device, (enum tables_sampler)row, name, sizeof name);
                puts(name);
            }
    }
    return status;
}

/* Prints the tables, and writes them and the plot into the folder. */
static int show(struct bench *bench, struct perf_error *error) {
    struct tables *tables = &bench->tables;
    char *text = NULL, *json = NULL;
    size_t size = 0;
    int status = perf_tables_plot(tables, bench->folder, error);
    if (status != PERF_OK)
        return status;
    FILE *file = open_memstream(&text, &size);
    if (file)
        perf_tables_text(tables, file);
    json = perf_tables_json(tables);
    if (!file || fclose(file) || !json)
        status = perf_fail(error, "out of memory for the tables");
    if (status == PERF_OK)
        status = perf_folder_write(bench->folder, "tables.md", text, NULL, error);
    if (status == PERF_OK)
        status = perf_folder_write(bench->folder, "tables.json", json, NULL, error);
    if (status == PERF_OK)
        status = interrupted ? perf_fail(error, "interrupted") : PERF_OK;
    if (status == PERF_OK)
        status = perf_report_write(bench->report, error);
    if (status == PERF_OK)
        status = perf_folder_commit(bench->folder, error);
    if (status == PERF_OK)
        printf("\n%s\n# written to %s; %s\n", text, bench->settings.out, tables->plot);
    free(text);
    free(json);
    return status;
}

static int run_all(struct bench *bench, struct perf_error *error) {
    static const struct perf_table table = {.quiet = 1, .baseline = "x binary"};
    int status = perf_report_create(bench->settings.common.json, &table, &bench->report, error);
    if (status == PERF_OK)
        status = perf_folder_create(bench->settings.out, &bench->folder, error);
    if (status == PERF_OK)
        status = perf_machine_init(&bench->tables.machine, error);
    if (status == PERF_OK)
        status = perf_report_machine(bench->report, &bench->tables.machine, error);
    perf_cpus_init(&bench->cpus);
    for (size_t i = 0; status == PERF_OK && i < bench->tables.count; i++)
        status = run_device(bench, &bench->tables.devices[i], error);
    perf_report_progress(NULL);
    return status == PERF_OK ? show(bench, error) : status;
}

int uhi_perf_tables(int argc, char **argv, struct perf_error *error) {
    const struct sigaction action = {.sa_handler = interrupt};
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    bench->tables.wanted = bench->settings.wanted;
    int status = perf_tables_settings(&bench->settings, argc, argv, error);
    if (status == PERF_OK && bench->settings.common.help) {
        perf_tables_help();
        goto out;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    if (status == PERF_OK)
        status = list_devices(bench, error);
    if (status == PERF_OK)
        status = find_threads(bench, error);
    if (status != PERF_OK)
        goto out;
    status = bench->settings.common.list ? print_names(bench, error) : run_all(bench, error);
out:
    perf_report_destroy(bench->report);
    perf_folder_destroy(bench->folder);
    free(bench->tables.devices);
    free(bench);
    return status;
}
