/* Grids in files: frames with and without smoke, obstacles at rest and moving, image data for VTK,
 * the table of contents for ParaView. */
#include "exported.h"

#include "io/run_folder.h"

enum { NX = 5, NY = 4, NZ = 3, CELLS = NX * NY * NZ };

typedef struct Values {
    float velocity[3 * CELLS], pressure[CELLS], smoke[CELLS], temperature[CELLS];
    float level[CELLS];
    int32_t solid[CELLS];
} Values;

/* Kind 0: bare; 1: smoke; 2: smoke and temperature; 3: those and obstacles that move; 4: as 3, and
 * the level of a liquid. */
enum { KINDS = 5 };

static FrameVolume make_volume(Values *values, int kind, int frame) {
    for (int i = 0; i < CELLS; i++) {
        for (int c = 0; c < 3; c++) values->velocity[3 * i + c] = (float)(i + 0.25 * c + frame);
        values->pressure[i] = (float)(10 * i - frame);
        values->smoke[i] = (float)(0.01 * i + frame);
        values->temperature[i] = (float)(300 + i);
        values->level[i] = (float)(0.5 * i - 7 + frame);
        values->solid[i] = i % 7 == (kind >= 3 ? frame : 0);
    }
    return (FrameVolume){.name = "fluid",
                         .dim = 3,
                         .n = {NX, NY, NZ},
                         .spacing = 0.125,
                         .origin = {-1, 2, 0.5},
                         .velocity = values->velocity,
                         .pressure = values->pressure,
                         .smoke = kind >= 1 ? values->smoke : NULL,
                         .temperature = kind >= 2 ? values->temperature : NULL,
                         .level = kind >= 4 ? values->level : NULL,
                         .solid = values->solid,
                         .solid_moves = kind >= 3};
}

static void assert_same_values(const FrameVolume *a, const FrameVolume *b) {
    assert_int_equal(b->dim, a->dim);
    assert_memory_equal(a->n, b->n, sizeof a->n);
    assert_memory_equal(a->origin, b->origin, sizeof a->origin);
    assert_memory_equal(a->velocity, b->velocity, 3 * CELLS * sizeof(float));
    assert_memory_equal(a->pressure, b->pressure, CELLS * sizeof(float));
    assert_memory_equal(a->solid, b->solid, CELLS * sizeof(int32_t));
    assert_int_equal(a->smoke != NULL, b->smoke != NULL);
    assert_int_equal(a->temperature != NULL, b->temperature != NULL);
    if (a->smoke) assert_memory_equal(a->smoke, b->smoke, CELLS * sizeof(float));
    if (a->temperature) assert_memory_equal(a->temperature, b->temperature, CELLS * sizeof(float));
    assert_int_equal(a->level != NULL, b->level != NULL);
    if (a->level) assert_memory_equal(a->level, b->level, CELLS * sizeof(float));
    assert_int_equal(a->solid_moves, b->solid_moves);
}

/* shapes.h5 is of frame 0; frame 3 reads back as it was. */
static void frames_come_back(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "frames");
    for (int kind = 0; kind < KINDS; kind++) {
        static Values first_values, values;
        FrameView first = {.volume_count = 1}, view = {.volume_count = 1};
        first.volumes[0] = make_volume(&first_values, kind, 0);
        view.volumes[0] = make_volume(&values, kind, 3);
        char *frame, *shapes;
        size_t frame_size, shapes_size;
        assert_int_equal(frame_file_encode(f.context, &view, 3, 0.125, &frame, &frame_size),
                         PLIM_OK);
        assert_int_equal(shapes_file_encode(f.context, &first, &shapes, &shapes_size), PLIM_OK);
        FrameData data;
        assert_int_equal(
            frame_file_decode(f.context, "frame", frame, frame_size, shapes, shapes_size, &data),
            PLIM_OK);
        assert_int_equal(data.view.volume_count, 1);
        assert_same_values(&view.volumes[0], &data.view.volumes[0]);
        frame_data_free(f.context, &data);
        context_free(f.context, frame, frame_size, 1);
        context_free(f.context, shapes, shapes_size, 1);
    }
    close_fixture(&f);
}

/* ---- image data ---- */

/* The array's place in the file: behind the first '_' of the appended data, after its length. */
static const char *find_array(const char *bytes, const char *name, size_t expected) {
    char tag[64];
    snprintf(tag, sizeof tag, "Name=\"%s\"", name);
    const char *line = strstr(bytes, tag),
               *begin = strstr(bytes, "<AppendedData encoding=\"raw\">");
    if (!line) return NULL;
    assert_non_null(begin);
    const char *offset = strstr(line, "offset=\"");
    assert_non_null(offset);
    const char *at = strchr(begin, '_') + 1 + strtoul(offset + 8, NULL, 10);
    uint64_t size;
    memcpy(&size, at, sizeof size);
    assert_int_equal(size, expected);
    return at + sizeof size;
}

static void check_image_data(const Fixture *f, const FrameVolume *volume) {
    char extent[64];
    FrameView view = {.volumes = {*volume}, .volume_count = 1};
    size_t size, cells = (size_t)volume->n[0] * (size_t)volume->n[1] * (size_t)volume->n[2];
    char *bytes = exported(f, "vtk", &view, "fluid_00007.vti", &size);
    snprintf(extent, sizeof extent, "Extent=\"0 %d 0 %d 0 %d\"", volume->n[0], volume->n[1],
             volume->dim == 3 ? volume->n[2] : 0);
    assert_non_null(strstr(bytes, extent));
    assert_non_null(strstr(bytes, "type=\"ImageData\""));
    assert_non_null(strstr(bytes, "Origin=\"-1 2 0.5\" Spacing=\"0.125 0.125 0.125\""));
    const char *velocity = find_array(bytes, "velocity", 12 * cells);
    const char *pressure = find_array(bytes, "pressure", 4 * cells);
    const char *smoke = find_array(bytes, "smoke", 4 * cells);
    const char *temperature = find_array(bytes, "temperature", 4 * cells);
    const char *level = find_array(bytes, "level", 4 * cells);
    const char *solid = find_array(bytes, "solid", 4 * cells);
    assert_memory_equal(velocity, volume->velocity, 12 * cells);
    assert_memory_equal(pressure, volume->pressure, 4 * cells);
    assert_memory_equal(solid, volume->solid, 4 * cells);
    assert_int_equal(smoke != NULL, volume->smoke != NULL);
    assert_int_equal(temperature != NULL, volume->temperature != NULL);
    if (smoke) assert_memory_equal(smoke, volume->smoke, 4 * cells);
    if (temperature) assert_memory_equal(temperature, volume->temperature, 4 * cells);
    assert_int_equal(level != NULL, volume->level != NULL);
    if (level) assert_memory_equal(level, volume->level, 4 * cells);
    /* Nothing but the end follows the last array. */
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    assert_string_equal(solid + 4 * cells, end);
    assert_int_equal((size_t)(solid - bytes) + 4 * cells + strlen(end), size);
    context_free(f->context, bytes, size + 1, 1);
}

static void image_data_can_be_read(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "vti");
    static Values values;
    for (int kind = 0; kind < KINDS; kind++) {
        FrameVolume volume = make_volume(&values, kind, 1);
        check_image_data(&f, &volume);
        volume.dim = 2;
        volume.n[2] = 1;
        check_image_data(&f, &volume);
    }
    close_fixture(&f);
}

/* ---- the table of contents ---- */

static void add_file(const Fixture *f, Manifest *manifest, const char *name, char *bytes,
                     size_t size) {
    char path[PATH_CAPACITY];
    path_in(f, name, path);
    assert_int_equal(file_write(f->context, path, bytes, size, false), PLIM_OK);
    assert_int_equal(manifest_add(f->context, f->folder, manifest, name, bytes, size), PLIM_OK);
    context_free(f->context, bytes, size, 1);
}

static void index_names_what_is_stored(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        Fixture f;
        char name[32], *bytes;
        snprintf(name, sizeof name, "index_%d", kind);
        open_fixture(&f, name);
        static Values values;
        FrameView view = {.volume_count = 1};
        view.volumes[0] = make_volume(&values, kind, 0);
        size_t size;
        RunFolder folder = {.context = f.context, .lock = -1};
        snprintf(folder.path, sizeof folder.path, "%s", f.folder);
        assert_int_equal(manifest_load(f.context, f.folder, &folder.manifest), PLIM_OK);
        assert_int_equal(frame_file_encode(f.context, &view, 0, 0, &bytes, &size), PLIM_OK);
        add_file(&f, &folder.manifest, "frame_00000.h5", bytes, size);
        assert_int_equal(shapes_file_encode(f.context, &view, &bytes, &size), PLIM_OK);
        add_file(&f, &folder.manifest, SHAPES_FILE, bytes, size);
        assert_int_equal(run_folder_write_index(&folder, 24), PLIM_OK);
        char path[PATH_CAPACITY];
        path_in(&f, "frames.xdmf", path);
        assert_int_equal(file_read(f.context, path, &bytes, &size), PLIM_OK);
        bool smoke = strstr(bytes, "frame_00000.h5:/fluid/smoke") != NULL;
        bool temperature = strstr(bytes, "frame_00000.h5:/fluid/temperature") != NULL;
        bool level = strstr(bytes, "frame_00000.h5:/fluid/level") != NULL;
        assert_int_equal(level, kind >= 4);
        assert_int_equal(smoke, kind >= 1);
        assert_int_equal(temperature, kind >= 2);
        assert_non_null(
            strstr(bytes, kind >= 3 ? "frame_00000.h5:/fluid/solid" : SHAPES_FILE ":/fluid/solid"));
        context_free(f.context, bytes, size + 1, 1);
        manifest_free(f.context, &folder.manifest);
        close_fixture(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(image_data_can_be_read),
        cmocka_unit_test(index_names_what_is_stored),
    };
    return cmocka_run_group_tests(tests, make_base_folder, remove_base_folder);
}
