/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/mcubes.h"

#include "perf/tables.h"

#include <stdlib.h>
#include <string.h>

/* Unless --peers leaves it out. */
static int wants_gsl(const struct perf_options *options) {
    int wanted = !(options->given & PERF_GIVEN_PEERS) || options->peers.all;
    for (size_t i = 0; i < options->peers.count; i++)
        wanted |= strcmp(options->peers.name[i], "gsl_vegas") == 0;
    return wanted;
}

static int find_gsl(struct mcubes_results *results, struct perf_error *error) {
    const struct perf_bench *bench = results->bench;
    struct perf_peer_options options = {.timeout = bench->options.peer_timeout};
    if (!wants_gsl(&bench->options))
        return PERF_OK;
    snprintf(options.name[options.count++], PERF_PEER_NAME_MAX, "gsl_vegas");
    const int status = perf_peers_create(&options, bench->report, &results->peers, error);
    results->has_gsl = perf_report_said(bench->report, "peers") != NULL;
    return status;
}

static int begin(struct mcubes_results *results, struct perf_error *error) {
    struct perf_bench *bench = results->bench;
    struct perf_numbers threads = {1, {1}};
    char text[160], pinning[128];
    if (bench->options.given & PERF_GIVEN_THREADS)
        threads = bench->options.threads;
    int status = perf_find_devices(bench, "cpu", error);
    if (status == PERF_OK)
        status = perf_settle_threads(&bench->devices[0], &threads, error);
    if (status != PERF_OK)
        return status;
    results->threads = (uint32_t)threads.value[0];
    status = perf_queue(&bench->devices[0], results->threads, &results->queue, error);
    if (status == PERF_OK && !bench->told)
        status = perf_report_machine(bench->report, &bench->machine, error);
    perf_pin_threads(&bench->cpus, results->threads, pinning, sizeof pinning);
    snprintf(text, sizeof text, "%u thread%s, %s", (unsigned)results->threads, results->threads > 1 ? "s" : "",
             pinning);
    if (status == PERF_OK)
        status = perf_report_fact(bench->report, "threads", text, error);
    return status == PERF_OK ? find_gsl(results, error) : status;
}

/* ---- the folder ---- */

static int write_all(const struct mcubes_results *results, const struct perf_picture *pictures,
                     struct perf_error *error) {
    const struct perf_bench *bench = results->bench;
    char *text = NULL, *json = mcubes_json(results, pictures);
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file)
        mcubes_text(results, pictures, file);
    int status = PERF_OK;
    if (!file || fclose(file) || !json)
        status = perf_fail(error, "out of memory for the tables");
    if (status == PERF_OK && perf_interrupted)
        status = perf_fail(error, "interrupted");
    for (size_t i = 0; status == PERF_OK && i < MCUBES_FIGURES; i++) {
        const struct perf_picture *picture = &pictures[i];
        status = perf_tables_write(bench, picture->script_name, picture->script, strlen(picture->script), error);
        if (status == PERF_OK)
            status = perf_tables_write(bench, picture->name, picture->data, picture->size, error);
    }
    if (status == PERF_OK)
        status = perf_tables_publish(bench, json, text, NULL, error);
    free(text);
    free(json);
    return status;
}

static void end(struct mcubes_results *results) {
    struct perf_bench *bench = results->bench;
    perf_peers_destroy(results->peers);
    for (size_t i = 0; i < MCUBES_PLOTTED; i++)
        for (size_t by = 0; by < MCUBES_BYS; by++)
            for (size_t k = 0; k < MCUBES_LEVELS; k++)
                free(results->series[i][by].level[k].errors);
    for (size_t i = 0; i < MCUBES_TABLED; i++)
        for (size_t by = 0; by < MCUBES_BYS; by++)
            free(results->tabled[i][by].errors);
    perf_forget_cases(bench);
    free(results);
}

/* The names of what would be measured. */
static void list(const struct mcubes_results *results) {
    char name[16];
    for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
        for (size_t i = 0; i < MCUBES_TABLED; i++) {
            mcubes_integrand(&mcubes_tabled[i].f, name);
            if (mcubes_tables(results, by))
                printf("mcubes/tables/%s/%s\n", name, mcubes_by_name(by));
        }
        for (size_t i = 0; i < MCUBES_PLOTTED; i++) {
            mcubes_integrand(&mcubes_plotted[i].f, name);
            if (mcubes_plots(results, i, by))
                printf("mcubes/figures/%s/%s\n", name, mcubes_by_name(by));
        }
    }
}

int perf_mcubes(struct perf_bench *bench, struct perf_error *error) {
    struct perf_picture pictures[MCUBES_FIGURES] = {{.script = NULL}};
    struct mcubes_results *results = calloc(1, sizeof *results);
    if (!results)
        return perf_fail(error, "out of memory for the results");
    results->bench = bench;
    int status = PERF_OK;
    if (bench->options.list) {
        results->has_gsl = wants_gsl(&bench->options);
        list(results);
        goto out;
    }
    status = begin(results, error);
    if (status == PERF_OK)
        status = mcubes_measure(results, error);
    if (status == PERF_OK)
        status = mcubes_plot(results, pictures, error);
    if (status == PERF_OK)
        status = write_all(results, pictures, error);
out:
    for (size_t i = 0; i < MCUBES_FIGURES; i++)
        perf_picture_free(&pictures[i]);
    end(results);
    return status;
}
