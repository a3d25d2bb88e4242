/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 8 };

static const double *row_of(const struct uhi_tree *tree, size_t at) { return tree->x + at * tree->dims; }

static const double *lower_of(const struct uhi_tree *tree, uint32_t node) {
    return tree->box + (size_t)node * 2 * tree->dims;
}

static const double *upper_of(const struct uhi_tree *tree, uint32_t node) { return lower_of(tree, node) + tree->dims; }

static double squared_distance(const double *a, const double *b, size_t dims) {
    double sum = 0;
    for (size_t d = 0; d < dims; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void swap(struct uhi_tree *tree, size_t a, size_t b) {
    double *x = tree->x + a * tree->dims, *y = tree->x + b * tree->dims;
    const uint32_t index = tree->index[a];
    tree->index[a] = tree->index[b];
    tree->index[b] = index;
    for (size_t d = 0; d < tree->dims; d++) {
        const double kept = x[d];
        x[d] = y[d];
        y[d] = kept;
    }
}

/* Puts the row that belongs at `middle` along an axis there, smaller ones before and larger ones after (Hoare's
 * select). */
static void part_at(struct uhi_tree *tree, size_t axis, size_t from, size_t to, size_t middle) {
    for (;;) {
        const double pivot = row_of(tree, from + (to - from) / 2)[axis];
        size_t less = from, more = to;
        for (size_t i = from; i < more;) {
            const double here = row_of(tree, i)[axis];
            if (here < pivot)
                swap(tree, i++, less++);
            else if (here > pivot)
                swap(tree, i, --more);
            else
                i++;
        }
        if (middle >= less && middle < more)
            return;
        if (middle < less)
            to = less;
        else
            from = more;
    }
}

static size_t measure(struct uhi_tree *tree, uint32_t node) {
    const struct uhi_tree_node *n = &tree->node[node];
    double *lower = tree->box + (size_t)node * 2 * tree->dims, *upper = lower + tree->dims;
    size_t widest = 0;
    memcpy(lower, row_of(tree, n->from), tree->dims * sizeof *lower);
    memcpy(upper, lower, tree->dims * sizeof *lower);
    for (size_t i = n->from + 1; i < n->to; i++) {
        const double *x = row_of(tree, i);
        for (size_t d = 0; d < tree->dims; d++) {
            lower[d] = x[d] < lower[d] ? x[d] : lower[d];
            upper[d] = x[d] > upper[d] ? x[d] : upper[d];
        }
    }
    for (size_t d = 1; d < tree->dims; d++)
        widest = upper[d] - lower[d] > upper[widest] - lower[widest] ? d : widest;
    return widest;
}

static uint32_t make_node(struct uhi_tree *tree, size_t from, size_t to) {
    const uint32_t number = (uint32_t)tree->nodes++;
    tree->node[number] = (struct uhi_tree_node){(uint32_t)from, (uint32_t)to, 0, 0};
    tree->left_in[number] = (uint32_t)(to - from);
    const size_t axis = measure(tree, number);
    if (to - from <= LEAF || lower_of(tree, number)[axis] == upper_of(tree, number)[axis])
        return number;
    const size_t middle = from + (to - from) / 2;
    part_at(tree, axis, from, to, middle);
    const uint32_t left = make_node(tree, from, middle), right = make_node(tree, middle, to);
    tree->node[number].left = left;
    tree->node[number].right = right;
    return number;
}

int uhi_tree_make(struct uhi_tree *tree, const double *x, size_t dims, size_t count) {
    const size_t nodes = count / (LEAF / 2) * 2 + 1; /* leaves have more than half of LEAF, unless there is only one */
    *tree = (struct uhi_tree){.dims = dims, .count = count};
    tree->x = malloc(count * dims * sizeof *tree->x);
    tree->index = malloc(count * sizeof *tree->index);
    tree->node = malloc(nodes * sizeof *tree->node);
    tree->box = malloc(nodes * 2 * dims * sizeof *tree->box);
    tree->left_in = malloc(nodes * sizeof *tree->left_in);
    tree->dropped = calloc(count, sizeof *tree->dropped);
    if (!tree->x || !tree->index || !tree->node || !tree->box || !tree->left_in || !tree->dropped)
        return 0;
    memcpy(tree->x, x, count * dims * sizeof *x);
    for (size_t i = 0; i < count; i++)
        tree->index[i] = (uint32_t)i;
    (void)make_node(tree, 0, count);
    return 1;
}

void uhi_tree_free(struct uhi_tree *tree) {
    free(tree->x);
    free(tree->index);
    free(tree->node);
    free(tree->box);
    free(tree->left_in);
    free(tree->dropped);
}

/* ---- one place --------------------------------------------------------------------------------------------------- */

/* Returns the squared distance from a place to a node's box. */
static double squared_to_box(const struct uhi_tree *tree, uint32_t node, const double *x) {
    const double *lower = lower_of(tree, node), *upper = upper_of(tree, node);
    double sum = 0;
    for (size_t d = 0; d < tree->dims; d++) {
        const double away = x[d] < lower[d] ? lower[d] - x[d] : x[d] > upper[d] ? x[d] - upper[d] : 0;
        sum += away * away;
    }
    return sum;
}

struct nearest {
    double squared;
    uint32_t row;
};

static void look(const struct uhi_tree *tree, uint32_t node, const double *x, struct nearest *best) {
    const struct uhi_tree_node *n = &tree->node[node];
    if (!n->left) {
        for (size_t i = n->from; i < n->to; i++) {
            const double squared = squared_distance(row_of(tree, i), x, tree->dims);
            if (squared < best->squared || (squared == best->squared && tree->index[i] < best->row))
                *best = (struct nearest){squared, tree->index[i]};
        }
        return;
    }
    const double left = squared_to_box(tree, n->left, x), right = squared_to_box(tree, n->right, x);
    const uint32_t first = left <= right ? n->left : n->right, second = left <= right ? n->right : n->left;
    if (fmin(left, right) <= best->squared)
        look(tree, first, x, best);
    if (fmax(left, right) <= best->squared)
        look(tree, second, x, best);
}

uint32_t uhi_tree_nearest(const struct uhi_tree *tree, const double *x) {
    struct nearest best = {INFINITY, UINT32_MAX};
    look(tree, 0, x, &best);
    return best.row;
}

static void drop_rows(struct uhi_tree *tree, uint32_t node, const double *x, double squared) {
    const struct uhi_tree_node *n = &tree->node[node];
    if (tree->left_in[node] == 0 || squared_to_box(tree, node, x) > squared)
        return;
    if (n->left) {
        drop_rows(tree, n->left, x, squared);
        drop_rows(tree, n->right, x, squared);
        tree->left_in[node] = tree->left_in[n->left] + tree->left_in[n->right];
        return;
    }
    for (size_t i = n->from; i < n->to; i++) {
        const uint32_t row = tree->index[i];
        if (!tree->dropped[row] && squared_distance(row_of(tree, i), x, tree->dims) <= squared) {
            tree->dropped[row] = 1;
            tree->left_in[node]--;
        }
    }
}

void uhi_tree_drop(struct uhi_tree *tree, const double *x, double squared) { drop_rows(tree, 0, x, squared); }

/* ---- connected components ---------------------------------------------------------------------------------------- */

struct connecting {
    const struct uhi_tree *tree;
    double squared;
    uint32_t *root;
};

uint32_t uhi_tree_root(uint32_t *root, uint32_t row) {
    while (root[row] != row)
        row = root[row] = root[root[row]];
    return row;
}

void uhi_tree_unite(uint32_t *root, uint32_t a, uint32_t b) {
    a = uhi_tree_root(root, a);
    b = uhi_tree_root(root, b);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

static int is_within(const struct connecting *c, uint32_t node) {
    return squared_distance(lower_of(c->tree, node), upper_of(c->tree, node), c->tree->dims) <= c->squared;
}

/* Bounds the squared distance between points of two nodes. */
static void bound(const struct uhi_tree *tree, uint32_t a, uint32_t b, double *minimum, double *maximum) {
    const double *la = lower_of(tree, a), *ua = upper_of(tree, a), *lb = lower_of(tree, b), *ub = upper_of(tree, b);
    *minimum = *maximum = 0;
    for (size_t d = 0; d < tree->dims; d++) {
        const double up = lb[d] - ua[d], down = la[d] - ub[d], gap = fmax(fmax(up, down), 0);
        const double span = fmax(ub[d] - la[d], ua[d] - lb[d]);
        *minimum += gap * gap;
        *maximum += span * span;
    }
}

/* Two nodes that are each fully connected are connected to each other by any one pair. */
static int is_done(const struct connecting *c, uint32_t a, uint32_t b, int whole) {
    const struct uhi_tree *tree = c->tree;
    return whole && uhi_tree_root(c->root, tree->index[tree->node[a].from]) ==
                        uhi_tree_root(c->root, tree->index[tree->node[b].from]);
}

static void connect_leaves(const struct connecting *c, uint32_t a, uint32_t b, int whole) {
    const struct uhi_tree *tree = c->tree;
    for (size_t i = tree->node[a].from; i < tree->node[a].to; i++)
        for (size_t j = tree->node[b].from; j < tree->node[b].to; j++)
            if (squared_distance(row_of(tree, i), row_of(tree, j), tree->dims) <= c->squared) {
                uhi_tree_unite(c->root, tree->index[i], tree->index[j]);
                if (whole)
                    return;
            }
}

/* Connects points of one node with those of another; `whole`: each is connected in itself. */
static void connect_two(const struct connecting *c, uint32_t a, uint32_t b, int whole) {
    const struct uhi_tree *tree = c->tree;
    const struct uhi_tree_node *first = &tree->node[a], *second = &tree->node[b];
    double minimum, maximum;
    whole = whole || (is_within(c, a) && is_within(c, b));
    bound(tree, a, b, &minimum, &maximum);
    if (minimum > c->squared || is_done(c, a, b, whole))
        return;
    if (maximum <= c->squared) {
        for (size_t i = first->from; i < (whole ? first->from + 1 : first->to); i++)
            uhi_tree_unite(c->root, tree->index[i], tree->index[second->from]);
        for (size_t i = second->from + 1; i < second->to && !whole; i++)
            uhi_tree_unite(c->root, tree->index[i], tree->index[first->from]);
        return;
    }
    if (!first->left && !second->left) {
        connect_leaves(c, a, b, whole);
        return;
    }
    const int split_first = first->left && (!second->left || first->to - first->from >= second->to - second->from);
    const struct uhi_tree_node *split = split_first ? first : second;
    const uint32_t other = split_first ? b : a;
    connect_two(c, split->left, other, whole);
    connect_two(c, split->right, other, whole);
}

static void connect_one(const struct connecting *c, uint32_t node) {
    const struct uhi_tree *tree = c->tree;
    const struct uhi_tree_node *n = &tree->node[node];
    if (is_within(c, node)) {
        for (size_t i = n->from + 1; i < n->to; i++)
            uhi_tree_unite(c->root, tree->index[n->from], tree->index[i]);
    } else if (n->left) {
        connect_one(c, n->left);
        connect_one(c, n->right);
        connect_two(c, n->left, n->right, 0);
    } else {
        connect_leaves(c, node, node, 0);
    }
}

void uhi_tree_connect(const struct uhi_tree *tree, double squared, uint32_t *root) {
    const struct connecting connecting = {tree, squared, root};
    for (size_t i = 0; i < tree->count; i++)
        root[i] = (uint32_t)i;
    connect_one(&connecting, 0);
    for (size_t i = 0; i < tree->count; i++)
        root[i] = uhi_tree_root(root, (uint32_t)i);
}
