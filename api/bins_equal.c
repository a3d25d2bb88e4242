/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of equal bins: by formulas, and by a measure of fit that all numbers are tried for. */
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/status.h"

enum { MIN_TRIED = 100, MAX_CELLS = 1 << 22, KNOWN_GAMMAS = 4096 };

/* ---- numbers that are tried ---- */

/* The values by cells of equal width, to find those below an edge. */
struct cells {
    const struct uhi_counted *values;
    double lo, scale;
    size_t n;
    uint32_t *first; /* value of each cell or of the next one that has any */
};

static size_t cell_of(const struct cells *cells, double x) {
    const double at = (x - cells->lo) * cells->scale;
    return !(at > 0) ? 0 : at < (double)(cells->n - 1) ? (size_t)at : cells->n - 1;
}

static uh_status make_cells(const struct uhi_choosing *c, struct cells *cells) {
    const struct uhi_counted *values = c->values;
    const size_t n = values->n < MAX_CELLS ? values->n / 2 + 1 : MAX_CELLS / 2; /* few, to be quickly made */
    *cells =
        (struct cells){.values = values, .lo = c->range[0], .scale = (double)n / (c->range[1] - c->range[0]), .n = n};
    cells->first = malloc(n * sizeof *cells->first);
    if (!cells->first)
        return uhi_fail_memory(c->call, "no memory for %zu cells", n);
    for (size_t i = 0, cell = 0; i < values->n; i++)
        for (const size_t last = cell_of(cells, values->x[i]); cell <= last; cell++)
            cells->first[cell] = (uint32_t)i;
    for (size_t cell = cell_of(cells, values->x[values->n - 1]) + 1; cell < n; cell++)
        cells->first[cell] = (uint32_t)values->n;
    return UH_SUCCESS;
}

enum { EDGES_AT_ONCE = 32 };

/* Stores how many values lie below each of `n` edges, the first of which has number `j`. What they need of memory is
 * asked for together. */
static void count_below(const struct cells *cells, double step, size_t j, size_t n, double *below) {
    const struct uhi_counted *values = cells->values;
    uint32_t place[EDGES_AT_ONCE];
    for (size_t k = 0; k < n; k++)
        place[k] = cells->first[cell_of(cells, (double)(j + k) * step + cells->lo)];
    for (size_t k = 0; k < n; k++) {
        __builtin_prefetch(&values->x[place[k]]);
        __builtin_prefetch(&values->before[place[k]]);
    }
    for (size_t k = 0; k < n; k++) {
        const double edge = (double)(j + k) * step + cells->lo;
        size_t i = place[k];
        while (i < values->n && values->x[i] < edge)
            i++;
        below[k] = values->before[i];
    }
}

double uhi_log_gamma(double z) {
    double shift = 0;
    while (z < 10)
        shift += log(z++);
    const double inverse = 1 / z, square = inverse * inverse;
    const double series =
        inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
    return (z - 0.5) * log(z) - z + 0.91893853320467274178 + series - shift;
}

/* What a number of bins is judged by. */
struct judge {
    uh_rule rule;
    double n;                   /* values */
    double gamma[KNOWN_GAMMAS]; /* log gamma(count + 1/2) */
};

static double add_count(const struct judge *judge, double count, double mean) {
    if (judge->rule == UH_RULE_KNUTH)
        return count < KNOWN_GAMMAS && count == floor(count) ? judge->gamma[(size_t)count] : uhi_log_gamma(count + 0.5);
    return judge->rule == UH_RULE_STONE ? count / judge->n * (count / judge->n) : (count - mean) * (count - mean);
}

/* Returns Knuth's log posterior, without what is common to all numbers; minus Shimazaki's and Shinomoto's cost; or
 * minus Stone's estimated error. */
static double judge_bins(const struct judge *judge, const struct cells *cells, const double range[2], size_t bins) {
    const double m = (double)bins, mean = judge->n / m, step = (range[1] - range[0]) / m;
    double before = 0, sum = 0, below[EDGES_AT_ONCE];
    for (size_t j = 1, n; j < bins; j += n) {
        n = bins - j < EDGES_AT_ONCE ? bins - j : EDGES_AT_ONCE;
        count_below(cells, step, j, n, below);
        for (size_t k = 0; k < n; k++) {
            sum += add_count(judge, below[k] > before ? below[k] - before : 0, mean);
            before = below[k] > before ? below[k] : before;
        }
    }
    sum += add_count(judge, judge->n - before, mean);
    if (judge->rule == UH_RULE_KNUTH)
        return judge->n * log(m) + uhi_log_gamma(m / 2) - m * uhi_log_gamma(0.5) - uhi_log_gamma(judge->n + m / 2) +
               sum;
    if (judge->rule == UH_RULE_STONE)
        return -(2 - (judge->n + 1) * sum) / step;
    return -(2 * mean - sum / m) / (step * step);
}

uh_status uhi_choose_equal(struct uhi_choosing *c, uh_rule rule) {
    const struct uhi_counted *values = c->values;
    const double n = uhi_counted_all(values);
    const size_t root = (size_t)sqrt(n), usual = root > MIN_TRIED ? root : MIN_TRIED;
    const size_t most = c->max_is_given || c->options.max_bins < usual ? c->options.max_bins : usual;
    struct judge judge = {.rule = rule, .n = n};
    struct cells cells;
    UHI_TRY(make_cells(c, &cells));
    for (size_t i = 0; i < KNOWN_GAMMAS; i++)
        judge.gamma[i] = uhi_log_gamma((double)i + 0.5);
    c->result.tried = most < values->n || rule == UH_RULE_STONE ? most : values->n; /* as NumPy does */
    c->result.score = -INFINITY;
    for (size_t bins = 1; bins <= c->result.tried; bins++) {
        const double score = judge_bins(&judge, &cells, c->range, bins);
        if (score > c->result.score) {
            c->result.score = score;
            c->result.bins = bins;
        }
    }
    c->result.limited = c->result.bins == c->result.tried && (c->result.tried < values->n || rule == UH_RULE_STONE);
    c->result.score = rule == UH_RULE_KNUTH ? c->result.score : -c->result.score;
    free(cells.first);
    return UH_SUCCESS;
}

/* ---- formulas ---- */

/* The deviation of the values and the skewness, 0 if they are equal. */
static double deviation_of(const struct uhi_counted *values, double *skewness) {
    const long double n = uhi_counted_all(values), origin = values->x[values->n / 2];
    long double sum = 0, squares = 0, cubes = 0;
    for (size_t i = 0; i < values->n; i++)
        sum += (values->before[i + 1] - values->before[i]) * (values->x[i] - origin);
    const long double mean = origin + sum / n;
    for (size_t i = 0; i < values->n; i++) {
        const long double d = values->x[i] - mean, count = values->before[i + 1] - values->before[i];
        squares += count * d * d;
        cubes += count * d * d * d;
    }
    const long double deviation = sqrtl(squares / n);
    *skewness = deviation > 0 ? (double)(cubes / n / deviation / deviation / deviation) : 0;
    return (double)deviation;
}

static double doane_width(const struct uhi_counted *values, double n, double spread) {
    double skewness;
    if (n <= 2 || !(deviation_of(values, &skewness) > 0))
        return 0;
    const double deviation = sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)));
    return spread / (1.0 + log2(n) + log2(1.0 + fabs(skewness) / deviation));
}

/* Returns the bin width of a formula, 0 if it has none: then there is one bin. */
static double width_of(struct uhi_choosing *c, uh_rule rule) {
    const struct uhi_counted *values = c->values;
    const double n = uhi_counted_all(values), spread = values->x[values->n - 1] - values->x[0];
    const double sturges = spread / (log2(n) + 1.0), root = spread / sqrt(n);
    double fd = 0, skewness;
    if (rule == UH_RULE_FD || rule == UH_RULE_AUTO) {
        const double quartiles[] = {uhi_counted_quantile(values, 0.25, 7), uhi_counted_quantile(values, 0.75, 7)};
        fd = 2.0 * (quartiles[1] - quartiles[0]) * pow(n, -1.0 / 3.0);
        c->result.joined = uhi_counted_joined(values, 0.25, 7) | uhi_counted_joined(values, 0.75, 7);
    }
    switch (rule) {
    case UH_RULE_SQRT: return root;
    case UH_RULE_RICE: return spread / (2.0 * pow(n, 1.0 / 3.0));
    case UH_RULE_STURGES: return sturges;
    case UH_RULE_DOANE: return doane_width(values, n, spread);
    case UH_RULE_SCOTT:
        return pow(24.0 * sqrt(3.14159265358979323846) / n, 1.0 / 3.0) * deviation_of(values, &skewness);
    case UH_RULE_FD: return fd;
    default: return fmin(fmax(fd, root / 2), sturges); /* NumPy 2 */
    }
}

/* Stores the number of bins of about a width that fill the range: at most max_bins, and one per value if it does not
 * depend on their number alone. */
static void fill_range(struct uhi_choosing *c, uh_rule rule, double width) {
    const int by_number = rule >= UH_RULE_SQRT && rule <= UH_RULE_DOANE;
    const double all = by_number ? INFINITY : ceil(uhi_counted_all(c->values)),
                 wanted = ceil((c->range[1] - c->range[0]) / width);
    const double most = all < (double)c->options.max_bins ? all : (double)c->options.max_bins;
    c->result.wanted = width > 0 && wanted > 1 ? wanted : 1;
    c->result.bins = (size_t)(c->result.wanted < most ? c->result.wanted : most);
    c->result.limited = c->result.wanted > most;
}

uh_status uhi_choose_by_formula(struct uhi_choosing *c, uh_rule rule) {
    const struct uhi_counted *values = c->values;
    c->result.joined = rule == UH_RULE_DOANE || rule == UH_RULE_SCOTT || rule == UH_RULE_STONE ? values->joined : 0;
    if (rule != UH_RULE_STONE) {
        fill_range(c, rule, width_of(c, rule));
        return UH_SUCCESS;
    }
    UHI_TRY(uhi_choose_equal(c, rule)); /* NumPy divides the values' range by the best number, and then the other */
    const int limited = c->result.limited;
    fill_range(c, rule, (values->x[values->n - 1] - values->x[0]) / (double)c->result.bins);
    c->result.limited |= limited;
    return UH_SUCCESS;
}

/* ---- nice edges ---- */

/* A multiple of a power of ten, rounded once if that is below 10^23. */
static double nice_edge(double multiple, int power) {
    return power < 0 ? multiple / pow(10, -power) : multiple * pow(10, power);
}

uh_status uhi_choose_nice(struct uhi_choosing *c) {
    static const double steps[] = {1, 2, 5, 10};
    const double *range = c->range;
    if (c->options.bins == 0)
        UHI_TRY(uhi_choose_by_formula(c, UH_RULE_AUTO));
    const double wanted = (range[1] - range[0]) / (double)(c->options.bins ? c->options.bins : c->result.bins);
    int power = (int)fmax(floor(log10(wanted)), -300);
    double step, first, last;
    size_t at = 0, made = 0;
    while (at < 3 && wanted / pow(10, power) > sqrt(steps[at] * steps[at + 1]))
        at++;
    do { /* the bins of both ends are further ones */
        power += at > 2;
        step = steps[at > 2 ? 0 : at];
        at = at > 2 ? 1 : at + 1;
        const double ten = pow(10, abs(power));
        first = floor((power < 0 ? range[0] * ten : range[0] / ten) / step);
        last = ceil((power < 0 ? range[1] * ten : range[1] / ten) / step);
        /* These may have been rounded. */
        first += nice_edge((first + 1) * step, power) <= range[0];
        first -= nice_edge(first * step, power) > range[0];
        last -= nice_edge((last - 1) * step, power) >= range[1];
        last += nice_edge(last * step, power) < range[1];
    } while (last - first > (double)c->options.max_bins);
    const size_t count = last - first > 1 ? (size_t)(last - first) : 1;
    for (size_t j = 0; j <= count; j++) {
        const double edge = nice_edge((first + (double)j) * step, power);
        if (made == 0 || edge > c->edges[made - 1])
            c->edges[made++] = edge;
    }
    if (c->edges[made - 1] < range[1] || made < 2) /* numbers so large that few are between */
        c->edges[made++] = fmax(range[1], nextafter(c->edges[0], INFINITY));
    c->result.bins = made - 1;
    return UH_SUCCESS;
}
