/* SPDX-License-Identifier: Apache-2.0 */
/* Boost.Histogram for test_histogram_random.py, which compiles this: one histogram filled, and one thing made of it. */
#include <boost/histogram.hpp>

#include <cstddef>
#include <exception>
#include <vector>

namespace bh = boost::histogram;

template <class Options> using variable = bh::axis::variable<double, bh::use_default, Options>;
template <class Options> using integer = bh::axis::integer<double, bh::use_default, Options>;
template <class Options> using category = bh::axis::category<double, bh::use_default, Options>;
using none = decltype(bh::axis::option::none);
using below = decltype(bh::axis::option::underflow);
using above = decltype(bh::axis::option::overflow);
using both = decltype(bh::axis::option::underflow | bh::axis::option::overflow);
using any_axis = bh::axis::variant<variable<none>, variable<below>, variable<above>, variable<both>, integer<none>,
                                   integer<both>, category<none>, category<above>>;

/* Bins that are half-open on the right, of the type of any_axis with this number. (Boost 1.74 takes an integer axis
 * with one flow bin for one that has both.) */
struct axis_spec {
    std::size_t type, bins;
    const double *edges;
};

/* What is made: a projection to these axes, or bins [arguments[1], arguments[2]) of axis arguments[0], or each
 * arguments[1] of its bins joined. */
enum what { FILLED, PROJECT, CROP, REBIN };

template <class Options> static any_axis make_variable(const axis_spec &spec) {
    return variable<Options>(spec.edges, spec.edges + spec.bins + 1);
}

template <class Options> static any_axis make_integer(const axis_spec &spec) {
    return integer<Options>(static_cast<int>(spec.edges[0]), static_cast<int>(spec.edges[spec.bins]));
}

template <class Options> static any_axis make_category(const axis_spec &spec) {
    return category<Options>(spec.edges, spec.edges + spec.bins);
}

template <class Histogram>
static Histogram made(const Histogram &h, what what, const std::vector<unsigned> &arguments) {
    namespace algorithm = bh::algorithm;
    const int from = arguments.size() > 1 ? static_cast<int>(arguments[1]) : 0;
    switch (what) {
    case PROJECT: return algorithm::project(h, arguments);
    case CROP: return algorithm::reduce(h, algorithm::slice(arguments[0], from, static_cast<int>(arguments[2])));
    case REBIN: return algorithm::reduce(h, algorithm::rebin(arguments[0], arguments[1]));
    default: return h;
    }
}

/* Stores three numbers a cell, the first axis fastest, flow bins where the axes have them: the sum of weights and of
 * their squares; or, of samples, how many, their mean and their variance. 0, or 1 where Boost has thrown. */
extern "C" int boost_histogram(std::size_t naxes, const axis_spec *specs, std::size_t n, const double *const *x,
                               const double *weights, int is_mean, what what, std::size_t count, const unsigned *given,
                               double *out) try {
    static constexpr any_axis (*const make[])(const axis_spec &) = {
        make_variable<none>, make_variable<below>, make_variable<above>, make_variable<both>,
        make_integer<none>,  make_integer<both>,   make_category<none>,  make_category<above>};
    std::vector<any_axis> axes;
    std::vector<std::vector<double>> points;
    for (std::size_t a = 0; a < naxes; a++) {
        axes.push_back(make[specs[a].type](specs[a]));
        points.emplace_back(x[a], x[a] + n);
    }
    const std::vector<double> w(weights, weights + n);
    const std::vector<unsigned> arguments(given, given + count);
    if (is_mean) {
        auto h = bh::make_histogram_with(bh::profile_storage(), axes);
        h.fill(points, bh::sample(w));
        const auto part = made(h, what, arguments);
        for (auto &&cell : bh::indexed(part, bh::coverage::all))
            *out++ = cell->count(), *out++ = cell->value(), *out++ = cell->variance();
    } else {
        auto h = bh::make_histogram_with(bh::weight_storage(), axes);
        h.fill(points, bh::weight(w));
        const auto part = made(h, what, arguments);
        for (auto &&cell : bh::indexed(part, bh::coverage::all))
            *out++ = cell->value(), *out++ = cell->variance(), out++;
    }
    return 0;
} catch (const std::exception &) {
    return 1;
}
