// Nanoseconds of Pinocchio's C++ core for one state: a line "name ns" for each function, the best of many rounds.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>

static double now()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

template <class F> static void best(const char *name, F call)
{
    double least = 1e9;
    for (int round = 0; round < 200; round++) {
        const double start = now();
        for (int k = 0; k < 200; k++)
            call(k);
        least = std::min(least, (now() - start) / 200);
    }
    std::cout << name << " " << least * 1e9 << "\n";
}

// The model: for each joint its parent, its kind (R or P about z), its placement (12 numbers, rows of [R p]) and its
// inertia (mass, centre, the six of the matrix about the centre: xx xy yy xz yz zz); then gravity.
static pinocchio::Model read(const char *path)
{
    std::ifstream in(path);
    pinocchio::Model model;
    int joints;
    in >> joints;
    for (int j = 0; j < joints; j++) {
        int parent;
        char kind;
        pinocchio::SE3 at = pinocchio::SE3::Identity();
        double mass;
        Eigen::Vector3d centre;
        Eigen::Matrix3d I;
        in >> parent >> kind;
        for (int i = 0; i < 3; i++)
            in >> at.rotation()(i, 0) >> at.rotation()(i, 1) >> at.rotation()(i, 2) >> at.translation()(i);
        in >> mass >> centre(0) >> centre(1) >> centre(2);
        in >> I(0, 0) >> I(0, 1) >> I(1, 1) >> I(0, 2) >> I(1, 2) >> I(2, 2);
        I(1, 0) = I(0, 1), I(2, 0) = I(0, 2), I(2, 1) = I(1, 2);
        const std::string name = "j" + std::to_string(j + 1);
        if (kind == 'R')
            model.addJoint(parent, pinocchio::JointModelRZ(), at, name);
        else
            model.addJoint(parent, pinocchio::JointModelPZ(), at, name);
        model.appendBodyToJoint(j + 1, pinocchio::Inertia(mass, centre, I), pinocchio::SE3::Identity());
    }
    Eigen::Vector3d g;
    in >> g(0) >> g(1) >> g(2);
    model.gravity.linear() = g;
    return model;
}

int main(int, char **arguments)
{
    const pinocchio::Model model = read(arguments[1]);
    pinocchio::Data data(model);
    std::vector<Eigen::VectorXd> q, v, a;
    for (int k = 0; k < 200; k++) {
        q.push_back(Eigen::VectorXd::Random(model.nq));
        v.push_back(Eigen::VectorXd::Random(model.nv));
        a.push_back(Eigen::VectorXd::Random(model.nv));
    }
    pinocchio::Data::Matrix6x J(6, model.nv);
    best("inverse_dynamics", [&](int k) { pinocchio::rnea(model, data, q[k], v[k], a[k]); });
    best("direct_dynamics", [&](int k) { pinocchio::aba(model, data, q[k], v[k], a[k]); });
    best("inertia_matrix", [&](int k) { pinocchio::crba(model, data, q[k]); });
    best("dynamic_regressor", [&](int k) { pinocchio::computeJointTorqueRegressor(model, data, q[k], v[k], a[k]); });
    best("jacobian", [&](int k) {
        J.setZero();
        pinocchio::computeJointJacobian(model, data, q[k], model.njoints - 1, J);
    });
    return 0;
}
