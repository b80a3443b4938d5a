/* Continuation of the assemblies of six-legged platforms: see symoro/models/parallel/study.py, which it follows. */
#include <math.h>

typedef struct { double re, im; } number;
typedef struct { number K[6][4][4], L[6]; } member;

static number add(number a, number b) { return (number){a.re + b.re, a.im + b.im}; }
static number sub(number a, number b) { return (number){a.re - b.re, a.im - b.im}; }
static number mul(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static number scaled(double s, number a) { return (number){s * a.re, s * a.im}; }
static double size(number a) { return fabs(a.re) + fabs(a.im); }

static number quotient(number a, number b) {
    double d = b.re * b.re + b.im * b.im;
    return (number){(a.re * b.re + a.im * b.im) / d, (a.im * b.re - a.re * b.im) / d};
}

static double largest(const number *x) {
    double found = 0;
    for (int i = 0; i < 8; i++) {
        double square = x[i].re * x[i].re + x[i].im * x[i].im;
        found = square > found || square != square ? square : found;
    }
    return sqrt(found);
}

/* Solve A x = b by elimination with pivots; 0 where the matrix is singular. */
static int solved(number A[8][8], number b[8]) {
    for (int k = 0; k < 8; k++) {
        int p = k;
        for (int i = k + 1; i < 8; i++) if (size(A[i][k]) > size(A[p][k])) p = i;
        if (!(size(A[p][k]) > 0)) return 0;
        if (p != k) {
            for (int j = k; j < 8; j++) { number t = A[k][j]; A[k][j] = A[p][j]; A[p][j] = t; }
            number t = b[k]; b[k] = b[p]; b[p] = t;
        }
        number inverse = quotient((number){1, 0}, A[k][k]);
        for (int i = k + 1; i < 8; i++) {
            number f = mul(A[i][k], inverse);
            for (int j = k + 1; j < 8; j++) A[i][j] = sub(A[i][j], mul(f, A[k][j]));
            b[i] = sub(b[i], mul(f, b[k]));
        }
        A[k][k] = inverse;
    }
    for (int i = 7; i >= 0; i--) {
        for (int j = i + 1; j < 8; j++) b[i] = sub(b[i], mul(A[i][j], b[j]));
        b[i] = mul(b[i], A[i][i]);
    }
    return 1;
}

/* ∂F/∂x, and F or (with `change`) ∂F/∂t. */
static void system_of(const member *m, const member *change, const number *patch, const number *x, number A[8][8],
                      number right[8]) {
    const number *e = x, *g = x + 4;
    number ee = {0, 0}, eg = {0, 0}, cx = {0, 0};
    for (int i = 0; i < 4; i++) { ee = add(ee, mul(e[i], e[i])); eg = add(eg, mul(e[i], g[i])); }
    for (int i = 0; i < 8; i++) cx = add(cx, mul(patch[i], x[i]));
    for (int k = 0; k < 6; k++) {
        number u[4], moved[4], value = {0, 0};
        for (int i = 0; i < 4; i++) {
            u[i] = scaled(2, g[i]);
            moved[i] = (number){0, 0};
            for (int j = 0; j < 4; j++) {
                u[i] = add(u[i], mul(m->K[k][i][j], e[j]));
                if (change) moved[i] = add(moved[i], mul(change->K[k][i][j], e[j]));
            }
            value = add(value, change ? scaled(2, mul(u[i], moved[i])) : mul(u[i], u[i]));
        }
        right[k] = sub(value, mul(change ? change->L[k] : m->L[k], ee));
        for (int j = 0; j < 4; j++) {
            number by_e = {0, 0};
            for (int i = 0; i < 4; i++) by_e = add(by_e, mul(u[i], m->K[k][i][j]));
            A[k][j] = scaled(2, sub(by_e, mul(m->L[k], e[j])));
            A[k][4 + j] = scaled(4, u[j]);
        }
    }
    for (int i = 0; i < 4; i++) { A[6][i] = g[i]; A[6][4 + i] = e[i]; }
    for (int i = 0; i < 8; i++) A[7][i] = patch[i];
    right[6] = change ? (number){0, 0} : eg;
    right[7] = change ? (number){0, 0} : sub(cx, (number){1, 0});
}

static void at(const member *start, const member *change, double t, member *m) {
    const number *a = &start->K[0][0][0], *b = &change->K[0][0][0];
    number *c = &m->K[0][0][0];
    for (int i = 0; i < 96; i++) c[i] = add(a[i], scaled(t, b[i]));
    for (int k = 0; k < 6; k++) m->L[k] = add(start->L[k], scaled(t, change->L[k]));
}

static int tangent(const member *m, const member *change, const number *patch, const number *x, number *slope) {
    number A[8][8];
    system_of(m, change, patch, x, A, slope);
    int fine = solved(A, slope);
    for (int i = 0; i < 8; i++) slope[i] = scaled(-1, slope[i]);
    return fine;
}

static void moved_by(const number *x, double h, const number *slope, number *out) {
    for (int i = 0; i < 8; i++) out[i] = add(x[i], scaled(h, slope[i]));
}

/* Runge-Kutta of order four. */
static int predicted(const member *start, const member *change, const number *patch, const number *x, double t, double h,
                     number *out) {
    number k[4][8], y[8];
    member m;
    at(start, change, t, &m);
    if (!tangent(&m, change, patch, x, k[0])) return 0;
    at(start, change, t + h / 2, &m);
    moved_by(x, h / 2, k[0], y);
    if (!tangent(&m, change, patch, y, k[1])) return 0;
    moved_by(x, h / 2, k[1], y);
    if (!tangent(&m, change, patch, y, k[2])) return 0;
    at(start, change, t + h, &m);
    moved_by(x, h, k[2], y);
    if (!tangent(&m, change, patch, y, k[3])) return 0;
    for (int i = 0; i < 8; i++) {
        number sum = add(add(k[0][i], k[3][i]), scaled(2, add(k[1][i], k[2][i])));
        out[i] = add(x[i], scaled(h / 6, sum));
    }
    return 1;
}

/* At most three steps of Newton's method; the first one is at most `first`, relative to x. */
static int corrected(const member *m, const number *patch, double first, number *x) {
    int small = 0;
    for (int n = 0; n < 3; n++) {
        number A[8][8], step[8];
        system_of(m, 0, patch, x, A, step);
        if (!solved(A, step)) return 0;
        double ratio = largest(step) / fmax(largest(x), 1e-300);
        if (!(ratio <= (n ? HUGE_VAL : first))) return 0;
        for (int i = 0; i < 8; i++) x[i] = sub(x[i], step[i]);
        if (ratio <= 1e-6) { small = 1; if (n) break; }
    }
    return small;
}

/* Follow `count` paths; x is replaced by their ends, and reached[i] is 1 for a path that came to its end. */
void study_follow(const member *start, const member *change, const number *patch, double first, int count, int most,
                  number *x, double *reached) {
    for (int path = 0; path < count; path++, x += 8) {
        double t = 0, h = 0.05;
        int good = 0;
        member m;
        for (int n = 0; n < most && t < 1 && h > 1e-9; n++) {
            number next[8];
            double step = fmin(h, 1 - t);
            at(start, change, t + step, &m);
            if (predicted(start, change, patch, x, t, step, next) && corrected(&m, patch, first, next)) {
                for (int i = 0; i < 8; i++) x[i] = next[i];
                t = step == 1 - t ? 1 : t + step;
                if (++good == 2) { h *= 1.7; good = 0; }
            } else {
                h /= 2;
                good = 0;
            }
        }
        reached[path] = t;
        if (t < 1) continue;
        at(start, change, 1, &m);
        for (int n = 0; n < 2; n++) {
            number A[8][8], step[8];
            system_of(&m, 0, patch, x, A, step);
            if (!solved(A, step)) { reached[path] = 1 - 1e-9; break; }
            for (int i = 0; i < 8; i++) x[i] = sub(x[i], step[i]);
        }
    }
}
