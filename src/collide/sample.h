/* Sampled contact: points of one surface in the distance field of another (000 section 2.4):
 * vertices, and of edges the deepest points and the ends of the parts along which the depth hardly
 * changes. For shapes of any form, thin shells among them, as long as the other has an inside. */
#ifndef COLLIDE_SAMPLE_H
#define COLLIDE_SAMPLE_H

#include "collide/contact.h"
#include "geom/mesh/mesh.h"
#include "geom/solid.h"

/* Vertices and edges of a mesh in boxes of boxes. */
typedef struct SampleTree SampleTree;

/* Keeps a copy of what it needs of the mesh. */
PlimStatus sample_tree_create(PlimContext *context, const TriangleMesh *mesh, SampleTree **out);
/* With short edges too, which hide something from a surface without an inside. */
PlimStatus sample_tree_create_fine(PlimContext *context, const TriangleMesh *mesh,
                                   SampleTree **out);
void sample_tree_destroy(PlimContext *context, SampleTree *tree);
size_t sample_tree_bytes(const SampleTree *tree);

/* The distance field of a shape in its own axes, with the box around its inside: solid_bounds for a
 * primitive, whose triangles may lie a little inside it. */
typedef struct DistanceField {
    const Solid *solid;
    Box3 box;
} DistanceField;

/* Adds the sampled points of a, at at_a, that are within `margin` of the inside of b. Normals are
 * those of b's field, out of b. Set `flip` when the samples belong to the second body of the pair:
 * normals are then turned round. Left out is what is outside b and faces away from it. */
void sample_contact(const SampleTree *a, const Frame *at_a, const DistanceField *b,
                    const Frame *at_b, double margin, bool flip, ContactPoints *points);

/* Direction in which the distance grows at p, of unit length; (0, 1, 0) where it does not. */
Vec3 distance_normal(const Solid *solid, Vec3 p);

#endif
