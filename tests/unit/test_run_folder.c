/* States, frames, and the folder of a run that holds them. */
#include "folder.h"

#include "io/run_folder.h"
#include "plimsoll/plimsoll.h"

/* ---- states ---- */

static const char scene_text[] = "plimsoll: 1\n"
                                 "name: io\n"
                                 "fps: 10\n"
                                 "time_step: {max_dt: 0.03}\n"
                                 "rigid:\n"
                                 "  bodies:\n"
                                 "    - name: brick\n"
                                 "      shape: {box: {size: [1, 2, 3]}}\n"
                                 "      velocity: [1, 2, 3]\n"
                                 "      angular_velocity: [3, 1, 2]\n"
                                 "      color: [1, 0.5, 0]\n"
                                 "    - name: arm\n"
                                 "      shape: {box: {size: [0.1, 0.1, 0.1]}}\n"
                                 "      motion: kinematic\n"
                                 "      position: [\"=sin(t)\", 0, 5]\n"
                                 "      orientation: {axis: [0, 1, 0], angle: \"=90*t\"}\n"
                                 "probes:\n"
                                 "  - {name: brick, quantities: [position, mass]}\n";

typedef struct Run {
    PlimScene *scene;
    PlimWorld *world;
} Run;

static Run open_run(const Fixture *f, const char *gravity) {
    Run run;
    PlimOverride override = {"/gravity", gravity};
    if (plim_scene_parse(f->context, "io.yaml", scene_text, strlen(scene_text), &override,
                         gravity != NULL, &run.scene) != PLIM_OK ||
        plim_scene_create_world(run.scene, &run.world) != PLIM_OK)
        fail_msg("%s", plim_message(f->context));
    return run;
}

static void close_run(Run *run) {
    plim_world_destroy(run->world);
    plim_scene_destroy(run->scene);
}

static void states_come_back(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "states");
    Run run = open_run(&f, NULL), other = open_run(&f, NULL);
    char *bytes, *again;
    size_t size, again_size;
    for (int step = 0; step < 3; step++) {
        assert_int_equal(state_file_encode(run.world, 11, 22, &bytes, &size), PLIM_OK);
        StateHeader header;
        assert_int_equal(state_file_header(f.context, "it", bytes, size, &header), PLIM_OK);
        assert_true(header.scene_hash == 11 && header.frame == 22 &&
                    header.state_hash == plim_world_hash(run.world) &&
                    header.step == (uint64_t)step && header.time == plim_world_time(run.world));
        assert_int_equal(plim_world_step(other.world, 0.7), PLIM_OK);
        assert_int_equal(state_file_decode(other.world, "it", bytes, size), PLIM_OK);
        assert_int_equal(plim_world_hash(other.world), plim_world_hash(run.world));
        assert_int_equal(state_file_encode(other.world, 11, 22, &again, &again_size), PLIM_OK);
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, size);
        context_free(f.context, bytes, size, 1);
        context_free(f.context, again, again_size, 1);
        assert_int_equal(plim_world_step(run.world, 0.01), PLIM_OK);
        assert_int_equal(plim_world_step(other.world, 0.01), PLIM_OK);
        assert_int_equal(plim_world_hash(other.world), plim_world_hash(run.world));
    }
    close_run(&run);
    close_run(&other);
    close_fixture(&f);
}

/* Reads bytes that are not what was written: refused, or, where nothing that counts was hit, the
 * very state that was saved. */
static void check_damaged(const Fixture *f, PlimWorld *world, const StateHeader *good, char *bytes,
                          size_t size) {
    StateHeader header;
    PlimStatus status = state_file_header(f->context, "it", bytes, size, &header);
    if (status == PLIM_OK)
        assert_memory_equal(&header, good, sizeof header);
    else
        assert_int_equal(status, PLIM_BAD_INPUT);
    PlimStatus decoded = state_file_decode(world, "it", bytes, size);
    if (decoded == PLIM_OK)
        assert_int_equal(plim_world_hash(world), good->state_hash);
    else
        assert_int_equal(decoded, PLIM_BAD_INPUT);
    assert_true(decoded != PLIM_OK || status == PLIM_OK);
}

static void damaged_states_are_refused(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "damaged");
    Run run = open_run(&f, NULL);
    char *bytes;
    size_t size;
    StateHeader good;
    assert_int_equal(plim_world_advance(run.world, 0.1), PLIM_OK);
    assert_int_equal(state_file_encode(run.world, 11, 22, &bytes, &size), PLIM_OK);
    assert_int_equal(state_file_header(f.context, "it", bytes, size, &good), PLIM_OK);
    static const unsigned char flips[] = {0xFF, 0x01, 0x80};
    char *copy = malloc(size);
    for (size_t k = 0; k < sizeof flips; k++)
        for (size_t at = 13 * k; at < size; at += 97) {
            memcpy(copy, bytes, size);
            copy[at] = (char)(copy[at] ^ flips[k]);
            check_damaged(&f, run.world, &good, copy, size);
        }
    free(copy);
    for (size_t length = 0; length < size; length += 1 + length / 17) {
        copy = malloc(length + 1); /* its own block: what is read beyond the end is found out */
        memcpy(copy, bytes, length);
        check_damaged(&f, run.world, &good, copy, length);
        free(copy);
    }
    assert_int_equal(state_file_decode(run.world, "it", bytes, size), PLIM_OK);
    context_free(f.context, bytes, size, 1);
    close_run(&run);
    close_fixture(&f);
}

/* ---- frames ---- */

static void assert_same_view(const FrameView *a, const FrameView *b) {
    assert_int_equal(a->mesh_count, b->mesh_count);
    for (size_t i = 0; i < a->mesh_count; i++) {
        const FrameMesh *m = &a->meshes[i], *n = &b->meshes[i];
        assert_string_equal(m->name, n->name);
        assert_int_equal(m->vertex_count, n->vertex_count);
        assert_int_equal(m->triangle_count, n->triangle_count);
        assert_int_equal(m->object_count, n->object_count);
        assert_int_equal(m->smooth, n->smooth);
        assert_memory_equal(m->vertices, n->vertices, 12 * m->vertex_count);
        assert_memory_equal(m->velocities, n->velocities, 12 * m->vertex_count);
        assert_memory_equal(m->triangles, n->triangles, 12 * m->triangle_count);
        assert_memory_equal(m->objects, n->objects, 4 * m->triangle_count);
        assert_memory_equal(m->colors, n->colors, 12 * m->object_count);
    }
}

static void frames_come_back(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "frames");
    Run run = open_run(&f, NULL);
    assert_int_equal(plim_world_advance(run.world, 0.1), PLIM_OK);
    char *frame, *shapes;
    size_t frame_size, shapes_size, mark = scratch_mark(&run.world->scratch);
    FrameView view, none = {0};
    FrameData data;
    assert_int_equal(world_view_frame(run.world, &view), PLIM_OK);
    assert_int_equal(view.meshes[0].object_count, 2);
    for (int k = 0; k < 2; k++) {
        const FrameView *shown = k ? &none : &view;
        assert_int_equal(frame_file_encode(f.context, shown, 7, 0.7, &frame, &frame_size), PLIM_OK);
        assert_int_equal(shapes_file_encode(f.context, shown, &shapes, &shapes_size), PLIM_OK);
        assert_int_equal(
            frame_file_decode(f.context, "it", frame, frame_size, shapes, shapes_size, &data),
            PLIM_OK);
        assert_true(data.frame == 7 && data.time == 0.7);
        assert_same_view(&data.view, shown);
        frame_data_free(f.context, &data);
        assert_int_equal(frame_file_decode(f.context, "it", frame, frame_size, shapes, 100, &data),
                         PLIM_BAD_INPUT);
        context_free(f.context, frame, frame_size, 1);
        context_free(f.context, shapes, shapes_size, 1);
    }
    scratch_release(&run.world->scratch, mark);
    close_run(&run);
    close_fixture(&f);
}

/* A frame and its shapes with the given numbers of rows, and one corner and one object that may be
 * anything. */
typedef struct OddFrame {
    size_t vertices, velocities, triangles, objects, colors, columns;
    int32_t corner, object;
} OddFrame;

static PlimStatus decode_odd(const Fixture *f, const OddFrame *odd) {
    static const float zeros[64];
    int32_t triangles[32] = {odd->corner}, objects[32] = {odd->object};
    H5Builder *a, *b;
    char *frame, *shapes;
    size_t frame_size, shapes_size;
    assert_int_equal(h5_builder_create(f->context, &a), PLIM_OK);
    assert_int_equal(h5_builder_create(f->context, &b), PLIM_OK);
    h5_add_u64(a, "/", "frame", 1);
    h5_add_number(a, "/", "time", 1);
    h5_add_group(a, "/rigid");
    h5_add_data(a, "/rigid/vertices", H5_F32, odd->vertices, odd->columns, zeros, NULL);
    h5_add_data(a, "/rigid/velocities", H5_F32, odd->velocities, 3, zeros, NULL);
    h5_add_group(b, "/rigid");
    h5_add_data(b, "/rigid/triangles", H5_I32, odd->triangles, 3, triangles, NULL);
    h5_add_data(b, "/rigid/objects", H5_I32, odd->objects, 1, objects, NULL);
    h5_add_data(b, "/rigid/colors", H5_F32, odd->colors, 3, zeros, NULL);
    h5_add_u64(b, "/rigid", "smooth", 1);
    assert_int_equal(h5_builder_finish(a, &frame, &frame_size), PLIM_OK);
    assert_int_equal(h5_builder_finish(b, &shapes, &shapes_size), PLIM_OK);
    h5_builder_destroy(a);
    h5_builder_destroy(b);
    FrameData data;
    size_t before = plim_context_bytes(f->context);
    PlimStatus status =
        frame_file_decode(f->context, "odd", frame, frame_size, shapes, shapes_size, &data);
    if (status == PLIM_OK) frame_data_free(f->context, &data);
    assert_int_equal(plim_context_bytes(f->context), before);
    context_free(f->context, frame, frame_size, 1);
    context_free(f->context, shapes, shapes_size, 1);
    return status;
}

static void odd_frames_are_refused(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "odd");
    const OddFrame good = {4, 4, 2, 2, 1, 3, 3, 0};
    assert_int_equal(decode_odd(&f, &good), PLIM_OK);
    const OddFrame odd[] = {
        {4, 3, 2, 2, 1, 3, 3, 0},  {4, 5, 2, 2, 1, 3, 3, 0},  {4, 4, 2, 1, 1, 3, 3, 0},
        {4, 4, 2, 3, 1, 3, 3, 0},  {4, 4, 2, 2, 1, 2, 3, 0},  {4, 4, 2, 2, 1, 1, 3, 0},
        {4, 4, 2, 2, 1, 3, 4, 0},  {4, 4, 2, 2, 1, 3, -1, 0}, {4, 4, 2, 2, 1, 3, 3, 1},
        {4, 4, 2, 2, 1, 3, 3, -1}, {0, 0, 2, 2, 1, 3, 0, 0},  {4, 4, 2, 2, 0, 3, 0, 0}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal(decode_odd(&f, &odd[i]), PLIM_BAD_INPUT);
        assert_true(strstr(plim_message(f.context), "odd") ||
                    strstr(plim_message(f.context), "shapes.h5"));
    }
    close_fixture(&f);
}

/* ---- the folder of a run ---- */

static void write_run(const Fixture *f, Run *run, RunFolder *folder, uint64_t frames) {
    if (run_folder_create(f->context, f->folder, folder) != PLIM_OK ||
        run_folder_write_scene(folder, run->scene) != PLIM_OK ||
        run_folder_begin_tables(folder, run->world, false) != PLIM_OK)
        fail_msg("%s", plim_message(f->context));
    for (uint64_t frame = 0; frame <= frames; frame++) {
        double until = plim_scene_frame_time(run->scene, frame);
        while (plim_world_time(run->world) < until) {
            double before = plim_world_time(run->world);
            assert_int_equal(plim_world_substep(run->world, until), PLIM_OK);
            double dt = plim_world_time(run->world) - before;
            assert_int_equal(run_folder_add_row(folder, run->world, dt), PLIM_OK);
        }
        assert_int_equal(run_folder_write_frame(folder, run->world, frame), PLIM_OK);
        assert_int_equal(run_folder_write_state(folder, run->scene, run->world, frame), PLIM_OK);
    }
    assert_int_equal(run_folder_write_index(folder, plim_scene_fps(run->scene)), PLIM_OK);
}

static void assert_numbers(RunFolder *folder, const char *prefix, uint64_t first, size_t count) {
    FrameList list;
    assert_int_equal(run_folder_list(folder, prefix, &list), PLIM_OK);
    assert_int_equal(list.numbers.count, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(list.numbers.data[i], first + i);
    array_free(folder->context, &list.numbers);
}

static void runs_are_kept_in_folders(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "run");
    Run run = open_run(&f, NULL);
    RunFolder folder, second;
    write_text(&f, "frame_00099.h5", "left from an older run");
    write_text(&f, "frame_7.h5", "not ours");
    write_text(&f, "frame_-0001.h5", "not ours");
    write_run(&f, &run, &folder, 4);
    assert_numbers(&folder, "frame", 0, 5);
    assert_numbers(&folder, "state", 3, 2);
    /* One writer at a time; readers come and go. */
    assert_int_equal(run_folder_create(f.context, f.folder, &second), PLIM_BAD_INPUT);
    assert_message(&f, "another run");
    assert_int_equal(run_folder_reopen(f.context, f.folder, &second), PLIM_BAD_INPUT);
    assert_message(&f, "another run");
    assert_int_equal(run_folder_open(f.context, f.folder, &second), PLIM_OK);
    FrameData data;
    assert_int_equal(run_folder_load_frame(&second, 4, &data), PLIM_OK);
    assert_true(data.frame == 4 && data.time == plim_world_time(run.world));
    frame_data_free(f.context, &data);
    assert_int_equal(run_folder_load_frame(&second, 5, &data), PLIM_IO_ERROR);
    run_folder_close(&second);
    run_folder_close(&folder);
    assert_int_equal(run_folder_reopen(f.context, f.folder, &second), PLIM_OK);
    assert_int_equal(run_folder_forget_after(&second, 3), PLIM_OK);
    assert_numbers(&second, "frame", 0, 4);
    assert_numbers(&second, "state", 3, 1);
    assert_null(manifest_find(&second.manifest, "frame_00004.h5"));
    run_folder_close(&second);
    assert_int_equal(run_folder_create(f.context, f.folder, &second), PLIM_OK); /* a new run */
    assert_numbers(&second, "frame", 0, 0);
    assert_numbers(&second, "state", 0, 0);
    run_folder_close(&second);
    close_run(&run);
    close_fixture(&f);
}

/* Frames on the disk link to the shapes beside them, and read as if they were whole. */
static void frames_link_to_their_shapes(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "links");
    Run run = open_run(&f, NULL);
    RunFolder folder;
    write_run(&f, &run, &folder, 1);
    char path[PATH_CAPACITY];
    path_in(&f, "frame_00001.h5", path);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t triangles = H5Dopen2(file, "/rigid/triangles", H5P_DEFAULT);
    hid_t colors = H5Dopen2(file, "/rigid/colors", H5P_DEFAULT);
    int32_t corners[24][3];
    float color[2][3];
    assert_true(H5Dread(triangles, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, corners) >= 0);
    assert_true(H5Dread(colors, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, color) >= 0);
    for (size_t i = 0; i < 24; i++) assert_true(corners[i][0] / 8 == (i < 12 ? 0 : 1));
    assert_true(color[0][0] == 1 && color[0][1] == 0.5f && color[0][2] == 0);
    H5Dclose(triangles);
    H5Dclose(colors);
    H5Fclose(file);
    run_folder_close(&folder);
    close_run(&run);
    close_fixture(&f);
}

/* Changes a byte in the middle of a file. */
static void damage(const Fixture *f, const char *name) {
    char path[PATH_CAPACITY], *bytes;
    size_t size;
    path_in(f, name, path);
    assert_int_equal(file_read(f->context, path, &bytes, &size), PLIM_OK);
    bytes[size / 2] ^= 4;
    assert_int_equal(file_write(f->context, path, bytes, size, false), PLIM_OK);
    context_free(f->context, bytes, size + 1, 1);
}

static void damaged_states_fall_back(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "fallback");
    Run run = open_run(&f, NULL), again = open_run(&f, NULL);
    RunFolder folder;
    write_run(&f, &run, &folder, 3);
    uint64_t frame;
    bool found;
    assert_int_equal(
        run_folder_load_state(&folder, again.scene, again.world, UINT64_MAX, &frame, &found),
        PLIM_OK);
    assert_true(found && frame == 3);
    assert_int_equal(plim_world_hash(again.world), plim_world_hash(run.world));
    damage(&f, "state_00003.h5");
    assert_int_equal(
        run_folder_load_state(&folder, again.scene, again.world, UINT64_MAX, &frame, &found),
        PLIM_OK);
    assert_true(found && frame == 2 && f.warnings == 1);
    assert_non_null(strstr(f.warning, "state_00003.h5"));
    assert_int_equal(plim_world_advance(again.world, plim_world_time(run.world)), PLIM_OK);
    assert_int_equal(plim_world_hash(again.world), plim_world_hash(run.world));
    assert_int_equal(run_folder_load_state(&folder, again.scene, again.world, 1, &frame, &found),
                     PLIM_OK);
    assert_false(found);
    damage(&f, "state_00002.h5");
    assert_int_equal(
        run_folder_load_state(&folder, again.scene, again.world, UINT64_MAX, &frame, &found),
        PLIM_BAD_INPUT);
    assert_false(found);
    assert_message(&f, "damaged");
    damage(&f, "frame_00002.h5");
    FrameData data;
    assert_int_equal(run_folder_load_frame(&folder, 2, &data), PLIM_BAD_INPUT);
    assert_message(&f, "frame_00002.h5 is damaged");
    run_folder_close(&folder);
    close_run(&run);
    close_run(&again);
    close_fixture(&f);
}

static void states_of_other_scenes_are_refused(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "foreign");
    Run run = open_run(&f, NULL), moon = open_run(&f, "[0, -1.62, 0]");
    RunFolder folder;
    write_run(&f, &run, &folder, 1);
    uint64_t frame, hash = plim_world_hash(moon.world);
    bool found;
    assert_int_equal(
        run_folder_load_state(&folder, moon.scene, moon.world, UINT64_MAX, &frame, &found),
        PLIM_BAD_INPUT);
    assert_message(&f, "another scene");
    assert_false(found);
    assert_int_equal(plim_world_hash(moon.world), hash);
    assert_int_equal(scene_add_ancestor(moon.scene, run.scene->hash), PLIM_OK);
    assert_int_equal(
        run_folder_load_state(&folder, moon.scene, moon.world, UINT64_MAX, &frame, &found),
        PLIM_OK);
    assert_true(found);
    assert_int_equal(plim_world_hash(moon.world), plim_world_hash(run.world));
    run_folder_close(&folder);
    close_run(&run);
    close_run(&moon);
    close_fixture(&f);
}

static void runs_go_on_where_they_stopped(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "resume");
    Run run = open_run(&f, NULL), again = open_run(&f, NULL);
    RunFolder folder;
    write_run(&f, &run, &folder, 3);
    run_folder_close(&folder);
    char path[PATH_CAPACITY], *text;
    size_t size;
    path_in(&f, "probes.csv", path);
    assert_int_equal(file_read(f.context, path, &text, &size), PLIM_OK);
    /* Go back to frame 2 and compute the rest again: the same rows, none twice. */
    uint64_t frame;
    bool found;
    assert_int_equal(run_folder_reopen(f.context, f.folder, &folder), PLIM_OK);
    assert_int_equal(run_folder_load_state(&folder, again.scene, again.world, 2, &frame, &found),
                     PLIM_OK);
    assert_true(found && frame == 2);
    assert_int_equal(run_folder_begin_tables(&folder, again.world, true), PLIM_OK);
    while (plim_world_time(again.world) < plim_world_time(run.world)) {
        assert_int_equal(plim_world_substep(again.world, plim_world_time(run.world)), PLIM_OK);
        assert_int_equal(run_folder_add_row(&folder, again.world, 0), PLIM_OK);
    }
    assert_int_equal(run_folder_write_frame(&folder, again.world, 3), PLIM_OK);
    assert_text(&f, "probes.csv", text);
    assert_non_null(strstr(text, "time,brick.position.x,brick.position.y,brick.position.z,"
                                 "brick.mass\n0,0,0,0,6000\n"));
    assert_int_equal(plim_world_hash(again.world), plim_world_hash(run.world));
    context_free(f.context, text, size + 1, 1);
    run_folder_close(&folder);
    close_run(&run);
    close_run(&again);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_come_back),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(odd_frames_are_refused),
        cmocka_unit_test(runs_are_kept_in_folders),
        cmocka_unit_test(frames_link_to_their_shapes),
        cmocka_unit_test(damaged_states_fall_back),
        cmocka_unit_test(states_of_other_scenes_are_refused),
        cmocka_unit_test(runs_go_on_where_they_stopped),
    };
    return cmocka_run_group_tests(tests, make_base_folder, remove_base_folder);
}
