/* Continuation of the assemblies of six-legged platforms: see symoro/solve/study.py, which it follows.

The six legs, Study's equation and the patch are the eight rows of the equations. Eight complex numbers are a `lanes`:
a number of each row, so that the compiler computes the rows side by side. With d = b - a, s = b + a and e = (e0, ev),
g = (g0, gv), the quaternion 2 g + e b - a e of a leg is

    u0 = 2 g0 - d.ev,   uv = 2 gv + d e0 + ev x s */
#include <math.h>

enum { ROWS = 8, STUDY = 6, PATCH = 7 };
typedef struct { double re, im; } number;
typedef struct { double re[ROWS], im[ROWS]; } lanes;
typedef struct { lanes d[3], s[3], L; } member;
typedef struct { lanes column[ROWS], right; } equations;

static number mul(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static number lane(const lanes *a, int i) { return (number){a->re[i], a->im[i]}; }

static void put(lanes *a, int i, number x) {
    a->re[i] = x.re;
    a->im[i] = x.im;
}

static inline void spread(lanes *out, double by, number x) {
    for (int i = 0; i < ROWS; i++) { out->re[i] = by * x.re; out->im[i] = by * x.im; }
}

/* out += sign a x */
static inline void gather(lanes *restrict out, double sign, const lanes *restrict a, number x) {
    double re = sign * x.re, im = sign * x.im;
    for (int i = 0; i < ROWS; i++) {
        out->re[i] += a->re[i] * re - a->im[i] * im;
        out->im[i] += a->re[i] * im + a->im[i] * re;
    }
}

/* out += by a b */
static inline void gather_each(lanes *restrict out, double by, const lanes *a, const lanes *b) {
    for (int i = 0; i < ROWS; i++) {
        out->re[i] += by * (a->re[i] * b->re[i] - a->im[i] * b->im[i]);
        out->im[i] += by * (a->re[i] * b->im[i] + a->im[i] * b->re[i]);
    }
}

static double largest(const number *x) {
    double found = 0;
    for (int i = 0; i < ROWS; i++) {
        double square = x[i].re * x[i].re + x[i].im * x[i].im;
        found = square > found || square != square ? square : found;
    }
    return sqrt(found);
}

/* Solve by elimination with pivots, which stay in their rows; 0 where the matrix is singular. */
static int solved(equations *m, number *x) {
    double left[ROWS];
    number inverse[ROWS];
    int row[ROWS];
    for (int i = 0; i < ROWS; i++) left[i] = 1;
    for (int k = 0; k < ROWS; k++) {
        lanes *a = &m->column[k];
        double most = 0;
        int p = -1;
        for (int i = 0; i < ROWS; i++) {
            double size = left[i] * (fabs(a->re[i]) + fabs(a->im[i]));
            if (size > most) { most = size; p = i; }
        }
        if (p < 0 || !(most < HUGE_VAL)) return 0;
        double square = a->re[p] * a->re[p] + a->im[p] * a->im[p];
        inverse[k] = (number){a->re[p] / square, -a->im[p] / square};
        row[k] = p;
        left[p] = 0;
        lanes f;
        for (int i = 0; i < ROWS; i++) {
            f.re[i] = left[i] * (a->re[i] * inverse[k].re - a->im[i] * inverse[k].im);
            f.im[i] = left[i] * (a->re[i] * inverse[k].im + a->im[i] * inverse[k].re);
        }
        for (int j = k + 1; j < ROWS; j++) gather(&m->column[j], -1, &f, lane(&m->column[j], p));
        gather(&m->right, -1, &f, lane(&m->right, p));
    }
    for (int k = ROWS - 1; k >= 0; k--) {
        x[k] = mul(lane(&m->right, row[k]), inverse[k]);
        gather(&m->right, -1, &m->column[k], x[k]);
    }
    return 1;
}

/* w0 = -d.xv, wv = d x0 + xv x s: what the quaternion x becomes by e -> e b - a e of each leg, added to w. */
static void turned(const member *m, const number *x, lanes *w) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        gather(&w[0], -1, &m->d[i], x[1 + i]);
        gather(&w[1 + i], 1, &m->d[i], x[0]);
        gather(&w[1 + i], 1, &m->s[k], x[1 + j]);
        gather(&w[1 + i], -1, &m->s[j], x[1 + k]);
    }
}

/* The columns of dF/dx, and F or (with `change`) dF/dt on the right. */
static void system_of(const member *m, const member *change, const number *patch, const number *x, equations *out) {
    const number *e = x, *g = x + 4;
    lanes u[4], *right = &out->right;
    number ee = {0, 0}, eg = {0, 0}, cx = {-1, 0};
    for (int i = 0; i < 4; i++) {
        number a = mul(e[i], e[i]), b = mul(e[i], g[i]);
        ee.re += a.re; ee.im += a.im;
        eg.re += b.re; eg.im += b.im;
        spread(&u[i], 2, g[i]);
    }
    for (int i = 0; i < ROWS; i++) {
        number a = mul(patch[i], x[i]);
        cx.re += a.re; cx.im += a.im;
    }
    turned(m, e, u);
    spread(right, 0, ee);
    if (change) {
        lanes moved[4];
        for (int i = 0; i < 4; i++) spread(&moved[i], 0, ee);
        turned(change, e, moved);
        for (int i = 0; i < 4; i++) gather_each(right, 2, &u[i], &moved[i]);
        gather(right, -1, &change->L, ee);
    } else {
        for (int i = 0; i < 4; i++) gather_each(right, 1, &u[i], &u[i]);
        gather(right, -1, &m->L, ee);
    }
    /* by e: 2 (K'u - L e), where K is skew; by g: 4 u */
    for (int i = 0; i < 4; i++) {
        spread(&out->column[i], 0, ee);
        gather(&out->column[i], -2, &m->L, e[i]);
        for (int r = 0; r < ROWS; r++) {
            out->column[4 + i].re[r] = 4 * u[i].re[r];
            out->column[4 + i].im[r] = 4 * u[i].im[r];
        }
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        gather_each(&out->column[0], 2, &m->d[i], &u[1 + i]);
        gather_each(&out->column[1 + i], -2, &m->d[i], &u[0]);
        gather_each(&out->column[1 + i], -2, &m->s[k], &u[1 + j]);
        gather_each(&out->column[1 + i], 2, &m->s[j], &u[1 + k]);
    }
    for (int i = 0; i < 4; i++) {
        put(&out->column[i], STUDY, g[i]);
        put(&out->column[4 + i], STUDY, e[i]);
    }
    for (int i = 0; i < ROWS; i++) put(&out->column[i], PATCH, patch[i]);
    put(right, STUDY, change ? (number){0, 0} : eg);
    put(right, PATCH, change ? (number){0, 0} : cx);
}

static void at(const member *start, const member *change, double t, member *m) {
    const double *a = start->d[0].re, *b = change->d[0].re;
    double *c = m->d[0].re;
    for (int i = 0; i < (int)(sizeof(member) / sizeof(double)); i++) c[i] = a[i] + t * b[i];
}

static int tangent(const member *m, const member *change, const number *patch, const number *x, number *slope) {
    equations all;
    system_of(m, change, patch, x, &all);
    int fine = solved(&all, slope);
    for (int i = 0; i < ROWS; i++) slope[i] = (number){-slope[i].re, -slope[i].im};
    return fine;
}

static void moved_by(const number *x, double h, const number *slope, number *out) {
    for (int i = 0; i < ROWS; i++) out[i] = (number){x[i].re + h * slope[i].re, x[i].im + h * slope[i].im};
}

/* Runge-Kutta of order four; `end` is the platform at t + h. */
static int predicted(const member *start, const member *change, const member *end, const number *patch, const number *x,
                     double t, double h, number *out) {
    number k[4][ROWS], y[ROWS];
    member m;
    at(start, change, t, &m);
    if (!tangent(&m, change, patch, x, k[0])) return 0;
    at(start, change, t + h / 2, &m);
    moved_by(x, h / 2, k[0], y);
    if (!tangent(&m, change, patch, y, k[1])) return 0;
    moved_by(x, h / 2, k[1], y);
    if (!tangent(&m, change, patch, y, k[2])) return 0;
    moved_by(x, h, k[2], y);
    if (!tangent(end, change, patch, y, k[3])) return 0;
    for (int i = 0; i < ROWS; i++) {
        out[i].re = x[i].re + h / 6 * (k[0][i].re + k[3][i].re + 2 * (k[1][i].re + k[2][i].re));
        out[i].im = x[i].im + h / 6 * (k[0][i].im + k[3][i].im + 2 * (k[1][i].im + k[2][i].im));
    }
    return 1;
}

/* At most three steps of Newton's method, until one is small; the first one is at most `first`, relative to x. */
static int corrected(const member *m, const number *patch, double first, number *x) {
    for (int n = 0; n < 3; n++) {
        equations all;
        number step[ROWS];
        system_of(m, 0, patch, x, &all);
        if (!solved(&all, step)) return 0;
        double ratio = largest(step) / fmax(largest(x), 1e-300);
        if (!(ratio <= (n ? HUGE_VAL : first))) return 0;
        moved_by(x, -1, step, x);
        if (ratio <= 1e-6) return 1;
    }
    return 0;
}

/* Follow `count` paths; x is replaced by their ends, and reached[i] is 1 for a path that came to its end. */
void study_follow(const member *start, const member *change, const number *patch, double first, int count, int most,
                  number *x, double *reached) {
    for (int path = 0; path < count; path++, x += ROWS) {
        double t = 0, h = 0.05;
        int good = 0;
        member m;
        for (int n = 0; n < most && t < 1 && h > 1e-9; n++) {
            number next[ROWS];
            double step = fmin(h, 1 - t);
            at(start, change, t + step, &m);
            if (predicted(start, change, &m, patch, x, t, step, next) && corrected(&m, patch, first, next)) {
                for (int i = 0; i < ROWS; i++) x[i] = next[i];
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
            equations all;
            number step[ROWS];
            system_of(&m, 0, patch, x, &all);
            if (!solved(&all, step)) { reached[path] = 1 - 1e-9; break; }
            moved_by(x, -1, step, x);
        }
    }
}
