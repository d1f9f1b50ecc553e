/* Patterns of an implicit step: who touches a node, colours of what may be added to the matrix at
 * the same time (graph colouring), and where blocks of elements, springs and bending are in it. */
#include "deform/internal.h"

#include <string.h>

/* ---- who touches whom ---- */

static PlimStatus find_touches(Deform *d) {
    size_t nodes = deform_count(d, DEFORM_NODES), elements = deform_count(d, DEFORM_ELEMENTS);
    size_t springs = deform_count(d, DEFORM_SPRINGS), hinges = d->bending.hinges.count;
    size_t all = 4 * (elements + springs + hinges);
    if (!array_reserve(d->context, &d->touch_start, nodes + 1) ||
        !array_reserve(d->context, &d->touch, all + 1))
        return PLIM_OUT_OF_MEMORY;
    size_t *start = d->touch_start.data;
    memset(start, 0, (nodes + 1) * sizeof *start);
    for (size_t e = 0; e < elements; e++)
        for (int c = 0; c < d->corner_count[e]; c++) start[d->corners[4 * e + (size_t)c] + 1]++;
    for (size_t s = 0; s < springs; s++)
        for (int c = 0; c < d->spring_count[s]; c++)
            start[d->spring_corners[4 * s + (size_t)c] + 1]++;
    for (size_t h = 0; h < hinges; h++)
        for (int c = 0; c < d->bending.hinges.data[h].shape.count; c++)
            start[d->bending.hinges.data[h].corners[c] + 1]++;
    for (size_t i = 0; i < nodes; i++) start[i + 1] += start[i];
    size_t used = start[nodes];
    /* Filled from behind, then each node's start is back where it was. */
    for (size_t h = hinges; h-- > 0;) {
        const BendHinge *hinge = &d->bending.hinges.data[h];
        for (int c = hinge->shape.count; c-- > 0;)
            d->touch.data[--start[hinge->corners[c] + 1]] = -1 - (int32_t)(4 * (springs + h)) - c;
    }
    for (size_t s = springs; s-- > 0;)
        for (int c = d->spring_count[s]; c-- > 0;) {
            size_t at = 4 * s + (size_t)c;
            d->touch.data[--start[d->spring_corners[at] + 1]] = -1 - (int32_t)at;
        }
    for (size_t e = elements; e-- > 0;)
        for (int c = d->corner_count[e]; c-- > 0;) {
            size_t at = 4 * e + (size_t)c;
            d->touch.data[--start[d->corners[at] + 1]] = (int32_t)at;
        }
    for (size_t i = 0; i < nodes; i++) start[i] = start[i + 1];
    start[nodes] = used;
    return PLIM_OK;
}

/* ---- colours ---- */

enum { COLOR_WORDS = 8 };
typedef struct ColorSet {
    uint64_t word[COLOR_WORDS];
} ColorSet;

/* Elements and springs have up to four corners; patches any number, one after the other. */
typedef struct ColorInput {
    const int32_t *corners, *corner_counts;
    const BendPatch *patches; /* NULL: the others */
    size_t count;
} ColorInput;

static const int32_t *nodes_of(const ColorInput *input, size_t i, size_t *count) {
    *count = input->patches ? input->patches[i].node_count : (size_t)input->corner_counts[i];
    return input->corners + (input->patches ? input->patches[i].first_node : 4 * i);
}

static uint64_t colors_around(const ColorSet *sets, const ColorInput *input, size_t i, int word) {
    size_t count;
    const int32_t *nodes = nodes_of(input, i, &count);
    uint64_t used = 0;
    for (size_t c = 0; c < count; c++) used |= sets[nodes[c]].word[word];
    return used;
}

static PlimStatus sort_by_color(Deform *d, const int32_t *color, size_t count, int colors,
                                DeformColors *out) {
    if (!array_reserve(d->context, &out->order, count + 1) ||
        !array_reserve(d->context, &out->start, (size_t)colors + 2))
        return PLIM_OUT_OF_MEMORY;
    size_t *start = out->start.data;
    memset(start, 0, ((size_t)colors + 2) * sizeof *start);
    for (size_t i = 0; i < count; i++) start[color[i] + 2]++;
    for (int c = 0; c < colors; c++) start[c + 2] += start[c + 1];
    for (size_t i = 0; i < count; i++) out->order.data[start[color[i] + 1]++] = (int32_t)i;
    out->order.count = count;
    out->start.count = (size_t)colors + 1;
    return PLIM_OK;
}

/* The colour of a chunk: one that no node of its elements has. */
static int color_chunk(ColorSet *sets, const ColorInput *input, size_t first, size_t last) {
    int color = -1;
    for (int w = 0; w < COLOR_WORDS && color < 0; w++) {
        uint64_t used = 0;
        for (size_t i = first; i < last; i++) used |= colors_around(sets, input, i, w);
        if (used != UINT64_MAX) color = 64 * w + __builtin_ctzll(~used);
    }
    for (size_t i = first; i < last && color >= 0; i++) {
        size_t count;
        const int32_t *nodes = nodes_of(input, i, &count);
        for (size_t c = 0; c < count; c++)
            sets[nodes[c]].word[color / 64] |= (uint64_t)1 << (color % 64);
    }
    return color;
}

/* Neighbours in the mesh are mostly neighbours in its order: chunks of that order stay in the
 * cache.
 */
static size_t chunk_size(size_t count) {
    size_t size = count / 64;
    return size < 16 ? 16 : size > 512 ? 512 : size;
}

static PlimStatus find_colors(Deform *d, const ColorInput *input, DeformColors *out) {
    size_t nodes = deform_count(d, DEFORM_NODES), size = chunk_size(input->count);
    size_t chunks = (input->count + size - 1) / size;
    ColorSet *sets = context_allocate(d->context, nodes + 1, sizeof *sets);
    int32_t *color = context_allocate(d->context, chunks + 1, sizeof *color);
    PlimStatus status = sets && color ? PLIM_OK : PLIM_OUT_OF_MEMORY;
    int colors = 0;
    for (size_t k = 0; k < chunks && status == PLIM_OK; k++) {
        size_t last = (k + 1) * size < input->count ? (k + 1) * size : input->count;
        color[k] = color_chunk(sets, input, k * size, last);
        if (color[k] < 0)
            status =
                context_fail(d->context, PLIM_BAD_INPUT,
                             "a node has elements or springs in more than %d parts of the mesh",
                             64 * COLOR_WORDS);
        if (color[k] >= colors) colors = color[k] + 1;
    }
    out->size = size;
    out->count = input->count;
    if (status == PLIM_OK) status = sort_by_color(d, color, chunks, colors, out);
    if (color) context_free(d->context, color, chunks + 1, sizeof *color);
    if (sets) context_free(d->context, sets, nodes + 1, sizeof *sets);
    return status;
}

/* ---- the pattern ---- */

static PlimStatus create_matrix(Deform *d, size_t *start, int32_t *node) {
    size_t elements = deform_count(d, DEFORM_ELEMENTS), springs = deform_count(d, DEFORM_SPRINGS);
    start[0] = 0;
    for (size_t e = 0; e < elements; e++) {
        size_t corners = (size_t)d->corner_count[e];
        memcpy(node + start[e], d->corners + 4 * e, corners * sizeof *node);
        start[e + 1] = start[e] + corners;
    }
    for (size_t s = 0; s < springs; s++) {
        size_t count = (size_t)d->spring_count[s], at = elements + s;
        memcpy(node + start[at], d->spring_corners + 4 * s, count * sizeof *node);
        start[at + 1] = start[at] + count;
    }
    size_t at = elements + springs;
    for (size_t p = 0; p < d->bending.patches.count; p++, at++) {
        const BendPatch *patch = &d->bending.patches.data[p];
        memcpy(node + start[at], d->bending.nodes.data + patch->first_node,
               patch->node_count * sizeof *node);
        start[at + 1] = start[at] + patch->node_count;
    }
    return block_csr_create(d->context, d->options.dim, deform_count(d, DEFORM_NODES), start, node,
                            at, &d->matrix);
}

/* Where the blocks of an element are in the matrix, 16 each. */
static PlimStatus find_entries(Deform *d, const int32_t *corners, const int32_t *counts,
                               size_t count, int32_t *entries) {
    for (size_t i = 0; i < count; i++) {
        int of = counts[i];
        for (int a = 0; a < of; a++)
            for (int b = 0; b < of; b++)
                entries[16 * i + 4 * (size_t)a + (size_t)b] =
                    (int32_t)block_csr_find(&d->matrix, (size_t)corners[4 * i + (size_t)a],
                                            (size_t)corners[4 * i + (size_t)b]);
    }
    return PLIM_OK;
}

/* Where the blocks of patches are, node_count^2 each. */
static PlimStatus find_patch_blocks(Deform *d) {
    DeformBending *b = &d->bending;
    size_t all = 0;
    for (size_t p = 0; p < b->patches.count; p++) {
        BendPatch *patch = &b->patches.data[p];
        patch->first_block = all;
        all += patch->node_count * patch->node_count;
    }
    if (!array_reserve(d->context, &b->blocks, all + 1)) return PLIM_OUT_OF_MEMORY;
    for (size_t p = 0; p < b->patches.count; p++) {
        const BendPatch *patch = &b->patches.data[p];
        const int32_t *nodes = b->nodes.data + patch->first_node;
        for (size_t k = 0; k < patch->node_count * patch->node_count; k++)
            b->blocks.data[patch->first_block + k] =
                (int32_t)block_csr_find(&d->matrix, (size_t)nodes[k / patch->node_count],
                                        (size_t)nodes[k % patch->node_count]);
    }
    return PLIM_OK;
}

PlimStatus deform_make_patterns(Deform *d) {
    size_t elements = deform_count(d, DEFORM_ELEMENTS), springs = deform_count(d, DEFORM_SPRINGS);
    const DeformBending *b = &d->bending;
    size_t all = elements + springs + b->patches.count;
    size_t nodes = 4 * (elements + springs) + b->nodes.count + 1;
    TRY(find_touches(d));
    ColorInput of_elements = {d->corners, d->corner_count, NULL, elements};
    ColorInput of_springs = {d->spring_corners, d->spring_count, NULL, springs};
    ColorInput of_patches = {b->nodes.data, NULL, b->patches.data, b->patches.count};
    TRY(find_colors(d, &of_elements, &d->element_colors));
    TRY(find_colors(d, &of_springs, &d->spring_colors));
    TRY(find_colors(d, &of_patches, &d->patch_colors));
    size_t *start = context_allocate(d->context, all + 1, sizeof *start);
    int32_t *node = context_allocate(d->context, nodes, sizeof *node);
    PlimStatus status = start && node ? create_matrix(d, start, node) : PLIM_OUT_OF_MEMORY;
    if (start) context_free(d->context, start, all + 1, sizeof *start);
    if (node) context_free(d->context, node, nodes, sizeof *node);
    TRY(status);
    if (!array_reserve(d->context, &d->element_entries, 16 * elements + 1) ||
        !array_reserve(d->context, &d->spring_entries, 16 * springs + 1))
        return PLIM_OUT_OF_MEMORY;
    TRY(find_entries(d, d->corners, d->corner_count, elements, d->element_entries.data));
    TRY(find_entries(d, d->spring_corners, d->spring_count, springs, d->spring_entries.data));
    TRY(find_patch_blocks(d));
    AggregationDesc desc = aggregation_desc_default(d->options.dim, d->context->threads);
    return aggregation_create(d->context, &desc, &d->matrix, &d->precondition);
}
