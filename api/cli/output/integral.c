/* SPDX-License-Identifier: Apache-2.0 */

#include <inttypes.h>
#include <math.h>

#include "api/cli/output/output.h"

static void write_rows(FILE *file, const char *key, const double *numbers, size_t rows, size_t columns) {
    fprintf(file, ",\n  \"%s\": [", key);
    for (size_t i = 0; i < rows; i++) {
        fputs(i ? ",\n    " : "\n    ", file);
        cli_output_list(file, numbers + i * columns, columns);
    }
    fputs("\n  ]", file);
}

static void write_options(FILE *file, const uh_integrate_options *options, size_t bins) {
    const struct cli_fact facts[] = {
        CLI_NUMBER("epsrel", options->relative_error),
        CLI_NUMBER("epsabs", options->absolute_error),
        CLI_INTEGER("max_calls", options->max_calls),
        CLI_INTEGER("iterations", options->iterations),
        CLI_INTEGER("bins", bins),
        CLI_NUMBER("alpha", options->alpha),
        CLI_NUMBER("beta", options->beta),
        CLI_INTEGER("adjust", options->adjusting == SIZE_MAX ? 0 : options->adjusting),
        CLI_NUMBER("max_chi2", options->max_chi2_dof),
        CLI_INTEGER("seed", options->seed),
        CLI_INTEGER("randomisations", options->randomisations),
        CLI_TEXT("scramble", uh_enum_name(UH_ENUM_SCRAMBLE, options->scramble)),
        CLI_TEXT("periodise", uh_enum_name(UH_ENUM_PERIODISE, options->periodise)),
        CLI_NUMBER("time_limit", (double)options->time_limit_ns / 1e9),
        CLI_TRUTH("zero_not_finite", (uint64_t)options->zero_not_finite),
    };
    cli_output_object(file, ",\n  \"options\": ", CLI_FACTS(facts));
}

static void write_iterations(FILE *file, const struct cli_integral *found) {
    fputs(",\n  \"iterations\": [", file);
    for (size_t i = 0; i < found->integral->iterations; i++) {
        const uh_iteration *one = &found->iteration[i];
        const struct cli_fact facts[] = {
            CLI_NUMBER("estimate", one->estimate), CLI_NUMBER("deviation", one->deviation),
            CLI_NUMBER("integral", one->integral), CLI_NUMBER("error", one->error),
            CLI_NUMBER("chi2_dof", one->chi2_dof), CLI_TRUTH("counts", (uint64_t)one->counts),
            CLI_INTEGER("calls", one->calls),      CLI_NUMBER("seconds", (double)one->total_ns / 1e9)};
        cli_output_object(file, i ? ",\n    " : "\n    ", CLI_FACTS(facts));
    }
    fputs("\n  ]", file);
}

int cli_integral_json(FILE *file, const void *what) {
    const struct cli_integral *found = what;
    const uh_integral *integral = found->integral;
    const uh_grid_properties *grid = found->grid;
    double intervals[UH_INTEGRATE_MAX_DIMS];
    const struct cli_fact facts[] = {
        CLI_NUMBER("integral", integral->value),
        CLI_NUMBER("error", integral->error),
        CLI_NUMBER("chi2_dof", integral->chi2_dof),
        CLI_INTEGER("dof", integral->dof),
        CLI_TRUTH("converged", integral->end == UH_INTEGRATE_CONVERGED),
        CLI_TEXT("end", uh_enum_name(UH_ENUM_INTEGRATE_END, integral->end)),
        CLI_TEXT("warning", uh_enum_name(UH_ENUM_INTEGRATE_WARNING, integral->warning)),
        CLI_TEXT("expression", found->expression),
        CLI_TEXT("file", found->file),
        CLI_INTEGER("dims", grid->dims),
        CLI_TEXT("variant", uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, integral->variant)),
        CLI_TEXT("choice", uh_enum_name(UH_ENUM_INTEGRATE_CHOICE, integral->choice)),
        CLI_INTEGER("cubes", integral->cubes),
        CLI_INTEGER("calls", integral->calls),
        CLI_INTEGER("not_finite", integral->not_finite),
        CLI_TEXT("device", found->device),
        CLI_TEXT("dtype", uh_enum_name(UH_ENUM_DTYPE, integral->dtype)),
        CLI_NUMBER("kernel_seconds", (double)integral->kernel_ns / 1e9),
        CLI_NUMBER("seconds", found->seconds),
    };
    cli_output_facts(file, "{\n  ", ",\n  ", CLI_FACTS(facts));
    for (size_t d = 0; d < grid->dims; d++)
        intervals[d] = (double)integral->intervals[d];
    fputs(",\n  \"intervals\": ", file);
    cli_output_list(file, intervals, grid->dims);
    fputs(",\n  \"integrals\": ", file);
    cli_output_list(file, integral->values, found->values);
    write_rows(file, "covariance", integral->covariance, found->values, found->values);
    write_options(file, found->options, grid->bins);
    write_iterations(file, found);
    fputs(",\n  \"lower\": ", file);
    cli_output_list(file, grid->lower, grid->dims);
    fputs(",\n  \"upper\": ", file);
    cli_output_list(file, grid->upper, grid->dims);
    write_rows(file, "edges", grid->edges, found->axes, grid->bins + 1);
    fputs("\n}\n", file);
    return 0;
}

void cli_integral_print_iteration(const uh_iteration *one) {
    const double seconds = (double)one->total_ns / 1e9;
    if (one->number == 0)
        printf("%4s %14s %8s %14s %8s %8s %9s %8s\n", "", "estimate", "error", "integral", "error", "chi2/dof", "calls",
               "calls/s");
    printf("%4zu %14.9g %8.2g ", one->number + 1, one->estimate, one->deviation);
    if (!one->counts)
        printf("%14s %8s %8s", "", "", "");
    else
        printf("%14.9g %8.2g %8.3g", one->integral, one->error, one->chi2_dof);
    printf(" %9" PRIu64 " %8.3g\n", one->calls, seconds > 0 ? (double)one->calls / seconds : 0);
    fflush(stdout);
}

void cli_integral_print(const struct cli_terminal *terminal, const struct cli_integral *found) {
    const uh_integral *integral = found->integral;
    char value[CLI_OUTPUT_NUMBER_SIZE], deviation[CLI_OUTPUT_NUMBER_SIZE];
    for (size_t k = 0; k < found->values; k++) {
        /* The first error is given because its square may not fit float64. */
        const double error = k == 0 ? integral->error : sqrt(integral->covariance[k * found->values + k]);
        cli_output_number(value, integral->values[k]);
        cli_output_number(deviation, error);
        if (terminal->is_terminal)
            printf("%s%.12g %s %.2g", k ? "\n" : "\n= ", integral->values[k], terminal->utf8 ? "±" : "+-", error);
        else
            printf("%s %s\n", value, deviation);
    }
    if (!terminal->is_terminal)
        return;
    if (integral->value != 0)
        printf(" (%.2g of it)", fabs(integral->error / integral->value));
    putchar('\n');
}

void cli_integral_print_words(const struct cli_integral *found) {
    const uh_integral *integral = found->integral;
    const double seconds = (double)integral->total_ns / 1e9;
    char count[CLI_TEXT_COUNT_SIZE];
    cli_text_count(count, integral->calls);
    static const char *const why[] = {"",
                                      ", because the integrand is smooth",
                                      ", because it is not smooth",
                                      ", because samples saw more than cubature or a lattice",
                                      "",
                                      ", because cubature or a lattice cannot integrate this"};
    printf("chi2/dof %.3g, dof %zu, iterations: %zu\n", integral->chi2_dof, integral->dof, integral->iterations);
    printf("%s%s: %s calls in %.3f s, %.3g per second\n", uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, integral->variant),
           why[integral->variant == UH_INTEGRATE_VEGAS_PLUS || !integral->end ? integral->choice : 0], count, seconds,
           (double)integral->calls / seconds);
    printf("%s, %s", found->device, uh_enum_name(UH_ENUM_DTYPE, integral->dtype));
    if (found->threads)
        printf(", threads: %" PRIu32, found->threads);
    putchar('\n');
}
