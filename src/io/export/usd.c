/* Universal Scene Description (OpenUSD), a run as run.usda and what it refers to.
 *
 * A rigid body is a transform over time with a mesh about its centre of mass; one that deforms is a
 * mesh with points over time. Surfaces of liquids and drops have other numbers of points in every
 * frame: they are in a file a frame, which value clips join over /run. A frame that is exported by
 * itself holds all in one file, because not every reader knows clips. */
#include "io/export/formats.h"
#include "io/export/names.h"
#include "io/export/objects.h"
#include "io/export/usd_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef ARRAY(double) Doubles;

enum { POSE_KEY = 13 }; /* place, rotation w, x, y, z, velocity, angular velocity */

/* What an object is written from. */
typedef struct UsdTrack {
    ExportName name;
    ExportFloats rest;               /* 3 a vertex, of a rigid one about its axes */
    Doubles poses;                   /* POSE_KEY a frame */
    ExportFloats points, velocities; /* 3 a vertex and frame, of one that deforms */
} UsdTrack;

/* A group of the frame whose size is another in every frame. */
typedef struct UsdSeries {
    ExportName name;
    char group[SYSTEM_NAME_CAPACITY + 32];
    bool is_points;
    float color[3]; /* of a surface */
} UsdSeries;

typedef struct Usd {
    ExportJob job;
    ExportNames names;
    ExportObjects objects;
    UsdTrack *tracks; /* one an object */
    ARRAY(UsdSeries) series;
    Doubles codes;           /* time code of each frame */
    ARRAY(uint64_t) numbers; /* of each frame */
    Text only;               /* series of the only frame */
    bool failed;             /* memory ran out */
} Usd;

static PlimStatus create(const ExportJob *job, void **out) {
    Usd *usd = *out = context_allocate(job->context, 1, sizeof *usd);
    if (!usd) return PLIM_OUT_OF_MEMORY;
    *usd = (Usd){.job = *job};
    text_init(&usd->only, job->context);
    return PLIM_OK;
}

static void destroy(void *exporter) {
    Usd *usd = exporter;
    if (!usd) return;
    PlimContext *context = usd->job.context;
    for (size_t i = 0; usd->tracks && i < usd->objects.count; i++) {
        array_free(context, &usd->tracks[i].rest);
        array_free(context, &usd->tracks[i].poses);
        array_free(context, &usd->tracks[i].points);
        array_free(context, &usd->tracks[i].velocities);
    }
    context_free(context, usd->tracks, usd->objects.count, sizeof *usd->tracks);
    export_objects_free(context, &usd->objects);
    array_free(context, &usd->names);
    array_free(context, &usd->series);
    array_free(context, &usd->codes);
    array_free(context, &usd->numbers);
    text_free(&usd->only);
    context_free(context, usd, 1, sizeof *usd);
}

/* ---- what is the same in all files ---- */

static void add_code(Text *to, double code) {
    text_add(to, "%.17g", code);
}

static void add_header(const Usd *usd, Text *to, double first, double last) {
    text_add(to,
             "#usda 1.0\n(\n    defaultPrim = \"run\"\n    metersPerUnit = %.17g\n"
             "    upAxis = \"%s\"\n    timeCodesPerSecond = %.17g\n    framesPerSecond = %.17g\n"
             "    startTimeCode = ",
             1 / usd->job.scale, usd->job.z_up ? "Z" : "Y", usd->job.rate, usd->job.rate);
    add_code(to, first);
    text_add(to, "\n    endTimeCode = ");
    add_code(to, last);
    text_add(to, "\n)\n\n");
}

static PlimStatus write_file(const Usd *usd, const Text *text, const char *path) {
    if (text->failed) return PLIM_OUT_OF_MEMORY;
    return file_write(usd->job.context, path, text_string(text), text->bytes.count, false);
}

/* ---- frames: series, to files of their own ---- */

static const FrameMesh *mesh_of(const FrameView *view, const UsdSeries *series) {
    for (size_t i = 0; i < view->mesh_count; i++)
        if (strcmp(view->meshes[i].name, series->group) == 0) return &view->meshes[i];
    return NULL;
}

static const FramePoints *points_of(const FrameView *view, const UsdSeries *series) {
    for (size_t i = 0; i < view->points_count; i++)
        if (strcmp(view->points[i].name, series->group) == 0) return &view->points[i];
    return NULL;
}

static void begin_sample(Text *to, const char *attribute, double code) {
    text_add(to, "        %s.timeSamples = {\n            ", attribute);
    add_code(to, code);
    text_add(to, ": ");
}

static void end_sample(Text *to) {
    text_add(to, ",\n        }\n");
}

static void add_float_sample(Text *to, const char *attribute, double code, const float *values,
                             size_t rows, size_t columns) {
    begin_sample(to, attribute, code);
    usd_add_floats(to, values, rows, columns);
    end_sample(to);
}

static void add_extent_sample(Text *to, double code, const float *places, const float *radii,
                              size_t count) {
    begin_sample(to, "float3[] extent", code);
    usd_add_extent(to, places, radii, count);
    end_sample(to);
}

static void add_surface(Text *to, const UsdSeries *series, const FrameMesh *mesh, double code) {
    text_add(to, "    def Mesh \"%s\"\n    {\n", series->name.text);
    usd_add_look(to, series->color, "        ");
    add_extent_sample(to, code, mesh->vertices, NULL, mesh->vertex_count);
    begin_sample(to, "int[] faceVertexCounts", code);
    usd_add_counts(to, mesh->triangle_count);
    end_sample(to);
    begin_sample(to, "int[] faceVertexIndices", code);
    usd_add_indices(to, mesh->triangles, mesh->triangle_count);
    end_sample(to);
    add_float_sample(to, "point3f[] points", code, mesh->vertices, mesh->vertex_count, 3);
    add_float_sample(to, "vector3f[] velocities", code, mesh->velocities, mesh->vertex_count, 3);
    text_add(to, "    }\n");
}

static void add_drops(Usd *usd, Text *to, const UsdSeries *series, const FramePoints *points,
                      double code) {
    ExportFloats widths = {0};
    for (size_t i = 0; i < points->count; i++)
        usd->failed |= !array_push(usd->job.context, &widths, 2 * points->radii[i]);
    text_add(to, "    def Points \"%s\"\n    {\n", series->name.text);
    add_extent_sample(to, code, points->positions, points->radii, points->count);
    add_float_sample(to, "point3f[] points", code, points->positions, points->count, 3);
    add_float_sample(to, "vector3f[] velocities", code, points->velocities, points->count, 3);
    if (!usd->failed) add_float_sample(to, "float[] widths", code, widths.data, points->count, 1);
    text_add(to, "    }\n");
    array_free(usd->job.context, &widths);
}

static void add_series(Usd *usd, Text *to, const FrameView *view, double code) {
    for (size_t i = 0; i < usd->series.count; i++) {
        const UsdSeries *series = &usd->series.data[i];
        const FrameMesh *mesh = mesh_of(view, series);
        const FramePoints *points = points_of(view, series);
        if (series->is_points && points) add_drops(usd, to, series, points, code);
        if (!series->is_points && mesh) add_surface(to, series, mesh, code);
    }
}

/* FOLDER/run_00042.usda */
static PlimStatus write_series(Usd *usd, const FrameData *frame, double code) {
    char path[PATH_CAPACITY];
    Text text;
    TRY(export_file_path(&usd->job, "run", frame->frame, "usda", path));
    text_init(&text, usd->job.context);
    add_header(usd, &text, code, code);
    text_add(&text, "def Xform \"run\"\n{\n");
    add_series(usd, &text, &frame->view, code);
    text_add(&text, "}\n");
    PlimStatus status = write_file(usd, &text, path);
    text_free(&text);
    return status;
}

/* ---- frames: objects, kept until the end ---- */

/* `mesh` is NULL for points. */
static PlimStatus add_one_series(Usd *usd, const char *group, const FrameMesh *mesh) {
    UsdSeries series = {.is_points = mesh == NULL};
    if (mesh && mesh->object_count > 0) memcpy(series.color, mesh->colors, sizeof series.color);
    snprintf(series.group, sizeof series.group, "%s", group);
    if (!export_names_add(usd->job.context, &usd->names, group, &series.name) ||
        !array_push(usd->job.context, &usd->series, series))
        return PLIM_OUT_OF_MEMORY;
    return PLIM_OK;
}

static void keep_vec3(Usd *usd, ExportFloats *to, Vec3 a) {
    PlimContext *context = usd->job.context;
    if (!array_push(context, to, (float)a.x) || !array_push(context, to, (float)a.y) ||
        !array_push(context, to, (float)a.z))
        usd->failed = true;
}

static PlimStatus begin(Usd *usd, const FrameData *frame) {
    PlimContext *context = usd->job.context;
    const FrameView *view = &frame->view;
    TRY(export_objects_find(context, view, false, &usd->objects));
    usd->tracks = context_allocate(context, usd->objects.count, sizeof *usd->tracks);
    if (!usd->tracks) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < usd->objects.count; i++) {
        const ExportObject *object = &usd->objects.data[i];
        if (!export_names_add(context, &usd->names, object->name, &usd->tracks[i].name))
            return PLIM_OUT_OF_MEMORY;
        for (size_t k = 0; k < object->sources.count; k++)
            keep_vec3(usd, &usd->tracks[i].rest, export_object_rest(object, view, k));
    }
    for (size_t i = 0; i < view->mesh_count; i++)
        if (view->meshes[i].changes)
            TRY(add_one_series(usd, view->meshes[i].name, &view->meshes[i]));
    for (size_t i = 0; i < view->points_count; i++)
        TRY(add_one_series(usd, view->points[i].name, NULL));
    return PLIM_OK;
}

static void keep_pose(Usd *usd, const ExportObject *object, UsdTrack *track,
                      const FrameMesh *mesh) {
    const double *pose = mesh->poses + 7 * object->object;
    double key[POSE_KEY] = {pose[0], pose[1], pose[2]};
    size_t at = track->poses.count;
    quat_store(key + 3, export_turn(pose, at ? quat_load(track->poses.data + at - POSE_KEY + 3)
                                             : (Quat){0}));
    if (mesh->motions) memcpy(key + 7, mesh->motions + 6 * object->object, 6 * sizeof *key);
    for (size_t k = 0; k < POSE_KEY; k++)
        usd->failed |= !array_push(usd->job.context, &track->poses, key[k]);
}

static void keep_points(Usd *usd, const ExportObject *object, UsdTrack *track,
                        const FrameView *view) {
    const float *velocities = view->meshes[object->mesh].velocities;
    for (size_t k = 0; k < object->sources.count; k++) {
        const float *v = velocities + 3 * (size_t)object->sources.data[k];
        keep_vec3(usd, &track->points, export_object_vertex(object, view, k));
        keep_vec3(usd, &track->velocities, vec3((double)v[0], (double)v[1], (double)v[2]));
    }
}

/* Whole, where it is a frame's number but for rounding. */
static double code_of(const Usd *usd, const FrameData *frame) {
    double code = frame->time * usd->job.rate, whole = round(code);
    return fabs(code - whole) < 1e-6 ? whole : code;
}

static PlimStatus add(void *exporter, const FrameData *frame) {
    Usd *usd = exporter;
    PlimContext *context = usd->job.context;
    if (usd->codes.count == 0) TRY(begin(usd, frame));
    double code = code_of(usd, frame);
    if (!array_push(context, &usd->codes, code) ||
        !array_push(context, &usd->numbers, frame->frame))
        return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < usd->objects.count && !usd->failed; i++) {
        const ExportObject *object = &usd->objects.data[i];
        TRY(export_object_check(context, object, frame));
        if (object->is_rigid)
            keep_pose(usd, object, &usd->tracks[i], &frame->view.meshes[object->mesh]);
        else
            keep_points(usd, object, &usd->tracks[i], &frame->view);
    }
    if (usd->job.frames == 1)
        add_series(usd, &usd->only, &frame->view, code);
    else if (usd->series.count > 0)
        TRY(write_series(usd, frame, code));
    return usd->failed ? PLIM_OUT_OF_MEMORY : PLIM_OK;
}

/* ---- the file: objects ---- */

/* One value where nothing moves, else one a frame: `add_value` writes that of frame k. */
static void add_over_time(const Usd *usd, const UsdTrack *track, Text *to, const char *attribute,
                          bool moves,
                          void (*add_value)(const UsdTrack *track, Text *to, size_t k)) {
    if (!moves) {
        text_add(to, "        %s = ", attribute);
        add_value(track, to, 0);
        text_add(to, "\n");
        return;
    }
    text_add(to, "        %s.timeSamples = {\n", attribute);
    for (size_t k = 0; k < usd->codes.count; k++) {
        text_add(to, "            ");
        add_code(to, usd->codes.data[k]);
        text_add(to, ": ");
        add_value(track, to, k);
        text_add(to, ",\n");
    }
    text_add(to, "        }\n");
}

static void value_place(const UsdTrack *track, Text *to, size_t k) {
    const double *p = track->poses.data + POSE_KEY * k;
    text_add(to, "(%.17g, %.17g, %.17g)", p[0], p[1], p[2]);
}

static void value_turn(const UsdTrack *track, Text *to, size_t k) {
    const double *q = track->poses.data + POSE_KEY * k + 3;
    text_add(to, "(%.9g, %.9g, %.9g, %.9g)", q[0], q[1], q[2], q[3]);
}

static void value_velocity(const UsdTrack *track, Text *to, size_t k) {
    const double *v = track->poses.data + POSE_KEY * k + 7;
    text_add(to, "(%.9g, %.9g, %.9g)", v[0], v[1], v[2]);
}

static void value_angular_velocity(const UsdTrack *track, Text *to, size_t k) {
    const double *v = track->poses.data + POSE_KEY * k + 10;
    text_add(to, "(%.9g, %.9g, %.9g)", v[0], v[1], v[2]);
}

static size_t vertex_count(const UsdTrack *track) {
    return track->rest.count / 3;
}

static void value_points(const UsdTrack *track, Text *to, size_t k) {
    usd_add_floats(to, track->points.data + track->rest.count * k, vertex_count(track), 3);
}

static void value_velocities(const UsdTrack *track, Text *to, size_t k) {
    usd_add_floats(to, track->velocities.data + track->rest.count * k, vertex_count(track), 3);
}

static void value_extent(const UsdTrack *track, Text *to, size_t k) {
    usd_add_extent(to, track->points.data + track->rest.count * k, NULL, vertex_count(track));
}

static void begin_prim(Text *to, const char *type, const ExportObject *object,
                       const UsdTrack *track) {
    text_add(to, "    def %s \"%s\" (\n        displayName = ", type, track->name.text);
    usd_add_string(to, object->name);
    text_add(to, "\n    )\n    {\n");
}

static void add_faces(Text *to, const ExportObject *object, const char *indent) {
    size_t triangles = object->corners.count / 3;
    usd_add_look(to, object->color, indent);
    text_add(to, "%sint[] faceVertexCounts = ", indent);
    usd_add_counts(to, triangles);
    text_add(to, "\n%sint[] faceVertexIndices = ", indent);
    usd_add_indices(to, object->corners.data, triangles);
    text_add(to, "\n");
}

static bool poses_move(const UsdTrack *track) {
    const Doubles *poses = &track->poses;
    for (size_t k = POSE_KEY; k < poses->count; k++)
        if (poses->data[k] != poses->data[k - POSE_KEY]) return true;
    return false;
}

static void add_rigid(const Usd *usd, Text *to, const ExportObject *object, const UsdTrack *track) {
    bool moves = poses_move(track);
    begin_prim(to, "Xform", object, track);
    add_over_time(usd, track, to, "double3 xformOp:translate", moves, value_place);
    add_over_time(usd, track, to, "quatf xformOp:orient", moves, value_turn);
    text_add(to, "        uniform token[] xformOpOrder = [\"xformOp:translate\", "
                 "\"xformOp:orient\"]\n");
    add_over_time(usd, track, to, "custom vector3f userProperties:velocity", moves, value_velocity);
    add_over_time(usd, track, to, "custom vector3f userProperties:angularVelocity", moves,
                  value_angular_velocity);
    text_add(to, "\n        def Mesh \"surface\"\n        {\n");
    add_faces(to, object, "            ");
    text_add(to, "            float3[] extent = ");
    usd_add_extent(to, track->rest.data, NULL, vertex_count(track));
    text_add(to, "\n            point3f[] points = ");
    usd_add_floats(to, track->rest.data, vertex_count(track), 3);
    text_add(to, "\n        }\n    }\n");
}

static void add_deformable(const Usd *usd, Text *to, const ExportObject *object,
                           const UsdTrack *track) {
    begin_prim(to, "Mesh", object, track);
    add_faces(to, object, "        ");
    add_over_time(usd, track, to, "float3[] extent", true, value_extent);
    add_over_time(usd, track, to, "point3f[] points", true, value_points);
    add_over_time(usd, track, to, "vector3f[] velocities", true, value_velocities);
    text_add(to, "    }\n");
}

/* ---- the file: clips ---- */

/* Attributes that frames' files hold, without values. */
static void declare_series(const Usd *usd, Text *to) {
    for (size_t i = 0; i < usd->series.count; i++) {
        const UsdSeries *series = &usd->series.data[i];
        text_add(to, "    def %s \"%s\"\n    {\n        float3[] extent\n",
                 series->is_points ? "Points" : "Mesh", series->name.text);
        if (!series->is_points)
            text_add(to, "        int[] faceVertexCounts\n        int[] faceVertexIndices\n");
        text_add(to, "        point3f[] points\n        vector3f[] velocities\n");
        if (series->is_points) text_add(to, "        float[] widths\n");
        text_add(to, "    }\n");
    }
}

static PlimStatus write_manifest(const Usd *usd) {
    char path[PATH_CAPACITY];
    Text text;
    TRY(path_join(usd->job.context, usd->job.folder, "run_manifest.usda", path));
    text_init(&text, usd->job.context);
    text_add(&text, "#usda 1.0\n(\n    defaultPrim = \"run\"\n)\n\ndef Xform \"run\"\n{\n");
    declare_series(usd, &text);
    text_add(&text, "}\n");
    PlimStatus status = write_file(usd, &text, path);
    text_free(&text);
    return status;
}

static void add_clips(const Usd *usd, Text *to) {
    size_t count = usd->codes.count;
    text_add(to, "    clips = {\n        dictionary default = {\n            double2[] active = [");
    for (size_t k = 0; k < count; k++)
        text_add(to, "%s(%.17g, %zu)", k ? ", " : "", usd->codes.data[k], k);
    text_add(to, "]\n            asset[] assetPaths = [");
    for (size_t k = 0; k < count; k++)
        text_add(to, "%s@./run_%05" PRIu64 ".usda@", k ? ", " : "", usd->numbers.data[k]);
    text_add(to, "]\n            asset manifestAssetPath = @./run_manifest.usda@\n"
                 "            string primPath = \"/run\"\n            double2[] times = [");
    for (size_t k = 0; k < count; k++)
        text_add(to, "%s(%.17g, %.17g)", k ? ", " : "", usd->codes.data[k], usd->codes.data[k]);
    text_add(to, "]\n        }\n    }\n");
}

/* Series without values here: clips give them. What never changes stands here, too, because clips
 * give values over time alone. */
static void add_clipped(const Usd *usd, Text *to) {
    for (size_t i = 0; i < usd->series.count; i++) {
        const UsdSeries *series = &usd->series.data[i];
        text_add(to, "    def %s \"%s\"\n    {\n", series->is_points ? "Points" : "Mesh",
                 series->name.text);
        if (!series->is_points) usd_add_look(to, series->color, "        ");
        text_add(to, "    }\n");
    }
}

static void add_run(const Usd *usd, Text *to) {
    bool has_clips = usd->series.count > 0 && usd->job.frames > 1;
    add_header(usd, to, usd->codes.data[0], usd->codes.data[usd->codes.count - 1]);
    text_add(to, "def Xform \"run\"");
    if (has_clips) {
        text_add(to, " (\n");
        add_clips(usd, to);
        text_add(to, ")");
    }
    text_add(to, "\n{\n");
    for (size_t i = 0; i < usd->objects.count; i++) {
        const ExportObject *object = &usd->objects.data[i];
        (object->is_rigid ? add_rigid : add_deformable)(usd, to, object, &usd->tracks[i]);
    }
    if (has_clips) add_clipped(usd, to);
    text_add_bytes(to, text_string(&usd->only), usd->only.bytes.count);
    text_add(to, "}\n");
}

static PlimStatus finish(void *exporter, char path[PATH_CAPACITY]) {
    Usd *usd = exporter;
    PlimContext *context = usd->job.context;
    if (usd->objects.count + usd->series.count == 0)
        return context_fail(context, PLIM_BAD_INPUT,
                            "there are no bodies, surfaces or drops to export as USD; --to vtk "
                            "exports the values of a fluid");
    TRY(path_join(context, usd->job.folder, "run.usda", path));
    if (usd->series.count > 0 && usd->job.frames > 1) TRY(write_manifest(usd));
    Text text;
    text_init(&text, context);
    add_run(usd, &text);
    PlimStatus status = usd->only.failed ? PLIM_OUT_OF_MEMORY : write_file(usd, &text, path);
    text_free(&text);
    return status;
}

const Exporter export_usd = {"usd", create, add, finish, destroy};
