/* One picture of a frame: a slice, or surfaces, water and smoke in space. */
#include "render/glass_parts.h"
#include "render/ground.h"
#include "render/obstacles.h"
#include "render/text.h"

#include <math.h>
#include <string.h>

/* A side of the box holds this many lengths in which thick smoke takes 63 % of the light. */
static const double smoke_thickness = 80;

/* A drop stands for all water around it, and breaks up into finer ones than the run follows. */
static const double drop_size = 0.6;

/* What the frame shows, as the ray tracer takes it. Meshes of bodies come twice: without and with
 * nothing but plates of half-spaces. */
typedef struct Setting {
    const FrameView *view;
    const FrameVolume *volume; /* whose smoke and obstacles are drawn; NULL: none */
    RenderMesh meshes[(3 + GLASS_KINDS) * FRAME_VIEW_CAPACITY];
    size_t mesh_count;
    Ground grounds[FRAME_VIEW_CAPACITY];
    GlassParts parts[FRAME_VIEW_CAPACITY];
    RenderMesh obstacles[FRAME_VIEW_CAPACITY];
    RenderDrops drops[FRAME_VIEW_CAPACITY];
    size_t drops_count;
    RenderGlass glass[FRAME_VIEW_CAPACITY];
    RenderSmoke smoke;
    RenderOptions options;
} Setting;

static RenderSmoke smoke_of(const FrameVolume *volume) {
    int longest = volume->n[0] > volume->n[1] ? volume->n[0] : volume->n[1];
    if (volume->n[2] > longest) longest = volume->n[2];
    return (RenderSmoke){.n = {volume->n[0], volume->n[1], volume->n[2]},
                         .spacing = volume->spacing,
                         .origin = vec3_load(volume->origin),
                         .density = volume->smoke,
                         .temperature = volume->temperature,
                         .solid = volume->solid,
                         .extinction = smoke_thickness / (longest * volume->spacing)};
}

static RenderMesh render_mesh(const Studio *studio, const FrameMesh *mesh) {
    bool flat = studio->request->ids;
    return (RenderMesh){
        .vertices = mesh->vertices,
        .vertex_count = mesh->vertex_count,
        .triangles = mesh->triangles,
        .triangle_count = mesh->triangle_count,
        .objects = mesh->objects,
        .colors = mesh->colors,
        .values = studio->shows_values && !flat ? mesh_values(mesh, studio->values) : NULL,
        .scale = &studio->scale,
        .checks = mesh->checks,
        .smooth = mesh->smooth,
        .is_clear = mesh->is_clear && !flat,
        .absorption = {mesh->absorption[0], mesh->absorption[1], mesh->absorption[2]}};
}

static RenderMesh render_plates(const FrameMesh *mesh, const Ground *ground) {
    return (RenderMesh){.vertices = mesh->vertices,
                        .vertex_count = mesh->vertex_count,
                        .triangles = mesh->triangles,
                        .triangle_count = mesh->triangle_count,
                        .objects = mesh->objects,
                        .hidden = ground->no_plate,
                        .colors = mesh->colors,
                        .checks = ground->checks};
}

static void stand_on(const Studio *studio, const Ground *ground, RenderOptions *options) {
    double least = isfinite(studio->least_ground) ? studio->least_ground : -HUGE_VAL;
    if (!ground->is_level) return;
    options->ground_height = fmax(ground->height, least);
    options->ground_color =
        vec3((double)ground->color[0], (double)ground->color[1], (double)ground->color[2]);
}

/* The mesh was added last; those of its objects that are of glass become meshes of their own. */
static PlimStatus add_glass_parts(PlimContext *context, const FrameMesh *mesh, GlassParts *parts,
                                  Setting *setting) {
    RenderMesh *opaque = &setting->meshes[setting->mesh_count - 1];
    TRY(glass_parts_create(context, mesh, opaque->hidden, parts));
    if (!parts->hidden) return PLIM_OK;
    opaque->hidden = glass_parts_hidden(parts, -1);
    for (int kind = 0; kind < parts->kinds; kind++) {
        RenderMesh *clear = &setting->meshes[setting->mesh_count++];
        *clear = *opaque;
        clear->hidden = glass_parts_hidden(parts, kind);
        clear->values = NULL;
        clear->is_clear = true;
        clear->glass = (double)parts->looks[kind][0];
        memcpy(clear->absorption, parts->looks[kind] + 1, sizeof clear->absorption);
    }
    return PLIM_OK;
}

static PlimStatus add_meshes(const Studio *studio, Setting *setting) {
    PlimContext *context = studio->folder->context;
    for (size_t i = 0; i < setting->view->mesh_count; i++) {
        const FrameMesh *mesh = &setting->view->meshes[i];
        Ground *ground = &setting->grounds[i];
        TRY(ground_create(context, mesh, studio->camera.position, &studio->options, ground));
        stand_on(studio, ground, &setting->options);
        RenderMesh *bodies = &setting->meshes[setting->mesh_count++];
        *bodies = render_mesh(studio, mesh);
        bodies->hidden = ground->hidden;
        if (!studio->request->ids) TRY(add_glass_parts(context, mesh, &setting->parts[i], setting));
        if (ground->plates > 0)
            setting->meshes[setting->mesh_count++] = render_plates(mesh, ground);
    }
    return PLIM_OK;
}

/* Fluids' obstacles, without those cells that the bodies' meshes show already. */
static PlimStatus add_obstacles(const Studio *studio, Setting *setting) {
    const FrameView *view = setting->view;
    FrameMesh bodies[FRAME_VIEW_CAPACITY];
    size_t count = 0;
    for (size_t i = 0; i < view->mesh_count; i++)
        if (!view->meshes[i].is_clear) bodies[count++] = view->meshes[i];
    for (size_t i = 0; setting->volume && i < view->volume_count; i++) {
        RenderMesh *obstacles = &setting->obstacles[i];
        TRY(obstacle_mesh_create(studio->folder->context, &view->volumes[i], bodies, count,
                                 obstacles));
        if (obstacles->triangle_count > 0) setting->meshes[setting->mesh_count++] = *obstacles;
    }
    return PLIM_OK;
}

/* Whether these are all particles of a splash whose surface and spray are there too. */
static bool has_skin(const FrameView *view, const char *name) {
    static const char all[] = "particles", spray[] = "spray";
    size_t length = strlen(name);
    if (length < strlen(all) || strcmp(name + length - strlen(all), all) != 0) return false;
    size_t same = length - strlen(all); /* "NAME." or nothing */
    for (size_t i = 0; i < view->points_count; i++)
        if (strncmp(view->points[i].name, name, same) == 0 &&
            strcmp(view->points[i].name + same, spray) == 0)
            return true;
    return false;
}

static void add_drops(const Studio *studio, Setting *setting) {
    for (size_t i = 0; i < setting->view->points_count; i++) {
        const FramePoints *points = &setting->view->points[i];
        /* A skin shows them, and spray those outside it. */
        if (has_skin(setting->view, points->name)) continue;
        RenderDrops *drops = &setting->drops[setting->drops_count++];
        *drops = (RenderDrops){.positions = points->positions,
                               .velocities = points->velocities,
                               .radii = points->radii,
                               .count = points->count,
                               .size = studio->request->ids ? 1.0 : drop_size};
        object_ids_color(&studio->ids, points->name, 0, drops->flat_color);
    }
}

static void add_glass(const Studio *studio, Setting *setting) {
    setting->options.glass = setting->glass;
    for (size_t i = 0; studio->glass && i < setting->view->volume_count; i++) {
        const FrameVolume *volume = &setting->view->volumes[i];
        if (!volume->level || volume->dim != 3) continue;
        Vec3 low = vec3_load(volume->origin);
        Vec3 cells = vec3(volume->n[0], volume->n[1], volume->n[2]);
        setting->glass[setting->options.glass_count++] =
            (RenderGlass){low, vec3_add_scaled(low, volume->spacing, cells)};
    }
}

static PlimStatus shoot(const Studio *studio, const Setting *setting, Image *image) {
    RenderScene *scene;
    TRY(render_scene_create(studio->folder->context, setting->meshes, setting->mesh_count, NULL, 0,
                            &scene));
    PlimStatus status = render_scene_add_drops(scene, setting->drops, setting->drops_count);
    if (status == PLIM_OK)
        status = studio->request->ids
                     ? render_scene_draw_flat(scene, &studio->camera, &setting->options, image)
                     : render_scene_draw(scene, &studio->camera, &setting->options, image);
    render_scene_destroy(scene);
    return status;
}

/* `volume` may be NULL: a fluid whose smoke and obstacles are drawn. */
static PlimStatus draw_scene(const Studio *studio, const FrameView *view, const FrameVolume *volume,
                             Image *image) {
    PlimContext *context = studio->folder->context;
    Setting setting = {.view = view, .volume = volume, .options = studio->options};
    PlimStatus status = add_meshes(studio, &setting);
    if (status == PLIM_OK) status = add_obstacles(studio, &setting);
    if (volume && volume->smoke) {
        setting.smoke = smoke_of(volume);
        object_ids_color(&studio->ids, volume->name, OBJECT_FLUID, setting.smoke.flat_color);
        setting.options.smoke = &setting.smoke;
    }
    add_drops(studio, &setting);
    add_glass(studio, &setting);
    if (status == PLIM_OK) status = shoot(studio, &setting, image);
    if (status == PLIM_OK && studio->shows_values && !studio->request->ids)
        mesh_values_legend(image, studio->values, &studio->scale);
    for (size_t i = 0; i < view->volume_count; i++)
        obstacle_mesh_free(context, &setting.obstacles[i]);
    for (size_t i = 0; i < view->mesh_count; i++) {
        ground_free(context, &setting.grounds[i]);
        glass_parts_free(context, &setting.parts[i]);
    }
    return status;
}

static PlimStatus draw_slice(const Studio *studio, const FrameView *view, const FrameVolume *volume,
                             Image *image) {
    SliceOptions options = studio->slice;
    SliceFlat flat = {0};
    if (studio->request->ids) {
        object_ids_color(&studio->ids, volume->name, OBJECT_FLUID, flat.fluid);
        object_ids_color(&studio->ids, volume->name, OBJECT_OBSTACLES, flat.obstacle);
        for (size_t i = 0; i < view->points_count; i++)
            object_ids_color(&studio->ids, view->points[i].name, 0, flat.points[i]);
        options.flat = &flat;
    }
    if (studio->caption) options.top = caption_height(image);
    return slice_draw(studio->folder->context, volume, view, &options, image);
}

/* Frames of one run are alike; one that lacks what the others have is drawn without. */
static PlimStatus draw_view(const Studio *studio, const FrameView *view, Image *image) {
    const FrameVolume *volume = studio_shown_volume(studio, view);
    if (volume && studio->fluid == VIEW_SLICE) return draw_slice(studio, view, volume, image);
    bool shown =
        volume && (studio->fluid == VIEW_WATER || (studio->fluid == VIEW_SMOKE && volume->smoke));
    return draw_scene(studio, view, shown ? volume : NULL, image);
}

/* A frame whose meshes have the colours of their objects' numbers. */
typedef struct Numbered {
    FrameView view;
    float *colors[FRAME_VIEW_CAPACITY];
} Numbered;

static PlimStatus number_objects(Studio *studio, const FrameView *view, Numbered *out) {
    PlimContext *context = studio->folder->context;
    TRY(object_ids_add(context, &studio->ids, view));
    out->view = *view;
    for (size_t i = 0; i < view->mesh_count; i++) {
        FrameMesh *mesh = &out->view.meshes[i];
        out->colors[i] = context_allocate(context, 3 * mesh->object_count, sizeof(float));
        if (!out->colors[i]) return PLIM_OUT_OF_MEMORY;
        mesh->colors = out->colors[i];
        mesh->checks = NULL;
        for (size_t k = 0; k < mesh->object_count; k++)
            if (frame_mesh_kind(mesh, (int32_t)k) != FRAME_UNBOUNDED)
                object_ids_color(&studio->ids, mesh->name, mesh->changes ? 0 : (uint32_t)k,
                                 out->colors[i] + 3 * k);
    }
    return PLIM_OK;
}

static PlimStatus draw_numbers(Studio *studio, const FrameView *view, Image *image) {
    Numbered numbered = {0};
    PlimStatus status = number_objects(studio, view, &numbered);
    if (status == PLIM_OK) status = draw_view(studio, &numbered.view, image);
    for (size_t i = 0; i < view->mesh_count; i++)
        context_free(studio->folder->context, numbered.colors[i], 3 * view->meshes[i].object_count,
                     sizeof(float));
    return status;
}

PlimStatus studio_draw(Studio *studio, const FrameData *data, double turn, Image *image) {
    if (studio->request->preset == CAMERA_ORBIT)
        studio->camera =
            camera_orbit(studio->low, studio->high, (double)image->width / image->height, turn);
    if (studio->request->ids) return draw_numbers(studio, &data->view, image);
    TRY(draw_view(studio, &data->view, image));
    if (studio->caption) studio_caption(studio, data->time, image);
    return PLIM_OK;
}
