/* Files: whole or not at all, read back as written, and refused when damaged. */
#include "exported.h"
#include "folder.h"

#include "io/run_folder.h"

#include <time.h>

/* ---- whole files ---- */

static void files_appear_whole(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "files");
    char path[PATH_CAPACITY], below[PATH_CAPACITY];
    for (int durable = 0; durable < 2; durable++) {
        path_in(&f, "note", path);
        assert_int_equal(file_write(f.context, path, "old", 3, durable), PLIM_OK);
        assert_text(&f, "note", "old");
        assert_int_equal(file_write(f.context, path, "", 0, durable), PLIM_OK);
        assert_text(&f, "note", "");
        assert_int_equal(file_write(f.context, path, "kept", 4, durable), PLIM_OK);
        assert_int_equal(count_files(&f), 1);
    }
    snprintf(below, sizeof below, "%.1000s/deeper", path);
    assert_int_equal(file_write(f.context, below, "x", 1, false), PLIM_IO_ERROR);
    assert_message(&f, below);
    assert_int_equal(folder_create(f.context, below), PLIM_BAD_INPUT);
    assert_int_equal(folder_create(f.context, path), PLIM_BAD_INPUT);
    assert_message(&f, "not a folder");
    assert_text(&f, "note", "kept");

    /* A folder in the place of the temporary file, and in the place of the file itself. */
    snprintf(below, sizeof below, "%.1000s.tmp", path);
    assert_int_equal(folder_create(f.context, below), PLIM_OK);
    assert_int_equal(file_write(f.context, path, "new", 3, false), PLIM_IO_ERROR);
    assert_text(&f, "note", "kept");
    path_in(&f, "folder/inner", path);
    assert_int_equal(folder_create(f.context, path), PLIM_OK);
    path_in(&f, "folder", path);
    assert_int_equal(file_write(f.context, path, "new", 3, false), PLIM_IO_ERROR);
    assert_int_equal(count_files(&f), 3);
    close_fixture(&f);
}

static void wrong_paths_are_refused(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "paths");
    char path[PATH_CAPACITY], *bytes;
    static char endless[2 * PATH_CAPACITY];
    size_t size;
    memset(endless, 'x', sizeof endless - 1);
    assert_int_equal(path_join(f.context, f.folder, endless, path), PLIM_BAD_INPUT);
    assert_message(&f, "too long");
    assert_int_equal(file_write(f.context, endless, "x", 1, false), PLIM_IO_ERROR);
    assert_message(&f, "too long");
    assert_int_equal(folder_create(f.context, endless), PLIM_BAD_INPUT);
    assert_int_equal(folder_create(f.context, ""), PLIM_BAD_INPUT);
    RunFolder folder;
    assert_int_equal(run_folder_create(f.context, endless, &folder), PLIM_BAD_INPUT);
    assert_int_equal(run_folder_open(f.context, endless, &folder), PLIM_BAD_INPUT);
    assert_int_equal(run_folder_open(f.context, f.folder, &folder), PLIM_BAD_INPUT);
    assert_message(&f, "no scene.yaml");
    path_in(&f, "absent", path);
    assert_false(file_exists(path));
    assert_int_equal(file_read(f.context, path, &bytes, &size), PLIM_IO_ERROR);
    assert_message(&f, "absent");
    assert_int_equal(file_read(f.context, f.folder, &bytes, &size), PLIM_IO_ERROR);
    close_fixture(&f);
}

/* ---- the manifest ---- */

static void manifests_remember(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "manifest");
    Manifest manifest;
    assert_int_equal(manifest_load(f.context, f.folder, &manifest), PLIM_OK);
    assert_int_equal(manifest.entries.count, 0);
    assert_int_equal(manifest_add(f.context, f.folder, &manifest, "a", "one", 3), PLIM_OK);
    assert_int_equal(manifest_add(f.context, f.folder, &manifest, "b", "two!", 4), PLIM_OK);
    assert_int_equal(manifest_add(f.context, f.folder, &manifest, "c", "", 0), PLIM_OK);
    assert_int_equal(manifest_add(f.context, f.folder, &manifest, "a", "three", 5), PLIM_OK);
    assert_int_equal(manifest_forget(f.context, f.folder, &manifest, "b"), PLIM_OK);
    assert_int_equal(manifest_forget(f.context, f.folder, &manifest, "unknown"), PLIM_OK);
    uint64_t hash = manifest_find(&manifest, "a")->hash;
    for (int saved = 0; saved < 2; saved++) { /* line by line, then as one file */
        if (saved) assert_int_equal(manifest_save(f.context, f.folder, &manifest), PLIM_OK);
        manifest_free(f.context, &manifest);
        assert_int_equal(manifest_load(f.context, f.folder, &manifest), PLIM_OK);
        assert_int_equal(manifest.entries.count, 2);
        assert_null(manifest_find(&manifest, "b"));
        assert_int_equal(manifest_find(&manifest, "a")->size, 5);
        assert_int_equal(manifest_find(&manifest, "a")->hash, hash);
        assert_int_equal(manifest_find(&manifest, "c")->size, 0);
    }
    manifest_remove(&manifest, "a");
    assert_null(manifest_find(&manifest, "a"));
    manifest_free(f.context, &manifest);
    close_fixture(&f);
}

static void broken_manifests_are_read_as_far_as_they_go(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "broken_manifest");
    Manifest manifest;
    write_text(&f, "manifest.txt",
               "a 3 00000000000000ff\n\nnonsense\nb x y\nb 4\n"
               "a_name_that_is_much_longer_than_any_name_that_a_run_gives_to_its_files.h5 3 1\n"
               "b 5 0000000000000001\na 0 0000000000000000\nc 7 00000000000000");
    assert_int_equal(manifest_load(f.context, f.folder, &manifest), PLIM_OK);
    assert_int_equal(manifest.entries.count, 1);
    assert_int_equal(manifest_find(&manifest, "b")->size, 5);
    assert_null(manifest_find(&manifest, "c")); /* a half line does not count */
    /* ... and does not spoil the line that is added behind it. */
    assert_int_equal(manifest_add(f.context, f.folder, &manifest, "d", "text", 4), PLIM_OK);
    manifest_free(f.context, &manifest);
    assert_int_equal(manifest_load(f.context, f.folder, &manifest), PLIM_OK);
    assert_int_equal(manifest.entries.count, 2);
    assert_int_equal(manifest_find(&manifest, "d")->size, 4);
    manifest_free(f.context, &manifest);
    close_fixture(&f);
}

/* ---- HDF5 ---- */

static const double doubles[6] = {1.0 / 3, -0.0, 1e308, 5e-324, -1e-100, 7};
static const float floats[6] = {1.0f / 3, 2, 3, 4, 5, 6};
static const int32_t integers[3] = {INT32_MIN, 0, INT32_MAX};
static const uint64_t naturals[2] = {UINT64_MAX, 1};

static void build_example(PlimContext *context, char **bytes, size_t *size) {
    H5Builder *file, *other;
    assert_int_equal(h5_builder_create(context, &file), PLIM_OK);
    assert_int_equal(h5_builder_create(context, &other),
                     PLIM_OK); /* two at a time are no trouble */
    h5_add_number(other, "/", "time", 2);
    h5_add_group(file, "/group");
    h5_add_data(file, "/group/doubles", H5_F64, 2, 3, doubles, "m");
    h5_add_data(file, "/group/floats", H5_F32, 3, 2, floats, NULL);
    h5_add_data(file, "/integers", H5_I32, 3, 1, integers, "1");
    h5_add_data(file, "/naturals", H5_U64, 2, 1, naturals, "1");
    h5_add_data(file, "/empty", H5_F64, 0, 3, NULL, "m");
    h5_add_data(file, "/nothing", H5_I32, 0, 1, NULL, NULL);
    h5_add_number(file, "/", "time", 0.1);
    h5_add_u64(file, "/group", "hash", UINT64_MAX - 1);
    h5_add_text(file, "/", "version", "0.1");
    assert_int_equal(h5_builder_finish(file, bytes, size), PLIM_OK);
    h5_builder_destroy(other);
    h5_builder_destroy(file);
}

static void h5_gives_back_what_it_got(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "h5");
    char *bytes;
    size_t size, rows, columns;
    build_example(f.context, &bytes, &size);
    H5Reader *file;
    assert_int_equal(h5_reader_create(f.context, "it.h5", bytes, size, &file), PLIM_OK);
    double d[6], time;
    float s[6];
    int32_t i[3];
    uint64_t n[2], hash;
    assert_int_equal(h5_read(file, "/group/doubles", H5_F64, 2, 3, d), PLIM_OK);
    assert_int_equal(h5_read(file, "/group/floats", H5_F32, 3, 2, s), PLIM_OK);
    assert_int_equal(h5_read(file, "/integers", H5_I32, 3, 1, i), PLIM_OK);
    assert_int_equal(h5_read(file, "/naturals", H5_U64, 2, 1, n), PLIM_OK);
    assert_memory_equal(d, doubles, sizeof d);
    assert_memory_equal(s, floats, sizeof s);
    assert_memory_equal(i, integers, sizeof i);
    assert_memory_equal(n, naturals, sizeof n);
    assert_int_equal(h5_size(file, "/empty", &rows, &columns), PLIM_OK);
    assert_true(rows == 0 && columns == 3);
    assert_int_equal(h5_read(file, "/empty", H5_F64, 0, 3, NULL), PLIM_OK);
    assert_int_equal(h5_size(file, "/nothing", &rows, &columns), PLIM_OK);
    assert_true(rows == 0 && columns == 1);
    assert_int_equal(h5_read_number(file, "/", "time", &time), PLIM_OK);
    assert_int_equal(h5_read_u64(file, "/group", "hash", &hash), PLIM_OK);
    assert_true(time == 0.1 && hash == UINT64_MAX - 1);
    assert_true(h5_has(file, "/group") && !h5_has(file, "/absent"));
    /* What is not there, or not so. */
    assert_int_equal(h5_read(file, "/integers", H5_I32, 2, 1, i), PLIM_BAD_INPUT);
    assert_message(&f, "it.h5: /integers is 3 x 1, expected 2 x 1");
    assert_int_equal(h5_read(file, "/absent", H5_I32, 2, 1, i), PLIM_BAD_INPUT);
    assert_int_equal(h5_size(file, "/group", &rows, &columns), PLIM_BAD_INPUT);
    assert_int_equal(h5_read_u64(file, "/", "absent", &hash), PLIM_BAD_INPUT);
    assert_int_equal(h5_read_u64(file, "/absent", "hash", &hash), PLIM_BAD_INPUT);
    assert_int_equal(h5_read_number(file, "/", "version", &time), PLIM_BAD_INPUT);
    assert_message(&f, "it.h5: version");
    h5_reader_destroy(file);
    context_free(f.context, bytes, size, 1);
    close_fixture(&f);
}

static void equal_content_gives_equal_bytes(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "equal");
    char *first, *second;
    size_t first_size, second_size;
    build_example(f.context, &first, &first_size);
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 50000000}, NULL); /* past a time stamp */
    build_example(f.context, &second, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    context_free(f.context, first, first_size, 1);
    context_free(f.context, second, second_size, 1);
    close_fixture(&f);
}

static void wrong_builds_are_reported(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "builds");
    for (int k = 0; k < 4; k++) {
        H5Builder *file;
        char *bytes;
        size_t size;
        assert_int_equal(h5_builder_create(f.context, &file), PLIM_OK);
        if (k == 0) h5_add_data(file, "/no/group", H5_I32, 3, 1, integers, NULL);
        if (k == 1) h5_add_number(file, "/absent", "time", 1);
        if (k == 2) h5_add_group(file, "/");
        if (k == 3) h5_add_link(file, "/no/group", "a.h5", "/b");
        h5_add_group(file, "/good");
        assert_int_not_equal(h5_builder_finish(file, &bytes, &size), PLIM_OK);
        h5_builder_destroy(file);
    }
    close_fixture(&f);
}

/* Files that HDF5 reads and we must not: arrays where a number is due, sizes beyond the file. */
static void strange_files_are_refused(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "strange");
    char path[PATH_CAPACITY], *bytes;
    path_in(&f, "strange.h5", path);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t many = 1000, huge[2] = {(hsize_t)1 << 60, 3};
    hid_t space = H5Screate_simple(1, &many, NULL), big = H5Screate_simple(2, huge, NULL);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {1, 3};
    H5Pset_chunk(properties, 2, chunk);
    H5Aclose(H5Acreate2(file, "time", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(
        H5Dcreate2(file, "vertices", H5T_NATIVE_FLOAT, big, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
    H5Sclose(space);
    H5Sclose(big);
    H5Fclose(file);
    size_t size, rows, columns;
    H5Reader *reader;
    double time = 0;
    uint64_t number = 0;
    assert_int_equal(file_read(f.context, path, &bytes, &size), PLIM_OK);
    assert_int_equal(h5_reader_create(f.context, "strange.h5", bytes, size, &reader), PLIM_OK);
    assert_int_equal(h5_read_number(reader, "/", "time", &time), PLIM_BAD_INPUT);
    assert_int_equal(h5_read_u64(reader, "/", "time", &number), PLIM_BAD_INPUT);
    assert_int_equal(h5_size(reader, "/vertices", &rows, &columns), PLIM_BAD_INPUT);
    h5_reader_destroy(reader);
    context_free(f.context, bytes, size + 1, 1);
    close_fixture(&f);
}

/* ---- tables ---- */

static void tables_grow_and_are_cut(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "tables");
    TableFile table;
    bool fresh;
    assert_int_equal(table_file_create(f.context, f.folder, "t.csv", "step,time,x", &table),
                     PLIM_OK);
    for (int i = 0; i < 4; i++) {
        table_file_value(&table, i, true);
        table_file_value(&table, 0.1 * i, false);
        table_file_value(&table, i == 2 ? NAN : 1e15 + i, false);
        table_file_end_row(&table);
        if (i % 2) assert_int_equal(table_file_flush(&table), PLIM_OK);
    }
    table_file_free(&table);
    static const char rows[] = "step,time,x\n0,0,1000000000000000\n"
                               "1,0.10000000000000001,1000000000000001\n";
    char longer[256];
    snprintf(longer, sizeof longer, "%s2,0.20000000000000001,nan\n3,0.30000000000000004,%s", rows,
             "1000000000000003\n");
    assert_text(&f, "t.csv", longer);
    /* Up to and including the time; half rows and nonsense behind it go as well. */
    static const char *const tails[] = {"",       "2,0.1",  "2,0.2,3\n", "2\n3,0.1,4\n",
                                        "2,,3\n", "x,y,z\n"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        snprintf(longer, sizeof longer, "%s%s", rows, tails[i]);
        write_text(&f, "t.csv", longer);
        assert_int_equal(
            table_file_continue(f.context, f.folder, "t.csv", "step,time,x", 0.1, &table, &fresh),
            PLIM_OK);
        assert_false(fresh);
        assert_text(&f, "t.csv", rows);
        table_file_free(&table);
    }
    close_fixture(&f);
}

static void other_tables_are_started_anew(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "other_tables");
    TableFile table;
    bool fresh;
    static const char *const old[] = {"time,y\n0,1\n", "time,xx\n0,1\n", "time", "time,x", ""};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        write_text(&f, "t.csv", old[i]);
        assert_int_equal(
            table_file_continue(f.context, f.folder, "t.csv", "time,x", 1, &table, &fresh),
            PLIM_OK);
        assert_true(fresh);
        assert_int_equal(f.warnings, i + 1);
        assert_text(&f, "t.csv", "time,x\n");
        table_file_free(&table);
    }
    assert_int_equal(table_file_continue(f.context, f.folder, "new.csv", "time", 1, &table, &fresh),
                     PLIM_OK);
    assert_true(fresh);
    assert_text(&f, "new.csv", "time\n");
    table_file_value(&table, 3, true);
    table_file_end_row(&table);
    remove_tree(f.folder);
    assert_int_equal(table_file_flush(&table), PLIM_IO_ERROR);
    assert_message(&f, "new.csv");
    table_file_free(&table);
    assert_int_equal(table_file_create(f.context, f.folder, "t.csv", "a", &table), PLIM_IO_ERROR);
    table_file_free(&table);
    close_fixture(&f);
}

static void tables_are_read(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "read_tables");
    char path[PATH_CAPACITY];
    path_in(&f, "t.csv", path);
    write_text(&f, "t.csv", "time,a.x,b\n1,2,3\n4,,-6e-1\n7\n,8,inf\n9,10,11,12\n13,1");
    Table table;
    assert_int_equal(table_read(f.context, path, &table), PLIM_OK);
    assert_int_equal(table.columns, 3);
    assert_int_equal(table.rows, 5);
    assert_string_equal(table_column_name(&table, 0), "time");
    assert_string_equal(table_column_name(&table, 1), "a.x");
    assert_string_equal(table_column_name(&table, 2), "b");
    static const double expected[3][5] = {
        {1, 4, 7, NAN, 9}, {2, NAN, NAN, 8, 10}, {3, -0.6, NAN, INFINITY, 11}};
    for (size_t column = 0; column < 3; column++)
        for (size_t row = 0; row < 5; row++) {
            double value = table.values[column * 5 + row], wanted = expected[column][row];
            if (!(value == wanted || (isnan(value) && isnan(wanted))))
                fail_msg("column %zu, row %zu: %g, expected %g", column, row, value, wanted);
        }
    table_free(f.context, &table);
    write_text(&f, "t.csv", "time,x\n");
    assert_int_equal(table_read(f.context, path, &table), PLIM_OK);
    assert_true(table.columns == 2 && table.rows == 0);
    table_free(f.context, &table);
    write_text(&f, "t.csv", "time,x");
    assert_int_equal(table_read(f.context, path, &table), PLIM_BAD_INPUT);
    assert_message(&f, "no header");
    close_fixture(&f);
}

/* ---- frames for other programs ---- */

static FrameView view_of(const FrameMesh *mesh) {
    return (FrameView){.meshes = {*mesh}, .mesh_count = 1};
}

/* A file a body, of its own vertices. */
static void ply_can_be_read(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "ply");
    size_t size;
    FrameView view = view_of(&example_mesh);
    char *bytes = exported(&f, "ply", &view, "rigid_1_00007.ply", &size);
    assert_memory_equal(bytes, "ply\nformat binary_little_endian 1.0\n", 36);
    behind(bytes, size, "element vertex 3\nproperty float x\n");
    behind(bytes, size, "element face 1\nproperty list uchar int vertex_indices\n");
    const char *data = behind(bytes, size, "end_header\n");
    assert_int_equal(bytes + size - data, 3 * 27 + 13);
    assert_memory_equal(data + 2 * 27, corners + 9, 12);
    assert_memory_equal(data + 2 * 27 + 12, speeds + 9, 12);
    assert_memory_equal(data + 2 * 27 + 24, "\x00\xFF\x00", 3);
    const int32_t wanted[3] = {0, 1, 2};
    assert_int_equal(data[3 * 27], 3);
    assert_memory_equal(data + 3 * 27 + 1, wanted, 12);
    context_free(f.context, bytes, size + 1, 1);
    close_fixture(&f);
}

static void obj_can_be_read(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "obj");
    size_t size;
    FrameView view = view_of(&example_mesh);
    char *bytes = exported(&f, "obj", &view, "rigid_0_00007.obj", &size);
    assert_string_equal(bytes, "# Plimsoll\no rigid 0\nv 0 0 0\nv 1.5 0 0\nv 0 2 0\nf 1 3 2\n");
    context_free(f.context, bytes, size + 1, 1);
    close_fixture(&f);
}

/* Bodies behind one another: vertices that two share are each one's own. */
static void vtk_can_be_read(void **state) {
    (void)state;
    static const int32_t connectivity[6] = {0, 2, 1, 3, 4, 5}, ends[2] = {3, 6};
    static const unsigned char colors[6] = {255, 128, 0, 0, 255, 0};
    Fixture f;
    open_fixture(&f, "vtk");
    size_t size;
    FrameView view = view_of(&example_mesh);
    char *bytes = exported(&f, "vtk", &view, "rigid_00007.vtu", &size);
    behind(bytes, size, "type=\"UnstructuredGrid\"");
    behind(bytes, size, "NumberOfPoints=\"6\" NumberOfCells=\"2\"");
    behind(bytes, size, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.5<");
    behind(bytes, size, "Name=\"object.rigid 1\" NumberOfTuples=\"1\" format=\"ascii\">1<");
    assert_appended(&f, bytes, "connectivity", connectivity, sizeof connectivity);
    assert_appended(&f, bytes, "offsets", ends, sizeof ends);
    assert_appended(&f, bytes, "types", "\5\5", 2);
    assert_appended(&f, bytes, "object", owners, sizeof owners);
    assert_appended(&f, bytes, "color", colors, sizeof colors);
    float *places = appended(&f, bytes, "position", 72), *v = appended(&f, bytes, "velocity", 72);
    assert_memory_equal(places + 2 + 15, corners + 9, 12);
    assert_memory_equal(v + 2 + 15, speeds + 9, 12);
    context_free(f.context, places, 81, 1);
    context_free(f.context, v, 81, 1);
    context_free(f.context, bytes, size + 1, 1);
    char path[PATH_CAPACITY];
    path_in(&f, "rigid.pvd", path);
    assert_int_equal(file_read(f.context, path, &bytes, &size), PLIM_OK);
    behind(bytes, size, "<DataSet timestep=\"0.5\" part=\"0\" file=\"rigid_00007.vtu\"/>\n");
    context_free(f.context, bytes, size + 1, 1);
    snprintf(f.folder, sizeof f.folder, "/nowhere");
    assert_int_equal(export_view(&f, "vtk", &view), PLIM_IO_ERROR);
    close_fixture(&f);
}

/* Stretch and stress stand behind the velocities, each only where it is there. */
static void deformable_values_are_exported(void **state) {
    (void)state;
    static const float stretch[4] = {1, 1.25f, 1.5f, 2}, stress[4] = {0, 10, -0.5f, 4e5f};
    static const int32_t one[2] = {0, 0};
    Fixture f;
    open_fixture(&f, "values");
    char *bytes;
    size_t size;
    FrameMesh mesh = example_mesh;
    mesh.object_count = 1;
    mesh.objects = one;
    mesh.stress = stress;
    FrameView view = view_of(&mesh);
    bytes = exported(&f, "ply", &view, "rigid_00007.ply", &size);
    behind(bytes, size, "property float vz\nproperty float stress\nproperty uchar red\n");
    const char *data = behind(bytes, size, "end_header\n");
    assert_int_equal(bytes + size - data, 4 * 31 + 2 * 13);
    assert_memory_equal(data + 3 * 31 + 24, stress + 3, 4);
    context_free(f.context, bytes, size + 1, 1);

    mesh.stretch = stretch;
    view = view_of(&mesh);
    bytes = exported(&f, "ply", &view, "rigid_00007.ply", &size);
    behind(bytes, size, "property float stretch\nproperty float stress\n");
    data = behind(bytes, size, "end_header\n");
    assert_memory_equal(data + 35 + 12, speeds + 3, 12);
    assert_memory_equal(data + 35 + 24, stretch + 1, 4);
    assert_memory_equal(data + 35 + 28, stress + 1, 4);
    context_free(f.context, bytes, size + 1, 1);

    bytes = exported(&f, "vtk", &view, "rigid_00007.vtu", &size);
    assert_appended(&f, bytes, "stretch", stretch, sizeof stretch);
    assert_appended(&f, bytes, "stress", stress, sizeof stress);
    context_free(f.context, bytes, size + 1, 1);
    close_fixture(&f);
}

/* Half-spaces have no end. */
static void ground_is_left_out(void **state) {
    (void)state;
    static const int32_t kinds[2] = {FRAME_UNBOUNDED, FRAME_FREE};
    Fixture f;
    open_fixture(&f, "ground");
    size_t size;
    FrameMesh mesh = example_mesh;
    mesh.kinds = kinds;
    FrameView view = view_of(&mesh);
    char *bytes = exported(&f, "vtk", &view, "rigid_00007.vtu", &size);
    behind(bytes, size, "NumberOfPoints=\"3\" NumberOfCells=\"1\"");
    assert_appended(&f, bytes, "object", owners + 1, sizeof *owners);
    context_free(f.context, bytes, size + 1, 1);
    bytes = exported(&f, "ply", &view, "rigid_1_00007.ply", &size);
    context_free(f.context, bytes, size + 1, 1);
    char path[PATH_CAPACITY];
    path_in(&f, "rigid_0_00007.ply", path);
    assert_false(file_exists(path));
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_appear_whole),
        cmocka_unit_test(wrong_paths_are_refused),
        cmocka_unit_test(manifests_remember),
        cmocka_unit_test(broken_manifests_are_read_as_far_as_they_go),
        cmocka_unit_test(h5_gives_back_what_it_got),
        cmocka_unit_test(equal_content_gives_equal_bytes),
        cmocka_unit_test(wrong_builds_are_reported),
        cmocka_unit_test(strange_files_are_refused),
        cmocka_unit_test(tables_grow_and_are_cut),
        cmocka_unit_test(other_tables_are_started_anew),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(ply_can_be_read),
        cmocka_unit_test(obj_can_be_read),
        cmocka_unit_test(vtk_can_be_read),
        cmocka_unit_test(deformable_values_are_exported),
        cmocka_unit_test(ground_is_left_out),
    };
    return cmocka_run_group_tests(tests, make_base_folder, remove_base_folder);
}
