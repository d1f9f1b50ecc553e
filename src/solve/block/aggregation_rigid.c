/* Rigid motions of nodes and aggregates, orthonormal by QR; how much of a matrix is mass. */
#include "base/parallel.h"
#include "solve/block/aggregation_internal.h"

#include <math.h>
#include <string.h>

typedef struct RigidJob {
    Level *level;
    const double *position, *filter;
    double centre[3];
} RigidJob;

/* Translations, then rotations about the centre; multiplied by the filter. */
static void rigid_range(void *user, size_t begin, size_t end) {
    const RigidJob *job = user;
    size_t size = (size_t)job->level->size, modes = (size_t)job->level->modes;
    for (size_t node = begin; node < end; node++) {
        const double *p = job->position + 3 * node;
        double x = p[0] - job->centre[0], y = p[1] - job->centre[1], z = p[2] - job->centre[2];
        const double solid[18] = {1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0};
        const double plane[6] = {1, 0, -y, 0, 1, x};
        const double *motion = size == 3 ? solid : plane;
        double *rigid = job->level->rigid + node * size * modes;
        if (!job->filter) {
            memcpy(rigid, motion, size * modes * sizeof *rigid);
            continue;
        }
        const double *filter = job->filter + node * size * size;
        for (size_t i = 0; i < size; i++)
            for (size_t k = 0; k < modes; k++) {
                double sum = 0.0;
                for (size_t j = 0; j < size; j++)
                    sum += filter[i * size + j] * motion[j * modes + k];
                rigid[i * modes + k] = sum;
            }
    }
}

/* Rigid motions of each node. The centre of all nodes keeps rotations free of large translations.
 */
void aggregation_set_rigid(const Aggregation *aggregation, Level *level, const double *position,
                           const double *filter) {
    RigidJob job = {level, position, filter, {0.0, 0.0, 0.0}};
    size_t rows = level->a.rows;
    for (size_t node = 0; node < rows; node++)
        for (size_t k = 0; k < 3; k++) job.centre[k] += position[3 * node + k];
    for (size_t k = 0; k < 3; k++) job.centre[k] /= (double)(rows ? rows : 1);
    parallel_for(aggregation->desc.threads, rows, LEVEL_GRAIN, rigid_range, &job);
}

/* A mode of an aggregate that depends on those before it leaves this part of its length, or less:
 * one node, nodes in a line, or nearly all of them held. */
static const double DEPENDENT = 1e-9;

typedef struct ModesJob {
    Level *level;
    double *tentative, *next_rigid;
} ModesJob;

static double column_dot(const ModesJob *job, size_t aggregate, size_t k, size_t l) {
    const Level *level = job->level;
    size_t size = (size_t)level->size, modes = (size_t)level->modes;
    double sum = 0.0;
    for (size_t m = level->member_start[aggregate]; m < level->member_start[aggregate + 1]; m++) {
        const double *t = job->tentative + (size_t)level->member[m] * size * modes;
        for (size_t i = 0; i < size; i++) sum += t[i * modes + k] * t[i * modes + l];
    }
    return sum;
}

/* Column k becomes scale times itself plus `add` times column l. */
static void column_combine(const ModesJob *job, size_t aggregate, size_t k, double scale, size_t l,
                           double add) {
    const Level *level = job->level;
    size_t size = (size_t)level->size, modes = (size_t)level->modes;
    for (size_t m = level->member_start[aggregate]; m < level->member_start[aggregate + 1]; m++) {
        double *t = job->tentative + (size_t)level->member[m] * size * modes;
        for (size_t i = 0; i < size; i++)
            t[i * modes + k] = scale * t[i * modes + k] + add * t[i * modes + l];
    }
}

/* QR by Gram and Schmidt, each column twice; dependent columns become zero. */
static void orthonormalise(const ModesJob *job, size_t aggregate) {
    size_t modes = (size_t)job->level->modes;
    double *factor = job->next_rigid + aggregate * modes * modes;
    unsigned kept = 0;
    memset(factor, 0, modes * modes * sizeof *factor);
    for (size_t k = 0; k < modes; k++) {
        double before = sqrt(column_dot(job, aggregate, k, k));
        for (int round = 0; round < 2; round++)
            for (size_t l = 0; l < k; l++) {
                if (!(kept >> l & 1)) continue;
                double dot = column_dot(job, aggregate, l, k);
                factor[l * modes + k] += dot;
                column_combine(job, aggregate, k, 1.0, l, -dot);
            }
        double left = sqrt(column_dot(job, aggregate, k, k));
        bool keep = left > DEPENDENT * before;
        column_combine(job, aggregate, k, keep ? 1.0 / left : 0.0, k, 0.0);
        factor[k * modes + k] = keep ? left : 0.0;
        kept |= (unsigned)keep << k;
    }
    job->level->kept[aggregate] = (uint8_t)kept;
}

static void modes_range(void *user, size_t begin, size_t end) {
    const ModesJob *job = user;
    const Level *level = job->level;
    size_t block = (size_t)(level->size * level->modes);
    for (size_t aggregate = begin; aggregate < end; aggregate++) {
        for (size_t m = level->member_start[aggregate]; m < level->member_start[aggregate + 1];
             m++) {
            size_t node = (size_t)level->member[m];
            memcpy(job->tentative + node * block, level->rigid + node * block,
                   block * sizeof *job->tentative);
        }
        orthonormalise(job, aggregate);
    }
}

void aggregation_modes(const Aggregation *aggregation, Level *level, double *tentative,
                       double *next_rigid) {
    ModesJob job = {level, tentative, next_rigid};
    parallel_for(aggregation->desc.threads, level->coarse_rows, 16, modes_range, &job);
}

typedef struct MassJob {
    const Level *level;
    double *share; /* of each aggregate */
} MassJob;

/* Elastic forces resist no translation: what is left of t^T A t, beside t^T D t of the diagonal, is
 * mass. The least share of an aggregate's translations. */
ALWAYS_INLINE void mass_rows(const MassJob *job, size_t begin, size_t end, size_t size,
                             size_t modes) {
    const Level *level = job->level;
    for (size_t aggregate = begin; aggregate < end; aggregate++) {
        double whole[BLOCK_SIZE_MAX] = {0.0}, diagonal[BLOCK_SIZE_MAX] = {0.0};
        for (size_t m = level->member_start[aggregate]; m < level->member_start[aggregate + 1];
             m++) {
            size_t node = (size_t)level->member[m];
            /* Of the row beside the diagonal: what the filter of the columns left there. */
            double sum[BLOCK_VALUES] = {0.0};
            const double *own = level->rigid + node * size * modes, *block = NULL;
            for (size_t e = level->a.start[node]; e < level->a.start[node + 1]; e++) {
                const double *a = level->value + e * size * size;
                if ((size_t)level->a.column[e] == node)
                    block = a;
                else
                    for (size_t k = 0; k < size * size; k++) sum[k] += a[k];
            }
            for (size_t k = 0; k < size; k++)
                for (size_t i = 0; i < size; i++) {
                    double force = 0.0;
                    for (size_t j = 0; j < size; j++)
                        force += block[i * size + j] * own[j * modes + k];
                    diagonal[k] += own[i * modes + k] * force;
                    whole[k] += own[i * modes + k] * (force + sum[i * size + k]);
                }
        }
        job->share[aggregate] = 1.0;
        for (size_t k = 0; k < size; k++)
            if (diagonal[k] > 0.0)
                job->share[aggregate] = fmin(job->share[aggregate], whole[k] / diagonal[k]);
    }
}

static void mass_range(void *user, size_t begin, size_t end) {
    const MassJob *job = user;
    WITH_SIZES(job->level->size, job->level->modes, mass_rows(job, begin, end, size, modes));
}

/* Whether the matrix is so close to its diagonal that no other level pays. */
PlimStatus aggregation_choose_jacobi(Aggregation *aggregation) {
    const Level *level = aggregation->level;
    Scratch *scratch = &aggregation->scratch;
    size_t mark = scratch_mark(scratch);
    MassJob job = {level, scratch_take(scratch, level->coarse_rows + 1, sizeof *job.share)};
    if (!job.share) return PLIM_OUT_OF_MEMORY;
    parallel_for(aggregation->desc.threads, level->coarse_rows, 16, mass_range, &job);
    double least = 1.0;
    for (size_t i = 0; i < level->coarse_rows; i++) least = fmin(least, job.share[i]);
    aggregation->is_jacobi = aggregation->level_count > 1 && least > aggregation->desc.jacobi_above;
    scratch_release(scratch, mark);
    return PLIM_OK;
}
