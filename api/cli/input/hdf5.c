/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets of HDF5 files, written as .npy files in pieces. */
#include <hdf5.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/container.h"

enum { PIECE = 1 << 22, CACHE = 64 << 20, HEADER = 1024 };

/* One thread at a time uses the library. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct set {
    hid_t file, set, space, type; /* the type in memory */
    char descr[8];                /* NumPy's name of the type */
    int sizes;
    hsize_t size[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
};

static void close_set(const struct set *set) {
    const hid_t all[] = {set->type, set->space, set->set, set->file};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > 0)
            H5Idec_ref(all[i]);
}

/* Finds the type in memory: the file's, in this machine's byte order. h5py stores bool as an enumeration. */
static int find_type(struct set *set) {
    hid_t type = H5Dget_type(set->set);
    if (H5Tget_class(type) == H5T_ENUM) {
        const hid_t base = H5Tget_super(type);
        H5Tclose(type);
        type = base;
    }
    const size_t bytes = H5Tget_size(type);
    const int integer = H5Tget_class(type) == H5T_INTEGER, floating = H5Tget_class(type) == H5T_FLOAT;
    const char kind = floating ? 'f' : H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
    snprintf(set->descr, sizeof set->descr, "<%c%d", kind, (int)bytes);
    set->type = H5Tcopy(type);
    H5Tclose(type);
    if (!(integer || floating) || bytes > 8 || (bytes & (bytes - 1)) || bytes == 0 || (floating && bytes == 1))
        return -1;
    return H5Tset_order(set->type, H5T_ORDER_LE) < 0 ? -1 : 0;
}

static int open_set(const char *path, const char *name, struct set *set) {
    *set = (struct set){.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)};
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 12421, CACHE, 1);
    if (set->file > 0)
        set->set = H5Dopen2(set->file, name, access);
    H5Pclose(access);
    if (set->set <= 0)
        return cli_fail("%s:%s: cannot be read as HDF5", path, name);
    set->space = H5Dget_space(set->set);
    if (find_type(set))
        return cli_fail("%s:%s: expected numbers of 1 to 8 bytes", path, name);
    set->sizes = H5Sget_simple_extent_dims(set->space, set->size, NULL);
    const hid_t made = H5Dget_create_plist(set->set);
    if (H5Pget_layout(made) != H5D_CHUNKED || H5Pget_chunk(made, set->sizes, set->chunk) < 0)
        memset(set->chunk, 0, sizeof set->chunk);
    H5Pclose(made);
    if (set->sizes < 0 || H5Sget_simple_extent_type(set->space) == H5S_NULL)
        return cli_fail("%s:%s: has no shape", path, name);
    return 0;
}

static int write_header(struct cli_filter *filter, const struct set *set) {
    char header[HEADER] = "\x93NUMPY\1", shape[HEADER - 200] = "";
    for (int i = 0; i < set->sizes; i++)
        cli_append(shape, sizeof shape, "", "%" PRIuHSIZE ",", set->size[i]);
    const int n = snprintf(header + 10, HEADER - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                           set->descr, shape);
    memset(header + 10 + n, ' ', HEADER - 11 - (size_t)n);
    header[HEADER - 1] = '\n';
    header[8] = (char)((HEADER - 10) & 0xff);
    header[9] = (char)((HEADER - 10) >> 8);
    return cli_filter_write(filter, header, HEADER);
}

/* Reads a box of the set, with the lock. */
static int read_box(const struct set *set, const hsize_t *start, const hsize_t *count, void *data) {
    pthread_mutex_lock(&lock);
    const int scalar = set->sizes == 0;
    const hid_t memory = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(set->sizes, count, NULL);
    const int status = (!scalar && H5Sselect_hyperslab(set->space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) ||
                       H5Dread(set->set, set->type, memory, set->space, H5P_DEFAULT, data) < 0;
    H5Sclose(memory);
    pthread_mutex_unlock(&lock);
    return status;
}

/* Writes all elements in order: boxes that are whole in the last dimensions, a part of one before them (of whole
 * chunks), and one element in the first ones. */
static int write_elements(struct cli_filter *filter, const struct set *set) {
    const size_t bytes = H5Tget_size(set->type);
    hsize_t start[H5S_MAX_RANK + 1] = {0}, count[H5S_MAX_RANK] = {0}, inner = 1, step = 1;
    int cut = set->sizes, result = 0;
    while (cut > 0 && inner * set->size[cut - 1] * bytes <= PIECE)
        inner *= set->size[--cut];
    for (int i = 0; i < set->sizes; i++)
        count[i] = i < cut ? 1 : set->size[i];
    if (inner == 0)
        return 0;
    if (cut > 0) {
        const hsize_t chunk = set->chunk[cut - 1];
        step = PIECE / (inner * bytes);
        step = step < 1 ? 1 : step;
        step = chunk ? (step + chunk - 1) / chunk * chunk : step;
        step = step < set->size[cut - 1] ? step : set->size[cut - 1];
    }
    void *data = cli_have(malloc((size_t)(step * inner) * bytes));
    for (int more = 1; more && result == 0;) {
        hsize_t n = inner;
        if (cut > 0) {
            const hsize_t left = set->size[cut - 1] - start[cut - 1];
            count[cut - 1] = left < step ? left : step;
            n *= count[cut - 1];
        }
        if (read_box(set, start, count, data))
            result = cli_fail("%s:%s: cannot be read; a filter may be missing", filter->from.name, filter->argument);
        else
            result = cli_filter_write(filter, data, (size_t)n * bytes);
        more = 0;
        for (int i = cut - 1; i >= 0 && !more; i--) {
            start[i] += i == cut - 1 ? count[i] : 1;
            more = start[i] < set->size[i];
            start[i] = more ? start[i] : 0;
        }
    }
    free(data);
    return result;
}

int cli_decode_hdf5(struct cli_filter *filter) {
    struct set set;
    pthread_mutex_lock(&lock);
    int result = open_set(filter->from.name, filter->argument, &set);
    pthread_mutex_unlock(&lock);
    if (result == 0)
        result = write_header(filter, &set) || write_elements(filter, &set) ? -1 : 0;
    pthread_mutex_lock(&lock);
    close_set(&set);
    pthread_mutex_unlock(&lock);
    return result;
}

static herr_t add_member(__attribute__((unused)) hid_t file, const char *name, const H5O_info_t *info, void *data) {
    if (info->type == H5O_TYPE_DATASET)
        cli_members_add(data, name);
    return 0;
}

int cli_hdf5_find(struct cli_stream *stream, const char *member, char **name) {
    struct cli_members members = {.wanted = member && *member == '/' ? member + 1 : member};
    pthread_mutex_lock(&lock);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(stream->name, H5F_ACC_RDONLY, H5P_DEFAULT);
    int result = file > 0 && H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_member, &members) >= 0 ? 0 : -1;
    if (result)
        cli_fail("%s: cannot be read as HDF5", stream->name);
    if (file > 0)
        H5Fclose(file);
    pthread_mutex_unlock(&lock);
    return cli_members_end(&members, stream->name, result, name);
}
