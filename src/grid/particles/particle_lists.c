/* Arrays of particles: marked ones taken out, others moved up. */
#include "grid/particles/particle_parts.h"

#include <math.h>
#include <string.h>

unsigned char *particle_marks(Scratch *scratch, size_t count) {
    unsigned char *marks = scratch_take(scratch, count + 1, 1);
    if (marks) memset(marks, 0, count);
    return marks;
}

size_t particle_next_marked(const unsigned char *marks, size_t from, size_t count) {
    for (; from + 8 <= count; from += 8) { /* few are marked: eight at a time */
        uint64_t eight;
        memcpy(&eight, marks + from, 8);
        if (eight) break;
    }
    while (from < count && !marks[from]) from++;
    return from;
}

static void move_run(LevelParticles *particles, size_t to, size_t from, size_t count) {
    if (to == from || count == 0) return;
    memmove(particles->position + 3 * to, particles->position + 3 * from, 3 * count * 8);
    memmove(particles->radius + to, particles->radius + from, count * 8);
    memmove(particles->sign + to, particles->sign + from, count * 4);
    if (particles->velocity)
        memmove(particles->velocity + 3 * to, particles->velocity + 3 * from, 3 * count * 8);
    if (particles->volume) memmove(particles->volume + to, particles->volume + from, count * 8);
}

size_t particle_cell(const ParticleLevelSet *set, const ParticlePlan *plan,
                     const double *position) {
    const Grid *grid = &set->phi->grid;
    int at[3] = {0, 0, 0};
    for (int axis = 0; axis < grid->dim; axis++) {
        double cell = floor((position[axis] - plan->origin[axis]) / plan->spacing);
        at[axis] = (int)fmin(fmax(cell, 0), grid->n[axis] - 1);
    }
    return grid_cell_index(grid, at[0], at[1], at[2]);
}

/* One that carries volume lands in a cell: `part` of the cell's volume. */
static void land(const ParticleLevelSet *set, const ParticlePlan *plan, size_t drop, size_t cell,
                 double part) {
    const double *v = set->drops->velocity + 3 * drop;
    Vec3 x = vec3_load(set->drops->position + 3 * drop);
    set->landed[cell] += part;
    if (!set->landed_volume || part == 0) return;
    set->landed_volume[cell] += fabs(part);
    for (int axis = 0; axis < plan->dim; axis++)
        set->landed_push[axis][cell] +=
            part * (v[axis] - particle_sample_one(plan, &plan->velocity[axis], x, NULL));
}

void particle_land(const ParticleLevelSet *set, const ParticlePlan *plan,
                   const unsigned char *marks) {
    const LevelParticles *drops = set->drops;
    if (!set->landed) return;
    for (size_t i = particle_next_marked(marks, 0, drops->count); i < drops->count;
         i = particle_next_marked(marks, i + 1, drops->count)) {
        if (marks[i] == particle_goes(PARTICLE_OUTSIDE))
            *set->flown_out += drops->volume[i];
        else
            land(set, plan, i, particle_cell(set, plan, drops->position + 3 * i),
                 drops->volume[i] / grid_cell_volume(&set->phi->grid));
    }
}

PlimStatus particle_take_away(LevelParticles *particles, const unsigned char *marks,
                              uint64_t *tally) {
    size_t count = particles->count, at = particle_next_marked(marks, 0, count), kept = at;
    if (at == count) return PLIM_OK;
    while (at < count) {
        tally[marks[at] - 1]++;
        size_t next = particle_next_marked(marks, at + 1, count);
        move_run(particles, kept, at + 1, next - at - 1);
        kept += next - at - 1;
        at = next;
    }
    return particles->resize(particles->user, particles, kept);
}

PlimStatus particle_append_marked(LevelParticles *to, const LevelParticles *from,
                                  const unsigned char *marks, unsigned char mark) {
    size_t count = from->count, extra = 0, at = to->count;
    for (size_t i = particle_next_marked(marks, 0, count); i < count;
         i = particle_next_marked(marks, i + 1, count))
        extra += marks[i] == mark;
    if (extra == 0) return PLIM_OK;
    TRY(to->resize(to->user, to, at + extra));
    for (size_t i = particle_next_marked(marks, 0, count); i < count;
         i = particle_next_marked(marks, i + 1, count)) {
        if (marks[i] != mark) continue;
        vec3_store(to->position + 3 * at, vec3_load(from->position + 3 * i));
        to->radius[at] = from->radius[i];
        to->sign[at] = from->sign[i];
        if (to->velocity) vec3_store(to->velocity + 3 * at, vec3(0, 0, 0));
        if (to->volume) to->volume[at] = 0;
        at++;
    }
    return PLIM_OK;
}
