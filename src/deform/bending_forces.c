/* Forces and stiffness of bending: moments M (theta - rest) times gradients of angles (000 section
 * 3.2.2), M the fixed matrix that patches add up to. Stiffness J^T M J, J the gradients, is
 * semidefinite; with moments times second derivatives it is the true one. */
#include "deform/internal.h"

typedef struct BendJob {
    Deform *d;
    const ForceParts *parts;
} BendJob;

static double angle_at(const BendHinge *hinge, const double *x, Vec3 *gradient) {
    Vec3 corner[4];
    for (int c = 0; c < hinge->shape.count; c++) corner[c] = vec3_load(x + 3 * hinge->corners[c]);
    return hinge_angle(&hinge->shape, corner, gradient);
}

static void find_angles(void *user, size_t begin, size_t end) {
    const BendJob *job = user;
    const Deform *d = job->d;
    const ForceParts *parts = job->parts;
    const DeformBending *b = &d->bending;
    for (size_t h = begin; h < end; h++) {
        const BendHinge *hinge = &b->hinges.data[h];
        Vec3 *gradient = b->gradient.data + 4 * h;
        double angle = angle_at(hinge, parts->x, gradient), rate = 0;
        bool damps = d->bodies.data[hinge->body].bending.damping > 0;
        if (damps && parts->x_before)
            rate = hinge_change(angle_at(hinge, parts->x_before, NULL), angle) / parts->h;
        for (int c = 0; damps && parts->v && !parts->x_before && c < hinge->shape.count; c++)
            rate += vec3_dot(gradient[c], vec3_load(parts->v + 3 * hinge->corners[c]));
        b->angle.data[h] = parts->elastic ? angle - hinge->rest : 0;
        b->rate.data[h] = rate;
    }
}

static void find_strains(void *user, size_t begin, size_t end) {
    const BendJob *job = user;
    const DeformBending *b = &job->d->bending;
    for (size_t p = begin; p < end; p++) {
        const BendPatch *patch = &b->patches.data[p];
        double energy = 0;
        double strain[3] = {0}, rate[3] = {0};
        for (size_t k = patch->first_entry; k < patch->first_entry + patch->entry_count; k++) {
            const BendEntry *entry = &b->entries.data[k];
            for (int i = 0; i < 3; i++) {
                strain[i] += entry->weight[i] * b->angle.data[entry->hinge];
                rate[i] += entry->weight[i] * b->rate.data[entry->hinge];
            }
        }
        for (int i = 0; i < 3; i++) {
            double drag = patch->damping * rate[i];
            b->stress.data[3 * p + (size_t)i] = patch->factor * (strain[i] + drag);
            energy += strain[i] * strain[i] + job->parts->h * drag * rate[i];
        }
        b->energy.data[p] = 0.5 * patch->factor * energy;
    }
}

static void find_moments(void *user, size_t begin, size_t end) {
    const BendJob *job = user;
    const DeformBending *b = &job->d->bending;
    for (size_t h = begin; h < end; h++) {
        double moment = 0;
        for (size_t k = b->hinge_start.data[h]; k < b->hinge_start.data[h + 1]; k++) {
            const BendEntry *entry = &b->entries.data[b->hinge_entries.data[k]];
            const double *stress = b->stress.data + 3 * (size_t)entry->patch;
            for (int i = 0; i < 3; i++) moment += entry->weight[i] * stress[i];
        }
        b->moment.data[h] = moment;
        for (size_t c = 4 * h; c < 4 * h + (size_t)b->hinges.data[h].shape.count; c++)
            b->force.data[c] = vec3_scale(-moment, b->gradient.data[c]);
    }
}

void bending_evaluate(Deform *d, int threads, const ForceParts *parts) {
    enum { GRAIN = 256 };
    BendJob job = {d, parts};
    parallel_for(threads, d->bending.hinges.count, GRAIN, find_angles, &job);
    parallel_for(threads, d->bending.patches.count, GRAIN, find_strains, &job);
    parallel_for(threads, d->bending.hinges.count, GRAIN, find_moments, &job);
}

double bending_energy(const Deform *d, const DeformBody *body) {
    double sum = 0;
    for (size_t p = 0; p < body->patch_count; p++)
        sum += d->bending.energy.data[body->first_patch + p];
    return sum;
}

/* ---- stiffness ---- */

/* Gradients of a patch's three strains to its nodes. */
static void patch_gradients(const Deform *d, const BendPatch *patch,
                            Vec3 gradient[BEND_MOST_NODES][3]) {
    const DeformBending *b = &d->bending;
    for (size_t n = 0; n < patch->node_count; n++)
        for (int i = 0; i < 3; i++) gradient[n][i] = vec3(0, 0, 0);
    for (size_t k = patch->first_entry; k < patch->first_entry + patch->entry_count; k++) {
        const BendEntry *entry = &b->entries.data[k];
        for (int c = 0; c < b->hinges.data[entry->hinge].shape.count; c++) {
            Vec3 g = b->gradient.data[4 * entry->hinge + c], *to = gradient[entry->at[c]];
            for (int i = 0; i < 3; i++) to[i] = vec3_add_scaled(to[i], entry->weight[i], g);
        }
    }
}

/* Adds a block of nodes i and j of the patch, in one place of the matrix. */
static void add_block(const Deform *d, const BendPatch *patch, size_t i, size_t j, const Mat3 *m) {
    size_t dim = (size_t)d->options.dim;
    int32_t place = d->bending.blocks.data[patch->first_block + i * patch->node_count + j];
    double *to = d->matrix.value + dim * dim * (size_t)place;
    for (size_t r = 0; r < dim; r++) {
        to[dim * r] += m->r[r].x;
        to[dim * r + 1] += m->r[r].y;
        if (dim == 3) to[dim * r + 2] += m->r[r].z;
    }
}

static void add_second(const Deform *d, size_t p, double factor, const double *x) {
    const DeformBending *b = &d->bending;
    const BendPatch *patch = &b->patches.data[p];
    for (size_t k = patch->first_entry; k < patch->first_entry + patch->entry_count; k++) {
        const BendEntry *entry = &b->entries.data[k];
        const BendHinge *hinge = &b->hinges.data[entry->hinge];
        if ((size_t)hinge->home != p) continue;
        Vec3 corner[4];
        Mat3 second[16];
        int count = hinge->shape.count;
        for (int c = 0; c < count; c++) corner[c] = vec3_load(x + 3 * hinge->corners[c]);
        hinge_second(&hinge->shape, corner, second);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++) {
                Mat3 block =
                    mat3_scale(factor * b->moment.data[entry->hinge], second[count * i + j]);
                add_block(d, patch, (size_t)entry->at[i], (size_t)entry->at[j], &block);
            }
    }
}

void bending_add_stiffness(const Deform *d, size_t p, const MatrixParts *parts) {
    const BendPatch *patch = &d->bending.patches.data[p];
    double factor = patch->factor * (parts->elastic + parts->damping * patch->damping);
    Vec3 g[BEND_MOST_NODES][3];
    patch_gradients(d, patch, g);
    for (size_t i = 0; i < patch->node_count; i++) {
        Vec3 a[3];
        for (int k = 0; k < 3; k++) a[k] = vec3_scale(factor, g[i][k]);
        for (size_t j = i; j < patch->node_count; j++) {
            Mat3 block;
            for (int r = 0; r < 3; r++) {
                Vec3 row = vec3_scale(vec3_component(a[0], r), g[j][0]);
                row = vec3_add_scaled(row, vec3_component(a[1], r), g[j][1]);
                block.r[r] = vec3_add_scaled(row, vec3_component(a[2], r), g[j][2]);
            }
            add_block(d, patch, i, j, &block);
            if (i == j) continue;
            block = mat3_transpose(block);
            add_block(d, patch, j, i, &block);
        }
    }
    if (!parts->project && parts->elastic > 0) add_second(d, p, parts->elastic, parts->x);
}

void bending_bound(const Deform *d, size_t p, double *bound) {
    const BendPatch *patch = &d->bending.patches.data[p];
    Vec3 g[BEND_MOST_NODES][3];
    double sum[3] = {0};
    patch_gradients(d, patch, g);
    for (size_t n = 0; n < patch->node_count; n++) {
        if (d->is_pinned[d->bending.nodes.data[patch->first_node + n]]) continue;
        for (int k = 0; k < 3; k++) sum[k] += vec3_length(g[n][k]);
    }
    for (size_t n = 0; n < patch->node_count; n++)
        for (int k = 0; k < 3; k++)
            bound[d->bending.nodes.data[patch->first_node + n]] +=
                patch->factor * vec3_length(g[n][k]) * sum[k];
}
