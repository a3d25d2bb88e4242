/* SPDX-License-Identifier: Apache-2.0 */
/* The module _at_once, in the file of _native: calls for plain arrays of NumPy, before any code of ours in Python. They
 * return None for other arguments and after errors, so that the general way, in Python, serves or refuses these. */
#include <Python.h>

#include <math.h>
#include <string.h>

#include "api/python/native.h"

/* NumPy's __array_struct__: https://numpy.org/doc/stable/reference/arrays.interface.html */
struct interface {
    int two, nd;
    char kind;
    int size, flags;
    Py_ssize_t *shape, *strides;
    char *data;
};
enum { CONTIGUOUS = 1, NATIVE = 0x200 };

enum {
    KEPT = 32,             /* histograms, for edges that are used again */
    MAX_BYTES = 1 << 16,   /* of their edges, which each call compares; and maximum number of their cells */
    MAX_COUNT = 1 << 24,   /* of values; more are counted in pieces, between which Ctrl-C is seen */
    OTHERS_WAIT = 1 << 12, /* this many values are counted while other threads of Python wait */
};

struct key {
    uhpy_kind kind;
    size_t naxes;
    uh_array edges[UH_MAX_AXES];
    PyObject *device, *threads;
};

/* A histogram on a queue of its own. Other calls pass it over while it is busy, as Python may run anything before it
 * ends. */
static struct kept {
    struct key key;
    PyObject *owner; /* what `make` returned: address, object, device, threads and edges; NULL: a free place */
    void *object;    /* a histogram; of UHPY_EQUAL a queue */
    int busy;
} kept[KEPT];

/* The arguments of a call: kind, device, threads, an array per axis; then edges of each, or minlength, or bins, range.
 */
struct call {
    PyObject *all;
    struct key key;
    size_t cells;
    uh_array arrays[UH_MAX_AXES];
};

static PyObject *make, *array_type, *empty, *int64, *float64, *single, *interface_name;

static int has_index(uhpy_kind kind) { return kind == UHPY_LEFT || kind == UHPY_RIGHT; }
static int has_edges(uhpy_kind kind) { return kind == UHPY_CELLS || has_index(kind); }

static PyObject *none(void) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
        return NULL;
    PyErr_Clear();
    Py_RETURN_NONE;
}

/* Reads an array of one dimension, or if `flat` a contiguous one of any. Returns whether it is one that C reads. */
static int read_array(PyObject *from, int flat, uh_array *to) {
    PyObject *capsule = (PyObject *)Py_TYPE(from) == array_type ? PyObject_GetAttr(from, interface_name) : NULL;
    const struct interface *a = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    const int row = a && a->nd == 1;
    int readable = a && (row || (flat && a->flags & CONTIGUOUS)) && a->flags & NATIVE;
    to->dtype = UH_F32;
    while (readable && ("ffiiiiuuuu"[to->dtype] != a->kind || uh_dtype_size(to->dtype) != (size_t)a->size))
        readable = ++to->dtype < UH_DTYPE_COUNT;
    if (readable) {
        to->data = a->data;
        to->stride = row ? a->strides[0] : a->size;
        to->count = 1;
        for (int d = 0; d < a->nd; d++)
            to->count *= (size_t)a->shape[d];
    }
    Py_XDECREF(capsule);
    return readable;
}

/* Reads an array per axis from items of a tuple. A single one may be `flat`. */
static int read_arrays(PyObject *tuple, Py_ssize_t from, size_t naxes, int flat, uh_array *to) {
    for (size_t a = 0; a < naxes; a++)
        if (!read_array(PyTuple_GetItem(tuple, from + (Py_ssize_t)a), flat && naxes == 1, &to[a]) ||
            to[a].count > MAX_COUNT)
            return 0;
    return naxes > 0;
}

static int read_edges(PyObject *from, uh_array *to) {
    return read_array(from, 0, to) && to->count > 1 && to->stride == (ptrdiff_t)uh_dtype_size(to->dtype) &&
           to->count * (size_t)to->stride <= MAX_BYTES;
}

static int read_call(PyObject *all, struct call *call) {
    struct key *key = &call->key;
    key->kind = (uhpy_kind)PyLong_AsLong(PyTuple_GetItem(all, 0));
    key->device = PyTuple_GetItem(all, 1);
    key->threads = PyTuple_GetItem(all, 2);
    key->naxes = (size_t)(PyTuple_Size(all) - 3) / 2;
    call->all = all;
    call->cells = 1;
    if (key->naxes > UH_MAX_AXES || !(key->device == Py_None || PyUnicode_CheckExact(key->device)) ||
        !(key->threads == Py_None || PyLong_CheckExact(key->threads)))
        return 0;
    for (size_t a = 0; a < key->naxes && has_edges(key->kind); a++) {
        if (!read_edges(PyTuple_GetItem(all, (Py_ssize_t)(3 + key->naxes + a)), &key->edges[a]))
            return 0;
        call->cells *= key->edges[a].count - 1;
        if (call->cells > MAX_BYTES)
            return 0;
    }
    return read_arrays(all, 3, key->naxes, key->kind == UHPY_CELLS || key->kind == UHPY_EQUAL, call->arrays);
}

/* ---- histograms for edges that are used again ---- */

static int are_same(const struct key *a, const struct key *b) {
    if (a->kind != b->kind || a->naxes != b->naxes)
        return 0;
    for (size_t i = 0; i < a->naxes && has_edges(a->kind); i++)
        if (a->edges[i].dtype != b->edges[i].dtype || a->edges[i].count != b->edges[i].count ||
            memcmp(a->edges[i].data, b->edges[i].data, a->edges[i].count * (size_t)a->edges[i].stride) != 0)
            return 0;
    return PyObject_RichCompareBool(a->device, b->device, Py_EQ) == 1 &&
           PyObject_RichCompareBool(a->threads, b->threads, Py_EQ) == 1;
}

/* Makes a histogram for a call, and puts it in the place of an earlier one. */
static struct kept *replace(const struct call *call) {
    static size_t next;
    PyObject *const made = PyObject_CallObject(make, call->all);
    struct kept new = {.key = call->key, .owner = made, .busy = 1}, *k = &kept[next++ % KEPT];
    if (!made)
        return NULL;
    new.object = PyLong_AsVoidPtr(PyTuple_GetItem(made, 0));
    new.key.device = PyTuple_GetItem(made, 2);
    new.key.threads = PyTuple_GetItem(made, 3);
    for (size_t a = 0; a < new.key.naxes &&has_edges(new.key.kind); a++)
        (void)read_edges(PyTuple_GetItem(made, (Py_ssize_t)(4 + a)), &new.key.edges[a]);
    PyObject *const old = k->busy ? made : k->owner;
    k = k->busy ? NULL : memcpy(k, &new, sizeof new);
    Py_XDECREF(old);
    return k;
}

/* Returns a histogram for a call, marked as busy; NULL if none can be made. */
static struct kept *take(const struct call *call) {
    static size_t last;
    for (size_t i = 0; i < KEPT; i++) {
        struct kept *k = &kept[(last + i) % KEPT];
        if (k->owner && !k->busy && are_same(&k->key, &call->key)) {
            last = (last + i) % KEPT;
            k->busy = 1;
            return k;
        }
    }
    return replace(call);
}

/* ---- calls ---- */

union number {
    uint64_t count;
    double as_double;
};

/* Returns a new array of numbers, and where they are; NULL if it fails. */
static PyObject *new_array(PyObject *shape, PyObject *type, void **data) {
    PyObject *const array = shape ? PyObject_CallFunctionObjArgs(empty, shape, type, NULL) : NULL;
    uh_array found;
    Py_XDECREF(shape);
    *data = array && read_array(array, 1, &found) ? (void *)(uintptr_t)found.data : NULL;
    return array;
}

/* Sets `status` to the value of a call of C, during which other threads of Python run if there are many values. */
#define COMPUTE(status, n, call)                                                                                       \
    do {                                                                                                               \
        PyThreadState *const others = (n) > OTHERS_WAIT ? PyEval_SaveThread() : NULL;                                  \
        (status) = (int)(call);                                                                                        \
        if (others)                                                                                                    \
            PyEval_RestoreThread(others);                                                                              \
    } while (0)

/* ---- equal bins, with edges as numpy.linspace makes them since NumPy 2: of float32 for float32 values, computed in it
 * between the smallest and the largest value, and in double between the ends of a range; otherwise of double. */

/* Returns whether it has counted. */
static int count_single(uh_queue *queue, const uh_array *x, size_t bins, const double *range, void *counts,
                        float *edges) {
    const uh_array at = uh_array_of(UH_F32, edges, bins + 1);
    const uh_axis_bins between = uh_axis_bins_between(&at);
    const uh_cells cells = uh_cells_of(counts);
    double ends[2];
    uint64_t nan = 0;
    if (!range && (uh_min_max(queue, x, &ends[0], &ends[1], &nan) || nan))
        return 0;
    const double first = range ? range[0] : ends[0], last = range ? range[1] : ends[1];
    const float low = (float)first, step_of_single = ((float)last - low) / (float)bins;
    const double step = range ? (last - first) / (double)bins : (double)step_of_single;
    int distinct = isfinite(step) && step > 0;
    edges[bins] = (float)last;
    for (size_t i = bins; i-- > 0; distinct &= edges[i] < edges[i + 1])
        edges[i] = range ? (float)((double)i * step + first) : (float)i * step_of_single + low;
    return distinct && !uh_histogram_of(queue, x, &between, 1, NULL, &cells);
}

static int count_double(uh_queue *queue, const uh_array *x, size_t bins, const double *range, void *counts,
                        double *edges) {
    const uh_axis_bins equal = uh_axis_bins_equal(bins, range);
    uh_cells cells = uh_cells_of(counts);
    cells.edges[0] = edges;
    int distinct = !uh_histogram_of(queue, x, &equal, 1, NULL, &cells);
    for (size_t i = 0; i < bins && distinct; i++)
        distinct = edges[i] < edges[i + 1];
    return distinct;
}

/* Reads a range of Python's numbers. Returns whether it is None or valid. */
static int read_range(PyObject *range, double ends[2]) {
    if (range == Py_None)
        return 1;
    for (Py_ssize_t i = 0; i < 2 && PyTuple_CheckExact(range) && PyTuple_Size(range) == 2; i++) {
        PyObject *const end = PyTuple_GetItem(range, i);
        ends[i] = PyFloat_CheckExact(end) || PyLong_CheckExact(end) ? PyFloat_AsDouble(end) : NAN;
    }
    return !PyErr_Occurred() && isfinite(ends[0]) && isfinite(ends[1]) && ends[0] <= ends[1];
}

/* Returns counts and edges, or NULL. */
static PyObject *count_equal(const struct call *call, uh_queue *queue) {
    const uh_array *x = call->arrays;
    PyObject *const number = PyTuple_GetItem(call->all, 4), *const range = PyTuple_GetItem(call->all, 5);
    const Py_ssize_t bins = PyLong_CheckExact(number) ? PyLong_AsSsize_t(number) : 0;
    double ends[2] = {NAN, NAN}, *given = range == Py_None ? NULL : ends;
    PyObject *const type = x->dtype == UH_F32 ? single : float64;
    void *counts = NULL, *edges = NULL;
    int done = 0;
    if (bins < 1 || (size_t)bins > UH_MAX_BINS || type == Py_None || !read_range(range, ends))
        return NULL;
    PyObject *const first = new_array(PyLong_FromSsize_t(bins), int64, &counts);
    PyObject *const second = new_array(PyLong_FromSsize_t(bins + 1), type, &edges);
    if (counts && edges)
        COMPUTE(done, x->count,
                x->dtype == UH_F32 ? count_single(queue, x, (size_t)bins, given, counts, edges)
                                   : count_double(queue, x, (size_t)bins, given, counts, edges));
    PyObject *const found = done ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return found;
}

/* ---- other calls ---- */

/* Returns the number of results of numpy.bincount, 0 if there are too many. */
static size_t find_length(const struct call *call, const uh_histogram *histogram) {
    uh_histogram_properties about = {.struct_size = sizeof about};
    PyObject *const least = PyTuple_GetItem(call->all, 4);
    const Py_ssize_t min = PyLong_CheckExact(least) ? PyLong_AsSsize_t(least) : -1;
    if (min < 0 || uh_histogram_get_properties(histogram, &about) || about.cells > MAX_BYTES)
        return 0;
    return about.cells > (size_t)min ? about.cells : (size_t)min;
}

/* Returns counts or indices, or NULL. */
static PyObject *run(const struct call *call, uh_histogram *histogram) {
    const uhpy_kind kind = call->key.kind;
    const size_t naxes = call->key.naxes;
    size_t length = has_index(kind) ? call->arrays->count : call->cells;
    int status = has_index(kind) ? 0 : (int)uh_histogram_reset(histogram);
    void *data = NULL;
    if (!status && !has_index(kind))
        COMPUTE(status, call->arrays->count, uh_histogram_fill(histogram, call->arrays, NULL));
    if (!status && kind == UHPY_INTEGERS)
        status = !(length = find_length(call, histogram));
    if (status)
        return NULL;
    PyObject *const shape = naxes > 1 ? PyTuple_New((Py_ssize_t)naxes) : PyLong_FromSize_t(length);
    for (size_t a = 0; shape && naxes > 1 && a < naxes; a++)
        PyTuple_SetItem(shape, (Py_ssize_t)a, PyLong_FromSize_t(call->key.edges[a].count - 1));
    PyObject *const array = new_array(shape, naxes > 1 ? float64 : int64, &data);
    status = !data;
    if (!status && has_index(kind))
        COMPUTE(status, length, uh_histogram_digitize(histogram, call->arrays, UH_I64, data));
    else if (!status)
        status = (int)uh_histogram_counts(histogram, memset(data, 0, length * sizeof(uint64_t)));
    for (size_t i = 0; i < length && naxes > 1 && !status; i++)
        ((union number *)data)[i].as_double = (double)((union number *)data)[i].count;
    if (!status)
        return array;
    Py_XDECREF(array);
    return NULL;
}

/* Empties a place, but in a forked process leaves alone what another thread used. */
static void drop(struct kept *k) {
    PyObject *const old = k->busy ? NULL : k->owner;
    *k = (struct kept){.owner = NULL};
    Py_XDECREF(old);
}

static PyObject *at_once(__attribute__((unused)) PyObject *module, PyObject *all) {
    struct call call;
    struct kept *const k = read_call(all, &call) ? take(&call) : NULL;
    PyObject *const found = !k                            ? NULL
                            : call.key.kind == UHPY_EQUAL ? count_equal(&call, k->object)
                                                          : run(&call, k->object);
    if (k)
        k->busy = 0;
    if (k && !found && call.key.kind == UHPY_INTEGERS)
        drop(k); /* perhaps it has become too large */
    return found ? found : none();
}

/* add(address, arrays): fills a histogram, whose lock the caller holds, by an array per axis. */
static PyObject *add(__attribute__((unused)) PyObject *module, PyObject *all) {
    uh_histogram *const histogram = PyLong_AsVoidPtr(PyTuple_GetItem(all, 0));
    PyObject *const given = PyTuple_GetItem(all, 1);
    const size_t naxes = (size_t)PyTuple_Size(given);
    uh_histogram_properties about = {.struct_size = sizeof about};
    uh_array arrays[UH_MAX_AXES];
    if (uh_histogram_get_properties(histogram, &about) || about.naxes != naxes)
        return none();
    int status = !read_arrays(given, 0, naxes, 1, arrays);
    if (!status)
        COMPUTE(status, arrays->count, uh_histogram_fill(histogram, arrays, NULL));
    return status ? none() : PyBool_FromLong(1);
}

static PyObject *discard(__attribute__((unused)) PyObject *module, __attribute__((unused)) PyObject *nothing) {
    for (size_t i = 0; i < KEPT; i++)
        drop(&kept[i]);
    Py_RETURN_NONE;
}

/* begin(make, numpy.ndarray, numpy.empty, int64, float64, type of edges of float32 or None); `make` is called as
 * at_once. */
static PyObject *begin(__attribute__((unused)) PyObject *module, PyObject *all) {
    PyObject **const to[] = {&make, &array_type, &empty, &int64, &float64, &single};
    for (Py_ssize_t i = 0; i < 6; i++)
        Py_INCREF(*to[i] = PyTuple_GetItem(all, i));
    interface_name = PyUnicode_InternFromString("__array_struct__");
    Py_RETURN_NONE;
}

PyMODINIT_FUNC PyInit__at_once(void) {
    static PyMethodDef functions[] = {{"add", add, METH_VARARGS, NULL},
                                      {"at_once", at_once, METH_VARARGS, NULL},
                                      {"begin", begin, METH_VARARGS, NULL},
                                      {"discard", discard, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_at_once", NULL, -1, functions, NULL, NULL, NULL, NULL};
    return PyModule_Create(&definition);
}
