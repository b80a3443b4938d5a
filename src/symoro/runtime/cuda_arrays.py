"""Arrays of other libraries on a CUDA device: taken as CuPy arrays without a copy, and given back in their own kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from symoro.errors import ShapeError, TargetError


def cupy() -> Any:
    """The module; an error that says how to get it where it is missing or where there is no device."""
    try:
        module = import_module("cupy")
    except ImportError:
        raise TargetError('the backend cuda needs CuPy: pip install "symoro[cuda]"') from None
    try:
        devices = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise TargetError(f"the backend cuda needs a CUDA device and its driver: {error}") from None
    if not devices:
        raise TargetError("the backend cuda needs a CUDA device, and there is none")
    return module


def library_of(value: Any) -> str:
    """The library that an array belongs to: cupy, torch or jax for arrays on a device, else numpy."""
    name = type(value).__module__.partition(".")[0]
    name = "jax" if name == "jaxlib" else name
    if name == "cupy" or (name == "torch" and value.is_cuda) or (name == "jax" and _on_gpu(value)):
        return name
    return "numpy"


def _on_gpu(value: Any) -> bool:
    return any(device.platform in ("gpu", "cuda") for device in value.devices())


def as_array(name: str, value: Any) -> Any:
    """The input as an array of real numbers of CuPy or, on the host, of NumPy; nothing is copied but other dtypes."""
    library, cp = library_of(value), cupy()
    if library in ("torch", "jax"):
        array = cp.from_dlpack(value.detach() if library == "torch" else value)
    else:
        array = value if library == "cupy" else _on_host(name, value)
    if array.dtype.kind not in "fiub":
        raise ShapeError(f"input {name} is not an array of real numbers: its dtype is {array.dtype}")
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _on_host(name: str, value: Any) -> Any:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ShapeError(f"input {name} is not an array of real numbers: {error}") from None


def _to_torch(array: Any) -> Any:
    return import_module("torch").from_dlpack(array)


def _to_jax(array: Any) -> Any:
    cupy().cuda.get_current_stream().synchronize()  # JAX works on a stream of its own
    return import_module("jax").dlpack.from_dlpack(array)


def _to_numpy(array: Any) -> Any:
    return cupy().asnumpy(array)


#: From a CuPy array to an array of each library.
GIVE: Mapping[str, Callable[[Any], Any]] = {
    "numpy": _to_numpy,
    "cupy": lambda array: array,
    "torch": _to_torch,
    "jax": _to_jax,
}


def stream(library: str) -> Any:
    """The stream on which the caller's library works, as a context."""
    cp = cupy()
    if library == "torch":
        return cp.cuda.ExternalStream(import_module("torch").cuda.current_stream().cuda_stream)
    return cp.cuda.get_current_stream()
