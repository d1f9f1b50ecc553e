/* Damping of finite elements and its factor C (002 section 5.5.1). */
#include "deform/damping.h"

#include "math/decompose.h"

/* Both forms are the same operator on a strain rate sym(A^T F' B): A = F, B = I for the Green
 * strain, A = U, B = V for that of the document. P = A (alpha tr I + 2 beta strain rate) B^T. */
typedef struct Frame {
    Mat3 a, b;
} Frame;

static Mat3 without_third(Mat3 a) {
    return (Mat3){{{a.r[0].x, a.r[0].y, 0}, {a.r[1].x, a.r[1].y, 0}, {0, 0, 0}}};
}

static Frame damping_frame(DampingForm form, int dim, Mat3 f) {
    Frame frame = {f, mat3_identity()};
    Vec3 sigma;
    if (form == DAMPING_DIAGONAL && dim == 2) svd_rotations_2(f, &frame.a, &sigma, &frame.b);
    if (form == DAMPING_DIAGONAL && dim == 3) svd_rotations(f, &frame.a, &sigma, &frame.b);
    if (dim == 2) frame = (Frame){without_third(frame.a), without_third(frame.b)};
    return frame;
}

void damping_stress(DampingForm form, int dim, double alpha, double beta, Mat3 f, Mat3 rate,
                    Mat3 *stress) {
    Frame frame = damping_frame(form, dim, f);
    if (dim == 2) rate = without_third(rate);
    Mat3 x = mat3_multiply(mat3_multiply(mat3_transpose(frame.a), rate), frame.b);
    Mat3 inner = mat3_scale(beta, mat3_add(x, mat3_transpose(x)));
    double pressure = alpha * mat3_trace(x);
    inner = mat3_add(inner, mat3_diagonal(pressure, pressure, pressure));
    *stress = mat3_multiply(mat3_multiply(frame.a, inner), mat3_transpose(frame.b));
}

int damping_rows(DampingForm form, int dim, double alpha, double beta, Mat3 f, double *rows) {
    static const int entries[2][6][2] = {{{0, 0}, {1, 1}, {0, 1}},
                                         {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
    Frame frame = damping_frame(form, dim, f);
    int count = dim == 2 ? 3 : 6, n = dim * dim;
    double a[9], b[9];
    mat3_store(a, frame.a);
    mat3_store(b, frame.b);
    /* The square root of the operator on symmetric matrices is one of the same kind. On a matrix
     * without trace it multiplies by the root of 2 beta, on the identity by that of
     * dim alpha + 2 beta: the beta' and alpha' of the document for dim = 3. */
    double shear = sqrt(2.0 * beta);
    double trace = (sqrt(dim * alpha + 2.0 * beta) - shear) / dim;
    for (int r = 0; r < count; r++) {
        int i = entries[dim - 2][r][0], j = entries[dim - 2][r][1];
        /* An entry off the diagonal stands for itself and its mirror image: the root of 2. */
        double factor = i == j ? shear : sqrt(2.0) * shear;
        for (int k = 0; k < dim; k++) {
            for (int l = 0; l < dim; l++) {
                double strain = 0.5 * (a[3 * k + i] * b[3 * l + j] + a[3 * k + j] * b[3 * l + i]);
                double sum = 0.0;
                for (int m = 0; m < dim; m++) sum += a[3 * k + m] * b[3 * l + m];
                rows[n * r + dim * k + l] = factor * strain + (i == j ? trace * sum : 0.0);
            }
        }
    }
    return count;
}

/* With W = A B^T, L = A A^T and R = B B^T the operator is
 * alpha W_ik W_jl + beta (L_ij R_kl + W_il W_jk) from F'_jl to P_ik. */
static inline void add_operator(int dim, double alpha, double beta, const Frame *frame, double *h) {
    double w[9], left[9], right[9];
    mat3_store(w, mat3_multiply(frame->a, mat3_transpose(frame->b)));
    mat3_store(left, mat3_multiply(frame->a, mat3_transpose(frame->a)));
    mat3_store(right, mat3_multiply(frame->b, mat3_transpose(frame->b)));
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++)
            for (int j = 0; j < dim; j++)
                for (int l = 0; l < dim; l++)
                    h[dim * dim * (dim * i + k) + dim * j + l] +=
                        alpha * w[3 * i + k] * w[3 * j + l] +
                        beta * (left[3 * i + j] * right[3 * k + l] + w[3 * i + l] * w[3 * j + k]);
}

void damping_add_operator(DampingForm form, int dim, double alpha, double beta, Mat3 f,
                          double factor, double *h) {
    Frame frame = damping_frame(form, dim, f);
    if (dim == 2)
        add_operator(2, factor * alpha, factor * beta, &frame, h);
    else
        add_operator(3, factor * alpha, factor * beta, &frame, h);
}
