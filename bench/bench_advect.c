/* What a step of smoke carries: every velocity component at its faces, and two scalars at cells, by
 * traces of second order. The ratio is the time over that of the least memory traffic at the rate
 * of a triad in the same run. */
#include "bench/bench.h"

#include "grid/advect.h"

#include <math.h>
#include <stdio.h>

enum { SCALARS = 2, MOST_FIELDS = 3 + SCALARS };

typedef struct AdvectBench {
    PlimContext *context;
    Scratch scratch;
    Grid grid;
    GridField carriers[3];
    GridField values[MOST_FIELDS]; /* as the carriers, then the scalars */
    Advection advection;
} AdvectBench;

static PlimStatus run_step(void *user) {
    AdvectBench *bench = user;
    int dim = bench->grid.dim, threads = bench->context->threads;
    TRY(scratch_reset(&bench->scratch));
    for (int axis = 0; axis < dim; axis++) {
        GridField *one[] = {&bench->values[axis]};
        TRY(advect_fields(&bench->advection, one, 1, threads, &bench->scratch));
    }
    GridField *scalars[] = {&bench->values[dim], &bench->values[dim + 1]};
    return advect_fields(&bench->advection, scalars, SCALARS, threads, &bench->scratch);
}

/* Smooth, and different along every axis. */
static void fill(GridField *field, double phase) {
    double wave = 6.283185307179586 / field->grid.n[0];
    for (int k = 0; k < field->n[2]; k++)
        for (int j = 0; j < field->n[1]; j++)
            for (int i = 0; i < field->n[0]; i++)
                field->data[field_index(field, i, j, k)] =
                    sin(wave * i + phase) * cos(wave * (j - k) + 2.0 * phase);
    field_fill_halo_constant(field, 1);
}

static PlimStatus create_fields(AdvectBench *bench) {
    int dim = bench->grid.dim;
    for (int which = 0; which < dim + SCALARS; which++) {
        GridPlace place = which < dim ? grid_place_faces(which) : PLACE_CELLS;
        TRY(field_create(bench->context, &bench->grid, place, ADVECT_HALO, &bench->values[which]));
        fill(&bench->values[which], which);
        if (which >= dim) continue;
        TRY(field_create(bench->context, &bench->grid, place, ADVECT_HALO,
                         &bench->carriers[which]));
        fill(&bench->carriers[which], which);
        bench->advection.velocity[which] = &bench->carriers[which];
    }
    return PLIM_OK;
}

/* Every pass reads what carries and what is carried once, and writes once what is carried. */
static double least_bytes(const AdvectBench *bench) {
    int dim = bench->grid.dim, passes = bench->advection.scheme == ADVECT_MACCORMACK ? 2 : 1;
    int traced_places = dim + 1, fields = dim + SCALARS;
    return 8.0 * passes * (traced_places * dim + 2 * fields) *
           (double)grid_cell_count(&bench->grid);
}

static PlimStatus measure(const BenchOptions *options, AdvectBench *bench, AdvectionScheme scheme,
                          double bytes_per_second) {
    bench->advection.scheme = scheme;
    PlimStatus status;
    double seconds = bench_time(options, run_step, bench, &status);
    double bytes = least_bytes(bench), cells = (double)grid_cell_count(&bench->grid);
    char variant[96];
    snprintf(variant, sizeof variant, "%s %dD, %.2f times the triad",
             scheme == ADVECT_MACCORMACK ? "maccormack" : "semi_lagrangian", bench->grid.dim,
             seconds * bytes_per_second / bytes);
    BenchResult result = {.name = "advect",
                          .variant = variant,
                          .n = grid_cell_count(&bench->grid),
                          .seconds = seconds,
                          .work = cells,
                          .unit = "cells",
                          .bytes = bytes};
    if (status == PLIM_OK) bench_print(options, &result);
    return status;
}

/* Courant numbers up to 2. */
static PlimStatus measure_size(const BenchOptions *options, int dim, int n,
                               double bytes_per_second) {
    PlimContext *context = options->context;
    AdvectBench bench = {.context = context,
                         .grid = {.dim = dim, .n = {n, n, dim == 3 ? n : 1}, .spacing = 1.0 / n},
                         .advection = {.trace_order = 2, .dt = 2.0 / n}};
    scratch_init(&bench.scratch, context);
    PlimStatus status = create_fields(&bench);
    if (status == PLIM_OK)
        status = measure(options, &bench, ADVECT_SEMI_LAGRANGIAN, bytes_per_second);
    if (status == PLIM_OK) status = measure(options, &bench, ADVECT_MACCORMACK, bytes_per_second);
    for (int axis = 0; axis < 3; axis++) field_free(context, &bench.carriers[axis]);
    for (int which = 0; which < MOST_FIELDS; which++) field_free(context, &bench.values[which]);
    scratch_free(&bench.scratch);
    return status;
}

static PlimStatus measure_sizes(const BenchOptions *options) {
    double rate;
    TRY(bench_triad(options, "advect", &rate));
    TRY(measure_size(options, 2, 512, rate));
    for (int n = 64; n <= (options->quick ? 64 : 256); n *= 2)
        TRY(measure_size(options, 3, n, rate));
    return PLIM_OK;
}

PlimStatus bench_advect(const BenchOptions *options) {
    int threads = options->context->threads;
    options->context->threads = 1;
    PlimStatus status = measure_sizes(options);
    options->context->threads = threads;
    if (status == PLIM_OK && threads > 1) status = measure_sizes(options);
    return status;
}
