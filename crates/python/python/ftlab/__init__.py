"""ftlab: a software SSD, and the bench to review it.

    import ftlab

    result = ftlab.run({"rw": "randwrite", "number_ios": 10_000}, "intel-320-120", state="used")
    print(result.wa, result.write_lat_ns_p99)

- `drives()` names the drives that come along, `Drive` is one of them, or one of your own.
- `run()` runs a load on a drive, `replay()` a recorded trace, `review()` the tests of the reviews, `compare()` tests on a
  drive with numbers of its file at several values, `plan()` says what a drive comes to for years.
- `victim=` and `pacing=` of a `Drive` are functions of your own that decide what its collection does, and when.
- `sweep()` runs every drive with every setting, load and seed of a grid, on threads or on a Dask cluster.
- `disk()` is a disk that misbehaves on purpose, for the tests of whatever writes to disks.
- `theory` has the closed forms.

Every name ends in its unit: `lat_ns` are nanoseconds, `capacity_bytes` bytes, `seconds` virtual seconds. What is wrong with
what was asked is an `InputError`, what fails on the way a `RunError`; their messages are those of the command line.
"""

from ftlab import theory
from ftlab._ftlab import (
    Candidate,
    Column,
    InputError,
    PacingView,
    RunError,
    Table,
    VictimView,
    __version__,
    drives,
)
from ftlab._disk import Disk, disk
from ftlab._drive import Drive
from ftlab._results import Plans, Result, Results
from ftlab._runs import compare, plan, replay, review, run
from ftlab._sweep import LatinHypercube, Sweep, merge, sweep

__all__ = [
    "Candidate",
    "Column",
    "Disk",
    "Drive",
    "InputError",
    "LatinHypercube",
    "PacingView",
    "Plans",
    "Result",
    "Results",
    "RunError",
    "Sweep",
    "Table",
    "VictimView",
    "__version__",
    "compare",
    "disk",
    "drives",
    "merge",
    "plan",
    "replay",
    "review",
    "run",
    "sweep",
    "theory",
]
