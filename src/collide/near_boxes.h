/* Sort and sweep for single boxes: which others overlap one of them, without a look at all. */
#ifndef COLLIDE_NEAR_BOXES_H
#define COLLIDE_NEAR_BOXES_H

#include "base/scratch.h"
#include "geom/mesh/mesh_sort.h"
#include "geom/query/box.h"

/* Boxes by their low ends along an axis; those much longer than most, or without end, apart. */
typedef struct NearBoxes {
    const Box3 *boxes;
    int axis;
    double longest;   /* m, along the axis, of those that are sorted */
    SortItem *sorted; /* by low end */
    size_t sorted_count;
    int32_t *wide;
    size_t wide_count;
} NearBoxes;

/* Takes memory from the scratch stack; the boxes must stay. */
PlimStatus near_boxes_sort(Scratch *scratch, const Box3 *boxes, size_t count, NearBoxes *out);

/* Whether a box other than i overlaps box i and `counts`. */
bool near_boxes_any(const NearBoxes *near, size_t i,
                    bool (*counts)(const void *user, size_t i, size_t other), const void *user);

#endif
