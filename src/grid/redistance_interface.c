/* Redistancing at the interface, values beside the zero set (000 section 4.5.1). The zero set is
 * where linear interpolation between neighbours vanishes, so it stays where it is if both are
 * scaled alike: phi / |grad phi| with smoothly varying gradients (Russo and Smereka 2000), with the
 * curvature of phi along its gradient as a second-order term. A value whose gradient is of length 1
 * within what differences can tell is left alone: redistancing a distance again and again moves
 * nothing.
 *
 * Sheets and drops thinner than a few cells bend phi within a cell: there one-sided differences to
 * the zero set take the place of central ones. */
#include "grid/redistance_interface.h"

#include <math.h>

/* Gradients that differ from 1 by less than LEAVE are left; those by FADE more are fully corrected.
 * Differences tell less where curvature (LEAVE_CURVED times the sum of squared principal curvatures
 * times the spacing) or a kink disturbs them: without this, drops of 3 cells lose a tenth of their
 * volume in 500 times. */
static const double LEAVE = 0.01, LEAVE_CURVED = 0.25, LEAVE_KINKED = 0.05, FADE = 0.03;

/* One-sided differences that disagree by more than this part of the steepest show a kink. */
static const double KINK = 0.7;

/* The distance found must be within these times that of the plane through the crossings. */
static const double LEAST_OF_PLANE = 0.5, MOST_OF_PLANE = 1.1;

/* fmax and fmin are calls. */
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

typedef struct Slopes {
    double along[3];   /* gradient */
    double bend[3][3]; /* second derivatives, times the spacing */
    bool closed[3];    /* the zero set lies on both sides along this axis */
    bool kinked;       /* along some axis; second derivatives say nothing */
} Slopes;

static void find_bends(const InterfaceValues *v, int axes, double h, Slopes *slopes) {
    for (int a = 0, pair = 0; a < axes; a++) {
        slopes->bend[a][a] = (v->near[a][0] - 2.0 * v->own + v->near[a][1]) / h;
        for (int b = a + 1; b < axes; b++, pair++) {
            const double *d = v->diagonal[pair];
            slopes->bend[a][b] = slopes->bend[b][a] = 0.25 * (d[0] - d[1] - d[2] + d[3]) / h;
        }
    }
}

/* Central differences averaged across the other axes with weights (1, 4, 1) / 6, which makes their
 * error the gradient of the Laplacian, h^2 / 6 of it: the same in every direction. */
static void find_smooth_slopes(const InterfaceValues *v, int axes, double h, Slopes *slopes) {
    double central[3], sum[3] = {0};
    for (int a = 0; a < axes; a++) central[a] = 0.5 * (v->near[a][1] - v->near[a][0]);
    for (int a = 0, pair = 0; a < axes; a++)
        for (int b = a + 1; b < axes; b++, pair++) {
            const double *d = v->diagonal[pair];
            sum[a] += 0.5 * (d[1] - d[0] + d[3] - d[2]) - 2.0 * central[a];
            sum[b] += 0.5 * (d[2] - d[0] + d[3] - d[1]) - 2.0 * central[b];
        }
    for (int a = 0; a < axes; a++) slopes->along[a] = (central[a] + sum[a] / 6.0) / h;
}

static Slopes find_slopes(const InterfaceValues *v, int axes, double h) {
    Slopes slopes = {.kinked = false};
    double low[3], high[3], steepest = 0;
    for (int a = 0; a < axes; a++) {
        low[a] = (v->own - v->near[a][0]) / h;
        high[a] = (v->near[a][1] - v->own) / h;
        steepest = larger(steepest, larger(fabs(low[a]), fabs(high[a])));
    }
    for (int a = 0; a < axes; a++) {
        bool crossed = v->crossed[a][0] || v->crossed[a][1];
        slopes.closed[a] = v->crossed[a][0] && v->crossed[a][1];
        slopes.along[a] = 0.5 * (low[a] + high[a]);
        if (!crossed || !(fabs(high[a] - low[a]) > KINK * steepest)) continue;
        slopes.kinked = true;
        slopes.along[a] = slopes.closed[a]   ? larger(low[a], -high[a])
                          : v->crossed[a][0] ? low[a]
                                             : high[a];
    }
    if (slopes.kinked) return slopes;
    find_bends(v, axes, h, &slopes);
    find_smooth_slopes(v, axes, h, &slopes);
    return slopes;
}

/* Whether the liquid (or air) of a value that is closed in along both axes of a pair goes on along
 * their diagonals: then it is a tilted sheet, else a drop or a thread. */
static bool goes_on(const InterfaceValues *v, int pair) {
    return v->on_side[pair][0] || v->on_side[pair][1] || v->on_side[pair][2] || v->on_side[pair][3];
}

/* Length of a vector, of which components along closed axes are those of one normal in a sheet, but
 * each of a normal of its own in a drop. */
static double combine(const InterfaceValues *v, const Slopes *slopes, int axes,
                      const double part[3]) {
    double sum = 0, closed_sum = 0, closed_most = 0;
    bool sheet = false;
    for (int a = 0, pair = 0; a < axes; a++)
        for (int b = a + 1; b < axes; b++, pair++)
            sheet = sheet || (slopes->closed[a] && slopes->closed[b] && goes_on(v, pair));
    for (int a = 0; a < axes; a++) {
        double square = part[a] * part[a];
        if (!slopes->closed[a]) {
            sum += square;
        } else {
            closed_sum += square;
            closed_most = larger(closed_most, square);
        }
    }
    return sqrt(sum + (sheet ? closed_sum : closed_most));
}

/* Distance of the plane through the crossings along the axes. */
static double plane_distance(const InterfaceValues *v, const Slopes *slopes, int axes, double h) {
    double inverse[3] = {0};
    for (int a = 0; a < axes; a++)
        for (int end = 0; end < 2; end++)
            if (v->crossed[a][end])
                inverse[a] = larger(inverse[a], (v->own - v->near[a][end]) / (v->own * h));
    return 1.0 / combine(v, slopes, axes, inverse);
}

/* How far back along the gradient phi + g s + c s^2 / 2 is zero; the bend is kept to what cannot
 * change the result by more than about a quarter. */
static double quadratic_distance(double own, double gradient, double curvature) {
    double bend = smaller(larger(2.0 * own * curvature / (gradient * gradient), -0.75), 0.75);
    return 2.0 * own / (gradient * (1.0 + sqrt(1.0 - bend)));
}

typedef struct Profile {
    double gradient;  /* length */
    double curvature; /* second derivative along the gradient, 1/m */
    double leave;     /* how far from 1 the gradient may be */
} Profile;

/* Of a distance the differences find too short a gradient, by h^2 / 6 times the sum of the squared
 * principal curvatures (the derivative of their sum along the normal). */
static Profile smooth_profile(const Slopes *slopes, int axes, double h) {
    double square = 0, along_normal[3] = {0}, bend_square = 0;
    for (int a = 0; a < axes; a++) {
        square += slopes->along[a] * slopes->along[a];
        for (int b = 0; b < axes; b++) {
            along_normal[a] += slopes->bend[a][b] * slopes->along[b];
            bend_square += slopes->bend[a][b] * slopes->bend[a][b];
        }
    }
    if (!(square > 0)) return (Profile){0, 0, LEAVE};
    double normal_square = 0, normal = 0;
    for (int a = 0; a < axes; a++) {
        normal_square += along_normal[a] * along_normal[a] / square;
        normal += along_normal[a] * slopes->along[a] / square;
    }
    double tangential = larger(bend_square - 2.0 * normal_square + normal * normal, 0.0);
    double curved = smaller(tangential / square, 1.0);
    return (Profile){sqrt(square) * (1.0 + curved / 6.0), normal / h,
                     LEAVE + LEAVE_CURVED * curved};
}

double interface_distance(const InterfaceValues *v, int axes, double h) {
    if (!(v->own > 0)) return 0.0;
    Slopes slopes = find_slopes(v, axes, h);
    Profile profile = slopes.kinked
                          ? (Profile){combine(v, &slopes, axes, slopes.along), 0, LEAVE_KINKED}
                          : smooth_profile(&slopes, axes, h);
    double away = fabs(profile.gradient - 1.0);
    if (away <= profile.leave) return v->own;
    double distance = plane_distance(v, &slopes, axes, h);
    if (profile.gradient > 0) {
        double along = quadratic_distance(v->own, profile.gradient, profile.curvature);
        if (along >= LEAST_OF_PLANE * distance && along <= MOST_OF_PLANE * distance)
            distance = along;
    }
    double t = (away - profile.leave) / FADE;
    if (t >= 1) return distance;
    return v->own + t * t * (3.0 - 2.0 * t) * (distance - v->own);
}
