/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/number.h"
#include "api/cli/options.h"

#define AT(member) offsetof(uh_discrete, member)

/* What the parameters are: 'i' and 'u', whole numbers, with a sign and without; 'd', any number; and where they go. */
static const struct {
    enum cli_option_id id;
    uh_discrete_kind kind;
    const char *types;
    size_t at[3];
    const char *expected;
} forms[] = {
    {CLI_OPTION_DRAW_WEIGHTS, UH_DISCRETE_UNIFORM, "", {0}, ""},
    {CLI_OPTION_UNIFORM, UH_DISCRETE_UNIFORM, "ii", {AT(low), AT(high)}, "two whole numbers"},
    {CLI_OPTION_BERNOULLI, UH_DISCRETE_BERNOULLI, "d", {AT(p)}, "a number"},
    {CLI_OPTION_BINOMIAL, UH_DISCRETE_BINOMIAL, "ud", {AT(n), AT(p)}, "a whole number and a number"},
    {CLI_OPTION_POISSON, UH_DISCRETE_POISSON, "d", {AT(mean)}, "a number"},
    {CLI_OPTION_GEOMETRIC, UH_DISCRETE_GEOMETRIC, "d", {AT(p)}, "a number"},
    {CLI_OPTION_NEGATIVE_BINOMIAL, UH_DISCRETE_NEGATIVE_BINOMIAL, "dd", {AT(r), AT(p)}, "two numbers"},
    {CLI_OPTION_HYPERGEOMETRIC,
     UH_DISCRETE_HYPERGEOMETRIC,
     "uuu",
     {AT(good), AT(bad), AT(draws)},
     "three whole numbers"},
    {CLI_OPTION_ZIPF, UH_DISCRETE_ZIPF, "du", {AT(s), AT(n)}, "a number and a whole number"},
};
enum { FORMS = sizeof forms / sizeof *forms };

static int form_of(enum cli_option_id id) {
    for (int i = 0; i < FORMS; i++)
        if (forms[i].id == id)
            return i;
    return -1;
}

int cli_source_is(enum cli_option_id id) {
    return form_of(id) >= 0;
}

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

int cli_source_set(struct cli_source *source, enum cli_option_id id, const char *value, struct cli_error *error) {
    const int form = form_of(id);
    const char *types = forms[form].types, *name = cli_option_texts[id].name, *from = value;
    int bad = 0;
    if (source->id && source->id != id)
        return cli_usage(error, "--%s and --%s both say what to draw from; give one", cli_option_texts[source->id].name,
                         name);
    source->id = id;
    source->text = value;
    source->distribution = (uh_discrete){.struct_size = sizeof source->distribution, .kind = forms[form].kind};
    for (size_t i = 0; types[i] && !bad; i++) {
        const size_t length = types[i + 1] ? strcspn(from, ",") : strlen(from);
        void *to = (char *)&source->distribution + forms[form].at[i];
        bad = read_parameter(types[i], from, length, to) || (types[i + 1] && !from[length]);
        from += length + 1;
    }
    return bad ? cli_usage(error, "--%s '%.200s': expected %s, %s", name, value, cli_option_texts[id].argument,
                           forms[form].expected)
               : 0;
}

int cli_source_check(const struct cli_source *source, struct cli_error *error) {
    char names[400] = "";
    size_t used = 0;
    if (source->id)
        return 0;
    for (int i = 0; i < FORMS; i++) {
        const struct cli_option_text *text = &cli_option_texts[forms[i].id];
        const int wrote = snprintf(names + used, sizeof names - used, "%s--%s %s",
                                   i == 0           ? ""
                                   : i == FORMS - 1 ? " or "
                                                    : ", ",
                                   text->name, text->argument);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return cli_usage(error, "nothing to draw from; give %s", names);
}

/* ---- weights ---- */

static int take_weights(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    struct cli_source *source = context;
    const size_t bytes = uh_dtype_size(dtype);
    if (n > UH_SAMPLER_MAX_ITEMS - source->n)
        return cli_fail(error, "there are more than %zu weights", UH_SAMPLER_MAX_ITEMS);
    if (source->n + n > source->room) {
        size_t room = source->n ? 2 * (source->n + n) : n;
        void *grown = realloc(source->weights, room * bytes);
        if (!grown)
            return cli_fail(error, "out of memory for %zu weights", room);
        source->weights = grown;
        source->room = room;
    }
    memcpy((char *)source->weights + source->n * bytes, data, n * bytes);
    source->n += n;
    return 0;
}

int cli_source_read(struct cli_source *source, struct cli_inputs *inputs, struct cli_error *error) {
    uint64_t n;
    source->dtype = cli_inputs_facts(inputs)->dtype;
    if (cli_inputs_count(inputs, &n) && n <= UH_SAMPLER_MAX_ITEMS && n > 0) {
        /* Where this fails the pass does too, and says so. */
        source->weights = malloc((size_t)n * uh_dtype_size(source->dtype));
        source->room = source->weights ? (size_t)n : 0;
    }
    if (cli_inputs_pass(inputs, "reading", take_weights, source, error))
        return -1;
    return source->n ? 0 : cli_fail(error, "%s holds no weights", cli_inputs_name(inputs));
}

/* ---- samplers ---- */

static uh_status create(const struct cli_source *source, uh_queue *queue, const uh_sampler_options *options,
                        uh_sampler **sampler) {
    if (source->id != CLI_OPTION_DRAW_WEIGHTS)
        return uh_sampler_create_distribution(queue, &source->distribution, options, sampler);
    const uh_array weights = uh_array_of(source->dtype, source->weights, source->n);
    return uh_sampler_create(queue, &weights, options, sampler);
}

/* Whether what a device does not support is the parameters, which no other device would. */
static int host_refuses(const struct cli_source *source, const uh_sampler_options *options) {
    uh_device *host;
    uh_queue *queue = NULL;
    uh_sampler *sampler = NULL;
    const int refuses = !uh_device_select("host", &host) && !uh_queue_create(host, NULL, &queue) &&
                        create(source, queue, options, &sampler) == UH_ERROR_UNSUPPORTED;
    uh_sampler_destroy(sampler);
    uh_queue_destroy(queue);
    return refuses;
}

uh_status cli_source_create(struct cli_source *source, uh_queue *queue, int on_host, uh_sample_method method,
                            uh_sampler **sampler) {
    const uh_sampler_options options = {.struct_size = sizeof options, .method = method};
    const uh_status status = create(source, queue, &options, sampler);
    source->message[0] = 0;
    if (status == UH_ERROR_INVALID_ARGUMENT ||
        (status == UH_ERROR_UNSUPPORTED && (on_host || host_refuses(source, &options))))
        snprintf(source->message, sizeof source->message, "%s", uh_last_error_info()->text);
    return status;
}

int cli_source_fail(const struct cli_source *source, const char *weights, struct cli_error *error) {
    if (source->id == CLI_OPTION_DRAW_WEIGHTS)
        return cli_fail(error, "%s: %s", weights, source->message);
    return cli_usage(error, "--%s '%.200s': %s", cli_option_texts[source->id].name, source->text, source->message);
}

char *cli_source_name(const struct cli_source *source) {
    const char *kind = cli_option_texts[source->id].name;
    const size_t size = strlen(kind) + strlen(source->text) + 3;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s(%s)", kind, source->text);
    return name;
}

void cli_source_free(struct cli_source *source) {
    free(source->weights);
    source->weights = NULL;
}
