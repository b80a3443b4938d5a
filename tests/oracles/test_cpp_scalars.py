"""The C++ header takes other scalars and arrays: float, dual numbers whose derivative is ours, Eigen's vectors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.packages import missing_tools
from symoro.emit import target

DUAL = """
#include <cmath>
struct Dual {
    double x, d;
    Dual(double value = 0.0, double slope = 0.0) : x(value), d(slope) {}
};
inline Dual operator-(Dual a) { return { -a.x, -a.d }; }
inline Dual operator+(Dual a, Dual b) { return { a.x + b.x, a.d + b.d }; }
inline Dual operator-(Dual a, Dual b) { return { a.x - b.x, a.d - b.d }; }
inline Dual operator*(Dual a, Dual b) { return { a.x * b.x, a.d * b.x + a.x * b.d }; }
inline Dual operator/(Dual a, Dual b) { return { a.x / b.x, (a.d * b.x - a.x * b.d) / (b.x * b.x) }; }
inline bool operator<(Dual a, Dual b) { return a.x < b.x; }
inline bool operator>(Dual a, Dual b) { return a.x > b.x; }
inline bool operator==(Dual a, Dual b) { return a.x == b.x; }
inline bool operator!=(Dual a, Dual b) { return a.x != b.x; }
inline Dual sin(Dual a) { return { std::sin(a.x), a.d * std::cos(a.x) }; }
inline Dual cos(Dual a) { return { std::cos(a.x), -a.d * std::sin(a.x) }; }
inline Dual abs(Dual a) { return { std::abs(a.x), a.x < 0 ? -a.d : a.d }; }
"""
DIRECT = """
#include "planar2r_direct_dynamics.hpp"
#include <cstdio>
namespace model = planar2r_direct_dynamics;
int main()
{
    const auto setup = model::planar2r_direct_dynamics_set_up<Dual>();
    const model::planar2r_direct_dynamics_default_wrench<Dual> none;
    const double rest[2] = { 0.4, -0.3 }, torque[2] = { 1.0, 2.0 };
    for (int j = 0; j < 2; j++) {
        Dual q[2] = { 0.3, 0.5 }, found[2];
        q[j].d = 1.0;
        model::planar2r_direct_dynamics<Dual>(setup, q, rest, torque, none, found);
        std::printf("%.17g %.17g\\n", found[0].d, found[1].d);
    }
}
"""
EIGEN = """
#include <Eigen/Dense>
#include "planar2r_inertia_matrix.hpp"
#include <cstdio>
namespace model = planar2r_inertia_matrix;
template <class T> void show()
{
    const auto setup = model::planar2r_inertia_matrix_set_up<T>();
    Eigen::Matrix<T, 2, 1> q(T(0.3), T(0.5));
    Eigen::Matrix<T, 2, 2> A, B;
    model::planar2r_inertia_matrix(setup, q, A);
    T rows[4];
    model::planar2r_inertia_matrix(setup, q, rows);
    B << rows[0], rows[1], rows[2], rows[3];
    for (int k = 0; k < 4; k++)
        std::printf("%.17g ", double(A(k / 2, k % 2)));
    std::printf("%d\\n", A == B);
}
int main()
{
    show<double>();
    show<float>();
}
"""


def printed(model: symoro.model.Model, code: str, folder: Path, *flags: str) -> list[list[float]]:
    """What a program prints that uses the header of a model."""
    if missing := missing_tools(target("cpp")):
        pytest.skip(f"there is no {', '.join(missing)}")
    model.emit("cpp", folder)
    (folder / "user.cpp").write_text(code)
    warnings = ("-std=c++14", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror")
    subprocess.run(["c++", *warnings, *flags, "user.cpp", "-o", "user"], cwd=folder, check=True)
    said = subprocess.run(folder / "user", capture_output=True, text=True, check=True).stdout
    return [list(map(float, line.split())) for line in said.splitlines()]


def test_dual_numbers_give_the_derivative(tmp_path: Path) -> None:
    model = symoro.direct_dynamics("planar2r")
    found = printed(model, DUAL + DIRECT, tmp_path)
    wanted = model.derivative("q").compile()([0.3, 0.5], [0.4, -0.3], [1.0, 2.0])
    np.testing.assert_allclose(np.array(found).T, wanted, rtol=1e-12)


def test_eigen_and_float(tmp_path: Path) -> None:
    if not Path("/usr/include/eigen3").exists():
        pytest.skip("there is no Eigen in /usr/include/eigen3")
    model = symoro.inertia_matrix("planar2r")
    double, single = printed(model, EIGEN, tmp_path, "-isystem", "/usr/include/eigen3")
    wanted = model.compile()([0.3, 0.5]).ravel()
    np.testing.assert_allclose(double, [*wanted, 1], rtol=1e-14)
    np.testing.assert_allclose(single, [*wanted, 1], rtol=1e-5)
