"""What a function that is followed may use: code that is known to give the same answer to the same arguments, always.

Everything else that it can reach is refused when it is used: a list of what is known, not of what is bad. Nothing here
reads a clock, a file, an address, the process, or a generator of random numbers.
"""

import array
import collections
import functools
import re
import sys
import sysconfig
import types
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

WHOLE_MODULES = (
    "math cmath operator itertools collections collections.abc bisect heapq fractions decimal numbers string abc "
    "enum dataclasses typing types functools contextlib copy re json struct binascii base64 hashlib hmac zlib "
    "textwrap statistics numpy.typing __future__ _operator _collections _functools _bisect _heapq _struct _hashlib "
    "_sha1 _sha256 _sha512 _sha2 _sha3 _blake2 _md5 _json _decimal _statistics _collections_abc"
)
NOT_IN_THEM = {
    "decimal": "getcontext setcontext localcontext",
    "contextlib": "redirect_stdout redirect_stderr chdir",
    "hashlib": "file_digest",
    "statistics": "NormalDist",
    "types": "FunctionType LambdaType CodeType CellType FrameType TracebackType GeneratorType ModuleType",
    "typing": "get_type_hints",
    "functools": "singledispatch singledispatchmethod",
    "copy": "",
}
BUILTINS = (
    "abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter float "
    "format int iter len list map max min next oct hex ord pow print property range repr reversed round slice "
    "sorted staticmethod str sum super tuple zip object NotImplemented Ellipsis __build_class__ exit quit"
)
NOT_BUILTINS = (
    "id hash open input eval exec compile globals locals vars dir memoryview breakpoint help __import__ hasattr "
    "getattr setattr delattr isinstance issubclass type set frozenset"
)
# functions of numpy that are deterministic; its ufuncs and scalar types are known by their kind
NUMPY = (
    "all allclose amax amin any append apply_along_axis apply_over_axes arange argmax argmin argpartition argsort "
    "argwhere around array array_equal array_equiv array_split asanyarray asarray ascontiguousarray astype "
    "atleast_1d atleast_2d atleast_3d average base_repr binary_repr bincount block bmat broadcast broadcast_arrays "
    "broadcast_shapes broadcast_to c_ can_cast choose clip column_stack compress concat concatenate convolve copy "
    "copyto corrcoef correlate count_nonzero cov cross cumprod cumsum cumulative_prod cumulative_sum delete diag "
    "diag_indices diagflat diagonal diff digitize dot dsplit dstack dtype ediff1d einsum expand_dims extract eye "
    "fill_diagonal finfo fix flatnonzero flip fliplr flipud full full_like geomspace gradient hsplit hstack "
    "histogram histogram_bin_edges i0 identity iinfo imag in1d indices inner insert interp intersect1d isclose "
    "iscomplex iscomplexobj isdtype isfortran isin isneginf isposinf isreal isrealobj isscalar issubdtype iterable "
    "ix_ kron lexsort linspace logspace mask_indices matmul matrix_transpose max maximum mean median meshgrid mgrid "
    "min min_scalar_type moveaxis nan_to_num nanargmax nanargmin nanmax nanmean nanmedian nanmin nanpercentile "
    "nanprod nanquantile nanstd nansum nanvar ndenumerate ndim ndindex nonzero ogrid ones ones_like outer packbits "
    "pad partition percentile permute_dims piecewise place poly poly1d polyadd polyval prod promote_types ptp put "
    "put_along_axis putmask quantile r_ ravel ravel_multi_index real real_if_close repeat require reshape resize "
    "result_type roll rollaxis roots rot90 round row_stack s_ searchsorted select setdiff1d setxor1d shape sinc "
    "size sort sort_complex split squeeze stack std sum swapaxes take take_along_axis tensordot tile trace "
    "transpose trapezoid trapz tri tril tril_indices trim_zeros triu triu_indices union1d unique unique_counts "
    "unique_values unpackbits unravel_index unstack vander var vdot vecdot vsplit vstack where zeros zeros_like"
)
LINEAR = "norm det inv solve matrix_power eig eigh eigvals eigvalsh svd qr cholesky pinv lstsq multi_dot"
_ATTRIBUTES = (
    "__subclasses__ __globals__ __builtins__ __code__ __closure__ __traceback__ __hash__ __reduce__ __reduce_ex__ "
    "__getattribute__ __array_interface__ __array_struct__ __loader__ __spec__ __self__ __func__ __mro__ __base__ "
    "__bases__ __import__ __defaults__ __kwdefaults__ __weakref__ tb_frame f_back f_globals f_locals f_builtins "
    "gi_frame gi_code cr_frame ag_frame ctypes tofile _path _deployed _thresholds _assumed"
)
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
IMMUTABLE: tuple[type, ...] = (
    int, float, complex, bool, str, bytes, type(None), Fraction, Decimal, range, slice, type(...), type(NotImplemented),
    re.Pattern, types.GenericAlias, types.UnionType,
)  # fmt: skip
MUTABLE: tuple[type, ...] = (
    list, dict, set, bytearray, collections.OrderedDict, collections.defaultdict, collections.Counter,
    collections.deque, array.array,
)  # fmt: skip
PLACES = [Path(sysconfig.get_paths()[name]).resolve() for name in ("stdlib", "platstdlib")]
OURS = ("verify", "protocols")


def known() -> dict[int, Any]:
    """All that is allowed, by identity: {id: object}. Of numpy only where it is imported already."""
    found: dict[int, Any] = {}
    for name in WHOLE_MODULES.split():
        module = sys.modules.get(name)
        left_out = NOT_IN_THEM.get(name, "").split()
        for key, value in vars(module).items() if module else ():
            if key not in left_out and not isinstance(value, (types.ModuleType, *MUTABLE)) and not key.startswith("__"):
                found[id(value)] = value
    builtins = vars(sys.modules["builtins"])
    values = [builtins[name] for name in BUILTINS.split() if name in builtins]
    values += [v for v in builtins.values() if isinstance(v, type) and issubclass(v, BaseException)]
    values += [types.SimpleNamespace, types.MappingProxyType, sys.getrecursionlimit, sys.intern]
    found |= {id(value): value for value in values}
    for value in forbidden():
        found.pop(id(value), None)
    return found | of_numpy()


def forbidden() -> list[Any]:
    """What the modules above import from elsewhere, or what tells of the machine."""
    builtins, listed = vars(sys.modules["builtins"]), list[Any]()
    listed += [builtins[name] for name in NOT_BUILTINS.split() if name in builtins]
    for module, left_out in NOT_IN_THEM.items():
        held = vars(sys.modules[module]) if module in sys.modules else {}
        listed += [held[name] for name in left_out.split() if name in held]
    borrowed = {"statistics": "Random random seed", "hashlib": "", "typing": "", "functools": "RLock get_ident"}
    for module, names in {**borrowed, "collections": "_proxy", "contextlib": "os sys", "_operator": ""}.items():
        held = vars(sys.modules[module]) if module in sys.modules else {}
        listed += [held[name] for name in names.split() if name in held]
    return listed


def of_numpy() -> dict[int, Any]:
    """numpy's ufuncs, scalar types and those functions of it that are listed."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "ufunc"):
        return {}
    held = vars(numpy)
    values = [v for v in held.values() if isinstance(v, numpy.ufunc)]
    values += [v for v in held.values() if isinstance(v, type) and issubclass(v, numpy.generic)]
    values += [v for v in held.values() if isinstance(v, type) and issubclass(v, BaseException)]
    values += [held[name] for name in NUMPY.split() if name in held]
    values += [vars(numpy.linalg)[name] for name in LINEAR.split() if name in vars(numpy.linalg)]
    if special := sys.modules.get("scipy.special"):
        values += [v for v in vars(special).values() if isinstance(v, numpy.ufunc)]
    return {id(value): value for value in values}


def top(value: Any) -> str:
    """The package that a function, a class or an instance is of."""
    named = value if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType) else type(value)
    return str(getattr(named, "__module__", None) or "").partition(".")[0]


@functools.cache
def of_python(file: str) -> bool:
    """Whether code is part of Python's own library."""
    if file.startswith("<frozen"):
        return True
    place = Path(file).resolve()
    inside = any(place.is_relative_to(folder) for folder in PLACES)
    return inside and not {"site-packages", "dist-packages"} & set(place.parts)


@functools.cache
def of_package(file: str, package: str) -> bool:
    """Whether code is part of an installed package, numpy or scipy."""
    parts = Path(file).parts
    return package in parts and bool({"site-packages", "dist-packages"} & set(parts))
