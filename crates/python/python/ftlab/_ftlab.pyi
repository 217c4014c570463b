"""The native half of ftlab. What callers use of it is in the package, with its words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas
import polars
from matplotlib.axes import Axes

__version__: str
MODEL_VERSION: int

class InputError(ValueError):
    """What was asked for is wrong. The message says what, where and what to do."""

class RunError(RuntimeError):
    """Something failed on the way: a run, a file, or this machine."""

def command_line(words: Sequence[str], again: Sequence[str], code: str) -> int: ...
def drive_names() -> list[str]: ...
def catalogue() -> Table: ...
def quantities() -> list[str]: ...

class Column:
    """A column of a table: an Arrow array, and for NumPy an array without a copy where no cell is empty."""

    @property
    def name(self) -> str:
        """Its name; a unit stands last in it."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def to_numpy(self) -> Any:
        """The column as a NumPy array: without a copy where no cell is empty, else with NaN for what is missing."""

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Any: ...
    def to_list(self) -> list[Any]:
        """The cells; None where there is nothing to say."""

    def __len__(self) -> int: ...
    def __getitem__(self, at: int, /) -> Any: ...

class Table:
    """A table of Arrow arrays, which pandas, Polars, PyArrow and others read without a copy."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns; a unit stands last in a name."""

    @property
    def num_rows(self) -> int:
        """How many rows there are."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    @staticmethod
    def from_pydict(columns: dict[str, list[Any]]) -> Table:
        """The table of columns by their names."""

    def to_pydict(self) -> dict[str, list[Any]]:
        """Every column as a list, by its name."""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars DataFrame, without a copy."""

    def to_numpy(self) -> Any:
        """The table as a NumPy array of records, a field for each column."""

    def plot(
        self,
        x: str | None = None,
        y: str | Sequence[str] | None = None,
        *,
        by: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """Draws columns over another with Matplotlib."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object: ...
    def _repr_html_(self) -> str: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...

    def __len__(self) -> int: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __getitem__(self, name: str, /) -> Column: ...

class Candidate:
    """A full superblock that may be collected."""

    @property
    def superblock(self) -> int:
        """Its number."""

    @property
    def valid_slots(self) -> int:
        """Slots that would have to be copied."""

    @property
    def age(self) -> int:
        """Superblocks that the whole drive has closed since this one was. No two of a view are of one age."""

class VictimView:
    """The superblocks of a group of dies, of which one is to be collected."""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The full superblocks that may be collected, by number."""

    @property
    def slots_per_superblock(self) -> int:
        """Slots of a superblock: with that many valid ones, a candidate gains nothing."""

class PacingView:
    """The collection that is under way in a group of dies."""

    @property
    def writable_slots(self) -> int:
        """Slots that the group can still write before anything more is collected."""

    @property
    def low_slots(self) -> int:
        """A group begins to collect with as many writable slots, or fewer."""

    @property
    def left_slots(self) -> int:
        """Valid slots of the victim that are still to be copied; at least one."""

    @property
    def row_slots(self) -> int:
        """Slots that are copied together."""

    @property
    def valid_slots(self) -> int:
        """Slots of the victim that were valid when it was chosen."""

    @property
    def gain_slots(self) -> int:
        """Slots that were not: what its collection gains."""

    @property
    def owed_slots(self) -> float:
        """Copies that the host's writes have earned since, and that were not made."""

    @property
    def is_behind(self) -> bool:
        """Whether less is writable than even the end of a cycle leaves."""

class Completion:
    """The end of a command."""

    @property
    def id(self) -> int:
        """The number of the command."""

    @property
    def at_ns(self) -> int:
        """Instant at which the host saw it end."""

    @property
    def outcome(self) -> str:
        """`good`; `write-fault`, when the drive takes no more writes or a fault has refused this command; `unrecoverable`, when the data
        cannot be read back; `gone`, when the drive did not answer."""

    @property
    def is_good(self) -> bool:
        """True if the drive did what was asked."""

    @property
    def flip(self) -> tuple[int, int] | None:
        """The bit of this read that a fault has flipped on its way to the host: the position of its byte on the drive, and its
        number in the byte, 0 to 7; None if there is none. `Device.read` flips it in the data when it is given this completion."""

    @property
    def host_ns(self) -> int | None:
        """What the host took of the latency; None unless the device splits latencies."""

    @property
    def controller_ns(self) -> int | None:
        """What the drive's controller took."""

    @property
    def link_ns(self) -> int | None:
        """What the link took."""

    @property
    def flash_ns(self) -> int | None:
        """What the flash took, and the wait for it; of a write, the wait for room in the buffer."""

class Device:
    @staticmethod
    def build(
        drive: Drive,
        state: str,
        saved: bytes | None,
        seed: int,
        testbed: str | None,
        shrink_to: int | None,
        carries: str,
        splits: bool,
        faults: list[str],
    ) -> Device: ...
    @property
    def name(self) -> str: ...
    @property
    def capacity_bytes(self) -> int: ...
    @property
    def table_bytes(self) -> int: ...
    @property
    def now_ns(self) -> int: ...
    @property
    def outstanding(self) -> int: ...
    @property
    def next_event_ns(self) -> int | None: ...
    @property
    def fault(self) -> str | None: ...
    def submit(
        self, word: str, offset: int, bytes: int, now_ns: int | None, id: int | None, data: bytes | None
    ) -> int: ...
    def advance(self, now_ns: int) -> list[Completion]: ...
    def advance_to_completion(self, limit_ns: int) -> list[Completion]: ...
    def run(
        self, words: list[str], offsets: list[int], lengths: list[int], at_ns: list[int] | None, depth: int | None
    ) -> Table: ...
    def read(self, offset: int, bytes: int, end: Completion | None) -> bytes: ...
    def power_cut(self, seed: int, now_ns: int | None) -> tuple[int, list[tuple[int, int, bool]], list[int]]: ...
    def clone(self) -> Device: ...
    def save_state(self) -> bytes: ...
    def counters(self) -> dict[str, int]: ...
    def smart(self) -> Table: ...
    def nvme_logs(self) -> dict[str, Any] | None: ...
    def inject(self, fault: str, which: int | None) -> None: ...
    def begin_fault(self, words: str) -> int: ...
    def end_faults(self, number: int | None) -> int: ...
    def faults(self) -> Table: ...

class Drive:
    @staticmethod
    def named(name: str, settings: list[str]) -> Drive: ...
    @staticmethod
    def of_text(slug: str, text: str, settings: list[str]) -> Drive: ...
    @staticmethod
    def of_dict(slug: str, content: dict[str, Any], settings: list[str]) -> Drive: ...
    def with_settings(self, settings: list[str]) -> Drive: ...
    def asking(
        self,
        victim: Callable[[VictimView], Candidate] | None,
        pacing: Callable[[PacingView], bool] | None,
    ) -> Drive: ...
    @property
    def callables(self) -> list[str]: ...
    @property
    def slug(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def aliases(self) -> list[str]: ...
    @property
    def kind(self) -> str: ...
    @property
    def capacity_bytes(self) -> int: ...
    @property
    def flash_bytes(self) -> int | None: ...
    @property
    def text(self) -> str: ...
    @property
    def parameters(self) -> Table: ...

class Results:
    @property
    def runs(self) -> Table: ...
    @property
    def figures(self) -> Table: ...
    @property
    def devices(self) -> Table: ...
    @property
    def series(self) -> Table: ...
    @property
    def percentiles(self) -> Table: ...
    @property
    def histogram(self) -> Table: ...
    @property
    def per_second(self) -> Table: ...
    @property
    def warnings(self) -> list[str]: ...
    def json(self) -> str: ...
    def html(self) -> str: ...
    def save(self, folder: str) -> None: ...

def results_of_json(text: str) -> Results: ...
def run(
    load: Any,
    drives: list[tuple[str, Drive]],
    state: str,
    untimed: bool,
    how: Mapping[str, Any],
    replay: Mapping[str, Any],
    progress: Callable[[int, int], object] | None,
) -> Results: ...
def review(
    drives: list[Drive],
    names: list[str],
    loads: list[Any],
    suite: str | None,
    state: str | None,
    how: Mapping[str, Any],
    replay: Mapping[str, Any],
    progress: Callable[[int, int], object] | None,
) -> Results: ...
def compare(
    drive: Drive,
    settings: list[tuple[str, list[str]]],
    names: list[str],
    loads: list[Any],
    state: str | None,
    how: Mapping[str, Any],
    replay: Mapping[str, Any],
    progress: Callable[[int, int], object] | None,
) -> Results: ...
def plan(
    load: Any,
    drives: list[Drive],
    state: str,
    goals: Mapping[str, Any],
    how: Mapping[str, Any],
    replay: Mapping[str, Any],
    progress: Callable[[int, int], object] | None,
) -> Results: ...
def endurance(
    job: tuple[str, str] | None,
    drive: Drive,
    bytes_per_day: float,
    years: float,
    celsius: float,
    programs: float,
    seed: int,
    testbed: str | None,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def calibrate(
    figures: list[tuple[str, str]],
    drive: Drive,
    wa: float | None,
    used: float,
    name: str | None,
    testbed: str | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[str, Table]: ...
def from_sheet(
    source: str, text: str, progress: Callable[[int, int], object] | None
) -> tuple[str, Table, list[str], list[str], list[tuple[str, str]]]: ...
def import_files(
    program: str,
    files: list[tuple[str, str]],
    base: str | None,
    capacity_bytes: int | None,
) -> tuple[str, list[tuple[str, str, bool]], Table, Table, Table, list[str]]: ...
def trace_info(
    path: str,
    replay: Mapping[str, Any],
    progress: Callable[[int, int], object] | None,
) -> str: ...

class Sweep:
    @staticmethod
    def of(grid: dict[str, Any], folder: str, name: str) -> Sweep: ...
    @staticmethod
    def of_file(path: str) -> Sweep: ...
    @staticmethod
    def unpacked(text: str) -> Sweep: ...
    def packed(self) -> str: ...
    def missing(self, store: Store, shard: str | None) -> list[list[int]]: ...
    def run(
        self,
        store: Store,
        shard: str | None,
        threads: int | None,
        memory_gib: float | None,
        progress: Callable[[int, int], object] | None,
    ) -> None: ...
    def alike(self, rows: list[int]) -> list[list[int]] | None: ...
    def save_state(self, row: int) -> bytes | None: ...
    def run_rows(self, rows: list[int], state: bytes | None) -> bytes: ...
    def not_run(self, rows: list[int], why: str) -> bytes: ...

class Store:
    @staticmethod
    def open(out: str, sweep: Sweep) -> Store: ...
    def add(self, rows: bytes) -> None: ...
    def flush(self) -> None: ...
    def finish(self, sweep: Sweep, shard: str | None) -> tuple[Path, dict[str, int]]: ...

def merge(folders: list[str], out: str) -> tuple[Path, dict[str, int]]: ...
def read_table(path: Path) -> Table: ...

class theory:
    @staticmethod
    def fifo(alpha: float) -> float: ...
    @staticmethod
    def greedy(alpha: float, pages_per_block: int) -> float: ...
    @staticmethod
    def random(alpha: float) -> float: ...
    @staticmethod
    def choices(alpha: float, pages_per_block: int, draws: int) -> float: ...
    @staticmethod
    def fifo_occupancy(alpha: float, pages_per_block: int) -> list[float]: ...
    @staticmethod
    def greedy_occupancy(alpha: float, pages_per_block: int) -> list[float]: ...
    @staticmethod
    def choices_occupancy(alpha: float, pages_per_block: int, draws: int) -> list[float]: ...
    @staticmethod
    def fifo_mixed(alpha: float, shares: list[tuple[float, float]]) -> float: ...
    @staticmethod
    def spare_by_root(shares: list[tuple[float, float]]) -> list[float]: ...
    @staticmethod
    def in_use_after_trims_of_used(trims: float) -> float: ...
    @staticmethod
    def in_use_after_trims_of_any(trims: float) -> float: ...
    @staticmethod
    def alpha_in_use(alpha: float, in_use: float) -> float: ...
