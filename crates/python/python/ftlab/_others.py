"""Beside runs: the whole life of a drive, drives fitted to measurements, other simulators' files, figures of traces."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence

from ftlab import _ftlab
from ftlab._drive import Drive, drive as drive_of
from ftlab._ftlab import InputError
from ftlab._tables import rows_of_html
from ftlab._words import load as load_of, naming, path, progress as hearer, replaying, seed as seed_of
from ftlab._words import within, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from ftlab._drive import DriveLike
    from ftlab._words import Load, Progress


def _text_of(file: str, what: str) -> str:
    """The text of a file."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}; give {what}") from None


class _Figures:
    """Figures by their names, as attributes."""

    _figures: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """All figures, as the command line writes them in JSON.

        Returns
        -------
        dict
        """
        return dict(self._figures)

    def __getattr__(self, name: str) -> Any:
        figures = self.__dict__.get("_figures", {})
        if name in figures:
            return figures[name]
        raise AttributeError(f"there is no figure `{name}`; there are {', '.join(figures)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._figures]

    def _repr_html_(self) -> str:
        rows: list[list[object]] = [
            [name, value] for name, value in self._figures.items() if not isinstance(value, (list, dict))
        ]
        return rows_of_html([], rows)


class Life(_Figures):
    """The life of a drive that was written to its end; `endurance()` makes it.

    Its figures are attributes: `lived_years`, `host_tb` (terabytes), `wa`, `lasts`, `ending`, …; bytes and years are those of
    the full drive. `announced` is the amount that the maker lets the host write, with the years that it lasts. A drive file with
    that alone has no simulated life: there are only `drive`, `per_day_gb`, `years` and `announced` then.
    """

    def __init__(self, figures: dict[str, Any]) -> None:
        self._figures = figures

    @property
    def marks(self) -> _ftlab.Table:
        """Moments of the life: host terabytes, write amplification, shares of worn, bad and spare blocks."""
        life = self._figures.get("life", [])
        columns = {name: [float(mark[name]) for mark in life] for name in (life[0] if life else {})}
        return _ftlab.Table.from_pydict(columns)

    def plot(self, y: str = "worn_share", *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws a column of `marks` over the bytes that the host wrote.

        Parameters
        ----------
        y : str, default "worn_share"
            The column.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into; new ones without it.
        **options
            Passed on to Matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return self.marks.plot("host_tb", y, ax=ax, **options)

    def __repr__(self) -> str:
        years = self._figures.get("lived_years")
        if years is None:
            return f"<ftlab.Life of {self.drive}: {self.announced['years']:.3g} years by the announced amount>"
        return f"<ftlab.Life of {self.drive}: {years:.3g} years>"


def endurance(
    load: Load | None,
    drive: DriveLike,
    *,
    bytes_per_day: float = 100e9,
    years: float = 5.0,
    celsius: float = 40.0,
    programs: float = 1.5e8,
    seed: int = 1,
    testbed: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Life:
    """Writes a drive to its end, as `ftlab endurance` does.

    The drive is made smaller and its blocks shorter-lived in proportion, so that a life takes a minute.

    Parameters
    ----------
    load : str, path or dict, optional
        A job file of fio's, as for `run`; with None the writes of a client.
    drive : Drive, str, path or dict
        The drive. Its file has cycles that its blocks last, or the amount that its maker announces (``[reliability]``).
    bytes_per_day : float, default 100e9
        Bytes that the host writes a day.
    years : float, default 5.0
        Years that the drive should last.
    celsius : float, default 40.0
        Degrees at which the data age.
    programs : float, default 1.5e8
        Pages programmed in a life at most, as far as the drive can be made smaller: fewer are faster.
    seed : int, default 1
        Root of all random streams: the same seed gives the same figures.
    testbed : str or path, optional
        The machine that the drive is in; by default one of the drive's time.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Life

    Raises
    ------
    InputError
        When the drive file says neither, or something else that was asked for is wrong.

    Examples
    --------
    >>> import ftlab
    >>> life = ftlab.endurance(None, "intel-x25-m-g1-80", bytes_per_day=20e9, programs=1e6)
    >>> life.lived_years > 1
    True
    >>> life.marks.column_names[:2]
    ['host_tb', 'wa']
    >>> round(ftlab.endurance(None, "micron-7450-pro-960", bytes_per_day=960e9).announced["years"], 2)
    5.0
    """
    job = None
    if load is not None:
        given = load_of(load)
        if isinstance(given, dict):
            job = (str(given["name"]), str(given["text"]))
        else:
            job = (given, _text_of(given, "a fio job file"))
    with naming(load):
        figures = _ftlab.endurance(
            job,
            drive_of(drive)._native,
            within("bytes_per_day", bytes_per_day, "a number of bytes, for example 50e9", 1e6, 1e18),
            within("years", years, "a number of years, for example 5", 0.001, 1e9),
            within("celsius", celsius, "degrees Celsius, for example 40", -100.0, 200.0),
            within("programs", programs, "a number of pages, for example 1e8", 1.0, 1e12),
            seed_of(seed),
            None if testbed is None else path("testbed", testbed, "linux-2024-io-uring"),
            hearer(progress, "hundredths"),
        )
    return Life(json.loads(figures))


class Calibration:
    """A drive that was fitted to measurements, or made of its data sheet: `calibrate()` and `from_sheet()` make it."""

    def __init__(
        self,
        drive: Drive,
        fitted: _ftlab.Table,
        contradictions: Sequence[str] = (),
        remarks: Sequence[str] = (),
        pinned: Mapping[str, str] | None = None,
    ) -> None:
        #: The fitted drive.
        self.drive = drive
        #: The numbers that were fitted: what each was and is, the figure that fixed it, and the model before and now.
        self.fitted = fitted
        #: Figures of a sheet that the drive does not reach, or that contradict each other, a sentence each.
        self.contradictions = list(contradictions)
        #: What else is to be known of the drive, a sentence each.
        self.remarks = list(remarks)
        #: What pins each number of a drive that was made of a sheet: "sheet", "class" or "nothing".
        self.pinned = dict(pinned or {})

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the drive file.

        Parameters
        ----------
        file : str or path
            A file that is not there yet; its name ends in .toml.
        """
        with open(file, "x", encoding="utf-8") as opened:
            opened.write(self.drive.text)

    def _repr_html_(self) -> str:
        return self.fitted._repr_html_()

    def __repr__(self) -> str:
        return f"<ftlab.Calibration of {self.drive.slug}: {len(self.fitted)} numbers>"


def calibrate(
    measured: str | os.PathLike[str] | Mapping[str, Any] | Iterable[str | os.PathLike[str] | Mapping[str, Any]],
    drive: DriveLike,
    *,
    wa: float | None = None,
    used: float = 1.0,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
    testbed: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Fits a drive to what was measured on a real one, as `ftlab calibrate` does.

    Parameters
    ----------
    measured : path, dict or list
        What ``fio --output-format=json`` wrote of one job each: paths, or the content as dictionaries. It may be empty if `wa`
        is given.
    drive : Drive, str, path or dict
        The drive to begin with.
    wa : float, optional
        Write amplification of random writes of one slot, when it is steady.
    used : float, default 1.0
        The share of the drive that was in use for that.
    settings : dict, optional
        Numbers of the drive to set first.
    name : str, optional
        The name of the fitted drive; by default that of the drive to begin with.
    testbed : str or path, optional
        The machine that the drive is in; by default one of the drive's time.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Calibration

    Raises
    ------
    InputError
        When a figure is there twice, tells nothing of such a drive, or lies beyond what it can give.

    Examples
    --------
    >>> import ftlab
    >>> made = ftlab.calibrate([], "generic-dc-tlc-1920", wa=3.1, used=0.9, name="mine")
    >>> made.fitted["key"].to_list()
    ['nand.blocks_per_die']
    """
    one = isinstance(measured, (str, os.PathLike, Mapping))
    figures = []
    for count, each in enumerate([measured] if one else list(measured), 1):  # type: ignore[arg-type]
        if isinstance(each, Mapping):
            figures.append((f"measured[{count - 1}]", json.dumps(each)))
        else:
            file = path("measured", each, "randread.json")
            figures.append((os.path.basename(file), _text_of(file, "what `fio --output-format=json` wrote")))
    if not figures and wa is None:
        raise InputError("measured: there is nothing to fit to; give what fio wrote, or wa")
    base = Drive(drive_of(drive), settings)
    fitted_text, fitted = _ftlab.calibrate(
        figures,
        base._native,
        None if wa is None else within("wa", wa, "a number, for example 3.1", 1.0, 1e3),
        within("used", used, "a share, for example 0.9", 0.01, 1.0),
        None if name is None else word("name", name, "my-nvme"),
        None if testbed is None else path("testbed", testbed, "linux-2024-io-uring"),
        hearer(progress),
    )
    return Calibration(Drive(fitted_text, name=name or base.slug), fitted)


def from_sheet(sheet: str | os.PathLike[str], *, progress: Progress | None = None) -> Calibration:
    """Makes a drive of a data sheet alone, as `ftlab calibrate --sheet` does.

    Parameters
    ----------
    sheet : str or path
        The file of the sheet; the guide "model my NVMe drive" shows one.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    Calibration

    Raises
    ------
    InputError
        When the file is no data sheet.

    Examples
    --------
    >>> import ftlab, os, tempfile
    >>> text = '''
    ... schema = 1
    ... kind = "sheet"
    ... name = "Mine"
    ... class = "data-centre"
    ... flash = "TLC"
    ... capacity = "960 GB"
    ... port = "pcie4x4"
    ... [announced]
    ... sequential_writes = "1400 MB/s"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sheet = os.path.join(folder, "mine.sheet.toml")
    ...     with open(sheet, "w") as file:
    ...         _ = file.write(text)
    ...     made = ftlab.from_sheet(sheet)
    >>> made.fitted["key"].to_list(), made.contradictions, made.pinned["nand.t_program"]
    (['nand.t_program'], [], 'sheet')
    """
    file = path("sheet", sheet, "my-nvme.sheet.toml")
    source = os.path.basename(file)
    text, fitted, contradictions, remarks, pinned = _ftlab.from_sheet(source, _text_of(file, "a data sheet"), hearer(progress))
    slug = source.removesuffix(".toml").removesuffix(".sheet")
    return Calibration(Drive(text, name=slug), fitted, contradictions, remarks, dict(pinned))


class Import:
    """A drive and loads of another simulator; `import_()` makes it."""

    def __init__(self, name: str, made: tuple[Any, ...]) -> None:
        text, jobs, taken, assumed, left, remarks = made
        #: The drive.
        self.drive = Drive(text, name=name)
        #: The loads: texts of job files by their names.
        self.jobs: dict[str, str] = {f"{name}{suffix}": job for suffix, job, _ in jobs}
        #: The loads whose addresses the other program takes modulo the drive: run them with ``fit="wrap"``.
        self.wraps: list[str] = [f"{name}{suffix}" for suffix, _, wraps in jobs if wraps]
        #: Numbers that were taken, each with the file and line that it is from.
        self.taken: _ftlab.Table = taken
        #: Numbers that the other program did not give, and that were assumed.
        self.assumed: _ftlab.Table = assumed
        #: Settings without a counterpart, each with the reason.
        self.left: _ftlab.Table = left
        #: Other differences, a sentence each.
        self.remarks: list[str] = remarks

    def save(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes the drive file and the job files.

        Parameters
        ----------
        folder : str or path
            Where they go; it is made if it is missing. Files that are there are left, and nothing is written.

        Returns
        -------
        list of str
            The paths that were written.
        """
        files = {f"{self.drive.slug}.toml": self.drive.text} | {f"{name}.fio": job for name, job in self.jobs.items()}
        there = [name for name in files if os.path.exists(os.path.join(folder, name))]
        if there:
            raise InputError(f"{os.path.join(folder, there[0])} is there already; give another folder or another name")
        os.makedirs(folder, exist_ok=True)
        written = []
        for name, content in files.items():
            file = os.path.join(folder, name)
            with open(file, "x", encoding="utf-8") as opened:
                opened.write(content)
            written.append(file)
        return written

    def _repr_html_(self) -> str:
        return self.taken._repr_html_()

    def __repr__(self) -> str:
        counts = f"{len(self.taken)} taken, {len(self.assumed)} assumed, {len(self.left)} without a counterpart"
        return f"<ftlab.Import of {self.drive.slug}: {counts}, {len(self.jobs)} loads>"


def import_(
    simulator: str,
    *files: str | os.PathLike[str],
    name: str | None = None,
    base_ssd: str | None = None,
    capacity_gib: float | None = None,
) -> Import:
    """Converts drives and loads of other simulators, as `ftlab import` does.

    Parameters
    ----------
    simulator : {"mqsim", "simplessd", "femu", "nvmevirt"}
        The program that the files are of.
    *files : str or path
        Its files: of MQSim ssdconfig.xml and workload.xml, of SimpleSSD one or two .cfg, of NVMeVirt ssd_config.h; of FEMU a
        script that starts QEMU, or the words ``-device femu,…`` themselves.
    name : str, optional
        The name of the drive and of its loads; by default that of the simulator.
    base_ssd : str, optional
        Of NVMeVirt: the drive among those of the header.
    capacity_gib : float, optional
        Of NVMeVirt: the memory that the module is given, which is all of the drive's flash.

    Returns
    -------
    Import

    Raises
    ------
    InputError
        When a file cannot be read, or its numbers make no drive.

    Examples
    --------
    >>> import ftlab
    >>> made = ftlab.import_("femu", "-device femu,femu_mode=1,devsz_mb=12288,nchs=8,luns_per_ch=8")
    >>> made.drive.kind
    'ssd'
    >>> ftlab.run({"rw": "randread", "number_ios": 100}, made.drive, testbed="attached").read_ios
    100
    """
    simulator = word("simulator", simulator, "mqsim").lower()
    texts = []
    for file in files:
        given = path("files", file, "ssdconfig.xml")
        is_words = simulator == "femu" and not os.path.isfile(given) and ("=" in given or given.startswith("-"))
        texts.append(("arguments", given) if is_words else (os.path.basename(given), _text_of(given, f"a file of {simulator}")))
    gib = None if capacity_gib is None else within("capacity_gib", capacity_gib, "GiB, for example 64", 0.001, 1e6)
    made = _ftlab.import_files(
        simulator,
        texts,
        None if base_ssd is None else word("base_ssd", base_ssd, "SAMSUNG_970PRO"),
        None if gib is None else int(gib * (1 << 30)),
    )
    return Import(simulator if name is None else word("name", name, "mine"), made)


class TraceInfo(_Figures):
    """Figures of a recorded trace; `trace_info()` makes it.

    They are attributes: `reads`, `writes`, `written_bytes`, `footprint_bytes`, `span_ns`, `least_write_amplification`, ….
    """

    def __init__(self, figures: dict[str, Any]) -> None:
        self._figures = figures

    def __repr__(self) -> str:
        return f"<ftlab.TraceInfo of {self.file}: {self.reads} reads, {self.writes} writes>"


def trace_info(
    trace: str | os.PathLike[str],
    *,
    window: str | None = None,
    share: float | str | None = None,
    device: str | Sequence[str] | None = None,
    format: str | None = None,
    progress: Progress | None = None,
) -> TraceInfo:
    """Figures of a recorded trace, as `ftlab trace info` gives them.

    Parameters
    ----------
    trace : str or path
        A trace in any format that ftlab reads.
    window : str, optional
        Only the part from one time to another, such as "10m..1h" or "..30s".
    share : float or str, optional
        Only this share of the addresses, with all of their requests: 0.1 or "10%".
    device : str or list of str, optional
        Only the requests to these devices.
    format : str, optional
        The format of the trace; recognised without it.
    progress : bool or callable, optional
        Called with how much is done and how much there is to do; True shows that on standard error. What it raises ends the work.

    Returns
    -------
    TraceInfo

    Raises
    ------
    InputError
        When the trace cannot be read.

    Examples
    --------
    >>> import ftlab, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trace = pathlib.Path(folder, "trace.csv")
    ...     _ = trace.write_text("time_ns,op,offset_bytes,bytes\\n0,write,0,4096\\n1000000,read,0,4096\\n")
    ...     info = ftlab.trace_info(trace)
    >>> info.reads, info.writes, info.written_bytes
    (1, 1, 4096)
    """
    given = path("trace", trace, "trace.csv")
    words = replaying(window=window, share=share, device=device, format=format)
    return TraceInfo(json.loads(_ftlab.trace_info(given, words, hearer(progress))))
