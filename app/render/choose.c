/* What a picture shows: surfaces, water, smoke, or a slice of one of a fluid's quantities. */
#include "render/studio.h"

#include <string.h>

const char render_show_bodies[] = "bodies";

const FrameVolume *studio_shown_volume(const Studio *studio, const FrameView *view) {
    const char *domain = studio->request->domain;
    for (size_t i = 0; i < view->volume_count; i++) {
        const FrameVolume *volume = &view->volumes[i];
        if (domain ? strcmp(volume->name, domain) == 0 : volume->smoke && volume->dim == 3)
            return volume;
    }
    return view->volume_count > 0 && !domain ? &view->volumes[0] : NULL;
}

bool render_find_show(const char *name, SliceShow *out) {
    for (int i = 0; i < SLICE_SHOW_COUNT; i++) {
        if (strcmp(slice_show_name((SliceShow)i), name) != 0) continue;
        *out = (SliceShow)i;
        return true;
    }
    return false;
}

bool render_find_mesh_show(const char *name, MeshShow *out) {
    for (int i = 0; name && i < MESH_SHOW_COUNT; i++) {
        if (strcmp(mesh_show_name((MeshShow)i), name) != 0) continue;
        *out = (MeshShow)i;
        return true;
    }
    return false;
}

/* Surfaces, of bodies and of water, are drawn where bodies or values on them are asked for, and in
 * space when there is no smoke to see. */
static bool wants_surfaces(const char *show, const FrameView *view, const FrameVolume *volume) {
    MeshShow values;
    if (render_find_mesh_show(show, &values)) return true;
    if (show && strcmp(show, render_show_bodies) == 0) return true;
    if (show && strcmp(show, slice_show_name(SLICE_LIQUID)) != 0) return false;
    return volume->dim == 3 && !volume->smoke && (view->mesh_count > 0 || view->points_count > 0);
}

static SliceShow suitable_show(const FrameVolume *volume) {
    return volume->smoke ? SLICE_SMOKE : volume->level ? SLICE_LIQUID : SLICE_SPEED;
}

static PlimStatus choose_values(Studio *studio, const FrameView *view) {
    const char *show = studio->request->show;
    studio->shows_values = render_find_mesh_show(show, &studio->values);
    if (!studio->shows_values) return PLIM_OK;
    for (size_t i = 0; i < view->mesh_count; i++)
        if (mesh_values(&view->meshes[i], studio->values)) return PLIM_OK;
    return context_fail(studio->folder->context, PLIM_BAD_INPUT,
                        "%s has no %s to show: that is known of deformable bodies with elements",
                        studio->folder->path, show);
}

/* Smoke in space is drawn as smoke, water in space as water; all else of a fluid as a slice: its
 * smoke, if it has any, or where its liquid is, else its speed, whose threads tell more of any flow
 * than the other quantities. */
static PlimStatus choose_fluid(Studio *studio, const FrameView *view, const FrameVolume *volume) {
    const RenderRequest *request = studio->request;
    if (wants_surfaces(request->show, view, volume)) {
        studio->fluid = volume->level && volume->dim == 3 ? VIEW_WATER : VIEW_NONE;
        return PLIM_OK;
    }
    SliceShow show = suitable_show(volume);
    if (request->show) render_find_show(request->show, &show);
    studio->slice = (SliceOptions){.show = show, .lines = request->lines, .legend = true};
    studio->fluid = volume->dim == 3 && show == SLICE_SMOKE ? VIEW_SMOKE : VIEW_SLICE;
    if (slice_can_show(volume, show)) return PLIM_OK;
    return context_fail(studio->folder->context, PLIM_BAD_INPUT, "the run has no %s to show",
                        slice_show_name(show));
}

static void warn_of_others(const Studio *studio, const FrameView *view, const FrameVolume *volume) {
    size_t smoky = 0;
    for (size_t i = 0; i < view->volume_count; i++) smoky += view->volumes[i].smoke != NULL;
    if (smoky > 1 && !studio->request->domain)
        context_log(studio->folder->context, PLIM_LOG_WARNING,
                    "of %zu domains with smoke that of '%s' is drawn; choose with --domain", smoky,
                    volume->name);
}

static PlimStatus choose(Studio *studio, const FrameView *view) {
    const RenderRequest *request = studio->request;
    PlimContext *context = studio->folder->context;
    const FrameVolume *volume = studio_shown_volume(studio, view);
    TRY(choose_values(studio, view));
    warn_of_others(studio, view, volume);
    if (request->domain && !volume)
        return context_fail(context, PLIM_BAD_INPUT, "%s has no domain '%s'", studio->folder->path,
                            request->domain);
    if (volume) return choose_fluid(studio, view, volume);
    if (request->show && !studio->shows_values && strcmp(request->show, render_show_bodies) != 0)
        return context_fail(context, PLIM_BAD_INPUT, "%s has no fluid to show the %s of",
                            studio->folder->path, request->show);
    return PLIM_OK;
}

PlimStatus studio_choose_view(Studio *studio, uint64_t frame) {
    FrameData data;
    TRY(run_folder_load_frame(studio->folder, frame, &data));
    PlimStatus status = choose(studio, &data.view);
    frame_data_free(studio->folder->context, &data);
    return status;
}
