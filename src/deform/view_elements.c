/* Finite elements of deformable bodies for frame files, with stretch and von Mises stress of each:
 * what an engineer cuts open in ParaView. Elements of solids and triangles of sheets are sets of
 * their own, for they differ in corners and in the unit of stress. */
#include "deform/internal.h"

typedef struct ElementsView {
    const Deform *d;
    int corner_count;
    size_t count;
    size_t *which; /* the elements of the set, rising */
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
    size_t corners = (size_t)view->corner_count;
    for (size_t k = begin; k < end; k++) {
        size_t e = view->which[k];
        view->stretch[k] = (float)deform_element_stretch(d, e);
        view->stress[k] = (float)deform_von_mises(d, e);
        view->objects[k] = d->element_body[e];
        for (size_t c = 0; c < corners; c++) view->corners[corners * k + c] = d->corners[4 * e + c];
    }
}

static PlimStatus list_elements(const StepInfo *step, ElementsView *view) {
    const Deform *d = view->d;
    size_t all = deform_count(d, DEFORM_ELEMENTS), count = 0;
    view->which = scratch_take(step->scratch, all, sizeof *view->which);
    if (!view->which) return PLIM_OUT_OF_MEMORY;
    for (size_t e = 0; e < all; e++)
        if (d->corner_count[e] == view->corner_count) view->which[count++] = e;
    view->count = count;
    return PLIM_OK;
}

/* Nodes of lattices and particles are there too, so that numbers of nodes are those of the state.
 */
static PlimStatus add_elements(const Deform *d, const StepInfo *step, int corner_count,
                               const char *name, FrameView *out) {
    enum { GRAIN = 256 };
    ElementsView view = {.d = d, .corner_count = corner_count};
    TRY(list_elements(step, &view));
    if (view.count == 0) return PLIM_OK;
    size_t nodes = deform_count(d, DEFORM_NODES), count = view.count;
    view.nodes = scratch_take(step->scratch, 3 * nodes, sizeof *view.nodes);
    view.velocities = scratch_take(step->scratch, 3 * nodes, sizeof *view.velocities);
    view.stretch = scratch_take(step->scratch, count, sizeof *view.stretch);
    view.stress = scratch_take(step->scratch, count, sizeof *view.stress);
    view.corners = scratch_take(step->scratch, (size_t)corner_count * count, sizeof *view.corners);
    view.objects = scratch_take(step->scratch, count, sizeof *view.objects);
    if (!view.nodes || !view.velocities || !view.stretch || !view.stress || !view.corners ||
        !view.objects)
        return PLIM_OUT_OF_MEMORY;
    parallel_for(step->threads, nodes, GRAIN, fill_nodes, &view);
    parallel_for(step->threads, count, GRAIN, fill_elements, &view);
    FrameElements elements = {.name = name,
                              .node_count = nodes,
                              .element_count = count,
                              .nodes = view.nodes,
                              .velocities = view.velocities,
                              .stretch = view.stretch,
                              .stress = view.stress,
                              .tetrahedra = corner_count == 4 ? view.corners : NULL,
                              .triangles = corner_count == 3 ? view.corners : NULL,
                              .objects = view.objects};
    return frame_view_add_elements(step->context, out, &elements);
}

/* Chains have no cells: they are seen as points. */
PlimStatus deform_view_elements(const Deform *d, const StepInfo *step, FrameView *out) {
    if (!d->options.frame_elements || deform_count(d, DEFORM_ELEMENTS) == 0) return PLIM_OK;
    TRY(add_elements(d, step, d->options.dim + 1, "deformable_elements", out));
    if (d->options.dim == 2) return PLIM_OK;
    return add_elements(d, step, 3, "deformable_sheets", out);
}
