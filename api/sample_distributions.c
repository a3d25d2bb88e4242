/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/sample.h>

#include <float.h>

#include "api/histogram.h"
#include "kernels/sample/masses.h"
#include "kernels/sample/sample_run.h"
#include "runtime/status.h"

/* Arguments of the call other than the distribution. */
struct wish {
    const char *call;
    uh_queue *queue;
    uh_sampler **sampler;
    uh_sample_method method;
};

/* Larger values would leave no headroom for arithmetic. */
static const uint64_t max_trials = (uint64_t)1 << 62;

static uh_status check_trials(const char *call, const char *name, uint64_t n) {
    if (n <= max_trials)
        return UH_SUCCESS;
    return uhi_fail_argument(call, name, "is %llu, expected at most 2^62", (unsigned long long)n);
}

/* Makes a sampler of masses with first outcome `first`. */
static uh_status make(const struct wish *wish, int64_t first, const struct uhi_masses *masses) {
    struct uhi_sampler_form form = {.first = first, .last = first + (int64_t)(masses->n - 1), .parts = 1};
    const uh_status status = uhi_sample_table_create(wish->queue, wish->call, masses, wish->method, &form.part[0]);
    return status ? status : uhi_sampler_make(wish->queue, wish->call, &form, wish->sampler);
}

static uh_status check_hypergeometric(const char *call, const uh_discrete *d) {
    const uint64_t all = d->good + d->bad;
    UHI_TRY(check_trials(call, "distribution->good", d->good));
    UHI_TRY(check_trials(call, "distribution->bad", d->bad));
    UHI_TRY(check_trials(call, "distribution->good + bad", all));
    if (d->draws <= all)
        return UH_SUCCESS;
    return uhi_fail_argument(call, "distribution->draws", "is %llu, expected at most good + bad, %llu",
                             (unsigned long long)d->draws, (unsigned long long)all);
}

/* For kinds with a single list of masses: checks the parameters and makes the list; the caller frees it. */
static uh_status list_masses(const char *call, const uh_discrete *d, struct uhi_mass_list *list) {
    switch (d->kind) {
    case UH_DISCRETE_BERNOULLI:
        UHI_TRY(uhi_check_number(call, "distribution->p", d->p, 0, 1, "0 to 1"));
        uhi_masses_bernoulli(d->p, list);
        return UH_SUCCESS;
    case UH_DISCRETE_BINOMIAL:
        UHI_TRY(check_trials(call, "distribution->n", d->n));
        UHI_TRY(uhi_check_number(call, "distribution->p", d->p, 0, 1, "0 to 1"));
        return uhi_masses_binomial(call, d->n, d->p, list);
    case UH_DISCRETE_POISSON:
        UHI_TRY(uhi_check_number(call, "distribution->mean", d->mean, 0, 0x1p40, "0 to 2^40"));
        return uhi_masses_poisson(call, d->mean, list);
    case UH_DISCRETE_NEGATIVE_BINOMIAL:
        UHI_TRY(uhi_check_number(call, "distribution->r", d->r, DBL_TRUE_MIN, DBL_MAX, "a number above 0"));
        UHI_TRY(uhi_check_number(call, "distribution->p", d->p, DBL_TRUE_MIN, 1, "above 0, to 1"));
        return uhi_masses_negative_binomial(call, d->r, d->p, list);
    case UH_DISCRETE_HYPERGEOMETRIC:
        UHI_TRY(check_hypergeometric(call, d));
        return uhi_masses_hypergeometric(call, d->good, d->bad, d->draws, list);
    default: /* Zipf */
        UHI_TRY(uhi_check_number(call, "distribution->s", d->s, 0, DBL_MAX, "a number, 0 or more"));
        if (d->n == 0 || d->n > UH_SAMPLER_MAX_ITEMS)
            return uhi_fail(d->n ? UH_ERROR_UNSUPPORTED : UH_ERROR_INVALID_ARGUMENT, call, "distribution->n",
                            "is %llu, expected 1 to %zu", (unsigned long long)d->n, UH_SAMPLER_MAX_ITEMS);
        return uhi_masses_zipf(call, d->s, d->n, list);
    }
}

static uh_status make_list(const struct wish *wish, const uh_discrete *d) {
    struct uhi_mass_list list;
    UHI_TRY(list_masses(wish->call, d, &list));
    uh_status status = make(wish, list.first, &list.masses);
    uhi_masses_free(&list);
    return status;
}

static uh_status make_uniform(const struct wish *wish, const uh_discrete *d) {
    const struct uhi_sampler_form form = {.first = d->low, .last = d->high, .uniform = 1};
    if (d->low > d->high)
        return uhi_fail_argument(wish->call, "distribution->low", "is %lld and high is %lld, expected low <= high",
                                 (long long)d->low, (long long)d->high);
    return uhi_sampler_make(wish->queue, wish->call, &form, wish->sampler);
}

static uh_status make_geometric(const struct wish *wish, const uh_discrete *d) {
    struct uhi_sampler_form form = {.first = 1};
    UHI_TRY(uhi_check_number(wish->call, "distribution->p", d->p, 0x1p-56, 1, "2^-56 to 1"));
    const unsigned digits = uhi_masses_geometric_digits(d->p);
    uh_status status = UH_SUCCESS;
    for (unsigned i = 0; i < digits && !status; i++) {
        struct uhi_mass_list list;
        status = uhi_masses_geometric(wish->call, d->p, i, i == digits - 1, &list);
        if (status)
            break;
        form.shift[i] = i * UHI_GEOMETRIC_BITS;
        form.last += (int64_t)((list.masses.n - 1) << form.shift[i]);
        status = uhi_sample_table_create(wish->queue, wish->call, &list.masses, wish->method, &form.part[i]);
        form.parts += status == UH_SUCCESS;
        uhi_masses_free(&list);
    }
    if (!status) {
        form.last += form.first;
        return uhi_sampler_make(wish->queue, wish->call, &form, wish->sampler);
    }
    while (form.parts)
        uhi_sample_table_destroy(form.part[--form.parts]);
    return status;
}

/* Calls the user's function for n masses. */
static uh_status ask(const char *call, const uh_discrete *d, size_t n, double *values) {
    int some = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t outcome = d->first + (int64_t)i;
        values[i] = d->mass(outcome, d->context);
        if (!(values[i] >= 0) || isinf(values[i]))
            return uhi_fail_argument(call, "distribution->mass", "(%lld) is %.17g, expected 0 or more",
                                     (long long)outcome, values[i]);
        some |= values[i] > 0;
    }
    if (!some)
        return uhi_fail_argument(call, "distribution->mass", "is 0 from %lld to %lld, expected some that is more",
                                 (long long)d->first, (long long)d->last);
    return UH_SUCCESS;
}

static uh_status make_mass(const struct wish *wish, const uh_discrete *d) {
    const uint64_t more = (uint64_t)d->last - (uint64_t)d->first;
    struct uhi_weights weights = {.values = NULL};
    if (!d->mass)
        return uhi_fail_null(wish->call, "distribution->mass", "a function");
    if (d->first > d->last)
        return uhi_fail_argument(wish->call, "distribution->first", "is %lld and last is %lld, expected first <= last",
                                 (long long)d->first, (long long)d->last);
    if (more >= UH_SAMPLER_MAX_ITEMS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, wish->call, "distribution->first",
                        "is %lld and last is %lld, expected at most %zu outcomes", (long long)d->first,
                        (long long)d->last, UH_SAMPLER_MAX_ITEMS);
    const size_t n = (size_t)more + 1;
    double *values = malloc(n * sizeof *values);
    if (!values)
        return uhi_fail_memory(wish->call, "no memory for %zu masses", n);
    uh_status status = ask(wish->call, d, n, values);
    const uh_array array = uh_array_of(UH_F64, values, n);
    status = status ? status : uhi_weights_open(&weights, wish->queue, wish->call, &array);
    status = status ? status : make(wish, d->first, &weights.masses);
    uhi_weights_close(&weights);
    free(values);
    return status;
}

uh_status uh_sampler_create(uh_queue *queue, const uh_discrete *distribution, const uh_sampler_options *options,
                            uh_sampler **sampler) {
    struct wish wish = {__func__, queue, sampler, UH_SAMPLE_AUTO};
    uh_sampler_options how;
    uh_discrete taken;
    UHI_NEED(__func__, queue, "a queue");
    UHI_NEED(__func__, sampler, "where to store it");
    UHI_TRY(uhi_sized_read(__func__, "options", options, &how, sizeof how));
    UHI_TRY(uhi_check_enum(__func__, "options->method", UH_NO_INDEX, UH_ENUM_SAMPLE_METHOD, how.method));
    wish.method = how.method;
    UHI_NEED(__func__, distribution, "a distribution");
    UHI_TRY(uhi_sized_read(__func__, "distribution", distribution, &taken, sizeof taken));
    if ((unsigned)taken.kind > UH_DISCRETE_WEIGHTS)
        return uhi_fail_argument(__func__, "distribution->kind", "is %d, expected a uh_discrete_kind, 0 to %d",
                                 (int)taken.kind, UH_DISCRETE_WEIGHTS);
    switch (taken.kind) {
    case UH_DISCRETE_UNIFORM: return make_uniform(&wish, &taken);
    case UH_DISCRETE_GEOMETRIC: return make_geometric(&wish, &taken);
    case UH_DISCRETE_MASS: return make_mass(&wish, &taken);
    case UH_DISCRETE_WEIGHTS:
        UHI_TRY(uhi_check_array(__func__, "distribution->weights", UH_NO_INDEX, taken.weights));
        return uhi_sampler_of_weights(queue, __func__, taken.weights, wish.method, sampler);
    default: return make_list(&wish, &taken);
    }
}
