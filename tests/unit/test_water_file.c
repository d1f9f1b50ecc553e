/* Liquids in files: surfaces that change and drops, in frames, in the table of contents for
 * ParaView and for other programs. */
#include "exported.h"

#include "io/run_folder.h"

/* ---- drops ---- */

static const float drop_places[6] = {0, 0, 0, 1.5f, -2, 0.25f};
static const float drop_radii[2] = {0.5f, 0.125f};

static FramePoints make_drops(size_t count) {
    return (FramePoints){.name = "drops",
                         .count = count,
                         .positions = drop_places,
                         .velocities = speeds + 6,
                         .radii = drop_radii,
                         .absorption = {1, 0.5f, 0.25f}};
}

static void drops_can_be_read(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "drops");
    size_t size;
    FrameView view = {.points = {make_drops(2)}, .points_count = 1};
    char *bytes = exported(&f, "ply", &view, "drops_00007.ply", &size);
    behind(bytes, size, "element vertex 2\nproperty float x\n");
    const char *data = behind(bytes, size, "property float radius\nend_header\n");
    assert_int_equal(bytes + size - data, 2 * 28);
    assert_memory_equal(data + 28, drop_places + 3, 12);
    assert_memory_equal(data + 28 + 12, speeds + 9, 12);
    assert_memory_equal(data + 28 + 24, drop_radii + 1, 4);
    context_free(f.context, bytes, size + 1, 1);

    bytes = exported(&f, "obj", &view, "drops_00007.obj", &size);
    assert_string_equal(bytes, "# Plimsoll drops\nv 0 0 0\nv 1.5 -2 0.25\np 1\np 2\n");
    context_free(f.context, bytes, size + 1, 1);

    static const int32_t own[2] = {0, 1};
    bytes = exported(&f, "vtk", &view, "drops_00007.vtu", &size);
    assert_appended(&f, bytes, "position", drop_places, sizeof drop_places);
    assert_appended(&f, bytes, "velocity", speeds + 6, 24);
    assert_appended(&f, bytes, "radius", drop_radii, sizeof drop_radii);
    assert_appended(&f, bytes, "connectivity", own, sizeof own);
    assert_appended(&f, bytes, "types", "\1\1", 2);
    context_free(f.context, bytes, size + 1, 1);

    static const char *const files[4][2] = {{"ply", "drops_00007.ply"},
                                            {"obj", "drops_00007.obj"},
                                            {"vtk", "drops_00007.vtu"},
                                            {"usd", "run.usda"}};
    view.points[0] = make_drops(0);
    for (int i = 0; i < 4; i++) { /* none at all is a file too */
        bytes = exported(&f, files[i][0], &view, files[i][1], &size);
        assert_true(size > 0);
        context_free(f.context, bytes, size + 1, 1);
    }
    close_fixture(&f);
}

/* ---- frames of a liquid ---- */

/* Frame 0 has no water yet, frame 1 two triangles and two drops. */
static FrameView view_of_water(int frame) {
    FrameView view = {.mesh_count = 2, .points_count = 1};
    view.meshes[0] = example_mesh;
    view.meshes[1] = example_mesh;
    view.meshes[1].name = "water";
    view.meshes[1].changes = view.meshes[1].is_clear = view.meshes[1].smooth = true;
    for (int c = 0; c < 3; c++) view.meshes[1].absorption[c] = 0.25f * (float)(c + 1);
    if (frame == 0) {
        view.meshes[1].vertex_count = 0;
        view.meshes[1].triangle_count = 0;
    }
    view.points[0] = make_drops(frame == 0 ? 0 : 2);
    return view;
}

static void assert_same_mesh(const FrameMesh *a, const FrameMesh *b) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->object_count, b->object_count);
    assert_memory_equal(a->vertices, b->vertices, 12 * a->vertex_count);
    assert_memory_equal(a->velocities, b->velocities, 12 * a->vertex_count);
    assert_memory_equal(a->triangles, b->triangles, 12 * a->triangle_count);
    assert_memory_equal(a->objects, b->objects, 4 * a->triangle_count);
    assert_memory_equal(a->colors, b->colors, 12 * a->object_count);
    assert_memory_equal(a->absorption, b->absorption, sizeof a->absorption);
    assert_true(a->smooth == b->smooth && a->changes == b->changes && a->is_clear == b->is_clear);
}

static void water_comes_back(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "water");
    FrameView first = view_of_water(0);
    char *frame, *shapes;
    size_t frame_size, shapes_size;
    assert_int_equal(shapes_file_encode(f.context, &first, &shapes, &shapes_size), PLIM_OK);
    for (int k = 0; k < 2; k++) {
        FrameView view = view_of_water(k);
        FrameData data;
        assert_int_equal(frame_file_encode(f.context, &view, 3, 0.5, &frame, &frame_size), PLIM_OK);
        assert_int_equal(
            frame_file_decode(f.context, "it", frame, frame_size, shapes, shapes_size, &data),
            PLIM_OK);
        assert_true(data.view.mesh_count == 2 && data.view.points_count == 1);
        for (int i = 0; i < 2; i++) assert_same_mesh(&view.meshes[i], &data.view.meshes[i]);
        const FramePoints *a = &view.points[0], *b = &data.view.points[0];
        assert_string_equal(b->name, "drops");
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->positions, b->positions, 12 * a->count);
        assert_memory_equal(a->velocities, b->velocities, 12 * a->count);
        assert_memory_equal(a->radii, b->radii, 4 * a->count);
        assert_memory_equal(a->absorption, b->absorption, sizeof a->absorption);
        frame_data_free(f.context, &data);
        context_free(f.context, frame, frame_size, 1);
    }
    context_free(f.context, shapes, shapes_size, 1);
    close_fixture(&f);
}

/* Groups that are nothing known, more of them than fit, drops that lack a radius. */
static void odd_groups_are_refused(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "odd_groups");
    for (int k = 0; k < 3; k++) {
        H5Builder *file, *none;
        char *frame, *shapes;
        size_t frame_size, shapes_size;
        assert_int_equal(h5_builder_create(f.context, &file), PLIM_OK);
        assert_int_equal(h5_builder_create(f.context, &none), PLIM_OK);
        h5_add_u64(file, "/", "frame", 1);
        h5_add_number(file, "/", "time", 1);
        for (int i = 0; i < (k == 1 ? FRAME_VIEW_CAPACITY + 1 : 1); i++) {
            char path[64];
            snprintf(path, sizeof path, "/group_%d", i);
            h5_add_group(file, path);
            static const char *const arrays[] = {"positions", "velocities", "radii"};
            for (int a = 0; a < 3 && k > 0; a++) {
                snprintf(path, sizeof path, "/group_%d/%s", i, arrays[a]);
                h5_add_data(file, path, H5_F32, k == 2 && a == 2 ? 1 : 2, a == 2 ? 1 : 3, speeds,
                            NULL);
            }
            snprintf(path, sizeof path, "/group_%d", i);
            h5_add_number(file, path, "absorption_red", 0);
            h5_add_number(file, path, "absorption_green", 0);
            h5_add_number(file, path, "absorption_blue", 0);
        }
        assert_int_equal(h5_builder_finish(file, &frame, &frame_size), PLIM_OK);
        assert_int_equal(h5_builder_finish(none, &shapes, &shapes_size), PLIM_OK);
        h5_builder_destroy(file);
        h5_builder_destroy(none);
        FrameData data;
        assert_int_equal(
            frame_file_decode(f.context, "odd", frame, frame_size, shapes, shapes_size, &data),
            PLIM_BAD_INPUT);
        assert_message(&f, "odd: ");
        context_free(f.context, frame, frame_size, 1);
        context_free(f.context, shapes, shapes_size, 1);
    }
    close_fixture(&f);
}

static size_t count_text(const char *text, const char *part) {
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

/* The table of contents has the sizes of each frame, and no grid where there is nothing. */
static void index_follows_changing_sizes(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "index");
    RunFolder folder = {.context = f.context, .lock = -1};
    snprintf(folder.path, sizeof folder.path, "%s", f.folder);
    assert_int_equal(manifest_load(f.context, f.folder, &folder.manifest), PLIM_OK);
    char *bytes, path[PATH_CAPACITY];
    size_t size;
    for (int k = 0; k < 2; k++) {
        FrameView view = view_of_water(k);
        assert_int_equal(frame_file_encode(f.context, &view, (uint64_t)k, k, &bytes, &size),
                         PLIM_OK);
        path_in(&f, k ? "frame_00001.h5" : "frame_00000.h5", path);
        assert_int_equal(file_write(f.context, path, bytes, size, false), PLIM_OK);
        context_free(f.context, bytes, size, 1);
        assert_int_equal(shapes_file_encode(f.context, &view, &bytes, &size), PLIM_OK);
        path_in(&f, SHAPES_FILE, path);
        assert_int_equal(file_write(f.context, path, bytes, size, false), PLIM_OK);
        context_free(f.context, bytes, size, 1);
    }
    assert_int_equal(run_folder_write_index(&folder, 24), PLIM_OK);
    path_in(&f, "frames.xdmf", path);
    assert_int_equal(file_read(f.context, path, &bytes, &size), PLIM_OK);
    assert_non_null(strstr(bytes, "\"2 3\" NumberType=\"Int\" Precision=\"4\" "
                                  "Format=\"HDF\">frame_00001.h5:/water/triangles<"));
    assert_null(strstr(bytes, "frame_00000.h5:/water"));
    assert_non_null(strstr(bytes, "TopologyType=\"Polyvertex\" NumberOfElements=\"2\""));
    assert_non_null(strstr(bytes, "frame_00001.h5:/drops/radii"));
    assert_null(strstr(bytes, "frame_00000.h5:/drops"));
    assert_non_null(strstr(bytes, "shapes.h5:/rigid/triangles"));
    assert_int_equal(count_text(bytes, "CollectionType=\"Spatial\""), 4);
    assert_int_equal(count_text(bytes, "<Grid"), count_text(bytes, "</Grid>"));
    context_free(f.context, bytes, size + 1, 1);
    manifest_free(f.context, &folder.manifest);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_can_be_read),
        cmocka_unit_test(water_comes_back),
        cmocka_unit_test(odd_groups_are_refused),
        cmocka_unit_test(index_follows_changing_sizes),
    };
    return cmocka_run_group_tests(tests, make_base_folder, remove_base_folder);
}
