/* Multigrid coarsening, conductances between the parts of coarse cells: what joined their members,
 * halved where the distance doubles. */
#include "solve/multigrid/multigrid.h"

#include <stdlib.h>

/* The coarse unknown that a fine cell or extra is part of. */
static uint32_t above(const MgLevel *fine, const MgLevel *coarse, uint32_t id) {
    if (id >= fine->size) return fine->extras.all.data[id - fine->size].parent;
    int at[3];
    mg_place(fine, id, at);
    uint32_t cell = (uint32_t)mg_index(coarse, at[0] / fine->factor[0], at[1] / fine->factor[1],
                                       at[2] / fine->factor[2]);
    if (!(fine->aside[id] & MG_ASIDE)) return cell;
    const MgExtra *all = coarse->extras.all.data;
    size_t low = 0, high = mg_extra_count(coarse);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < mg_extra_count(coarse) && all[low].cell == cell; low++)
        for (uint32_t m = all[low].first_member; m < all[low + 1].first_member; m++)
            if (coarse->extras.members.data[m] == id) return (uint32_t)(coarse->size + low);
    return cell;
}

/* Adds to the row that begins at `first`; a target that is there already gets more. */
static PlimStatus add_link(PlimContext *context, MgLevel *coarse, size_t first, uint32_t to,
                           float g) {
    MgExtras *e = &coarse->extras;
    for (size_t l = first; l < e->links.count; l++)
        if (e->links.data[l].to == to) {
            e->links.data[l].g += g;
            return PLIM_OK;
        }
    MgLink link = {to, g};
    return array_push(context, &e->links, link) ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

static const MgTouched *touched_at(const MgLevel *level, uint32_t cell) {
    const MgExtras *e = &level->extras;
    size_t low = 0, high = e->touched.count ? e->touched.count - 1 : 0, end = high;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (e->touched.data[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && e->touched.data[low].cell == cell ? &e->touched.data[low] : NULL;
}

typedef struct Row {
    PlimContext *context;
    const MgLevel *fine;
    MgLevel *coarse;
    MgExtra *extra;
    uint32_t self;
    size_t first;
} Row;

static PlimStatus add_towards(Row *row, uint32_t fine_id, float g, float scale) {
    uint32_t to = above(row->fine, row->coarse, fine_id);
    if (to == row->self) return PLIM_OK;
    return add_link(row->context, row->coarse, row->first, to, g * scale);
}

static PlimStatus add_member_cell(Row *row, uint32_t c) {
    const MgLevel *fine = row->fine;
    int at[3];
    mg_place(fine, c, at);
    for (int a = 0; a < 3; a++)
        for (int s = 0; s < 2; s++) {
            size_t stride = fine->stride[a];
            float g = fine->g[a][s ? c + stride : c];
            if (!(g > 0.0f)) continue;
            size_t other = s ? c + stride : c - stride;
            if (fine->periodic[a] && at[a] == (s ? fine->n[a] - 1 : 0))
                other = s ? c - (size_t)at[a] * stride : c + (size_t)(fine->n[a] - 1) * stride;
            if (fine->inverse[other] > 0.0f)
                TRY(add_towards(row, (uint32_t)other, g, fine->factor[a] == 2 ? 0.5f : 1.0f));
            else
                row->extra->fixed += g;
        }
    const MgTouched *touched = touched_at(fine, c);
    if (fine->fixed) row->extra->fixed += fine->fixed[c];
    if (touched)
        for (uint32_t l = touched->first_link; l < touched[1].first_link; l++) {
            const MgLink *link = &fine->extras.touched_links.data[l];
            TRY(add_towards(row, (uint32_t)(fine->size + link->to), link->g, 0.5f));
        }
    return PLIM_OK;
}

static PlimStatus add_member_extra(Row *row, uint32_t number) {
    const MgExtras *e = &row->fine->extras;
    const MgExtra *extra = &e->all.data[number];
    row->extra->fixed += extra->fixed;
    for (uint32_t l = extra->first_link; l < extra[1].first_link; l++)
        TRY(add_towards(row, e->links.data[l].to, e->links.data[l].g, 0.5f));
    return PLIM_OK;
}

static PlimStatus fill_rows(PlimContext *context, const MgLevel *fine, MgLevel *coarse) {
    MgExtras *e = &coarse->extras;
    size_t count = mg_extra_count(coarse);
    e->links.count = 0;
    for (size_t i = 0; i < count; i++) {
        MgExtra *extra = &e->all.data[i];
        Row row = {context, fine, coarse, extra, (uint32_t)(coarse->size + i), e->links.count};
        extra->first_link = (uint32_t)e->links.count;
        extra->fixed = 0.0f;
        for (uint32_t m = extra->first_member; m < extra[1].first_member; m++) {
            uint32_t id = e->members.data[m];
            TRY(id < fine->size ? add_member_cell(&row, id)
                                : add_member_extra(&row, (uint32_t)(id - fine->size)));
        }
        float diagonal = extra->fixed;
        for (size_t l = row.first; l < e->links.count; l++) diagonal += e->links.data[l].g;
        extra->inverse = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    }
    if (count) e->all.data[count].first_link = (uint32_t)e->links.count;
    return PLIM_OK;
}

/* A link between two coarse cells' own unknowns is a face of the grid. */
static void add_face(MgLevel *coarse, uint32_t p, uint32_t q, float g) {
    int at_p[3], at_q[3];
    mg_place(coarse, p, at_p);
    mg_place(coarse, q, at_q);
    for (int a = 0; a < 3; a++) {
        if (at_p[a] == at_q[a]) continue;
        size_t stride = coarse->stride[a], high = at_p[a] > at_q[a] ? p : q;
        int distance = abs(at_p[a] - at_q[a]);
        if (distance == 1) {
            coarse->g[a][high] += g;
        } else { /* round the seam */
            coarse->g[a][high + stride] += g;
            coarse->g[a][high - (size_t)(coarse->n[a] - 1) * stride] += g;
        }
        return;
    }
}

/* Fine extras that are part of a coarse cell's own unknown bring their links to other cells along.
 */
static void fold_extras(const MgLevel *fine, MgLevel *coarse) {
    const MgExtras *e = &fine->extras;
    for (size_t i = 0; i < mg_extra_count(fine); i++) {
        const MgExtra *extra = &e->all.data[i];
        if (extra->parent >= coarse->size) continue;
        coarse->fixed[extra->parent] += extra->fixed;
        for (uint32_t l = extra->first_link; l < extra[1].first_link; l++) {
            uint32_t other = e->links.data[l].to, to = above(fine, coarse, other);
            bool twice =
                other >= fine->size && other - fine->size < i; /* done from the other end */
            if (to >= coarse->size || to == extra->parent || twice) continue;
            add_face(coarse, extra->parent, to, 0.5f * e->links.data[l].g);
        }
    }
}

typedef struct Mirror {
    uint32_t cell, extra;
    float g;
} Mirror;

static int by_cell(const void *p, const void *q) {
    const Mirror *a = p, *b = q;
    if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
    return a->extra < b->extra ? -1 : a->extra > b->extra;
}

/* The same links seen from the cells. */
static PlimStatus mirror_links(Scratch *scratch, MgLevel *coarse) {
    MgExtras *e = &coarse->extras;
    PlimContext *context = scratch->context;
    e->touched.count = e->touched_links.count = 0;
    if (e->links.count == 0) return PLIM_OK;
    size_t mark = scratch_mark(scratch), count = 0;
    Mirror *mirrors = scratch_take(scratch, e->links.count, sizeof *mirrors);
    if (!mirrors) return PLIM_OUT_OF_MEMORY;
    for (size_t i = 0; i < mg_extra_count(coarse); i++)
        for (uint32_t l = e->all.data[i].first_link; l < e->all.data[i + 1].first_link; l++)
            if (e->links.data[l].to < coarse->size)
                mirrors[count++] = (Mirror){e->links.data[l].to, (uint32_t)i, e->links.data[l].g};
    qsort(mirrors, count, sizeof *mirrors, by_cell);
    bool room = array_reserve(context, &e->touched, count + 1) &&
                array_reserve(context, &e->touched_links, count + 1);
    for (size_t i = 0; i < count && room; i++) {
        uint32_t cell = mirrors[i].cell;
        if (i == 0 || cell != mirrors[i - 1].cell)
            e->touched.data[e->touched.count++] = (MgTouched){.cell = cell,
                                                              .first_link = (uint32_t)i,
                                                              .fixed = coarse->fixed[cell],
                                                              .with_links = coarse->fixed[cell]};
        e->touched_links.data[e->touched_links.count++] = (MgLink){mirrors[i].extra, mirrors[i].g};
        e->touched.data[e->touched.count - 1].with_links += mirrors[i].g;
    }
    if (room && count)
        e->touched.data[e->touched.count++] = (MgTouched){.first_link = (uint32_t)count};
    scratch_release(scratch, mark);
    return room ? PLIM_OK : PLIM_OUT_OF_MEMORY;
}

PlimStatus mg_link(Scratch *scratch, const MgLevel *fine, MgLevel *coarse) {
    TRY(fill_rows(scratch->context, fine, coarse));
    fold_extras(fine, coarse);
    return mirror_links(scratch, coarse);
}
