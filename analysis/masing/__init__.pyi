# The types of the package for editors and type checkers; help(masing.simulate) says what the options mean.
from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict

from numpy import ndarray
from numpy.typing import ArrayLike
from pandas import DataFrame, Series
from typing_extensions import Unpack

from masing.commands import open as open
from masing.cycles.limit_cycle import cycle_numbers as cycle_numbers
from masing.ensembles import Fragility as Fragility
from masing.errors import MasingError as MasingError
from masing.identification.identify import identify as identify
from masing.judgement import judge as judge
from masing.material import (Material as Material, MaterialPoint as MaterialPoint, MaterialPoints as MaterialPoints,
                             backbone as backbone)
from masing.results import Run as Run, Scan as Scan, Study as Study, show as show

__version__: str

_Number: TypeAlias = float | str | None
_List: TypeAlias = float | str | Sequence[Any] | ndarray | Series | None
_Pairs: TypeAlias = str | Mapping[str, Any] | None
_File: TypeAlias = str | PathLike[str] | Run | Study | Scan | None
_Function: TypeAlias = (float | str | tuple[ArrayLike, ArrayLike] | Sequence[Sequence[float]] | ndarray | DataFrame
                        | Series | PathLike[str] | None)

class _Options(TypedDict, total=False):
    model: str | None
    stiffness: _Function
    threshold: _Function
    threshold_down: _Function
    initial_u: _Function | _File
    force: _Function
    base_acceleration: _Function
    incoming_velocity: _Function
    force_node: _Number
    position: _Function
    mass: _Number
    damping: _Number
    k0: _Number
    x0: _Number
    y0: _Number
    final_time: _Number
    steps: _Number
    cells: _Number
    rule: Literal["right", "midpoint"] | None
    scheme: Literal["euler", "leapfrog"] | None
    engine: Literal["sweep", "memory", "exact"] | None
    breaks: _List
    output: str | PathLike[str] | None
    sample_every: _Number
    start: _Number
    end: _Number
    checkpoint: _File
    checkpoint_every: _Number
    restart: _File
    wall_limit: float | str | timedelta | None
    quiet: bool
    set: _Pairs
    let: _Pairs
    tables: _Pairs
    config: _File
    ranks: int | None
    print_config: bool
    validate_only: bool
    petsc: str | None

class _RunOptions(_Options, total=False):
    field_every: _Number
    energy: bool
    field_points: _Number
    watch: _List

class _StudyOptions(_Options, total=False):
    field_points: _Number
    refine: Literal["steps", "cells", "both", "elements"] | None
    levels: _List
    reference: Literal["finest", "successive", "exact", "exact-time", "cells-inf"] | None
    expect_order: _Pairs
    order_tolerance: _Number
    field_samples: _Number

class _ScanOptions(_Options, total=False):
    steady: bool
    period: _Number
    samples: str | PathLike[str] | DataFrame | Mapping[str, Any] | None
    keep: Literal["numbers", "series"] | None
    over: _Pairs

def simulate(**options: Unpack[_RunOptions]) -> Run: ...
def converge(**options: Unpack[_StudyOptions]) -> Study: ...
def scan(**options: Unpack[_ScanOptions]) -> Scan: ...
