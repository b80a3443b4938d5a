"""The S-function of Simulink, with a stand-in for simstruc.h: its sizes, states, derivatives and outputs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

import symoro
from support.tools import COMPILER, needs_compiler

SIMSTRUC = """
#include <stddef.h>
typedef double real_T;
typedef int int_T;
typedef struct { double values[64]; size_t size; int complex; } mxArray;
typedef struct {
    int states, parameters, inputs, outputs, width[4];
    double x[8], dx[8], u[8], y[3][8];
    mxArray p[3];
    double work[256];
    const char *error;
} SimStruct;
#define CONTINUOUS_SAMPLE_TIME 0.0
#define mxGetPr(a) ((a)->values)
#define mxIsDouble(a) ((void)(a), 1)
#define mxIsComplex(a) ((a)->complex)
#define mxGetNumberOfElements(a) ((a)->size)
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetErrorStatus(S) ((S)->error)
#define ssSetSFcnParamTunable(S, k, on) ((void)(S))
#define ssSetNumRWork(S, n) ((S)->error = (n) > 256 ? "no room" : NULL)
#define ssGetRWork(S) ((S)->work)
#define ssSetNumSFcnParams(S, n) ((S)->parameters = (n))
#define ssGetNumSFcnParams(S) ((S)->parameters)
#define ssGetSFcnParamsCount(S) 3
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n))
#define ssSetInputPortWidth(S, k, n) ((S)->width[k] = (n))
#define ssSetInputPortRequiredContiguous(S, k, n) ((void)(S))
#define ssSetInputPortDirectFeedThrough(S, k, n) ((void)(S))
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n))
#define ssSetOutputPortWidth(S, k, n) ((S)->width[1 + (k)] = (n))
#define ssSetNumSampleTimes(S, n) ((void)(S))
#define ssSetSampleTime(S, k, t) ((void)(S))
#define ssSetOffsetTime(S, k, t) ((void)(S))
#define ssGetContStates(S) ((S)->x)
#define ssGetdX(S) ((S)->dx)
#define ssGetInputPortRealSignal(S, k) ((S)->u)
#define ssGetOutputPortRealSignal(S, k) ((S)->y[k])
#define ssGetSFcnParam(S, k) (&(S)->p[k])
"""
CALLER = """
#include <stdio.h>
int main(void)
{
    SimStruct S = { 0 };
    S.p[0].size = S.p[1].size = 2;
    S.p[2].size = 3;
    mdlInitializeSizes(&S);
    printf("%s\\n", S.error);
    S.p[2].size = 0;
    S.error = NULL;
    S.p[0].values[0] = 0.3;
    S.p[0].values[1] = 0.5;
    S.p[1].values[0] = 0.4;
    S.p[1].values[1] = -0.3;
    S.u[0] = 1.0;
    S.u[1] = 2.0;
    mdlInitializeSizes(&S);
    mdlInitializeSampleTimes(&S);
    mdlStart(&S);
    mdlInitializeConditions(&S);
    mdlOutputs(&S, 0);
    mdlDerivatives(&S);
    printf("%d %d %d %d\\n", S.states, S.inputs, S.outputs, S.width[0]);
    for (int k = 0; k < 4; k++)
        printf("%.17g ", S.dx[k]);
    printf("\\n");
    for (int k = 0; k < 6; k++)
        printf("%.17g ", S.y[k / 2][k % 2]);
    printf("\\n");
    S.p[2].size = PARAMETERS;
    for (int k = 0; k < PARAMETERS; k++)
        S.p[2].values[k] = NUMBERS_OF_TEST[k];
    mdlCheckParameters(&S);
    mdlProcessParameters(&S);
    mdlDerivatives(&S);
    mdlTerminate(&S);
    printf("%.17g %.17g %d", S.dx[2], S.dx[3], S.error == NULL);
    return 0;
}
"""


@needs_compiler
def test_the_s_function_gives_the_accelerations(tmp_path: Path) -> None:
    model = symoro.direct_dynamics("planar2r")
    numbers = {p.name: model.parameters[p.name] for p in model.program.parameters}
    model.emit("simulink", tmp_path)
    (tmp_path / "simstruc.h").write_text(SIMSTRUC)
    tuned = {name: 1.25 * x for name, x in numbers.items()}
    table = ", ".join(map(repr, tuned.values()))
    (tmp_path / "simulink.c").write_text(f"static const double NUMBERS_OF_TEST[] = {{ {table} }};{CALLER}")
    assert COMPILER is not None
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", "-DMATLAB_MEX_FILE"]
    command = [COMPILER, *flags, model.source.name + "_sfun.c"]
    subprocess.run([*command, model.source.name + ".c", "-lm", "-o", "caller"], cwd=tmp_path, check=True)
    said = subprocess.run(tmp_path / "caller", capture_output=True, text=True, check=True).stdout
    refused, *lines = said.splitlines()
    assert refused.startswith("the third parameter is [], or")
    sizes, slopes, outputs, other = (np.array(line.split(), dtype=float) for line in lines)
    q, qd = [0.3, 0.5], [0.4, -0.3]
    qdd = model.compile()(q, qd, [1.0, 2.0])
    np.testing.assert_array_equal(sizes, [4, 1, 3, 2])
    np.testing.assert_allclose(slopes, [*qd, *qdd], rtol=1e-13)
    np.testing.assert_allclose(outputs, [*q, *qd, *qdd], rtol=1e-13)
    wanted = model.compile()(q, qd, [1.0, 2.0], values=tuned)
    np.testing.assert_allclose(other, [*wanted, 1], rtol=1e-13)
