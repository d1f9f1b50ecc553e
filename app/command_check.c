#include "app.h"
#include "mesh_info.h"

#include "scene/scene.h"
#include "world/world.h"

#include <inttypes.h>

/* The surfaces from files, as they are used: scaled, and repaired unless the scene says no. */
static PlimStatus describe_meshes(PlimContext *context, const PlimScene *scene) {
    for (size_t i = 0; i < scene->meshes.items.count; i++) {
        const SceneMesh *mesh = scene->meshes.items.data[i];
        if (mesh->path) TRY(mesh_info_summary(context, mesh->path, &mesh->mesh));
    }
    return PLIM_OK;
}

static void describe(const PlimScene *scene, const PlimWorld *world) {
    printf("scene %s: good\n", plim_scene_name(scene));
    printf("bodies: %zu\n", plim_rigid_count(world));
    printf("probed quantities: %zu\n", world->probes.count);
    uint64_t frames = plim_scene_frame_count(scene);
    printf("frames: %" PRIu64 " at %g a second, to t = %g s\n", frames, plim_scene_fps(scene),
           plim_scene_frame_time(scene, frames));
    printf("memory: about %.1f MB\n", 1e-6 * plim_scene_memory(scene));
}

int command_check(int argc, char **argv) {
    static OverrideList overrides;
    const Option table[] = {{"--set", OPTION_SET, &overrides}};
    const char *path;
    int words;
    if (!parse_options("check", argc, argv, table, 1, &path, 1, &words)) return EXIT_BAD_REQUEST;
    if (words != 1) {
        print_error("check: name a scene file");
        return EXIT_BAD_REQUEST;
    }
    PlimContext *context = open_context(0, false);
    if (!context) return EXIT_RUN_FAILED;
    PlimScene *scene = NULL;
    PlimWorld *world = NULL;
    PlimStatus status = plim_scene_load(context, path, overrides.items, overrides.count, &scene);
    if (status == PLIM_OK) status = plim_scene_create_world(scene, &world);
    if (status == PLIM_OK) {
        describe(scene, world);
        status = describe_meshes(context, scene);
    }
    int code = report_scene(context, scene, status);
    plim_world_destroy(world);
    plim_scene_destroy(scene);
    close_context(context);
    return code;
}
