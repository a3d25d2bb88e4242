/* SPDX-License-Identifier: Apache-2.0 */
/* A k-d tree of points (Bentley 1975, doi:10.1145/361002.361007): which is nearest, which are within a distance, and
 * which are connected by steps of at most a distance. Squared distances are sums in the order of axes; those of boxes
 * are summed in the same way, so that rounding never leaves out a point. */
#ifndef UHI_MEANSHIFT_TREE_H
#define UHI_MEANSHIFT_TREE_H

#include <stddef.h>
#include <stdint.h>

struct uhi_tree_node {
    uint32_t from, to;    /* of `index` */
    uint32_t left, right; /* 0: a leaf */
};

struct uhi_tree {
    size_t dims, count, nodes;
    double *x;                  /* rows in the order of the tree, */
    uint32_t *index;            /* and their numbers */
    struct uhi_tree_node *node; /* the root is number 0 */
    double *box;                /* of nodes: dims lower and dims upper sides */
    uint32_t *left_in;          /* of nodes: rows that uhi_tree_drop has left */
    uint8_t *dropped;           /* of rows */
};

/* Makes a tree of count > 0 rows, 0 where there is no memory. uhi_tree_free takes a zeroed one, too. */
int uhi_tree_make(struct uhi_tree *tree, const double *x, size_t dims, size_t count);
void uhi_tree_free(struct uhi_tree *tree);

/* The row that is nearest; of several, the first one. */
uint32_t uhi_tree_nearest(const struct uhi_tree *tree, const double *x);

/* Drops all rows within a squared distance that have not been dropped yet. */
void uhi_tree_drop(struct uhi_tree *tree, const double *x, double squared);

/* Of sets of rows, each of which has a root, by a number a row: the root of a row's, and that of two put together,
 * which is the smaller number. All are their own to begin with. */
uint32_t uhi_tree_root(uint32_t *root, uint32_t row);
void uhi_tree_unite(uint32_t *root, uint32_t a, uint32_t b);

/* Stores a row for each, the same for those that steps of at most a squared distance connect, and that one of
 * them. */
void uhi_tree_connect(const struct uhi_tree *tree, double squared, uint32_t *root);

#endif
