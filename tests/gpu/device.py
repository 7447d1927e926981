"""Kernels in PTX on a GPU of NVIDIA, by the driver's own library: nothing else is needed to run them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

import numpy as np

from tests.gpu.cases import Arrays

_LIBRARY = "libcuda.so.1"


class DeviceError(Exception):
    """What the driver says."""


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(_LIBRARY)


def _do(name: str, *arguments: object) -> None:
    library = _library()
    status = getattr(library, name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        library.cuGetErrorString(status, ctypes.byref(text))
        raise DeviceError(f"{name}: {(text.value or b'').decode()} ({status})")


@cache
def processor() -> str | None:
    """The first GPU's architecture (``sm_90``), with its context made; None where there is none."""
    try:
        _library()
        _do("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        _do("cuDeviceGet", ctypes.byref(device), 0)
        numbers = []
        for attribute in (75, 76):  # compute capability, major and minor
            number = ctypes.c_int()
            _do("cuDeviceGetAttribute", ctypes.byref(number), attribute, device)
            numbers.append(number.value)
        _do("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        _do("cuCtxSetCurrent", context)
    except (OSError, DeviceError):
        return None
    return f"sm_{numbers[0]}{numbers[1]}"


class DeviceKernels:
    """The kernels of a module of PTX, loaded."""

    def __init__(self, ptx: str) -> None:
        assert processor() is not None
        self._module = ctypes.c_void_p()
        room = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(5, 6)  # a buffer for what the assembler says, and its size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(room), len(room))
        try:
            _do("cuModuleLoadDataEx", ctypes.byref(self._module), ptx.encode() + b"\0", 2, options, values)
        except DeviceError as error:
            raise DeviceError(f"{error}: {room.value.decode(errors='replace')}") from None

    def launch(self, name: str, grid: int, block: int, arrays: Arrays, n: int) -> None:
        """Run a kernel in place."""
        places = [_to_device(each) for each in arrays]
        given: list[ctypes.c_uint64 | ctypes.c_int] = [*places, ctypes.c_int(n)]
        self.start(name, grid, block, given)
        _do("cuCtxSynchronize")
        for each, place in zip(arrays, places, strict=True):
            _do("cuMemcpyDtoH_v2", each.ctypes.data_as(ctypes.c_void_p), place, ctypes.c_size_t(each.nbytes))
            _do("cuMemFree_v2", place)

    def start(self, name: str, grid: int, block: int, given: Sequence[ctypes.c_uint64 | ctypes.c_int]) -> None:
        """Launch a kernel with arguments on the device."""
        function = ctypes.c_void_p()
        _do("cuModuleGetFunction", ctypes.byref(function), self._module, name.encode())
        pointers = (ctypes.c_void_p * len(given))(*(ctypes.addressof(each) for each in given))
        _do("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, pointers, None)


def _to_device(array: np.ndarray[tuple[int], np.dtype[np.float64]]) -> ctypes.c_uint64:
    place = ctypes.c_uint64()
    _do("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(max(array.nbytes, 8)))
    _do("cuMemcpyHtoD_v2", place, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
    return place
