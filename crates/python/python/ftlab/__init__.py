"""ftlab: a software SSD, and the bench to review it.

    import ftlab

    result = ftlab.run({"rw": "randwrite", "number_ios": 10_000}, "intel-320-120", state="steady-fast")
    print(result.wa, result.write_lat_ns_p99)

- `drives()` is a table of the drives that come with ftlab, `Drive` is one of them, or one of your own.
- `run()` runs a load on a drive, `replay()` a recorded trace, `review()` the tests of the reviews, `compare()` tests or loads on
  a drive with numbers of its file at several values. `plan()` says how long drives last under a load and what spare area that
  takes, `endurance()` writes one to its end.
- `from_sheet()` makes a drive of its data sheet, `calibrate()` fits one to measurements, `import_()` converts drives and loads of other simulators, `trace_info()` says what
  is in a recorded trace.
- `victim=` and `pacing=` of a `Drive` are functions of your own that decide what its collection does, and when.
- `sweep()` runs every drive with every setting, load and seed of a grid, on threads or on a Dask cluster.
- `Device` is a drive in your own simulator's time: submit, next event, advance, power cuts, copies at work.
- `disk()` is a disk that misbehaves on purpose, for the tests of programs that write to disks; `crash()` tries what a power cut
  could have left of what was written to it.
- `theory` has the closed forms, of numbers and of NumPy's arrays.

The load comes first in every call, the drive or drives second, then keywords, which are the same everywhere. Tables, results and
sweeps have `to_pandas()`, `to_polars()` and `plot()`.

Every name ends in its unit: `lat_ns` are nanoseconds, `capacity_bytes` bytes, `seconds` virtual seconds. What is wrong with
what was asked is an `InputError`, what fails on the way a `RunError`; their messages are those of the command line.
"""

from ftlab import theory
from ftlab._ftlab import (
    Candidate,
    Column,
    Completion,
    InputError,
    PacingView,
    RunError,
    Table,
    VictimView,
    __version__,
)
from ftlab._crash import Crash, crash
from ftlab._device import Device, Lost, PowerCut
from ftlab._disk import Disk, disk
from ftlab._drive import Drive, Drives, drives
from ftlab._others import Calibration, Import, Life, TraceInfo, calibrate, endurance, from_sheet, import_, trace_info
from ftlab._results import Plans, Result, Results
from ftlab._runs import compare, plan, replay, review, run
from ftlab._sweep import LatinHypercube, Sweep, merge, sweep

__all__ = [
    "Calibration",
    "Candidate",
    "Column",
    "Completion",
    "Crash",
    "Device",
    "Disk",
    "Drive",
    "Drives",
    "Import",
    "InputError",
    "LatinHypercube",
    "Life",
    "Lost",
    "PacingView",
    "Plans",
    "PowerCut",
    "Result",
    "Results",
    "RunError",
    "Sweep",
    "Table",
    "TraceInfo",
    "VictimView",
    "__version__",
    "calibrate",
    "compare",
    "crash",
    "disk",
    "drives",
    "endurance",
    "from_sheet",
    "import_",
    "merge",
    "plan",
    "replay",
    "review",
    "run",
    "sweep",
    "theory",
    "trace_info",
]
