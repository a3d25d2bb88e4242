/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/number.h"

#define AT(member) offsetof(uh_discrete, member)

/* What the parameters are: 'i' and 'u', whole numbers, with a sign and without; 'd', any number; and where they go. */
static const struct {
    const char *name;
    uh_discrete_kind kind;
    const char *types;
    size_t at[3];
    const char *expected;
} forms[] = {
    {"weights", UH_DISCRETE_UNIFORM, "", {0}, ""},
    {"uniform", UH_DISCRETE_UNIFORM, "ii", {AT(low), AT(high)}, "two whole numbers"},
    {"bernoulli", UH_DISCRETE_BERNOULLI, "d", {AT(p)}, "a number"},
    {"binomial", UH_DISCRETE_BINOMIAL, "ud", {AT(n), AT(p)}, "a whole number and a number"},
    {"poisson", UH_DISCRETE_POISSON, "d", {AT(mean)}, "a number"},
    {"geometric", UH_DISCRETE_GEOMETRIC, "d", {AT(p)}, "a number"},
    {"negative-binomial", UH_DISCRETE_NEGATIVE_BINOMIAL, "dd", {AT(r), AT(p)}, "two numbers"},
    {"hypergeometric", UH_DISCRETE_HYPERGEOMETRIC, "uuu", {AT(good), AT(bad), AT(draws)}, "three whole numbers"},
    {"zipf", UH_DISCRETE_ZIPF, "du", {AT(s), AT(n)}, "a number and a whole number"},
};

/* Reads a parameter of `length` characters; -1 where it is none of the type. */
static int read_parameter(char type, const char *text, size_t length, void *to) {
    char number[64];
    if (length >= sizeof number)
        return -1;
    memcpy(number, text, length);
    number[length] = 0;
    switch (type) {
    case 'i': return cli_parse_i64(number, to);
    case 'u': return cli_parse_u64(number, 0, UINT64_MAX, to);
    default: return cli_parse_double(number, length, to);
    }
}

static int fail_missing(const struct cli_command *command, struct cli_error *error) {
    char names[400] = "";
    size_t used = 0;
    for (const struct cli_option *option = NULL; (option = cli_option_next(command, option));)
        if (option->kind == CLI_SOURCE)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s %s", used ? ", " : "", option->name,
                                     option->argument);
    return cli_usage(error, "nothing to draw from; give one of %s", names);
}

int cli_source_set(struct cli_source *source, const struct cli_arguments *arguments, struct cli_error *error) {
    const struct cli_option *option = arguments->source;
    const char *from = arguments->source_text;
    int bad = 0, form = 0;
    if (!option)
        return fail_missing(arguments->command, error);
    while (strcmp(forms[form].name, option->name) != 0)
        form++;
    const char *types = forms[form].types;
    source->option = option;
    source->text = from;
    source->distribution = (uh_discrete){.struct_size = sizeof source->distribution, .kind = forms[form].kind};
    for (size_t i = 0; types[i] && !bad; i++) {
        const size_t length = types[i + 1] ? strcspn(from, ",") : strlen(from);
        void *to = (char *)&source->distribution + forms[form].at[i];
        bad = read_parameter(types[i], from, length, to) || (types[i + 1] && !from[length]);
        from += length + 1;
    }
    return bad ? cli_usage(error, "--%s '%.200s': expected %s, %s", option->name, source->text, option->argument,
                           forms[form].expected)
               : 0;
}

const char *cli_source_file(const struct cli_source *source) {
    return strcmp(source->option->name, "weights") == 0 ? source->text : NULL;
}

uh_status cli_source_create(const struct cli_source *source, uh_queue *queue, uh_sample_method method,
                            uh_sampler **sampler) {
    const uh_sampler_options options = {.struct_size = sizeof options, .method = method};
    if (!cli_source_file(source))
        return uh_sampler_create_distribution(queue, &source->distribution, &options, sampler);
    const uh_array weights = uh_array_of(source->weights.dtype, source->weights.data, source->weights.n);
    return uh_sampler_create(queue, &weights, &options, sampler);
}

char *cli_source_name(const struct cli_source *source) {
    const size_t size = strlen(source->option->name) + strlen(source->text) + 3;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s(%s)", source->option->name, source->text);
    return name;
}

void cli_source_free(struct cli_source *source) {
    cli_numbers_free(&source->weights);
}
