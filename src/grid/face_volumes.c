/* Conservative advection of momentum: fluxes between the volumes of faces, axis by axis. Mass and
 * momentum leave one volume and enter another with the same numbers (finite volumes; Strang 1968,
 * van Leer 1977). */
#include "grid/face_volumes.h"

#include "base/parallel.h"

#include <math.h>

enum { ROWS_AT_ONCE = 8 };

/* A volume keeps at least this part of its mass in one sweep: below it, a velocity would be the
 * quotient of what rounding leaves. */
static const double kept_part = 1e-6;
/* Volumes with less, parts of a cell, have no say in slopes: theirs is rounding, too. */
static const double least_mass = 1e-4;

FaceVolumes face_volumes(const Grid *grid, int axis) {
    GridField faces = {.grid = *grid, .place = grid_place_faces(axis)};
    for (int a = 0; a < 3; a++) faces.n[a] = grid_place_size(grid, faces.place, a);
    return (FaceVolumes){.grid = *grid, .axis = axis, .set = value_set(&faces, 0)};
}

double face_volume_size(const FaceVolumes *volumes, const int at[3]) {
    int axis = volumes->axis;
    bool on_side = at[axis] == 0 || at[axis] == volumes->grid.n[axis];
    return on_side && !volumes->set.wraps[axis] ? 0.5 : 1.0;
}

/* ---- fluxes ---- */

/* One sweep along an axis. Side s of a line of volumes is the low side of volume s; there is one
 * more, and where the axis is periodic it is the first again. */
typedef struct Sweep {
    FaceVolumes *volumes;
    const MomentumFlow *flow;
    int along;
    double cells;     /* for 1 m/s: time over spacing */
    int n[3];         /* sides along each axis */
    double *wanted;   /* mass through each side, towards higher places */
    double *mass;     /* that goes */
    double *momentum; /* with it */
} Sweep;

static double flux_at(const Sweep *sweep, int axis, const int at[3]) {
    const Grid *grid = &sweep->volumes->grid;
    int w[3] = {at[0], at[1], at[2]};
    for (int a = 0; a < grid->dim; a++)
        if (grid_is_periodic(grid, a)) w[a] = (w[a] + grid->n[a]) % grid->n[a];
    return sweep->flow->flux[axis][grid_face_index(grid, axis, w[0], w[1], w[2])];
}

/* The middle of a cell is passed by the mean of what passes its two faces, and the side between two
 * half cells by half of each: so the net outflow of a volume is the mean of that of its cells. */
static double wanted_flux(const Sweep *sweep, const int at[3]) {
    const FaceVolumes *v = sweep->volumes;
    int axis = v->axis, low[3] = {at[0], at[1], at[2]};
    bool wraps = v->set.wraps[axis];
    low[axis]--;
    if (sweep->along == axis) {
        if (!wraps && at[axis] == 0) return flux_at(sweep, axis, at);
        if (!wraps && at[axis] == v->set.n[axis]) return flux_at(sweep, axis, low);
        return 0.5 * (flux_at(sweep, axis, low) + flux_at(sweep, axis, at));
    }
    double sum = 0;
    if (wraps || at[axis] > 0) sum += flux_at(sweep, sweep->along, low);
    if (wraps || at[axis] < v->grid.n[axis]) sum += flux_at(sweep, sweep->along, at);
    return 0.5 * sum;
}

static size_t side_index(const Sweep *sweep, const int at[3]) {
    return ((size_t)at[2] * (size_t)sweep->n[1] + (size_t)at[1]) * (size_t)sweep->n[0] +
           (size_t)at[0];
}

/* Between sides along the sweep. */
static size_t side_stride(const Sweep *sweep) {
    size_t stride = 1;
    for (int a = 0; a < sweep->along; a++) stride *= (size_t)sweep->n[a];
    return stride;
}

/* The volume at a place along the line, by its number; VALUE_NONE beyond the ends. */
static size_t volume_at(const Sweep *sweep, const int at[3], int place) {
    const ValueSet *set = &sweep->volumes->set;
    int n = set->n[sweep->along], w[3] = {at[0], at[1], at[2]};
    if (place < 0 || place >= n) {
        if (!set->wraps[sweep->along]) return VALUE_NONE;
        place = (place % n + n) % n;
    }
    w[sweep->along] = place;
    return (size_t)w[0] + (size_t)w[1] * set->stride[1] + (size_t)w[2] * set->stride[2];
}

static void want_rows(void *user, size_t begin, size_t end) {
    const Sweep *sweep = user;
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)sweep->n[1]), (int)(row / (size_t)sweep->n[1])};
        double *wanted = sweep->wanted + side_index(sweep, at);
        for (; at[0] < sweep->n[0]; at[0]++) wanted[at[0]] = sweep->cells * wanted_flux(sweep, at);
    }
}

/* ---- what goes through a side ---- */

/* A slope of van Leer's monotonized central kind: none at an extreme, and never so steep that a
 * part of the volume has a value beyond that of the next. */
static double limited_slope(double behind, double ahead) {
    if (!(behind * ahead > 0)) return 0;
    double least = fmin(2 * fmin(fabs(behind), fabs(ahead)), 0.5 * fabs(behind + ahead));
    return behind > 0 ? least : -least;
}

static double velocity_of(const FaceVolumes *volumes, size_t at) {
    return volumes->momentum[at] / volumes->mass[at];
}

/* Of what leaves `from` towards `to`, the part `part` of all it holds. */
static double velocity_leaving(const FaceVolumes *volumes, size_t behind, size_t from, size_t to,
                               double part) {
    double own = velocity_of(volumes, from);
    if (behind == VALUE_NONE || to == VALUE_NONE) return own;
    if (!(fmin(volumes->mass[behind], volumes->mass[to]) > least_mass)) return own;
    double slope =
        limited_slope(own - velocity_of(volumes, behind), velocity_of(volumes, to) - own);
    return own + 0.5 * (1 - part) * slope;
}

/* What is to leave the volume at a place along the line through both its sides. */
static double wanted_out(const Sweep *sweep, const int at[3], int place) {
    int n = sweep->volumes->set.n[sweep->along], w[3] = {at[0], at[1], at[2]};
    w[sweep->along] = (place + n) % n;
    const double *low = sweep->wanted + side_index(sweep, w);
    return fmax(low[side_stride(sweep)], 0) + fmax(-low[0], 0);
}

static void pass_side(const Sweep *sweep, const int at[3]) {
    const FaceVolumes *v = sweep->volumes;
    size_t side = side_index(sweep, at);
    int place = at[sweep->along];
    double wanted = sweep->wanted[side];
    int way = wanted > 0 ? 1 : -1; /* from `from` to `to`; `behind` lies before both */
    int first = way > 0 ? place - 1 : place;
    size_t from = volume_at(sweep, at, first);
    sweep->mass[side] = sweep->momentum[side] = 0;
    if (wanted == 0) return;
    if (from == VALUE_NONE) {
        int inside[3] = {at[0], at[1], at[2]}, end = way < 0;
        if (end) inside[sweep->along]--;
        double in = 0;
        if (sweep->flow->incoming)
            in = sweep->flow->incoming(sweep->flow->user, v, sweep->along, end, inside);
        sweep->mass[side] = wanted;
        sweep->momentum[side] = wanted * in;
        return;
    }
    double mass = v->mass[from];
    if (!(mass > 0)) return;
    double out = wanted_out(sweep, at, first), most = (1 - kept_part) * mass;
    double goes = out > most ? wanted * (most / out) : wanted, part = fabs(goes) / mass;
    size_t behind = volume_at(sweep, at, first - way), to = volume_at(sweep, at, first + way);
    bool both_ways = out > fabs(wanted);
    double velocity =
        both_ways ? velocity_of(v, from) : velocity_leaving(v, behind, from, to, part);
    sweep->mass[side] = goes;
    sweep->momentum[side] = goes * velocity;
}

static void pass_rows(void *user, size_t begin, size_t end) {
    const Sweep *sweep = user;
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)sweep->n[1]), (int)(row / (size_t)sweep->n[1])};
        for (; at[0] < sweep->n[0]; at[0]++) pass_side(sweep, at);
    }
}

static void gain_rows(void *user, size_t begin, size_t end) {
    const Sweep *sweep = user;
    const ValueSet *set = &sweep->volumes->set;
    size_t stride = side_stride(sweep);
    for (size_t row = begin; row < end; row++) {
        int at[3] = {0, (int)(row % (size_t)set->n[1]), (int)(row / (size_t)set->n[1])};
        size_t volume = row * (size_t)set->n[0], side = side_index(sweep, at);
        for (; at[0] < set->n[0]; at[0]++, volume++, side++) {
            sweep->volumes->mass[volume] += sweep->mass[side] - sweep->mass[side + stride];
            sweep->volumes->momentum[volume] +=
                sweep->momentum[side] - sweep->momentum[side + stride];
        }
    }
}

/* ---- the sweeps ---- */

static void sweep_along(Sweep *sweep, int along, double dt, int threads) {
    const ValueSet *set = &sweep->volumes->set;
    sweep->along = along;
    sweep->cells = dt / sweep->volumes->grid.spacing;
    for (int a = 0; a < 3; a++) sweep->n[a] = set->n[a] + (a == along);
    size_t rows = (size_t)sweep->n[1] * (size_t)sweep->n[2];
    parallel_for(threads, rows, ROWS_AT_ONCE, want_rows, sweep);
    parallel_for(threads, rows, ROWS_AT_ONCE, pass_rows, sweep);
    parallel_for(threads, (size_t)set->n[1] * (size_t)set->n[2], ROWS_AT_ONCE, gain_rows, sweep);
}

/* There and back: half of every axis but the last, which is in the middle. */
static void carry_once(Sweep *sweep, double dt, int threads) {
    int last = sweep->volumes->grid.dim - 1;
    for (int a = 0; a < last; a++) sweep_along(sweep, a, 0.5 * dt, threads);
    sweep_along(sweep, last, dt, threads);
    for (int a = last - 1; a >= 0; a--) sweep_along(sweep, a, 0.5 * dt, threads);
}

PlimStatus face_volumes_carry(FaceVolumes *volumes, const MomentumFlow *flow, int threads,
                              Scratch *scratch) {
    Sweep sweep = {.volumes = volumes, .flow = flow};
    size_t mark = scratch_mark(scratch), sides = 1;
    for (int a = 0; a < 3; a++) sides *= (size_t)volumes->set.n[a] + 1;
    sweep.wanted = scratch_take(scratch, sides, sizeof *sweep.wanted);
    sweep.mass = scratch_take(scratch, sides, sizeof *sweep.mass);
    sweep.momentum = scratch_take(scratch, sides, sizeof *sweep.momentum);
    if (!sweep.wanted || !sweep.mass || !sweep.momentum) return PLIM_OUT_OF_MEMORY;
    for (int part = 0; part < flow->parts; part++)
        carry_once(&sweep, flow->dt / flow->parts, threads);
    scratch_release(scratch, mark);
    return PLIM_OK;
}
