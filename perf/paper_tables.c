/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/paper_tables.h"

const size_t paper_k[PAPER_KS] = {100, 1000};
const double paper_h[PAPER_HS] = {0.1, 0.01, 0.001};

const struct paper_device_text paper_devices[PAPER_DEVICES] = {
    [PAPER_LAPTOP_CPU] = {"LAPTOP CPU", "Core i7-1270P, 2.5 GHz, 8 cores, 16 threads", 102400000},
    [PAPER_LAPTOP_GPU] = {"LAPTOP GPU", "Iris Xe Graphics of a Core i7-1270P, 1.4 GHz, 96 execution units", 102400000},
    [PAPER_SERVER_CPU] = {"SERVER CPU", "Xeon Platinum 8480+, 2.0-3.8 GHz, 2x56 cores, 224 threads", 2048000000},
    [PAPER_SERVER_GPU] = {"SERVER GPU", "Data Center GPU Max 1550, 0.9-1.6 GHz, 128 cores; CUPY: A100 80GB PCIe",
                          2048000000},
};

const struct paper_family paper_families[PAPER_FAMILIES] = {
    [PAPER_WORST] = {CASE_WORST, "WORST-CASE BIN ALLOCATION", "h_min"},
    [PAPER_RANDOM] = {CASE_RANDOM, "RANDOM BIN WIDTHS", "h_min"},
    /* The third column of table VI is headed h_min in print; the text and all its neighbours have h_v. */
    [PAPER_ALMOST] = {CASE_ALMOST, "\"ALMOST\" UNIFORMLY ALLOCATED BINS", "h_v"},
};

const int paper_rates[PAPER_HISTOGRAMS][PAPER_VARIANTS][PAPER_KS][PAPER_HS] = {
    [PAPER_I][PAPER_NUMPY] = {{22, 22, 22}, {21, 22, 22}},
    [PAPER_I][PAPER_BINARY] = {{628, 458, 477}, {333, 328, 329}},
    [PAPER_I][PAPER_UNIHIST] = {{1783, 1298, 1285}, {860, 1267, 1395}},
    [PAPER_II][PAPER_NUMPY] = {{22, 21, 20}, {20, 21, 21}},
    [PAPER_II][PAPER_BINARY] = {{667, 675, 470}, {338, 333, 349}},
    [PAPER_II][PAPER_UNIHIST] = {{1336, 1340, 920}, {885, 886, 900}},
    [PAPER_III][PAPER_NUMPY] = {{22, 22, 22}, {21, 21, 22}},
    [PAPER_III][PAPER_BINARY] = {{675, 680, 446}, {341, 340, 344}},
    [PAPER_III][PAPER_UNIHIST] = {{2106, 2105, 1432}, {1517, 1336, 1427}},
    [PAPER_IV][PAPER_BINARY] = {{2846, 2837, 2827}, {2032, 2031, 2049}},
    [PAPER_IV][PAPER_UNIHIST] = {{5270, 5005, 5030}, {4017, 5889, 6361}},
    [PAPER_V][PAPER_BINARY] = {{1151, 1151, 1151}, {1280, 1234, 1289}},
    [PAPER_V][PAPER_UNIHIST] = {{4614, 4607, 4611}, {2455, 2449, 2446}},
    [PAPER_VI][PAPER_BINARY] = {{1113, 1113, 1122}, {1312, 1268, 1281}},
    [PAPER_VI][PAPER_UNIHIST] = {{4631, 4693, 4723}, {3986, 3985, 3983}},
    [PAPER_VII][PAPER_BINARY] = {{14167, 15837, 19098}, {11569, 14887, 15453}},
    [PAPER_VII][PAPER_UNIHIST] = {{23664, 28312, 28510}, {21161, 27341, 32480}},
    [PAPER_VIII][PAPER_BINARY] = {{13137, 17655, 17587}, {10640, 10510, 10562}},
    [PAPER_VIII][PAPER_UNIHIST] = {{21224, 23087, 23515}, {21829, 21846, 21910}},
    [PAPER_IX][PAPER_BINARY] = {{13018, 14807, 18953}, {9872, 9744, 9764}},
    [PAPER_IX][PAPER_UNIHIST] = {{26933, 29735, 29939}, {27296, 27530, 27667}},
    [PAPER_X][PAPER_CUPY] = {{72445, 79220, 79874}, {86057, 89117, 90921}},
    [PAPER_X][PAPER_BINARY] = {{55047, 55691, 55745}, {42243, 42377, 43418}},
    [PAPER_X][PAPER_UNIHIST] = {{101567, 97908, 97518}, {89567, 91359, 107048}},
    [PAPER_XI][PAPER_CUPY] = {{66940, 66925, 66983}, {49424, 49434, 49428}},
    [PAPER_XI][PAPER_BINARY] = {{58709, 58893, 58922}, {43422, 44239, 43580}},
    [PAPER_XI][PAPER_UNIHIST] = {{121040, 121009, 120420}, {96223, 101032, 99810}},
    [PAPER_XII][PAPER_CUPY] = {{80492, 79950, 80227}, {49851, 49675, 50030}},
    [PAPER_XII][PAPER_BINARY] = {{56825, 56927, 56749}, {43643, 44177, 43604}},
    [PAPER_XII][PAPER_UNIHIST] = {{153228, 152523, 151498}, {112729, 124463, 129257}},
};

const struct paper_sampling paper_samplings[PAPER_VARIANTS] = {
    [PAPER_NUMPY] = {{25, 0, 0, 0}, {NULL, "N/A", "N/A", "N/A"}},
    [PAPER_UNIHIST] = {{494, 336, 246, 899}, {NULL, NULL, NULL, NULL}},
    [PAPER_CUPY] = {{0, 0, 0, 0}, {"N/A", "N/A", "N/A", "Out-of-memory"}},
};

const char *paper_number(size_t index) {
    static const char *const numbers[PAPER_TABLES] = {"I",    "II", "III", "IV", "V",   "VI",  "VII",
                                                      "VIII", "IX", "X",   "XI", "XII", "XIII"};
    return numbers[index];
}
