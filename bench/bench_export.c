/* Export of frames: a wavy sheet of 200,000 triangles that deforms, to each format, beside plain
 * writes of as many files with as many bytes to the same disk. */
#include "bench/bench.h"

#include "base/clock.h"
#include "io/export/exporter.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Quads along a side: 2 n^2 triangles. */
enum { SIDE = 316, SIDE_QUICK = 100, FRAMES = 100, FRAMES_QUICK = 10 };

typedef struct ExportBench {
    const BenchOptions *options;
    FrameData frame;
    size_t side, vertices, triangles;
    float *positions, *velocities;
    int32_t *corners, *objects;
    char names[FRAME_NAME_CAPACITY];
    int32_t kind;
    float color[3];
} ExportBench;

static void free_sheet(ExportBench *bench) {
    PlimContext *context = bench->options->context;
    context_free(context, bench->positions, 3 * bench->vertices, sizeof *bench->positions);
    context_free(context, bench->velocities, 3 * bench->vertices, sizeof *bench->velocities);
    context_free(context, bench->corners, 3 * bench->triangles, sizeof *bench->corners);
    context_free(context, bench->objects, bench->triangles, sizeof *bench->objects);
}

static PlimStatus make_sheet(ExportBench *bench) {
    PlimContext *context = bench->options->context;
    size_t row = bench->side + 1;
    bench->vertices = row * row;
    bench->triangles = 2 * bench->side * bench->side;
    bench->positions = context_allocate(context, 3 * bench->vertices, sizeof *bench->positions);
    bench->velocities = context_allocate(context, 3 * bench->vertices, sizeof *bench->velocities);
    bench->corners = context_allocate(context, 3 * bench->triangles, sizeof *bench->corners);
    bench->objects = context_allocate(context, bench->triangles, sizeof *bench->objects);
    if (!bench->positions || !bench->velocities || !bench->corners || !bench->objects)
        return PLIM_OUT_OF_MEMORY;
    int32_t *to = bench->corners;
    for (size_t j = 0; j < bench->side; j++)
        for (size_t i = 0; i < bench->side; i++, to += 6) {
            int32_t a = (int32_t)(j * row + i), b = a + (int32_t)row;
            const int32_t quad[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(to, quad, sizeof quad);
        }
    frame_name_store(bench->names, "sheet");
    bench->frame.view = (FrameView){.mesh_count = 1};
    bench->frame.view.meshes[0] = (FrameMesh){.name = "deformable",
                                              .vertex_count = bench->vertices,
                                              .triangle_count = bench->triangles,
                                              .object_count = 1,
                                              .vertices = bench->positions,
                                              .velocities = bench->velocities,
                                              .names = bench->names,
                                              .kinds = &bench->kind,
                                              .triangles = bench->corners,
                                              .objects = bench->objects,
                                              .colors = bench->color,
                                              .smooth = true};
    return PLIM_OK;
}

static void move_sheet(ExportBench *bench, uint64_t number) {
    size_t row = bench->side + 1;
    double time = (double)number / 24;
    bench->frame.frame = number;
    bench->frame.time = time;
    for (size_t i = 0; i < bench->vertices; i++) {
        double x = (double)(i % row) / (double)bench->side;
        double z = (double)(i / row) / (double)bench->side;
        float *at = bench->positions + 3 * i, *v = bench->velocities + 3 * i;
        at[0] = (float)x;
        at[1] = (float)(0.1 * sin(9 * x + 7 * z + 5 * time));
        at[2] = (float)z;
        v[0] = v[2] = 0;
        v[1] = (float)(0.5 * cos(9 * x + 7 * z + 5 * time));
    }
}

/* What is in a folder, which has no others in it; takes it all away if `remove_it`. */
static double folder_bytes(const char *folder, bool remove_it, size_t *files) {
    double bytes = 0;
    struct dirent *entry;
    DIR *directory = opendir(folder);
    *files = 0;
    while (directory && (entry = readdir(directory))) {
        char path[PATH_CAPACITY];
        struct stat info;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length >= PATH_CAPACITY || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) continue;
        bytes += (double)info.st_size;
        (*files)++;
        if (remove_it) unlink(path);
    }
    if (directory) closedir(directory);
    if (remove_it) rmdir(folder);
    return bytes;
}

static PlimStatus export_frames(ExportBench *bench, const Exporter *format, const ExportJob *job) {
    void *exporter;
    char path[PATH_CAPACITY];
    TRY(format->create(job, &exporter));
    PlimStatus status = PLIM_OK;
    for (size_t i = 0; i < job->frames && status == PLIM_OK; i++) {
        move_sheet(bench, i);
        status = format->add(exporter, &bench->frame);
    }
    if (status == PLIM_OK) status = format->finish(exporter, path);
    format->destroy(exporter);
    return status;
}

/* The same bytes in as many files, from memory. */
static PlimStatus write_plainly(PlimContext *context, const char *folder, double bytes,
                                size_t files, double *seconds) {
    size_t size = (size_t)(bytes / (double)files);
    char *block = context_allocate(context, size, 1), path[PATH_CAPACITY];
    if (!block) return PLIM_OUT_OF_MEMORY;
    memset(block, 'x', size);
    PlimStatus status = PLIM_OK;
    double start = clock_seconds();
    for (size_t i = 0; i < files && status == PLIM_OK; i++) {
        snprintf(path, sizeof path, "%.4000s/plain_%05zu", folder, i);
        status = file_write(context, path, block, size, true); /* on the disk, not in its cache */
    }
    *seconds = clock_seconds() - start;
    context_free(context, block, size, 1);
    return status;
}

static PlimStatus measure_format(ExportBench *bench, const char *name, size_t frames) {
    PlimContext *context = bench->options->context;
    ExportJob job = {.context = context, .frames = frames, .rate = 24, .scale = 1};
    snprintf(job.folder, sizeof job.folder, "plimsoll-bench-export");
    TRY(folder_create(context, job.folder));
    size_t files;
    double start = clock_seconds(), plain = 0, bytes = 0;
    PlimStatus status = export_frames(bench, exporter_find(name), &job);
    double seconds = clock_seconds() - start;
    bytes = folder_bytes(job.folder, true, &files);
    if (status == PLIM_OK) status = folder_create(context, job.folder);
    if (status == PLIM_OK) status = write_plainly(context, job.folder, bytes, files, &plain);
    folder_bytes(job.folder, true, &files);
    TRY(status);
    const BenchFigure figures[] = {{"megabytes_per_second", 1e-6 * bytes / seconds},
                                   {"plain_megabytes_per_second", 1e-6 * bytes / plain},
                                   {"times_plain", seconds / plain}};
    BenchResult result = {.name = "export",
                          .variant = name,
                          .n = bench->triangles,
                          .seconds = seconds,
                          .work = (double)frames,
                          .unit = "frames",
                          .bytes = bytes,
                          .figures = figures,
                          .figure_count = sizeof figures / sizeof *figures};
    bench_print(bench->options, &result);
    return PLIM_OK;
}

PlimStatus bench_export(const BenchOptions *options) {
    static const char *const formats[] = {"ply", "obj", "vtk", "usd", "gltf"};
    ExportBench bench = {.options = options, .side = options->quick ? SIDE_QUICK : SIDE};
    PlimStatus status = make_sheet(&bench);
    for (size_t i = 0; i < sizeof formats / sizeof *formats && status == PLIM_OK; i++)
        status = measure_format(&bench, formats[i], options->quick ? FRAMES_QUICK : FRAMES);
    free_sheet(&bench);
    return status;
}
