/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/sample.h>

#include <math.h>
#include <stdlib.h>

#include "kernels/sample/masses.h"
#include "kernels/sample/sample_run.h"
#include "kernels/sample/weights.h"
#include "runtime/status.h"

/* What every call is given besides the distribution's parameters. */
struct wish {
    const char *call;
    uh_queue *queue;
    uh_sampler **sampler;
    uh_sample_method method;
};

static uh_status open_wish(const char *call, uh_queue *queue, const uh_sampler_options *options, uh_sampler **sampler,
                           struct wish *wish) {
    *wish = (struct wish){call, queue, sampler, UH_SAMPLE_AUTO};
    return uhi_sampler_options_check(call, queue, options, sampler, &wish->method);
}

/* That low <= value <= high, which no NaN is. */
static uh_status check_range(const char *call, const char *name, double value, double low, double high,
                             const char *expected) {
    if (value >= low && value <= high)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is %.17g, expected %s", call, name, value, expected);
}

static uh_status check_probability(const char *call, double p) {
    return check_range(call, "p", p, 0, 1, "0 to 1");
}

/* More would not leave room for arithmetic. */
static const uint64_t max_trials = (uint64_t)1 << 62;

static uh_status check_trials(const char *call, const char *name, uint64_t n) {
    if (n <= max_trials)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is %llu, expected at most 2^62", call, name,
                    (unsigned long long)n);
}

/* A sampler of masses whose first outcome is `first`. */
static uh_status make(const struct wish *wish, int64_t first, const struct uhi_masses *masses) {
    struct uhi_sampler_form form = {.first = first, .last = first + (int64_t)(masses->n - 1), .parts = 1};
    const uh_status status = uhi_sample_table_create(wish->queue, wish->call, masses, wish->method, &form.part[0]);
    return status ? status : uhi_sampler_make(wish->queue, wish->call, &form, wish->sampler);
}

/* The same of a list, which is freed, unless making the list has failed. */
static uh_status make_list(const struct wish *wish, uh_status made, struct uhi_mass_list *list) {
    if (made)
        return made;
    const uh_status status = make(wish, list->first, &list->masses);
    uhi_masses_free(list);
    return status;
}

uh_status uh_sampler_create_uniform(uh_queue *queue, int64_t low, int64_t high, const uh_sampler_options *options,
                                    uh_sampler **sampler) {
    const struct uhi_sampler_form form = {.first = low, .last = high, .uniform = 1};
    struct wish wish;
    const uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    if (status)
        return status;
    if (low > high)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: low is %lld and high is %lld, expected low <= high", __func__,
                        (long long)low, (long long)high);
    return uhi_sampler_make(queue, __func__, &form, sampler);
}

uh_status uh_sampler_create_bernoulli(uh_queue *queue, double p, const uh_sampler_options *options,
                                      uh_sampler **sampler) {
    struct uhi_mass_list list;
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    status = status ? status : check_probability(__func__, p);
    if (status)
        return status;
    uhi_masses_bernoulli(p, &list);
    return make_list(&wish, UH_SUCCESS, &list);
}

uh_status uh_sampler_create_binomial(uh_queue *queue, uint64_t n, double p, const uh_sampler_options *options,
                                     uh_sampler **sampler) {
    struct uhi_mass_list list;
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    status = status ? status : check_trials(__func__, "n", n);
    status = status ? status : check_probability(__func__, p);
    return status ? status : make_list(&wish, uhi_masses_binomial(__func__, n, p, &list), &list);
}

uh_status uh_sampler_create_poisson(uh_queue *queue, double mean, const uh_sampler_options *options,
                                    uh_sampler **sampler) {
    struct uhi_mass_list list;
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    status = status ? status : check_range(__func__, "mean", mean, 0, 0x1p40, "0 to 2^40");
    return status ? status : make_list(&wish, uhi_masses_poisson(__func__, mean, &list), &list);
}

uh_status uh_sampler_create_geometric(uh_queue *queue, double p, const uh_sampler_options *options,
                                      uh_sampler **sampler) {
    struct uhi_sampler_form form = {.first = 1};
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    status = status ? status : check_range(__func__, "p", p, 0x1p-56, 1, "2^-56 to 1");
    if (status)
        return status;
    const unsigned digits = uhi_masses_geometric_digits(p);
    for (unsigned d = 0; d < digits && !status; d++) {
        struct uhi_mass_list list;
        status = uhi_masses_geometric(__func__, p, d, d == digits - 1, &list);
        if (status)
            break;
        form.shift[d] = d * UHI_GEOMETRIC_BITS;
        form.last += (int64_t)((list.masses.n - 1) << form.shift[d]);
        status = uhi_sample_table_create(queue, __func__, &list.masses, wish.method, &form.part[d]);
        form.parts += status == UH_SUCCESS;
        uhi_masses_free(&list);
    }
    if (!status) {
        form.last += form.first;
        return uhi_sampler_make(queue, __func__, &form, sampler);
    }
    while (form.parts)
        uhi_sample_table_destroy(form.part[--form.parts]);
    return status;
}

uh_status uh_sampler_create_negative_binomial(uh_queue *queue, double r, double p, const uh_sampler_options *options,
                                              uh_sampler **sampler) {
    struct uhi_mass_list list;
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    status = status ? status : check_range(__func__, "r", r, 0x1p-1074, 0x1.fffffffffffffp1023, "a number above 0");
    status = status ? status : check_range(__func__, "p", p, 0x1p-1074, 1, "above 0, to 1");
    return status ? status : make_list(&wish, uhi_masses_negative_binomial(__func__, r, p, &list), &list);
}

uh_status uh_sampler_create_hypergeometric(uh_queue *queue, uint64_t good, uint64_t bad, uint64_t draws,
                                           const uh_sampler_options *options, uh_sampler **sampler) {
    struct uhi_mass_list list;
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    status = status ? status : check_trials(__func__, "good", good);
    status = status ? status : check_trials(__func__, "bad", bad);
    status = status ? status : check_trials(__func__, "good + bad", good + bad);
    if (!status && draws > good + bad)
        status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: draws is %llu, expected at most good + bad, %llu", __func__,
                          (unsigned long long)draws, (unsigned long long)(good + bad));
    return status ? status : make_list(&wish, uhi_masses_hypergeometric(__func__, good, bad, draws, &list), &list);
}

uh_status uh_sampler_create_zipf(uh_queue *queue, double s, uint64_t n, const uh_sampler_options *options,
                                 uh_sampler **sampler) {
    struct uhi_mass_list list;
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    status = status ? status : check_range(__func__, "s", s, 0, 0x1.fffffffffffffp1023, "a number, 0 or more");
    if (status)
        return status;
    if (!n)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: n is 0, expected 1 to %zu", __func__, UH_SAMPLER_MAX_ITEMS);
    if (n > UH_SAMPLER_MAX_ITEMS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, "%s: n is %llu, expected 1 to %zu", __func__, (unsigned long long)n,
                        UH_SAMPLER_MAX_ITEMS);
    return make_list(&wish, uhi_masses_zipf(__func__, s, n, &list), &list);
}

/* ---- the caller's mass function ---- */

/* Asks for n masses. */
static uh_status ask(const char *call, double (*mass)(int64_t outcome, void *context), void *context, int64_t first,
                     size_t n, double *values) {
    int some = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t outcome = first + (int64_t)i;
        values[i] = mass(outcome, context);
        if (!(values[i] >= 0) || isinf(values[i]))
            return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: mass(%lld) is %.17g, expected 0 or more", call,
                            (long long)outcome, values[i]);
        some |= values[i] > 0;
    }
    if (!some)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: mass is 0 from %lld to %lld, expected some that is more", call,
                        (long long)first, (long long)(first + (int64_t)(n - 1)));
    return UH_SUCCESS;
}

uh_status uh_sampler_create_mass(uh_queue *queue, double (*mass)(int64_t outcome, void *context), void *context,
                                 int64_t first, int64_t last, const uh_sampler_options *options, uh_sampler **sampler) {
    const uint64_t more = (uint64_t)last - (uint64_t)first;
    struct uhi_weights weights = {.values = NULL};
    struct wish wish;
    uh_status status = open_wish(__func__, queue, options, sampler, &wish);
    if (status)
        return status;
    if (!mass)
        return uhi_fail_null(__func__, "mass", "a function");
    if (first > last)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: first is %lld and last is %lld, expected first <= last",
                        __func__, (long long)first, (long long)last);
    if (more >= UH_SAMPLER_MAX_ITEMS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, "%s: first is %lld and last is %lld, expected at most %zu outcomes",
                        __func__, (long long)first, (long long)last, UH_SAMPLER_MAX_ITEMS);
    const size_t n = (size_t)more + 1;
    double *values = malloc(n * sizeof *values);
    if (!values)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu masses", __func__, n);
    status = ask(__func__, mass, context, first, n, values);
    status = status ? status : uhi_weights_open(&weights, queue, __func__, UH_F64, values, n);
    status = status ? status : make(&wish, first, &weights.masses);
    uhi_weights_close(&weights);
    free(values);
    return status;
}
