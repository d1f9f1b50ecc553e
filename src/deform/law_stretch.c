/* Isotropic laws in principal stretches: derivatives, divided differences, plane stress. */
#include "deform/law_stretch.h"

/* phi, g and their derivatives at one stretch. */
typedef struct StretchTerm {
    double phi, dphi, ddphi, g, dg, ddg;
} StretchTerm;

static StretchTerm corotated_term(double mu, double s) {
    return (StretchTerm){
        mu * (s - 1.0) * (s - 1.0), 2.0 * mu * (s - 1.0), 2.0 * mu, s - 1.0, 1.0, 0.0};
}

static StretchTerm green_term(double mu, double s) {
    const double t = law_least_green_stretch;
    bool line = s < t;
    double e = line ? 0.5 * (t * t - 1.0) + t * (s - t) : 0.5 * (s - 1.0) * (s + 1.0);
    double de = line ? t : s, dde = line ? 0.0 : 1.0;
    return (StretchTerm){mu * e * e, 2.0 * mu * e * de, 2.0 * mu * (de * de + e * dde), e, de, dde};
}

/* l(s) and its derivatives: ln s, below t its Taylor polynomial about t. */
static void extended_log(double s, double t, double *l, double *dl, double *ddl) {
    if (s >= t) {
        *l = log(s);
        *dl = 1.0 / s;
        *ddl = -1.0 / (s * s);
    } else {
        double q = (s - t) / t;
        *l = log(t) + q - 0.5 * q * q;
        *dl = (1.0 - q) / t;
        *ddl = -1.0 / (t * t);
    }
}

static StretchTerm neo_hookean_term(double mu, double s, double t) {
    double l, dl, ddl;
    extended_log(s, t, &l, &dl, &ddl);
    double phi = 0.5 * mu * (s - 1.0) * (s + 1.0) - mu * l;
    return (StretchTerm){phi, mu * s - mu * dl, mu - mu * ddl, l, dl, ddl};
}

static StretchTerm stretch_term(const ElementLaw *law, double s) {
    if (law->model == LAW_COROTATED) return corotated_term(law->mu, s);
    if (law->model == LAW_ST_VENANT_KIRCHHOFF) return green_term(law->mu, s);
    return neo_hookean_term(law->mu, s, law->least_stretch);
}

/* P_33 = 0 for mu eps:eps + lambda/2 tr(eps)^2 gives eps_33 = -lambda/(lambda + 2 mu) (eps_11 +
 * eps_22), and the same energy in two strains with this lambda. It holds for whatever each law
 * takes as strain, as that of the thickness may have any value. */
double law_plane_lambda(const ElementLaw *law) {
    if (law->dim != 2 || !law->plane_stress || law->model == LAW_NEO_HOOKEAN) return law->lambda;
    return 2.0 * law->mu * law->lambda / (law->lambda + 2.0 * law->mu);
}

/* The root below t = least_stretch of dPsi/ds_3 = mu s + (lambda (L + l(s)) - mu) l'(s), where it
 * is positive at t. At a root the slope is mu 2t/(2t - s) + lambda l'^2 > 0: there is one only. */
static double thin_thickness(const ElementLaw *law, double log_area, double *log_thickness) {
    double t = law->least_stretch, mu = law->mu, lambda = law->lambda;
    /* Here s <= 0 and L + l(s) <= 0, so that the derivative is below zero. */
    double low = t * (1.0 - fmax(1.0, sqrt(2.0 * fmax(0.0, log_area + log(t))))), high = t;
    double s = t, dl, ddl;
    for (int i = 0; i < 100; i++) {
        extended_log(s, t, log_thickness, &dl, &ddl);
        double factor = lambda * (log_area + *log_thickness) - mu;
        double value = mu * s + factor * dl;
        double slope = mu + factor * ddl + lambda * dl * dl;
        if (value > 0.0)
            high = s;
        else
            low = s;
        double next = s - value / slope;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        double change = fabs(next - s);
        s = next;
        if (change <= 1e-16 * t) break;
    }
    extended_log(s, t, log_thickness, &dl, &ddl);
    return s;
}

/* With y = ln s_3: mu (e^2y - 1) + lambda (L + y) = 0, a convex increasing function. Newton from
 * the right of its root goes down to it without overshooting. */
double law_thickness(const ElementLaw *law, double log_area, double *log_thickness) {
    double t = law->least_stretch, mu = law->mu, lambda = law->lambda;
    if (mu * (t * t - 1.0) + lambda * (log_area + log(t)) > 0.0)
        return thin_thickness(law, log_area, log_thickness);
    /* Right of the root by e^2y >= 1 + 2y; and, for L < 0, where y > 0, by leaving out lambda y. */
    double y = -lambda * log_area / (2.0 * mu + lambda);
    if (log_area < 0.0) y = fmin(y, 0.5 * log1p(-lambda * log_area / mu));
    for (int i = 0; i < 50; i++) {
        double square = exp(2.0 * y);
        double value = mu * (square - 1.0) + lambda * (log_area + y);
        double step = value / (2.0 * mu * square + lambda);
        y -= step;
        if (!(fabs(step) > 2e-16 * (1.0 + fabs(y)))) break;
    }
    *log_thickness = y;
    return exp(y);
}

void law_principal(const ElementLaw *law, const double s[3], LawPrincipal *at) {
    int dim = law->dim;
    double lambda = law_plane_lambda(law), sum = 0.0;
    StretchTerm term[3] = {{0}};
    at->energy = 0.0;
    at->coupling = lambda;
    for (int i = 0; i < dim; i++) {
        term[i] = stretch_term(law, s[i]);
        at->energy += term[i].phi;
        sum += term[i].g;
    }
    if (law->model == LAW_NEO_HOOKEAN && dim == 2 && law->plane_stress) {
        double log_thickness, thickness = law_thickness(law, sum, &log_thickness);
        StretchTerm third = neo_hookean_term(law->mu, thickness, law->least_stretch);
        at->energy += third.phi;
        sum += log_thickness;
        /* s_3 stays at its minimum: A_ij - A_i3 A_3j / A_33. A_33 > 0 there, see above. */
        double own = third.ddphi + lambda * sum * third.ddg;
        at->coupling = lambda * own / (own + lambda * third.dg * third.dg);
    }
    at->energy += 0.5 * lambda * sum * sum;
    at->volumetric = lambda * sum;
    for (int i = 0; i < 3; i++) {
        at->stress[i] = term[i].dphi + at->volumetric * term[i].dg;
        at->slope[i] = term[i].dg;
        at->diagonal[i] = term[i].ddphi + at->volumetric * term[i].ddg;
    }
}

/* The divided difference of P between two stretches on one side of the end of the plain law. */
static double smooth_difference(const ElementLaw *law, double volumetric, double si, double sj,
                                bool extended) {
    double mu = law->mu, t = law->least_stretch;
    if (law->model == LAW_COROTATED) return 2.0 * mu;
    if (law->model == LAW_ST_VENANT_KIRCHHOFF) {
        const double g = law_least_green_stretch;
        if (extended) return 2.0 * mu * g * g;
        return mu * (si * si + si * sj + sj * sj - 1.0) + volumetric;
    }
    return mu + (mu - volumetric) / (extended ? t * t : si * sj);
}

double law_divided_difference(const ElementLaw *law, double volumetric, double si, double sj) {
    double t = law->model == LAW_NEO_HOOKEAN ? law->least_stretch : law_least_green_stretch;
    double high = fmax(si, sj), low = fmin(si, sj);
    if (low >= t) return smooth_difference(law, volumetric, high, low, false);
    if (high < t) return smooth_difference(law, volumetric, high, low, true);
    /* The end lies between: the mean of both sides, each by its share of the way. */
    double share = high > low ? (high - t) / (high - low) : 0.0;
    return share * smooth_difference(law, volumetric, high, t, false) +
           (1.0 - share) * smooth_difference(law, volumetric, t, low, true);
}
