/* Face apertures by sharp obstacles, for the bilateral liquid, as for a fluid that fills its
 * grid. */
#include "grid/aperture.h"
#include "splash/obstacle.h"

/* A face open by less is closed, and one closed by less is open: slivers only spoil the matrix. */
static const double least_part = 1e-3;
/* A surface that runs along faces lies on the solid's side of them, in cells. */
static const double touch = 1e-7;

/* Of the obstacles at the corners of a padded face, in turn around it. Two in two dimensions. */
static int corner_distances(const Splash *splash, int axis, const int at[3], double d[4]) {
    const Grid *grid = &splash->padded;
    int b = (axis + 1) % 3, c = (axis + 2) % 3, corners = grid->dim == 3 ? 4 : 2;
    double h = grid->spacing;
    for (int corner = 0; corner < corners; corner++) {
        double x[3] = {at[0], at[1], at[2]};
        if (grid->dim == 2) {
            x[1 - axis] += corner;
        } else {
            x[b] += corner == 1 || corner == 2;
            x[c] += corner >= 2;
        }
        Vec3 p = vec3_add_scaled(grid->origin, h, vec3_load(x));
        d[corner] = splash_distance_to_obstacles(splash, p) - touch * h;
    }
    return corners;
}

/* Of padded cells on either side. */
static bool is_closed_by_wall(const Splash *splash, int axis, const int at[3]) {
    for (int side = 0; side < 2; side++) {
        int cell[3] = {at[0], at[1], at[2]};
        for (int a = 0; a < splash->grid.dim; a++) cell[a] -= 1 + (a == axis && side == 0);
        if (obstacle_beyond_wall(splash, cell)) return true;
    }
    return false;
}

static double open_part(const Splash *splash, int axis, const int at[3]) {
    const Grid *grid = &splash->padded;
    if (is_closed_by_wall(splash, axis, at)) return 0;
    Vec3 middle = grid_face_center(grid, axis, at[0], at[1], at[2]);
    double distance = splash_distance_to_obstacles(splash, middle);
    double reach = OBSTACLE_SLACK * 0.5 * sqrt(grid->dim - 1) * grid->spacing;
    if (distance > reach) return 1;
    if (distance < -reach) return 0;
    double d[4];
    double part = corner_distances(splash, axis, at, d) == 2
                      ? aperture_of_segment(d[0], d[1])
                      : aperture_of_square(d[0], d[1], d[2], d[3]);
    if (part < least_part) return 0;
    if (part > 1 - least_part) return 1;
    return (double)(float)part; /* the solver keeps coefficients in single precision */
}

typedef struct OpenJob {
    Splash *splash;
    ObstacleRange range; /* of padded cells, or faces */
    int axis;
} OpenJob;

static void open_rows(void *user, size_t begin, size_t end) {
    const OpenJob *job = user;
    Splash *splash = job->splash;
    size_t rows = (size_t)(job->range.high[1] - job->range.low[1]);
    for (size_t row = begin; row < end; row++) {
        int j = job->range.low[1] + (int)(row % rows), k = job->range.low[2] + (int)(row / rows);
        for (int i = job->range.low[0]; i < job->range.high[0]; i++) {
            size_t face = grid_face_index(&splash->padded, job->axis, i, j, k);
            splash->open[job->axis][face] = open_part(splash, job->axis, (int[3]){i, j, k});
        }
    }
}

/* A cell that nothing can pass into. */
static void close_rows(void *user, size_t begin, size_t end) {
    const OpenJob *job = user;
    Splash *splash = job->splash;
    const Grid *grid = &splash->padded;
    size_t rows = (size_t)(job->range.high[1] - job->range.low[1]);
    for (size_t row = begin; row < end; row++) {
        int j = job->range.low[1] + (int)(row % rows), k = job->range.low[2] + (int)(row / rows);
        for (int i = job->range.low[0]; i < job->range.high[0]; i++) {
            double open = 0;
            for (int axis = 0; axis < grid->dim; axis++)
                open += splash->open[axis][grid_face_index(grid, axis, i, j, k)] +
                        splash->open[axis][grid_face_index(grid, axis, i + (axis == 0),
                                                           j + (axis == 1), k + (axis == 2))];
            splash->closed[grid_cell_index(grid, i, j, k)] = !(open > 0);
        }
    }
}

void obstacle_open(Splash *splash, int threads, const ObstacleRange *range) {
    enum { GRAIN = 8 };
    for (int axis = 0; axis <= splash->grid.dim; axis++) {
        bool cells = axis == splash->grid.dim; /* after all faces */
        OpenJob job = {splash, *range, axis};
        if (!cells) job.range.high[axis]++;
        size_t rows = (size_t)(job.range.high[1] - job.range.low[1]) *
                      (size_t)(job.range.high[2] - job.range.low[2]);
        parallel_for(threads, rows, GRAIN, cells ? close_rows : open_rows, &job);
    }
}
