"""Results of runs."""

from __future__ import annotations

from ftlab import _ftlab
from ftlab._ftlab import InputError
from ftlab._tables import Tabular, rows_of_html

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

    from matplotlib.axes import Axes

#: How high a report is shown in a notebook, in pixels.
_HEIGHT_PX = 720

#: The most runs of a card.
_RUNS_SHOWN = 8


class Page:
    """A report that a notebook shows whole; `Results.page()` makes it."""

    def __init__(self, text: str) -> None:
        #: The page itself.
        self.text = text

    def _repr_html_(self) -> str:
        import html

        # A page in a frame: neither its styles nor its scripts meet those of the notebook.
        page = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {_HEIGHT_PX}px; border: 0"></iframe>'


class Results(Tabular):
    """Results of runs, as tables.

    Each table converts itself: `results.runs.to_pandas()`. Units stand last in the names of columns: `_ns` nanoseconds,
    `_s` seconds, `_bytes`, `_per_s` per second.

    Examples
    --------
    >>> import ftlab
    >>> small = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64})
    >>> results = ftlab.review("randread-4k-qd1", small, quick=True)
    >>> results.runs.to_pandas()["test"].unique().tolist()
    ['randread-4k-qd1']
    """

    def __init__(self, native: _ftlab.Results) -> None:
        self._native = native

    @property
    def _as_table(self) -> _ftlab.Table:
        return self.runs

    @property
    def runs(self) -> _ftlab.Table:
        """A row for each run: metrics (`metric_iops`), reads, writes, trims and flushes (`flush_lat_ns_p99`), what happened inside (`wa`)."""
        return self._native.runs

    @property
    def figures(self) -> _ftlab.Table:
        """Published figures beside those of the model, a row each."""
        return self._native.figures

    @property
    def devices(self) -> _ftlab.Table:
        """Each drive of runs that had several."""
        return self._native.devices

    @property
    def series(self) -> _ftlab.Table:
        """The course of each run: requests, bytes, write amplification, watts and degrees of each interval."""
        return self._native.series

    @property
    def percentiles(self) -> _ftlab.Table:
        """Percentiles of latency, by run and direction."""
        return self._native.percentiles

    @property
    def histogram(self) -> _ftlab.Table:
        """Distributions of latency, by run and direction: the upper bound of each bucket, and the requests in it."""
        return self._native.histogram

    @property
    def per_second(self) -> _ftlab.Table:
        """Least, mean and most requests and bytes of whole seconds, by run and direction."""
        return self._native.per_second

    @property
    def warnings(self) -> list[str]:
        """What a reader of the figures has to know."""
        return self._native.warnings

    def json(self) -> str:
        """The results as the command line writes them to results.json.

        Returns
        -------
        str
        """
        return self._native.json()

    def to_dict(self) -> dict[str, Any]:
        """The content of results.json.

        Returns
        -------
        dict
        """
        import json

        content: dict[str, Any] = json.loads(self.json())
        return content

    def to_html(self) -> str:
        """The report: a page that works without a network.

        Returns
        -------
        str
        """
        return self._native.html()

    def page(self) -> Page:
        """The report, shown whole in a notebook.

        Returns
        -------
        Page
        """
        return Page(self.to_html())

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes results.json and the report, index.html, to a folder that is made.

        Parameters
        ----------
        folder : str or path
            The folder.
        """
        import os

        self._native.save(os.fspath(folder))

    def plot(self, y: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws a figure of each run as a bar.

        Parameters
        ----------
        y : str, optional
            A column of `runs`; by default IOPS, or write amplification of runs without a clock.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into; new ones without it.
        **options
            Passed on to Matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ftlab import _plots

        if y is None:
            runs = self.runs
            is_timed = "metric_iops" in runs and any(cell is not None for cell in runs["metric_iops"].to_list())
            y = "metric_iops" if is_timed else "wa"
        return _plots.bars(self.runs, y, ax, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_json, (type(self), self.json())

    def _repr_html_(self) -> str:
        cells = self.runs.to_pydict()
        shown = [("run", "run"), ("IOPS", "metric_iops"), ("WA", "wa")]
        names = [(head, name) for head, name in shown if name in cells]
        count = min(len(self.runs), _RUNS_SHOWN)
        rows = [[cells[name][n] for _, name in names] for n in range(count)]
        more = "" if count == len(self.runs) else f"<p>and {len(self.runs) - count} more: <code>.runs</code> has all</p>"
        return rows_of_html([head for head, _ in names], rows) + more + _warned(self.warnings)

    def __repr__(self) -> str:
        return f"<ftlab.{type(self).__name__} of {len(self.runs)} runs>"


def _warned(warnings: list[str]) -> str:
    import html

    if not warnings:
        return ""
    more = f" (and {len(warnings) - 1} more: <code>.warnings</code>)" if len(warnings) > 1 else ""
    return f"<p>⚠ {html.escape(warnings[0])}{more}</p>"


def _time(ns: float) -> str:
    """A latency for people."""
    for limit, divisor, unit in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if ns < limit:
            return f"{ns / divisor:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


class Result(Results):
    """The result of one run.

    Every column of `runs` is an attribute: `result.wa` (write amplification), `result.seconds` (virtual seconds),
    `result.metric_iops`, `result.write_iops`, `result.write_lat_ns_p99` (nanoseconds), `result.read_bytes_per_s`, …;
    `dir(result)` lists them. A figure that the run does not have is None: `read_lat_ns_p99` of a job that only writes. With
    repeats, metrics are means, and `metric_iops_ci95_half_width` and the like say how they spread.

    Examples
    --------
    >>> import ftlab
    >>> small = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64})
    >>> result = ftlab.run({"rw": "randwrite", "bs": "4k", "number_ios": 1000}, small)
    >>> result.write_ios
    1000
    >>> print(result.read_lat_ns_p99)
    None
    >>> result.percentiles.to_pandas()["direction"].unique().tolist()
    ['write']
    """

    def __init__(self, native: _ftlab.Results) -> None:
        super().__init__(native)
        self._scalars: dict[str, Any] = {name: cells[0] for name, cells in native.runs.to_pydict().items()}

    def __getattr__(self, name: str) -> Any:
        # Asked for before there is any, when a copy is made.
        scalars = self.__dict__.get("_scalars", {})
        if name in scalars:
            return scalars[name]
        if scalars and not name.startswith("_") and _is_figure(name):
            return None
        raise AttributeError(f"a run has no figure `{name}`; there are {', '.join(scalars)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._scalars]

    def plot(self, y: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws the run.

        Parameters
        ----------
        y : {"percentiles", "course"}, optional
            Latency over percentiles, which is the default, or requests per second over time.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into; new ones without it.
        **options
            Passed on to Matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ftlab import _plots

        if y in (None, "percentiles"):
            return _plots.percentiles(self.percentiles, ax, **options)
        if y == "course":
            return _plots.course(self.series, ax, **options)
        raise InputError(f'y = {y!r}: give "percentiles" or "course"')

    def _repr_html_(self) -> str:
        of = self._scalars
        rows: list[list[object]] = [["state", of.get("state")]]
        if of.get("metric_iops") is not None:
            rows.append(["IOPS", of["metric_iops"]])
        for way in ("read", "write"):
            if of.get(f"{way}_ios") and of.get(f"{way}_lat_ns_mean"):
                rows.append([f"{way}, MB/s", of[f"{way}_bytes_per_s"] / 1e6])
        for way in ("read", "write", "flush"):
            given = [(p, of.get(f"{way}_lat_ns_{p}")) for p in ("p50", "p99", "p99_9")]
            if of.get(f"{way}_ios") and all(ns is not None for _, ns in given):
                words = ", ".join(_time(ns) for _, ns in given if ns is not None)
                rows.append([f"{way}, p50, p99, p99.9", words])
        if of.get("wa") is not None:
            rows.append(["write amplification", of["wa"]])
        rows.append(["seconds", of.get("seconds")])
        return rows_of_html([str(of.get("test") or "run"), str(of.get("drive"))], rows) + _warned(self.warnings)

    def __repr__(self) -> str:
        return f"<ftlab.Result {self.run}>"


def _is_figure(name: str) -> bool:
    """Whether runs may have a figure of this name."""
    import re

    if name.removeprefix("metric_") in _ftlab.quantities():
        return True
    found = re.fullmatch(r"(?:read|write|trim|flush)_lat_ns_(?:min|mean|stddev|max|p(\d+(?:_\d+)?))", name)
    return found is not None and (found[1] is None or float(found[1].replace("_", ".")) <= 100)


class Plans(Results):
    """Answers for the years of drives under a load.

    Examples
    --------
    >>> import ftlab
    >>> small = ftlab.Drive("generic-mlc-8", {"nand.blocks_per_die": 64})
    >>> plans = ftlab.plan({"rw": "randwrite", "bs": "4k", "number_ios": 20_000}, small, spares=[0.28], quick=True)
    >>> plans.plans[0]["now"]["wa"] > 1
    True
    """

    @property
    def plans(self) -> list[dict[str, Any]]:
        """A plan for each drive, as results.json has it: `now`, `curve`, `goals`, `highest_rate`, `notes`."""
        plans: list[dict[str, Any]] = self.to_dict().get("plans", [])
        return plans

    @property
    def curve(self) -> _ftlab.Table:
        """Write amplification over spare area, a row for each drive and spare area."""
        rows = [(plan["drive"], point) for plan in self.plans for point in plan.get("curve", [])]
        columns: dict[str, list[Any]] = {"drive": [drive for drive, _ in rows]}
        for name in dict.fromkeys(name for _, point in rows for name in point):
            cells = [point.get(name) for _, point in rows]
            if all(cell is None or isinstance(cell, (int, float)) for cell in cells):
                columns[name] = [None if cell is None else float(cell) for cell in cells]
        return _ftlab.Table.from_pydict(columns)

    def plot(self, y: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws a figure over spare area, a line for each drive.

        Parameters
        ----------
        y : str, optional
            A column of `curve`; by default write amplification.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into; new ones without it.
        **options
            Passed on to Matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return self.curve.plot("spare", y or "wa", by="drive", ax=ax, **options)

    def _repr_html_(self) -> str:
        rows: list[list[object]] = []
        for plan in self.plans:
            now = plan.get("now", {})
            words = "; ".join(goal["words"] for goal in plan.get("goals", []) if "words" in goal)
            wear = now.get("wear") or {}
            # Whatever is used up first ends the drive.
            years = min((wear[name] for name in ("announced_years", "rated_years") if name in wear), default="unknown")
            rows.append([plan.get("drive"), now.get("wa"), years, words])
        return rows_of_html(["drive", "WA", "years", "goals"], rows[:_RUNS_SHOWN]) + _warned(self.warnings)


def _of_json(kind: type[Results], text: str) -> Results:
    """The results that were pickled."""
    return kind(_ftlab.results_of_json(text))
