/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/options.h"

#define DTYPES         "f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"
#define INTEGER_DTYPES "i8 i16 i32 i64 u8 u16 u32 u64"
#define FITTED         "equal_probability:"
#define BINS                                                                                                           \
    ",log: quantile: cdf: base2 base2: clusters: denby_mallows: nice nice: integers minute hour day week month year "  \
    "sqrt rice sturges doane scott fd stone auto knuth shimazaki blocks " FITTED "normal " FITTED "lognormal " FITTED  \
    "exponential " FITTED "uniform " FITTED "weibull *"
#define DISTRIBUTIONS "exponential: normal: lognormal: table:*"

/* Subcommands that bin values, that count the contents of files, and that compute on a device. */
#define GIVEN    (CLI_HISTOGRAM | CLI_DIGITIZE)
#define BINNING  (GIVEN | CLI_CHOOSE)
#define COUNTING (BINNING | CLI_BINCOUNT)
#define TEXTS    (COUNTING | CLI_MEANSHIFT | CLI_SAMPLE)
#define WORKING  (COUNTING | CLI_HISTO | CLI_SAMPLE | CLI_INTEGRATE | CLI_MEANSHIFT)

#define FORMAT "the format of --output, in place of its name's ending: "

/* Kind of an option's value, its member and, for numbers, its limits. */
#define TO(kind, member)        kind, offsetof(struct cli_arguments, member), 0, 0
#define REAL(member, max)       CLI_REAL, offsetof(struct cli_arguments, member), 0, max
#define WHOLE(member, min, max) CLI_WHOLE, offsetof(struct cli_arguments, member), min, max

const struct cli_option cli_options[] = {
    {GIVEN, 'e', "edges", "FILE|LIST", "*", TO(CLI_FILES, axis[CLI_EDGES]),
     "the bins' edges, in non-decreasing order: a file (.npy, text, or an earlier result: .uh, .npz, .json, .csv), '-' "
     "or comma-separated numbers or dates"},
    {CLI_HISTOGRAM, 0, "categories", NULL, "", TO(CLI_FLAG, categories),
     "--edges are values in any order, with one bin per value; --flow-bins above adds a bin for all other values"},
    {BINNING, 'b', "bins", "BINS", BINS, TO(CLI_WORDS, axis[CLI_BINS]),
     "N equal bins; log:N, with a constant ratio of edges; quantile:N, of equal content; cdf:N, of equal parts of "
     "--distribution; integers; minute, hour, day, week, month or year of dates; a rule: sqrt, rice, sturges, doane, "
     "scott, fd, stone or auto, as numpy.histogram_bin_edges (default: auto), knuth, shimazaki, blocks (blocks:P0), "
     "clusters:N, denby_mallows:N, nice (nice:N) or equal_probability:DISTRIBUTION; base2 or base2:MAX, "
     "OpenTelemetry's buckets; or a file of edges"},
    {BINNING, 'r', "range", "LO,HI", "data strict", TO(CLI_ITEM, axis[CLI_RANGE]),
     "the range of --bins, two numbers or dates (default: data, the smallest to the largest finite value; for log:N, "
     "from the smallest positive one; for cdf:N, all); strict: the same, but NaN and infinite values are an error"},
    {BINNING, 0, "distribution", "D", DISTRIBUTIONS, TO(CLI_ITEM, axis[CLI_DISTRIBUTION]),
     "the values' distribution, for --bins cdf:N and --method cdf: exponential:LOCATION,SCALE, normal:MEAN,SD, "
     "lognormal:MU,SIGMA or table:FILE, pairs of x and F(x)"},
    {CLI_HISTOGRAM, 0, "flow-bins", "WHICH", ",none below above both", TO(CLI_CHOICE, axis[CLI_FLOW_BINS]),
     "bins for values below the first edge and above the last one: none, below, above or both (default: none)"},
    {BINNING | CLI_MERGE, 0, "unit", "UNIT", ",auto time", TO(CLI_CHOICE, axis[CLI_UNIT]),
     "time: numbers are seconds since 1970, and shown as dates; auto: only dates are (default: auto)"},
    {BINNING, 0, "right", NULL, "", TO(CLI_FLAG, right), "a bin includes its right edge instead of its left one"},
    {CLI_HISTOGRAM | CLI_MERGE, 0, "density", NULL, "", TO(CLI_FLAG, density),
     "show and write densities: the bins' areas sum to 1"},
    {CLI_HISTOGRAM | CLI_MERGE, 0, "cumulative", NULL, "", TO(CLI_FLAG, cumulative),
     "show and write running sums, for one axis of counts or sums"},
    {CLI_HISTOGRAM, 0, "axes", NULL, "", TO(CLI_FLAG, axes),
     "several axes: one per input, or for a single input one per column of its rows"},
    {CLI_HISTOGRAM, 0, "columns", "N|NAME,...", "," CLI_COLUMNS_WORD, TO(CLI_WORDS, columns),
     "the columns that are the axes, of all inputs: by number from 0 or by name; with --axes and several inputs, one "
     "column per input"},
    {CLI_MEANSHIFT, 0, "columns", "N|NAME,...", "," CLI_COLUMNS_WORD, CLI_WORDS,
     offsetof(struct cli_arguments, columns), 0, CLI_MAX_WORDS,
     "the coordinates, at most 16: in text by number from 0 or by name, otherwise by number (default: all columns)"},
    {CLI_HISTOGRAM | CLI_MEANSHIFT, 0, "row", "N", "", WHOLE(row, 1, 1 << 20),
     "one raw binary input: values per row, one per axis"},
    {CLI_HISTOGRAM | CLI_BINCOUNT | CLI_CHOOSE, 'w', "weights", "FILE", "*", TO(CLI_TEXT, weights),
     "one weight per value or point, for sums of weights instead of counts, and for rules of --bins. .npy, raw (with "
     "--vtype), or text: "
     "FILE:COLUMN, or :COLUMN for a column of the input"},
    {CLI_HISTOGRAM, 0, "sample", "FILE", "*", TO(CLI_TEXT, sample),
     "one number per point, like --weights: each cell stores its mean and variance"},
    {CLI_SAMPLE, 'w', "weights", "FILE", "*", TO(CLI_SOURCE, source),
     "draw 0, 1, ... in proportion to these weights: .npy, raw (with --vtype), text, FILE:COLUMN or '-'"},
    {CLI_SAMPLE, 0, "uniform", "LOW,HIGH", "", TO(CLI_SOURCE, source), "draw integers from LOW to HIGH, uniformly"},
    {CLI_SAMPLE, 0, "bernoulli", "P", "", TO(CLI_SOURCE, source), "draw 1 with probability P, otherwise 0"},
    {CLI_SAMPLE, 0, "binomial", "N,P", "", TO(CLI_SOURCE, source),
     "draw the number of successes in N trials of probability P"},
    {CLI_SAMPLE, 0, "poisson", "MEAN", "", TO(CLI_SOURCE, source),
     "draw from the Poisson distribution of this mean, 0 to 2^40"},
    {CLI_SAMPLE, 0, "geometric", "P", "", TO(CLI_SOURCE, source),
     "draw the number of trials up to the first success: 1, 2, ...; P is 2^-56 to 1"},
    {CLI_SAMPLE, 0, "negative-binomial", "R,P", "", TO(CLI_SOURCE, source),
     "draw the number of failures before the R-th success; R is any positive number"},
    {CLI_SAMPLE, 0, "hypergeometric", "GOOD,BAD,DRAWS", "", TO(CLI_SOURCE, source),
     "draw the number of good ones among DRAWS without replacement"},
    {CLI_SAMPLE, 0, "zipf", "S,N", "", TO(CLI_SOURCE, source),
     "draw 1 to N, at most 2^27, in proportion to i^-S, S >= 0"},
    {CLI_HISTOGRAM | CLI_BINCOUNT | CLI_CHOOSE | CLI_SAMPLE, 0, "vtype", "T", DTYPES, TO(CLI_DTYPE, vtype),
     "the type of raw binary weights or samples, or the type that text is converted to (default: that of .npy files, "
     "float64 for text)"},
    {CLI_HISTOGRAM, 0, "storage", "KIND", "count sum weighted mean u8 u16", TO(CLI_WORD, storage),
     "contents of cells: count, u8 or u16 (counts up to 255 or 65535), sum (of weights), weighted (also of their "
     "squares), mean (default: count; sum or mean with values)"},
    {CLI_HISTOGRAM | CLI_BINCOUNT, 0, "fast", NULL, "", TO(CLI_FLAG, fast),
     "add in float64 in any order; otherwise sums are exact and rounded once"},
    {CLI_BINCOUNT, 0, "minlength", "N", "", WHOLE(minlength, 0, SIZE_MAX), "minimum number of bins (default: 0)"},
    {CLI_BINCOUNT, 0, "max", "M", "", WHOLE(max, 0, SIZE_MAX - 1),
     "the largest allowed value: a larger one is an error (default: no limit; the result grows)"},
    {CLI_SAMPLE, 'n', "number", "N", "", WHOLE(number, 0, CLI_SAMPLES), "number of samples, such as 1000 or 1e9"},
    {CLI_SAMPLE, 0, "seed", "S", "", WHOLE(seed, 0, UINT64_MAX),
     "the seed, which is printed on standard error (default: a random one)"},
    {CLI_SAMPLE, 0, "offset", "O", "", WHOLE(offset, 0, CLI_SAMPLES),
     "the number of the first sample of the seed (default: 0)"},
    {CLI_SAMPLE, 0, "count", NULL, "", TO(CLI_FLAG, tally),
     "count the occurrences of each outcome instead; the samples are not stored"},
    {COUNTING, 'c', "column", "N|NAME", CLI_COLUMNS_WORD, TO(CLI_TEXT, column),
     "the column to read, by number from 0 or by its name: of text (default: 0), of structures or rows in .npy"},
    {COUNTING | CLI_MEANSHIFT, 0, "column-name", "NAME", "", CLI_LITERAL, offsetof(struct cli_arguments, columns), 0,
     CLI_MAX_WORDS, "the column of this name, which may have commas or be a number; for each axis or coordinate one"},
    {TEXTS, 0, "delimiter", "C", "comma semicolon tab blank none", TO(CLI_TEXT, delimiter),
     "text: what separates cells, a character or comma, semicolon, tab, blank (any number of blanks and tabs) or none "
     "(default: found)"},
    {TEXTS, 0, "encoding", "NAME", "utf-8 utf-16 latin1", TO(CLI_TEXT, encoding),
     "text: its encoding, a name that 'iconv -l' lists (default: UTF-8, or UTF-16 by its byte order mark)"},
    {TEXTS, 0, "header", NULL, "", TO(CLI_FLAG, header), "text: the first line has the columns' names"},
    {TEXTS, 0, "no-header", NULL, "", TO(CLI_FLAG, no_header), "text: it has not (default: found)"},
    {TEXTS, 0, "skip", "N", "", WHOLE(skip, 0, UINT64_MAX), "text: lines to leave out before the table (default: 0)"},
    {TEXTS, 0, "comment", "C", "#", TO(CLI_TEXT, comment),
     "text: leave out lines that begin with this character (default: #, if the text begins with such lines)"},
    {TEXTS, 0, "no-comment", NULL, "", TO(CLI_FLAG, no_comment), "text: no line is a comment"},
    {TEXTS, 0, "na", "WORD,...", "", TO(CLI_TEXT, na),
     "text: words of missing values, as empty cells are (default: NA,N/A,NaN,nan,null,NULL,None,\\N)"},
    {TEXTS, 0, "decimal", "C", ". comma", TO(CLI_TEXT, decimal),
     "text: the decimal mark, a point or a comma (default: found)"},
    {TEXTS, 0, "thousands", "C", "comma blank . _", TO(CLI_TEXT, thousands),
     "text: what separates groups of three digits (default: nothing)"},
    {BINNING | CLI_MEANSHIFT, 't', "dtype", "T", DTYPES, TO(CLI_DTYPE, dtype),
     "the type of a raw binary file's values, or the type that text is converted to: f32, f64, i8 to i64, u8 to u64 "
     "or NumPy's names; raw also f16, and with a byte order, as >f8 (default: that of .npy files, float64 for text)"},
    {CLI_BINCOUNT, 't', "dtype", "T", INTEGER_DTYPES, TO(CLI_DTYPE, dtype),
     "the type of a raw binary file's values, or the type that text is converted to: i8 to i64, u8 to u64 or NumPy's "
     "names (default: that of .npy files, int64 for text)"},
    {CLI_SAMPLE, 't', "dtype", "T", "uint32 uint64 int32 int64", TO(CLI_DTYPE, dtype),
     "the type of the samples: uint32, uint64, int32 or int64 (default: uint32 if all outcomes fit, otherwise int64)"},
    {GIVEN, 'm', "method", "METHOD", ",auto mesh binary cdf", TO(CLI_CHOICE, axis[CLI_METHOD]),
     "algorithm that finds bins: auto, mesh, binary or cdf; the result is the same"},
    {CLI_SAMPLE, 'm', "method", "METHOD", "auto unihist alias binary", TO(CLI_WORD, sample_method),
     "algorithm that finds outcomes: auto, unihist, alias or binary; alias gives other samples with the same "
     "probabilities"},
    {CLI_INTEGRATE, 0, "box", "LO,HI,...", "", TO(CLI_TEXT, box),
     "the sides of the box, one pair per coordinate or one pair for all; -inf and inf are allowed"},
    {CLI_INTEGRATE, 0, "file", "FILE.c", "*.c", TO(CLI_TEXT, file),
     "the integrand is the function of this file, in the common part of C and OpenCL C, declared by "
     "UH_INTEGRAND(function, dims, values, void)"},
    {CLI_INTEGRATE, 0, "epsrel", "E", "", REAL(epsrel, 0),
     "end when the error is at most E times the integral (default: 0.001, without --epsabs)"},
    {CLI_INTEGRATE, 0, "epsabs", "E", "", REAL(epsabs, 0), "end when the error is at most E"},
    {CLI_INTEGRATE, 0, "max-chi2", "C", "", REAL(max_chi2, 0),
     "end when chi-square per degree of freedom is at most C (default: 1.5)"},
    {CLI_INTEGRATE, 0, "max-calls", "N", "", WHOLE(max_calls, 4, (uint64_t)1 << 40),
     "maximum samples per iteration (default: 1e6)"},
    {CLI_INTEGRATE, 0, "iterations", "N", "", WHOLE(iterations, 1, 4000), "maximum number of iterations (default: 20)"},
    {CLI_INTEGRATE, 0, "adjust", "N", "", WHOLE(adjust, 0, 4000),
     "number of first iterations that adjust the grid (default: 10; sobol and lattice: 0)"},
    {CLI_INTEGRATE, 0, "skip", "N", "", WHOLE(skip, 0, 3999),
     "number of warm-up iterations, excluded from the result; for vegas_plus with an eighth of the calls (default: "
     "3; vegas_plus: until the grid is stable; plain: 0)"},
    {CLI_INTEGRATE, 0, "time-limit", "SECONDS", "", REAL(time_limit, 1000000000),
     "end with the iteration that exceeds it (default: none)"},
    {CLI_INTEGRATE, 0, "variant", "V", "auto mcubes mcubes1d vegas_plus plain sobol lattice cubature",
     TO(CLI_WORD, variant),
     "distribution of samples: auto (for a smooth integrand cubature or lattice, otherwise, or with options of VEGAS, "
     "vegas_plus), mcubes, mcubes1d, vegas_plus, plain; quasi-Monte Carlo: sobol, "
     "lattice; or cubature"},
    {CLI_INTEGRATE, 0, "strata", "N,...", "", TO(CLI_TEXT, strata),
     "mcubes, mcubes1d and vegas_plus: intervals along each axis, whose product is the number of cubes (default: equal "
     "ones, as many as --max-calls allows)"},
    {CLI_INTEGRATE, 0, "randomisations", "N", "", WHOLE(randomisations, 16, 1024),
     "sobol and lattice: independent sequences, from whose scatter the error is (default: 16)"},
    {CLI_INTEGRATE, 0, "scramble", "S", "owen shift", TO(CLI_WORD, scramble),
     "sobol: how points are randomised, owen or shift (default: owen)"},
    {CLI_INTEGRATE, 0, "periodise", "P", "baker none korobov", TO(CLI_WORD, periodise),
     "lattice: how the integrand becomes periodic, baker, none or korobov (default: baker)"},
    {CLI_INTEGRATE, 'b', "bins", "N", "", WHOLE(grid_bins, 1, 10000),
     "bins of the grid per axis (default: 500, with few axes 50, or one per 200 calls)"},
    {CLI_INTEGRATE, 0, "grid", "FILE", "*", TO(CLI_TEXT, grid),
     "start with the box and the grid of a file written by --save-grid"},
    {CLI_INTEGRATE, 0, "save-grid", "FILE", "*", TO(CLI_OUTPUT, save_grid), "write the final grid, for --grid"},
    {CLI_INTEGRATE, 0, "alpha", "A", "", REAL(alpha, 0), "adaptation rate of the grid (default: 1.5)"},
    {CLI_INTEGRATE, 0, "beta", "B", "", REAL(beta, 2),
     "vegas_plus: exponent of the samples' adaptation to the variance, at most 2 (default: 0.5)"},
    {CLI_INTEGRATE, 0, "zero-not-finite", NULL, "", TO(CLI_FLAG, zero_not_finite),
     "NaN and infinite values count as 0; otherwise they are an error"},
    {CLI_INTEGRATE, 0, "seed", "S", "", WHOLE(seed, 0, UINT64_MAX), "the seed of the samples (default: 0)"},
    {CLI_MEANSHIFT, 0, "bandwidth", "B", "auto", TO(CLI_TEXT, bandwidth),
     "width of the kernel: the sigma of gaussian, the radius of others; or auto, the mean distance that contains the "
     "fraction --quantile of all points (default without the next two options)"},
    {CLI_MEANSHIFT, 0, "sigma", "S", "", REAL(sigma, 0),
     "sigma of the gaussian kernel (default: a third of the radius)"},
    {CLI_MEANSHIFT, 0, "radius", "R", "", REAL(radius, 0), "maximum distance of neighbours (default: three sigma)"},
    {CLI_MEANSHIFT, 0, "squared", NULL, "", TO(CLI_FLAG, squared), "--radius and --delta are squares of distances"},
    {CLI_MEANSHIFT, 0, "quantile", "Q", "", REAL(quantile, 1),
     "fraction for --bandwidth auto, at most 1 (default: 0.3)"},
    {CLI_MEANSHIFT, 0, "algorithm", "A", "modes blurring", TO(CLI_WORD, algorithm),
     "points climb the fixed density of the input (modes, the default) or the density of the moved points (blurring)"},
    {CLI_MEANSHIFT, 0, "kernel", "K", "gaussian flat epanechnikov", TO(CLI_WORD, density_kernel),
     "weight of a neighbour by distance: gaussian (the default), flat or epanechnikov"},
    {CLI_MEANSHIFT, 'm', "method", "METHOD", "auto cells tiles naive", TO(CLI_WORD, neighbours),
     "algorithm that finds neighbours: auto, cells, tiles or naive; the result is the same"},
    {CLI_MEANSHIFT, 0, "reduction", "R", "components greedy densest", TO(CLI_WORD, reduction),
     "moved points that form a cluster: connected by steps of --delta (components, the default), near the first ones "
     "(greedy) or near the densest ones (densest)"},
    {CLI_MEANSHIFT, 0, "delta", "D", "", REAL(delta, 0),
     "distance of the reduction (default: sigma of gaussian, otherwise the radius)"},
    {CLI_MEANSHIFT, 0, "eps", "E", "", TO(CLI_TEXT, eps),
     "a point that moves by at most E has converged; 0: never (default: a thousandth of the radius)"},
    {CLI_MEANSHIFT, 0, "iterations", "N", "", WHOLE(iterations, 0, 1000000000),
     "maximum number of iterations; 0: points do not move (default: 300)"},
    {CLI_MEANSHIFT, 0, "seed-bins", "W", "", REAL(seed_bins, 0),
     "move, instead of points, the centres of non-empty bins of this width, around its multiples; modes only"},
    {CLI_MEANSHIFT, 0, "seed-points", "N", "", WHOLE(seed_points, 1, SIZE_MAX),
     "minimum number of points of such bins (default: 1)"},
    {CLI_HISTO, 'n', "iterations", "N", "", WHOLE(iterations, 1, 1000000),
     "number of complete repetitions (default: 1)"},
    {WORKING, 'd', "device", "D", "auto cpu gpu " CLI_DEVICES_WORD, TO(CLI_TEXT, device),
     "the device to use, see 'unihist devices'"},
    {WORKING, 'j', "threads", "N", "", WHOLE(threads, 1, 4096),
     "host threads (default: OMP_NUM_THREADS, or one per core)"},
    {CLI_HISTOGRAM | CLI_BINCOUNT | CLI_MERGE, 'o', "output", "FILE", "*.npy *.csv *.json *.npz *.uh",
     TO(CLI_OUTPUT, output),
     "write the result to FILE: .npy, .csv, .json, .npz (arrays for NumPy) or .uh, the complete result for 'unihist "
     "merge'; or, with --format, to '-', standard output"},
    {CLI_DIGITIZE, 'o', "output", "FILE", "*.npy *.csv *.txt", TO(CLI_OUTPUT, output),
     "write the indices to FILE: .npy, .csv or .txt (default: one per line to '-', standard output)"},
    {CLI_HISTO, 'o', "output", "FILE", "*.bmp", TO(CLI_OUTPUT, output),
     "write Parboil's picture of the counts to FILE: .bmp"},
    {CLI_SAMPLE, 'o', "output", "FILE", "*.npy *.csv *.txt *.json", TO(CLI_OUTPUT, output),
     "write the samples to FILE: .npy, .csv or .txt (default: one per line to '-', standard output); with --count the "
     "counts: .npy, .csv or .json"},
    {CLI_INTEGRATE, 'o', "output", "FILE", "*.json", TO(CLI_OUTPUT, output),
     "write all results to FILE: .json, or '-' for standard output"},
    {CLI_MEANSHIFT, 'o', "output", "FILE", "*.npy *.csv *.txt", TO(CLI_OUTPUT, output),
     "write the number of each point's cluster to FILE: .npy, .csv or .txt, or '-' for standard output"},
    {CLI_HISTOGRAM | CLI_BINCOUNT | CLI_MERGE, 0, "format", "F", "npy csv json npz uh", TO(CLI_NAME, format),
     FORMAT "npy, csv, json, npz or uh"},
    {CLI_DIGITIZE | CLI_MEANSHIFT, 0, "format", "F", "npy csv txt", TO(CLI_NAME, format), FORMAT "npy, csv or txt"},
    {CLI_SAMPLE, 0, "format", "F", "npy csv txt json", TO(CLI_NAME, format), FORMAT "npy, csv, txt or json"},
    {CLI_INTEGRATE, 0, "format", "F", "json", TO(CLI_NAME, format), FORMAT "json"},
    {CLI_MEANSHIFT, 0, "centroids", "FILE", "*.npy *.csv", TO(CLI_OUTPUT, centroids),
     "write the clusters, coordinates and count, to FILE: .npy or .csv"},
    {CLI_MEANSHIFT, 0, "shifted", "FILE", "*.npy *.csv", TO(CLI_OUTPUT, shifted),
     "write the final positions of points to FILE: .npy or .csv"},
    {CLI_HISTO, 0, "counts", "FILE", "*.npy", TO(CLI_OUTPUT, counts), "write the counts to FILE: .npy"},
    {CLI_HISTOGRAM | CLI_BINCOUNT | CLI_CHOOSE | CLI_MERGE | CLI_SAMPLE | CLI_INTEGRATE | CLI_MEANSHIFT, 'p', "plot",
     "FILE", "*.png *.svg", TO(CLI_OUTPUT, plot), "draw the result to FILE: .png or .svg"},
    {CLI_MEANSHIFT, 0, "plot-axes", "I,J", "", TO(CLI_TEXT, plot_axes),
     "coordinates shown by --plot, by number from 0: two or one (default: 0,1)"},
    {CLI_HISTOGRAM, 0, "colour", "SCALE", "auto linear log", TO(CLI_WORD, colour),
     "the map's colours: auto, linear or log"},
    {CLI_HISTOGRAM, 's', "stats", "[=plan]", "plan", TO(CLI_SWITCH, stats),
     "print how texts were read, totals, range, mean, times and rates; with plan also how values find their bins and "
     "what the devices did"},
    {CLI_INTEGRATE, 's', "stats", "[=plan]", "plan", TO(CLI_SWITCH, stats),
     "print chi-square, iterations, calls and rate, and the device below the integral, as on a terminal; with plan "
     "also the work of each of several devices"},
    {CLI_MEANSHIFT, 's', "stats", "[=plan]", "plan", TO(CLI_SWITCH, stats),
     "print bandwidth, iterations, times and rates below the clusters; with plan also how neighbours are found and "
     "what the devices did"},
    {CLI_DEVICES, 0, "json", NULL, "", TO(CLI_FLAG, json), "print JSON"},
    {CLI_MEANSHIFT, 0, "json", NULL, "", TO(CLI_FLAG, json), "print all results as JSON instead"},
    {CLI_ALL, 'h', "help", NULL, "", TO(CLI_FLAG, help), "print this and exit"},
    {0, 0, NULL, NULL, NULL, TO(CLI_FLAG, help), NULL},
};
