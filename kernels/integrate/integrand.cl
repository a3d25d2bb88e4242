/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of an integrand given as a text of <unihist/integrand.h>: UNIHIST_INTEGRAND is its file. A work-item takes a
 * strip of a unit's samples; integrate.h defines the order of sums. Arithmetic is the host's (integrate_host.c and
 * sums.h), operation for operation, unless UHI_FP32 selects float32. */
#pragma OPENCL FP_CONTRACT OFF
#include "kernels/common/philox.inc"
#include "kernels/common/sequence.h"
#include "kernels/common/wide.inc"
#include "kernels/integrate/integrate.h"
#include "kernels/integrate/numbers.inc"

#include "kernels/integrate/coordinates.inc"

#include UNIHIST_INTEGRAND

#include "kernels/integrate/strip.inc"

enum {
    ROW = UHI_ROW_WORDS(UHI_VALUES),
    GROUP = UHI_INTEGRATE_GROUP(UHI_PARTS),
    UNITS = GROUP / UHI_UNIT_STRIPS /* per group */
};

/* ---- units ---- */

/* Numbers of the group's strips, which its work-items exchange: two values and their product. */
struct meeting {
    local sum_t *value_a, *value_b, *product;
    local ulong *n;
};

/* The cube that a strip leaves open. */
struct open_cube {
    struct part part; /* of this strip; of 0 samples if it leaves no cube open */
    ulong size;       /* samples of the whole cube, */
    ulong here;       /* and of these from this strip on */
    int earlier;      /* whether it began before this strip, */
    int joined;       /* and whether this strip joins the parts that the following strips have */
};

/* A cube is joined by the strip in which it began or, if that was in an earlier unit, by the unit's first strip. */
static void leave_open(const struct shared *in, const struct place *at, struct strip *strip, uint number, ulong from,
                       struct open_cube *open) {
    const int going = strip->n > 0;
    const ulong begin = going ? begin_of(in, at->cube) : 0, end = going ? begin_of(in, at->cube + 1) : 0;
    open->size = end - begin;
    open->here = end - max(begin, from);
    open->earlier = strip->open;
    open->joined = going && (!open->earlier || number == 0);
    open->part.n = 0;
    if (going) {
        end_part(strip, &open->part);
        if (open->earlier)
            keep_first(&open->part, strip);
    }
}

/* Joins two values and their product with those of the following strips that have parts of the cube; n becomes the
 * number of samples. */
static void join_following(const struct meeting *m, uint number, const struct open_cube *open, ulong *n, sum_t *value_a,
                           sum_t *value_b, sum_t *product) {
    for (uint next = number + 1; next < UHI_UNIT_STRIPS && *n < open->here; next++) {
        const uint other = get_local_id(0) - number + next;
        const ulong more = m->n[other];
        if (more == 0)
            break;
        const real a = (real)*n, b = (real)more, all = a + b;
        const real by_a = difference(m->value_a[other], *value_a), by_b = difference(m->value_b[other], *value_b);
        *product = add_sums(*product, add_number(m->product[other], by_a * by_b * (a * b / all)));
        *value_a = add_number(*value_a, by_a * (b / all));
        *value_b = add_number(*value_b, by_b * (b / all));
        *n += more;
    }
}

/* Joins values a and b, and their product, number `ab` of the numbers, of the open cube: adds them to the strip's if
 * the cube is complete; otherwise stores them for the units around this one. */
static void join_open_cube(const struct shared *in, const struct meeting *m, const struct place *at, uint number,
                           const struct open_cube *open, int a, int b, int ab, struct strip *strip, global ulong *row) {
    ulong n = open->part.n;
    sum_t value_a = open->part.number[a], value_b = open->part.number[b], product = open->part.number[ab];
    join_following(m, number, open, &n, &value_a, &value_b, &product);
    if (n == open->size && !open->earlier) {
        if (in->spreads && ab == UHI_VALUES)
            in->spread[at->cube] = number_of(product) / (real)(open->size - 1);
        if (a == b)
            strip->whole[a] = add_sums(strip->whole[a], value_a);
        strip->whole[ab] = add_sums(strip->whole[ab], share_of(product, (real)n));
        return;
    }
    global ulong *part = row + (open->earlier ? UHI_ROW_FIRST(UHI_VALUES) : UHI_ROW_LAST(UHI_VALUES));
    part[0] = at->cube;
    part[1] = n;
    part[2 + ab] = word_of_sum(product);
    if (a == b)
        part[2 + a] = word_of_sum(value_a);
}

/* Adds up number `ab` of all strips and, if a == b, number a, in pairs of equal distance. */
static void sum_strips(const struct meeting *m, uint number, const struct strip *strip, int a, int b, int ab,
                       global ulong *row) {
    const uint me = get_local_id(0);
    m->product[me] = strip->whole[ab];
    m->value_a[me] = strip->whole[a];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = UHI_UNIT_STRIPS / 2; step > 0; step /= 2) {
        if (number < step) {
            m->product[me] = add_sums(m->product[me], m->product[me + step]);
            m->value_a[me] = add_sums(m->value_a[me], m->value_a[me + step]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (number == 0) {
        row[UHI_ROW_SUMS + ab] = word_of_sum(m->product[me]);
        if (a == b)
            row[UHI_ROW_SUMS + a] = word_of_sum(m->value_a[me]);
    }
}

/* Stores the largest of the strips' numbers. */
static void store_largest(const struct meeting *m, uint number, real largest, global ulong *to) {
    const uint me = get_local_id(0);
    m->product[me] = sum_of(largest);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = UHI_UNIT_STRIPS / 2; step > 0; step /= 2) {
        if (number < step)
            m->product[me] = sum_of(max(number_of(m->product[me]), number_of(m->product[me + step])));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (number == 0)
        *to = word_of_sum(m->product[me]);
}

/* Includes the jump from the last sample of the strip before; n is 0 if this one has none. */
static void meet_jump(const struct meeting *m, uint number, uint n, struct strip *strip) {
    const uint me = get_local_id(0);
    m->value_a[me] = sum_of(strip->edge[1]);
    m->value_b[me] = sum_of(strip->stretch[1]);
    m->product[me] = sum_of(strip->share[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (number > 0 && n > 0)
        strip->jump = max(strip->jump,
                          jump_of(number_of(m->value_a[me - 1]), number_of(m->value_b[me - 1]),
                                  number_of(m->product[me - 1]), strip->edge[0], strip->stretch[0], strip->share[0]));
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Stores the first strip's part of a cube that began in an earlier unit and ended in this strip. */
static void store_first(const struct strip *strip, global ulong *row) {
    global ulong *part = row + UHI_ROW_FIRST(UHI_VALUES);
    part[1] = strip->first.n;
    for (int i = 0; i < NUMBERS; i++)
        part[2 + i] = word_of_sum(strip->first.number[i]);
}

/* Ends the unit, pair after pair of values: all strips show their first parts, the open cube is joined, and strips are
 * added up. Every work-item of the group calls this, and meets the others at each barrier. */
static void end_unit(const struct shared *in, const struct meeting *m, const struct place *at, struct strip *strip,
                     uint number, uint n, ulong from, global ulong *row) {
    const uint me = get_local_id(0);
    const int stores_first = number == 0 && strip->first.n > 0 && !strip->open;
    struct open_cube open;
    leave_open(in, at, strip, number, from, &open);
    m->n[me] = strip->first.n;
    int ab = UHI_VALUES;
    for (int a = 0; a < UHI_VALUES; a++)
        for (int b = 0; b <= a; b += UHI_STEP(UHI_VALUES, a), ab++) {
            m->value_a[me] = strip->first.number[a];
            m->value_b[me] = strip->first.number[b];
            m->product[me] = strip->first.number[ab];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (open.joined)
                join_open_cube(in, m, at, number, &open, a, b, ab, strip, row);
            barrier(CLK_LOCAL_MEM_FENCE); /* before `meeting` is used again */
            sum_strips(m, number, strip, a, b, ab, row);
        }
    store_largest(m, number, strip->largest, row + UHI_ROW_LARGEST);
    if (UHI_DIMS == 1) {
        meet_jump(m, number, n, strip);
        store_largest(m, number, strip->jump, row + UHI_ROW_JUMP);
    } else if (number == 0) {
        row[UHI_ROW_JUMP] = 0;
    }
    if (stores_first)
        store_first(strip, row);
}

static void store_found(local const uint *found, ulong unit, global ulong *row) {
    const ulong first = found[FIRST_NOT_FINITE];
    row[UHI_ROW_NOT_FINITE] = found[NOT_FINITE];
    row[UHI_ROW_FIRST_NOT_FINITE] = first < UHI_UNIT ? unit * UHI_UNIT + first : ULONG_MAX;
    row[UHI_ROW_TOO_LARGE] = found[TOO_LARGE];
    row[UHI_ROW_GIVEN] = (ulong)found[GIVEN_HIGH] << 32 | found[GIVEN];
}

/* ---- strips ---- */

/* Stores in `row` the cube that crosses the start of the unit, in case it ends in this strip. */
static void begin_strip(const struct shared *in, ulong from, uint n, uint number, global ulong *row, struct place *at,
                        struct strip *strip) {
    strip->n = strip->first.n = 0;
    strip->open = 0;
    strip->given = 0;
    strip->largest = strip->jump = 0;
    strip->edge[1] = strip->stretch[1] = strip->share[1] = 0; /* shown to the next strip even if there is no sample */
    if (n == 0)
        return;
    find_cube(in, from, at);
    strip->open = from > begin_of(in, at->cube);
    if (strip->open && number == 0)
        row[UHI_ROW_FIRST(UHI_VALUES)] = at->cube;
}

/* Processes an evaluated sample, the strip's first one or another. */
static void take(const struct shared *in, ulong sample, const real *x, real weight, const uint *bin, real *value,
                 int first, struct place *at, struct strip *strip) {
    weigh(in, x, weight, sample, value, strip);
    note_extremes(in, value[0], in->cells[bin[0]].y, at->share, first, strip);
    strip->given += contribute(in, at, value[0], bin);
    add_sample(strip, value);
    if (--at->left == 0)
        end_in_strip(in, sample + 1, at, strip);
}

static void sample_strip(const struct shared *in, ulong from, uint n, global const void *state, struct place *at,
                         struct strip *strip) {
    for (uint j = 0; j < n; j++) {
        real x[UHI_DIMS], value[UHI_VALUES];
        uint bin[UHI_DIMS];
        const real weight = make_point(in, at, from + j, x, bin);
        uhi_evaluate(x, value, state);
        take(in, from + j, x, weight, bin, value, j == 0, at, strip);
    }
}

/* The same by UHI_PARTS work-items together, each of which evaluates one part of all their samples; `samples` is the
 * total number. */
static void sample_in_parts(const struct shared *in, ulong from, uint n, ulong samples, global const void *state,
                            local real *points, local real *terms, struct place *at, struct strip *strip) {
    const uint me = get_local_id(0), part = me % UHI_PARTS;
    for (uint j = 0; j < UHI_STRIP; j++) {
        real x[UHI_DIMS], value[UHI_VALUES], all[UHI_PARTS * UHI_VALUES], weight = 0;
        uint bin[UHI_DIMS];
        if (j < n)
            weight = make_point(in, at, from + j, x, bin);
        for (int d = 0; d < UHI_DIMS && j < n; d++)
            points[me * UHI_DIMS + d] = x[d];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint other = me - part; other < me - part + UHI_PARTS; other++) {
            real y[UHI_DIMS], term[UHI_VALUES];
            if (from + UHI_STRIP * (ulong)other - UHI_STRIP * (ulong)me + j >= samples)
                continue;
            for (int d = 0; d < UHI_DIMS; d++)
                y[d] = points[other * UHI_DIMS + d];
            uhi_term(y, (int)part, term, state);
            for (int k = 0; k < UHI_VALUES; k++)
                terms[(other * UHI_PARTS + part) * UHI_VALUES + k] = term[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < UHI_PARTS * UHI_VALUES && j < n; i++) /* PoCL 3.1 loses values if this is within the `if` */
            all[i] = terms[me * UHI_PARTS * UHI_VALUES + i];
        if (j < n) {
            uhi_whole(all, value);
            take(in, from + j, x, weight, bin, value, j == 0, at, strip);
        }
    }
}

static void read_job(global const ulong *job, global const real *number, struct shared *in) {
    global const real2 *cells = (global const real2 *)(number + UHI_JOB_NUMBERS);
    const uint bins = (uint)job[UHI_JOB_BINS];
    in->job = job;
    in->number = number;
    in->seed = as_uint2(job[UHI_JOB_SEED]);
    in->stream = job[UHI_JOB_STREAM];
    in->cubes = job[UHI_JOB_CUBES];
    in->samples = job[UHI_JOB_SAMPLES];
    in->each = job[UHI_JOB_EACH];
    in->bins = bins;
    in->adjusts = (uint)job[UHI_JOB_ADJUSTS];
    in->slots = in->adjusts * bins;
    in->spreads = (uint)job[UHI_JOB_SPREADS];
    in->in_local = (uint)job[UHI_JOB_LOCAL];
    in->unit = number[UHI_JOB_UNIT];
    in->largest = number[UHI_JOB_LARGEST];
    in->scale = number[UHI_JOB_SCALE];
    in->bin = 1 / (real)bins;
    in->kind = (int)job[UHI_JOB_SEQUENCE];
    in->cells = cells;
    in->sides = cells + UHI_DIMS * bins;
    in->finite = 1;
    for (uint d = 0; d < UHI_DIMS; d++)
        in->finite = in->sides[d].x == UHI_SIDES_FINITE ? in->finite : 0;
}

/* `number` has UHI_JOB_NUMBERS numbers, cells and sides; `rows` has room for extra units up to whole groups. With
 * sub-groups of 32, which Intel's compiler would choose on Xe HPC, float64 needs more registers than there are. */
#if !UHI_FP32
__attribute__((intel_reqd_sub_group_size(16)))
#endif
__attribute__((reqd_work_group_size(UHI_INTEGRATE_GROUP(UHI_PARTS), 1, 1))) kernel void
sample(global const ulong *job, global const real *number, global const ulong *starts, global real *spread,
       global ulong *rows, global uint *given, global real *report, global const void *state,
       global const uint *sequence, ulong first_unit, ulong units, local uint *table) {
    local sum_t values_a[GROUP], values_b[GROUP], products[GROUP];
    local ulong counts[GROUP];
    local uint found[UNITS * FOUND];
    local real points[UHI_PARTS > 1 ? GROUP * UHI_DIMS : 1];
    local real terms[UHI_PARTS > 1 ? GROUP * UHI_PARTS * UHI_VALUES : 1];
    struct shared in;
    read_job(job, number, &in);
    in.starts = starts;
    in.sequence = sequence;
    in.spread = spread;
    in.report = report;
    in.given = given;
    in.table = table;
    const struct meeting meeting = {values_a, values_b, products, counts};
    const uint me = get_local_id(0), strip_number = me % UHI_UNIT_STRIPS, mine = me / UHI_UNIT_STRIPS;
    const ulong first = get_group_id(0) * UNITS;
    const uint held = in.in_local && first < units ? 2 * in.slots : 0; /* the group may have no units */
    for (uint i = me; i < held; i += GROUP)
        table[i] = 0;
    for (ulong u = first; u < units; u += get_num_groups(0) * UNITS) {
        const ulong unit = first_unit + u + mine, from = unit * UHI_UNIT + strip_number * UHI_STRIP;
        const ulong samples = u + mine < units ? in.samples : 0;
        const uint n = from < samples ? (uint)min(samples - from, (ulong)UHI_STRIP) : 0;
        global ulong *row = rows + (u + mine) * ROW;
        struct place at;
        struct strip strip;
        for (uint i = strip_number; i < FOUND; i += UHI_UNIT_STRIPS)
            found[mine * FOUND + i] = i == FIRST_NOT_FINITE ? UHI_UNIT : 0;
        if (strip_number == 0)
            row[UHI_ROW_FIRST(UHI_VALUES) + 1] = row[UHI_ROW_LAST(UHI_VALUES) + 1] = 0;
        strip.found = found + mine * FOUND;
        begin_strip(&in, from, n, strip_number, row, &at, &strip);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int i = 0; i < NUMBERS; i++) /* not before the barrier: PoCL 3.1 would lose all of the strip */
            strip.whole[i] = strip.first.number[i] = sum_of(0);
        if (UHI_PARTS > 1)
            sample_in_parts(&in, from, n, samples, state, points, terms, &at, &strip);
        else
            sample_strip(&in, from, n, state, &at, &strip);
        if (strip.given)
            add_wide_local(strip.found + GIVEN, 1, strip.given);
        end_unit(&in, &meeting, &at, &strip, strip_number, n, from, row);
        if (strip_number == 0)
            store_found(strip.found, unit, row);
        barrier(CLK_LOCAL_MEM_FENCE); /* before the next pass clears `found` */
    }
    for (uint i = me; i < held / 2; i += GROUP) {
        const ulong sum = (ulong)table[in.slots + i] << 32 | table[i];
        if (sum)
            add_wide_global(given + i, in.slots, sum);
    }
}

#if !UHI_FP32
#include "kernels/integrate/cubature.inc"

/* Points of a grid: stores the values at each row's point, and multiplies its weight by the first. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void evaluate(ulong n, global const void *state,
                                                                    global double *rows) {
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        global double *row = rows + i * (UHI_DIMS + 1 + UHI_VALUES);
        double x[UHI_DIMS], value[UHI_VALUES];
        for (int d = 0; d < UHI_DIMS; d++)
            x[d] = row[d];
        evaluate_all(x, value, state);
        row[UHI_DIMS] *= value[0];
        for (int k = 0; k < UHI_VALUES; k++)
            row[UHI_DIMS + 1 + k] = value[k];
    }
}
#endif
