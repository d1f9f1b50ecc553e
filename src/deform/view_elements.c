/* Finite elements of deformable solids for frame files, with stretch and von Mises stress of each:
 * what an engineer cuts open in ParaView. */
#include "deform/internal.h"

typedef struct ElementsView {
    const Deform *d;
    float *nodes, *velocities, *stretch, *stress;
    int32_t *corners, *objects;
} ElementsView;

static void fill_nodes(void *user, size_t begin, size_t end) {
    const ElementsView *view = user;
    for (size_t i = 3 * begin; i < 3 * end; i++) {
        view->nodes[i] = (float)view->d->position[i];
        view->velocities[i] = (float)view->d->velocity[i];
    }
}

static void fill_elements(void *user, size_t begin, size_t end) {
    const ElementsView *view = user;
    const Deform *d = view->d;
    size_t corners = (size_t)d->options.dim + 1;
    for (size_t e = begin; e < end; e++) {
        view->stretch[e] = (float)deform_element_stretch(d, e);
        view->stress[e] = (float)deform_von_mises(d, e);
        view->objects[e] = d->element_body[e];
        for (size_t c = 0; c < corners; c++) view->corners[corners * e + c] = d->corners[4 * e + c];
    }
}

/* Nodes of lattices and particles are there too, so that numbers of nodes are those of the state.
 */
PlimStatus deform_view_elements(const Deform *d, const StepInfo *step, FrameView *out) {
    enum { GRAIN = 256 };
    size_t nodes = deform_count(d, DEFORM_NODES), count = deform_count(d, DEFORM_ELEMENTS);
    size_t corners = (size_t)d->options.dim + 1;
    if (!d->options.frame_elements || count == 0) return PLIM_OK;
    ElementsView view = {
        .d = d,
        .nodes = scratch_take(step->scratch, 3 * nodes, sizeof *view.nodes),
        .velocities = scratch_take(step->scratch, 3 * nodes, sizeof *view.velocities),
        .stretch = scratch_take(step->scratch, count, sizeof *view.stretch),
        .stress = scratch_take(step->scratch, count, sizeof *view.stress),
        .corners = scratch_take(step->scratch, corners * count, sizeof *view.corners),
        .objects = scratch_take(step->scratch, count, sizeof *view.objects)};
    if (!view.nodes || !view.velocities || !view.stretch || !view.stress || !view.corners ||
        !view.objects)
        return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, nodes, GRAIN, fill_nodes, &view);
    parallel_for(step->threads, count, GRAIN, fill_elements, &view);
    FrameElements elements = {.name = "deformable_elements",
                              .node_count = nodes,
                              .element_count = count,
                              .nodes = view.nodes,
                              .velocities = view.velocities,
                              .stretch = view.stretch,
                              .stress = view.stress,
                              .tetrahedra = d->options.dim == 3 ? view.corners : NULL,
                              .triangles = d->options.dim == 2 ? view.corners : NULL,
                              .objects = view.objects};
    return frame_view_add_elements(step->context, out, &elements);
}
