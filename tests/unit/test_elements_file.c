/* Finite elements in files: frames come back the same, other programs get tetrahedra or triangles,
 * damaged ones are refused. */
#include "exported.h"

static const int32_t tets[8] = {0, 1, 2, 3, 3, 2, 1, 0};
static const float stretches[2] = {1.5f, 1}, stresses[2] = {1e5f, 0.25f};

static FrameElements make_elements(bool are_tets) {
    return (FrameElements){.name = "deformable_elements",
                           .node_count = 4,
                           .element_count = 2,
                           .nodes = corners,
                           .velocities = speeds,
                           .stretch = stretches,
                           .stress = stresses,
                           .tetrahedra = are_tets ? tets : NULL,
                           .triangles = are_tets ? NULL : faces,
                           .objects = owners};
}

/* Through a frame file and shapes.h5. */
static PlimStatus pass_through(const Fixture *f, const FrameElements *elements, FrameData *data) {
    FrameView view = {.elements = {*elements}, .elements_count = 1};
    char *frame, *shapes;
    size_t frame_size, shapes_size;
    assert_int_equal(shapes_file_encode(f->context, &view, &shapes, &shapes_size), PLIM_OK);
    assert_int_equal(frame_file_encode(f->context, &view, 3, 0.5, &frame, &frame_size), PLIM_OK);
    PlimStatus status =
        frame_file_decode(f->context, "it", frame, frame_size, shapes, shapes_size, data);
    context_free(f->context, frame, frame_size, 1);
    context_free(f->context, shapes, shapes_size, 1);
    return status;
}

static void elements_come_back(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "elements");
    for (int k = 0; k < 2; k++) {
        FrameElements a = make_elements(k == 0);
        FrameData data;
        assert_int_equal(pass_through(&f, &a, &data), PLIM_OK);
        assert_true(data.view.elements_count == 1 && data.view.mesh_count == 0);
        const FrameElements *b = &data.view.elements[0];
        assert_string_equal(b->name, a.name);
        assert_true(b->node_count == 4 && b->element_count == 2);
        assert_true((b->tetrahedra == NULL) == (k == 1) && (b->triangles == NULL) == (k == 0));
        assert_memory_equal(a.nodes, b->nodes, sizeof corners);
        assert_memory_equal(a.velocities, b->velocities, sizeof speeds);
        assert_memory_equal(a.stretch, b->stretch, sizeof stretches);
        assert_memory_equal(a.stress, b->stress, sizeof stresses);
        assert_memory_equal(a.objects, b->objects, sizeof owners);
        if (k == 0)
            assert_memory_equal(a.tetrahedra, b->tetrahedra, sizeof tets);
        else
            assert_memory_equal(a.triangles, b->triangles, sizeof faces);
        frame_data_free(f.context, &data);
    }
    close_fixture(&f);
}

static void damaged_elements_are_refused(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "damaged_elements");
    static const int32_t beyond[8] = {0, 1, 2, 3, 3, 2, 4, 0}, below[8] = {0, 1, 2, -1};
    const int32_t *const wrong[] = {beyond, below, NULL};
    for (int k = 0; k < 3; k++) {
        FrameElements elements = make_elements(true);
        FrameData data;
        elements.tetrahedra = wrong[k];
        assert_int_equal(pass_through(&f, &elements, &data), PLIM_BAD_INPUT);
        assert_message(&f, k < 2 ? "names a node that does not exist" : "have no corners");
    }
    close_fixture(&f);
}

static void elements_can_be_read_by_others(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, "elements_vtk");
    for (int k = 0; k < 2; k++) {
        static const int32_t ends[2][2] = {{4, 8}, {3, 6}};
        FrameView view = {.elements = {make_elements(k == 0)}, .elements_count = 1};
        size_t size;
        char *bytes = exported(&f, "vtk", &view, "deformable_elements_00007.vtu", &size);
        behind(bytes, size, "NumberOfPoints=\"4\" NumberOfCells=\"2\"");
        assert_appended(&f, bytes, "connectivity", k == 0 ? tets : faces, k == 0 ? 32 : 24);
        assert_appended(&f, bytes, "offsets", ends[k], sizeof ends[k]);
        assert_appended(&f, bytes, "types", k == 0 ? "\12\12" : "\5\5", 2);
        assert_appended(&f, bytes, "object", owners, sizeof owners);
        assert_appended(&f, bytes, "stress", stresses, sizeof stresses);
        assert_appended(&f, bytes, "stretch", stretches, sizeof stretches);
        assert_appended(&f, bytes, "velocity", speeds, sizeof speeds);
        assert_appended(&f, bytes, "position", corners, sizeof corners);
        context_free(f.context, bytes, size + 1, 1);
    }
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_come_back),
        cmocka_unit_test(damaged_elements_are_refused),
        cmocka_unit_test(elements_can_be_read_by_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
