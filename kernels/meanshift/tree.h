/* SPDX-License-Identifier: Apache-2.0 */
/* A k-d tree of points (Bentley 1975, doi:10.1145/361002.361007): finds the nearest point, points within a distance,
 * and points connected by steps of at most a distance. Squared distances are sums in the order of axes; those of boxes
 * are summed in the same way, so that rounding never excludes a point. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct uhi_tree_node {
    uint32_t from, to;    /* range of `index` */
    uint32_t left, right; /* 0: a leaf */
};

struct uhi_tree {
    size_t dims, count, nodes;
    double *x;                  /* rows in the order of the tree, */
    uint32_t *index;            /* and their numbers */
    struct uhi_tree_node *node; /* the root is number 0 */
    double *box;                /* per node: dims lower and dims upper sides */
    uint32_t *left_in;          /* per node: rows that uhi_tree_drop has left */
    uint8_t *dropped;           /* per row */
};

/* Makes a tree of count > 0 rows; returns 0 if out of memory. uhi_tree_free accepts a zeroed tree. */
int uhi_tree_make(struct uhi_tree *tree, const double *x, size_t dims, size_t count);
void uhi_tree_free(struct uhi_tree *tree);

/* Returns the nearest row; of several, the first one. */
uint32_t uhi_tree_nearest(const struct uhi_tree *tree, const double *x);

/* Drops all remaining rows within a squared distance. */
void uhi_tree_drop(struct uhi_tree *tree, const double *x, double squared);

/* Disjoint sets of rows, by one number per row. uhi_tree_root returns the root of a row's set; uhi_tree_unite joins two
 * sets, whose root becomes the smaller one. Initially each row is its own root. */
uint32_t uhi_tree_root(uint32_t *root, uint32_t row);
void uhi_tree_unite(uint32_t *root, uint32_t a, uint32_t b);

/* Stores a row number per row, the same for all rows that steps of at most a squared distance connect, and one of
 * theirs. */
void uhi_tree_connect(const struct uhi_tree *tree, double squared, uint32_t *root);
