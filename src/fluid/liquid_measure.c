/* Figures of a liquid for stats.csv and probes. */
#include "fluid/internal.h"
#include "grid/interpolate.h"

/* Potential energy, J, zero at the origin. Of a cell that is liquid in part, the liquid's middle
 * lies away from the surface by half of what is missing. */
static double potential_energy(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    const GridField *phi = &fluid->liquid.phi;
    bool at_cells = phi->place == PLACE_CELLS;
    double sum = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++) {
                double part = fluid->liquid.fraction[grid_cell_index(grid, i, j, k)];
                if (!(part > 0)) continue;
                Vec3 x = grid_cell_center(grid, i, j, k);
                if (part < 1 && at_cells) {
                    size_t at = field_index(phi, i, j, k);
                    Vec3 normal = vec3(field_difference(phi, at, 0), field_difference(phi, at, 1),
                                       field_difference(phi, at, 2));
                    double size = fabs(normal.x) + fabs(normal.y) + fabs(normal.z);
                    double way = size > 0 ? 0.5 * (1 - part) * grid->spacing / size : 0;
                    x = vec3_add_scaled(x, -way, normal);
                }
                sum -= part * vec3_dot(fluid->gravity, x);
            }
    return sum * fluid->desc.density * grid_cell_volume(grid);
}

/* What was made is what there is and what was taken away, by cause. */
static void add_fates(const Fluid *fluid, Diagnostics *diagnostics) {
    static const struct {
        const char *particles, *drops; /* NULL: does not happen to them */
        ParticleFate fate;
    } fates[] = {{"particles.seeded|particles.*.seeded", NULL, PARTICLE_SEEDED},
                 {"particles.returned|particles.*.returned",
                  "removed.drops.returned|removed.*.drops.returned", PARTICLE_RETURNED},
                 {"removed.particles.escaped|removed.*.particles.escaped",
                  "drops.made|drops.*.made", PARTICLE_ESCAPED},
                 {"removed.particles.far|removed.*.particles.far",
                  "removed.drops.far|removed.*.drops.far", PARTICLE_FAR},
                 {"removed.particles.surplus|removed.*.particles.surplus", NULL, PARTICLE_SURPLUS},
                 {"removed.particles.outside|removed.*.particles.outside",
                  "removed.drops.outside|removed.*.drops.outside", PARTICLE_OUTSIDE},
                 {"removed.particles.buried|removed.*.particles.buried",
                  "removed.drops.buried|removed.*.drops.buried", PARTICLE_BURIED},
                 {"removed.particles.merged|removed.*.particles.merged",
                  "removed.drops.merged|removed.*.drops.merged", PARTICLE_MERGED}};
    const uint64_t *particles = fluid->liquid.tally,
                   *drops = fluid->liquid.tally + FLUID_TALLY_DROPS;
    size_t alive = fluid->sizes[FLUID_GROUP_PARTICLES].count;
    size_t flying = fluid->sizes[FLUID_GROUP_DROPS].count;
    diagnostics_add_own(diagnostics, "particles.alive|particles.*.alive", (double)alive);
    diagnostics_add_own(diagnostics, "drops.alive|drops.*.alive", (double)flying);
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++) {
        diagnostics_add_own(diagnostics, fates[i].particles, (double)particles[fates[i].fate]);
        if (fates[i].drops)
            diagnostics_add_own(diagnostics, fates[i].drops, (double)drops[fates[i].fate]);
    }
}

double fluid_volume_of_drops(const Fluid *fluid) {
    double sum = 0;
    for (size_t i = 0; i < fluid->sizes[FLUID_GROUP_DROPS].count; i++)
        sum += fluid->liquid.drop_volume[i];
    return sum;
}

/* Of drops as they are seen: balls of the liquid. */
static Vec3 momentum_of_drops(const Fluid *fluid) {
    const double pi = acos(-1.0);
    Vec3 sum = vec3(0, 0, 0);
    for (size_t i = 0; i < fluid->sizes[FLUID_GROUP_DROPS].count; i++) {
        double r = fluid->liquid.drop_radius[i];
        double volume = fluid->grid.dim == 2 ? pi * r * r : 4 * pi / 3 * r * r * r;
        if (fluid->liquid.drop_sign[i] > 0) continue;
        sum = vec3_add_scaled(sum, fluid->desc.density * volume,
                              vec3_load(fluid->liquid.drop_velocity + 3 * i));
    }
    return sum;
}

void fluid_diagnose_surface(const Fluid *fluid, const StepInfo *step, Diagnostics *diagnostics) {
    (void)step;
    double volume = fluid_liquid_volume(fluid);
    diagnostics_add(diagnostics, "energy.potential", potential_energy(fluid));
    diagnostics_add_own(diagnostics, "volume.fluid|volume.*", volume);
    diagnostics_add_own(diagnostics, "mass.fluid|mass.*", volume * fluid->desc.density);
    diagnostics_add_own(diagnostics, "volume.wanted|volume.*.wanted",
                        fluid->liquid.account[FLUID_ACCOUNT_WANTED]);
    diagnostics_add_own(diagnostics, "volume.poured|volume.*.poured",
                        fluid->liquid.account[FLUID_ACCOUNT_POURED]);
    diagnostics_add_own(diagnostics, "volume.left|volume.*.left",
                        fluid->liquid.account[FLUID_ACCOUNT_LEFT]);
    diagnostics_add_own(diagnostics, "volume.control|volume.*.control",
                        fluid->liquid.account[FLUID_ACCOUNT_CONTROL]);
    if (!fluid->desc.liquid.has_particles) return;
    add_fates(fluid, diagnostics);
    Vec3 momentum = momentum_of_drops(fluid);
    diagnostics_add_own(diagnostics, "volume.drops|volume.*.drops", fluid_volume_of_drops(fluid));
    diagnostics_add_own(diagnostics, "drops.momentum.x|drops.*.momentum.x", momentum.x);
    diagnostics_add_own(diagnostics, "drops.momentum.y|drops.*.momentum.y", momentum.y);
    diagnostics_add_own(diagnostics, "drops.momentum.z|drops.*.momentum.z", momentum.z);
}

/* ---- probes ---- */

/* Where the surface crosses between two cells, from the first one's middle, in cells. */
static double crossing(double from, double to) {
    return (from < 0) != (to < 0) ? from / (from - to) : 0.5;
}

/* The greatest x of liquid in the lowest layer of cells: the tongue of a dam break on the floor. */
double fluid_front(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    double front = grid->origin.x;
    for (int k = 0; k < grid->n[2]; k++)
        for (int i = grid->n[0] - 1; i >= 0; i--) {
            size_t cell = grid_cell_index(grid, i, 0, k);
            if (!(fluid->liquid.cell_level[cell] < 0)) continue;
            bool last = i == grid->n[0] - 1;
            double way =
                last ? 0.5
                     : crossing(fluid->liquid.cell_level[cell], fluid->liquid.cell_level[cell + 1]);
            front = fmax(front, grid_cell_center(grid, i, 0, k).x + way * grid->spacing);
            break;
        }
    return front;
}

/* Of its parts of cells, each at the cell's middle; NaN without any. */
Vec3 fluid_liquid_center(const Fluid *fluid) {
    const Grid *grid = &fluid->grid;
    Vec3 sum = vec3(0, 0, 0);
    double all = 0;
    size_t cell = 0;
    for (int k = 0; k < grid->n[2]; k++)
        for (int j = 0; j < grid->n[1]; j++)
            for (int i = 0; i < grid->n[0]; i++, cell++) {
                double part = fluid->liquid.fraction[cell];
                sum = vec3_add(sum, vec3_scale(part, grid_cell_center(grid, i, j, k)));
                all += part;
            }
    return vec3_scale(1 / all, sum);
}

/* The highest liquid along the line of gravity through x, as a height above the origin, up being
 * against gravity. The line is looked at where it crosses the layers of cells along its main
 * axis; without liquid it is where the line leaves the domain below. */
double fluid_surface_height(const Fluid *fluid, Vec3 x) {
    const Grid *grid = &fluid->grid;
    double up[3], at[3], low[3], high[3], h = grid->spacing;
    vec3_store(up, fluid_up(grid_in_plane(grid, fluid->gravity)));
    vec3_store(at, x);
    vec3_store(low, grid->origin);
    vec3_store(high, grid_high_corner(grid));
    int main = 0, n;
    for (int a = 1; a < grid->dim; a++)
        if (fabs(up[a]) > fabs(up[main])) main = a;
    n = grid->n[main];
    double step = h / fabs(up[main]), height = vec3_dot(vec3_load(up), x), above = 0, last = 0;
    bool is_in_domain = false;
    for (int layer = 0; layer < n; layer++) {
        int cell = up[main] > 0 ? n - 1 - layer : layer;
        double way = (low[main] + (cell + 0.5) * h - at[main]) / up[main], p[3];
        bool inside = true;
        for (int a = 0; a < 3; a++) {
            p[a] = at[a] + way * up[a];
            inside &= a == main || a >= grid->dim || (p[a] >= low[a] && p[a] <= high[a]);
        }
        if (!inside) continue;
        LinearStencil stencil = linear_stencil(grid, PLACE_CELLS, vec3_load(p));
        double level = linear_gather(&stencil, fluid->liquid.cell_level);
        if (level < 0) return height + way + (is_in_domain ? crossing(level, above) : 0.5) * step;
        is_in_domain = true;
        above = level;
        last = way;
    }
    return is_in_domain ? height + last - 0.5 * step : height;
}
