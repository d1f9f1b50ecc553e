/* Object-id pictures: numbering by groups of frames, colours by interleaved bits. */
#include "render/object_ids.h"

#include <stdio.h>
#include <string.h>

void object_color(uint32_t number, unsigned char rgb[3]) {
    enum { BITS = 24 };
    memset(rgb, 0, 3);
    for (int bit = 0; bit < BITS; bit++)
        rgb[bit % 3] |= (unsigned char)((number >> bit & 1) << (7 - bit / 3));
}

static const ObjectGroup *find_group(const ObjectIds *ids, const char *name) {
    for (size_t i = 0; i < ids->groups.count; i++)
        if (strcmp(ids->groups.data[i].name, name) == 0) return &ids->groups.data[i];
    return NULL;
}

/* Objects of a group to be; `names` and `kinds` are of each, or there is one name and one kind. */
typedef struct NewGroup {
    const char *name, *names, *kind;
    const int32_t *kinds;
    size_t count;
} NewGroup;

static PlimStatus add_group(PlimContext *context, ObjectIds *ids, const NewGroup *made) {
    static const char *const kinds[] = {"free", "prescribed", "still", "unbounded"};
    if (find_group(ids, made->name)) return PLIM_OK;
    ObjectGroup group = {.first = (uint32_t)ids->rows.count + 1, .count = (uint32_t)made->count};
    snprintf(group.name, sizeof group.name, "%s", made->name);
    if (!array_push(context, &ids->groups, group)) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < made->count; i++) {
        ObjectRow row = {.number = group.first + (uint32_t)i, .kind = made->kind};
        const char *name = made->names ? made->names + FRAME_NAME_CAPACITY * i : made->name;
        frame_name_store(row.name, name);
        snprintf(row.group, sizeof row.group, "%s", made->name);
        if (made->kinds) row.kind = kinds[made->kinds[i] & 3];
        if (!array_push(context, &ids->rows, row)) return PLIM_OUT_OF_MEMORY;
    }
    return PLIM_OK;
}

/* Liquids' surfaces change from frame to frame, and are one thing each. */
static NewGroup group_of_mesh(const FrameMesh *mesh) {
    return (NewGroup){.name = mesh->name,
                      .names = mesh->names,
                      .kind = mesh->changes   ? "liquid"
                              : mesh->stretch ? "deformable"
                                              : "free",
                      .kinds = mesh->kinds,
                      .count = mesh->changes ? 1 : mesh->object_count};
}

/* What of a grid moves. */
static const char *kind_of_fluid(const FrameVolume *volume) {
    return volume->level ? "liquid" : volume->smoke ? "smoke" : "fluid";
}

PlimStatus object_ids_add(PlimContext *context, ObjectIds *ids, const FrameView *view) {
    for (size_t i = 0; i < view->mesh_count; i++) {
        NewGroup group = group_of_mesh(&view->meshes[i]);
        TRY(add_group(context, ids, &group));
    }
    for (size_t i = 0; i < view->points_count; i++) {
        NewGroup group = {.name = view->points[i].name, .kind = "points", .count = 1};
        TRY(add_group(context, ids, &group));
    }
    for (size_t i = 0; i < view->volume_count; i++) {
        const FrameVolume *volume = &view->volumes[i];
        NewGroup group = {.name = volume->name, .kind = "obstacles", .count = 2};
        bool is_new = !find_group(ids, group.name);
        TRY(add_group(context, ids, &group));
        if (is_new) ids->rows.data[ids->rows.count - 1].kind = kind_of_fluid(volume);
    }
    return PLIM_OK;
}

void object_ids_free(PlimContext *context, ObjectIds *ids) {
    array_free(context, &ids->groups);
    array_free(context, &ids->rows);
}

void object_ids_color(const ObjectIds *ids, const char *group, uint32_t object, float color[3]) {
    const ObjectGroup *found = find_group(ids, group);
    unsigned char rgb[3];
    object_color(found && object < found->count ? found->first + object : 0, rgb);
    for (int c = 0; c < 3; c++) color[c] = (float)rgb[c] / 255.0f;
}
