/* Multigrid, unknowns beside the grid: their smoothing and transfer. They are few, except between
 * very many thin walls, and are swept one after the other. */
#include "solve/multigrid/multigrid.h"

static inline float value_at(const MgLevel *level, uint32_t to) {
    return to < level->size ? level->x[to] : level->extras.all.data[to - level->size].x;
}

void mg_extras_into_b(const MgLevel *level) {
    const MgExtras *e = &level->extras;
    for (size_t i = 0; i + 1 < e->touched.count; i++) {
        MgTouched *touched = &e->touched.data[i];
        float sum = 0.0f;
        for (uint32_t l = touched->first_link; l < touched[1].first_link; l++)
            sum += e->touched_links.data[l].g * e->all.data[e->touched_links.data[l].to].x;
        touched->saved = level->b[touched->cell];
        level->b[touched->cell] += sum;
    }
}

void mg_extras_out_of_b(const MgLevel *level) {
    const MgExtras *e = &level->extras;
    for (size_t i = 0; i + 1 < e->touched.count; i++)
        level->b[e->touched.data[i].cell] = e->touched.data[i].saved;
}

void mg_extras_clear(const MgLevel *level) {
    for (size_t i = 0; i < mg_extra_count(level); i++) level->extras.all.data[i].x = 0.0f;
}

/* The sum of conductance times value over an extra's links. */
static float linked(const MgLevel *level, const MgExtra *extra) {
    const MgLink *links = level->extras.links.data;
    float sum = 0.0f;
    for (uint32_t l = extra->first_link; l < extra[1].first_link; l++)
        sum += links[l].g * value_at(level, links[l].to);
    return sum;
}

void mg_extras_sweep(const MgLevel *level, bool backward) {
    size_t count = mg_extra_count(level);
    for (size_t i = 0; i < count; i++) {
        MgExtra *extra = &level->extras.all.data[backward ? count - 1 - i : i];
        extra->x = (extra->b + linked(level, extra)) * extra->inverse;
    }
}

void mg_extras_residual(const MgLevel *level) {
    for (size_t i = 0; i < mg_extra_count(level); i++) {
        MgExtra *extra = &level->extras.all.data[i];
        extra->t = extra->inverse > 0.0f
                       ? extra->b + linked(level, extra) - extra->x / extra->inverse
                       : 0.0f;
    }
}

/* b of the coarse extras; what their members held no longer counts for the grid. */
void mg_extras_restrict_members(const MgLevel *fine, const MgLevel *coarse) {
    const MgExtras *e = &coarse->extras;
    for (size_t i = 0; i < mg_extra_count(coarse); i++) {
        MgExtra *extra = &e->all.data[i];
        float sum = 0.0f;
        for (uint32_t m = extra->first_member; m < extra[1].first_member; m++) {
            uint32_t member = e->members.data[m];
            if (member < fine->size) {
                sum += fine->t[member];
                fine->t[member] = 0.0f;
            } else {
                sum += fine->extras.all.data[member - fine->size].t;
            }
        }
        extra->b = extra->inverse > 0.0f ? sum : 0.0f;
    }
}

/* Fine extras that are part of a coarse cell's own unknown. */
void mg_extras_restrict_parents(const MgLevel *fine, const MgLevel *coarse) {
    for (size_t i = 0; i < mg_extra_count(fine); i++) {
        const MgExtra *extra = &fine->extras.all.data[i];
        if (extra->parent < coarse->size && coarse->inverse[extra->parent] > 0.0f)
            coarse->b[extra->parent] += extra->t;
    }
}

void mg_extras_save_members(const MgLevel *fine, const MgLevel *coarse) {
    const MgExtras *e = &coarse->extras;
    for (size_t m = 0; m < e->members.count; m++)
        if (e->members.data[m] < fine->size)
            fine->t[e->members.data[m]] = fine->x[e->members.data[m]];
}

void mg_extras_prolong(const MgLevel *fine, const MgLevel *coarse) {
    const MgExtras *e = &coarse->extras;
    for (size_t i = 0; i < mg_extra_count(coarse); i++) {
        const MgExtra *extra = &e->all.data[i];
        for (uint32_t m = extra->first_member; m < extra[1].first_member; m++)
            if (e->members.data[m] < fine->size)
                fine->x[e->members.data[m]] = fine->t[e->members.data[m]] + extra->x;
    }
    for (size_t i = 0; i < mg_extra_count(fine); i++)
        fine->extras.all.data[i].x += value_at(coarse, fine->extras.all.data[i].parent);
}
