/* Lists of what a frame shows, with room for a fixed number of each. */
#include "system/frame_view.h"

#include <string.h>

void frame_name_store(char to[FRAME_NAME_CAPACITY], const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length >= FRAME_NAME_CAPACITY) {
        length = FRAME_NAME_CAPACITY - 1;
        while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) length--; /* UTF-8 */
    }
    memset(to, 0, FRAME_NAME_CAPACITY);
    if (length > 0) memcpy(to, name, length);
}

static PlimStatus check_room(PlimContext *context, const char *kind, const char *name,
                             size_t count) {
    if (count < FRAME_VIEW_CAPACITY) return PLIM_OK;
    return context_fail(context, PLIM_FAILED, "'%s' is one too many: a frame shows at most %d %s",
                        name, (int)FRAME_VIEW_CAPACITY, kind);
}

PlimStatus frame_view_add_mesh(PlimContext *context, FrameView *view, const FrameMesh *mesh) {
    TRY(check_room(context, "meshes", mesh->name, view->mesh_count));
    view->meshes[view->mesh_count++] = *mesh;
    return PLIM_OK;
}

PlimStatus frame_view_add_volume(PlimContext *context, FrameView *view, const FrameVolume *volume) {
    TRY(check_room(context, "volumes", volume->name, view->volume_count));
    view->volumes[view->volume_count++] = *volume;
    return PLIM_OK;
}

PlimStatus frame_view_add_points(PlimContext *context, FrameView *view, const FramePoints *points) {
    TRY(check_room(context, "sets of points", points->name, view->points_count));
    view->points[view->points_count++] = *points;
    return PLIM_OK;
}

PlimStatus frame_view_add_elements(PlimContext *context, FrameView *view,
                                   const FrameElements *elements) {
    TRY(check_room(context, "sets of elements", elements->name, view->elements_count));
    view->elements[view->elements_count++] = *elements;
    return PLIM_OK;
}
