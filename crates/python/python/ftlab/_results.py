"""Results, and tables for pandas and Polars."""

from __future__ import annotations

from ftlab import _ftlab

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

    import pandas
    import polars

#: How high a report is shown in a notebook, in pixels.
_HEIGHT_PX = 720


def to_pandas(table: _ftlab.Table) -> pandas.DataFrame:
    """A table as a pandas DataFrame."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("DataFrames need pandas and pyarrow: pip install 'ftlab[pandas]'") from error
    frame: pandas.DataFrame = pyarrow.table(table).to_pandas()
    return frame


def to_polars(table: _ftlab.Table) -> polars.DataFrame:
    """A table as a Polars DataFrame, without a copy."""
    try:
        import polars
    except ImportError as error:
        raise ImportError("these DataFrames need Polars: pip install polars") from error
    return polars.DataFrame(table)


class Results:
    """What runs came to. Each table is one of Arrow: give it to pandas, Polars, PyArrow or DuckDB as it is.

    Units stand last in the names of columns: `_ns` nanoseconds, `_s` seconds, `_bytes`, `_per_s` a second.
    """

    def __init__(self, native: _ftlab.Results) -> None:
        self._native = native

    @property
    def runs(self) -> _ftlab.Table:
        """A row a run: metrics (`metric_iops`), reads, writes, trims and flushes (`flush_lat_ns_p99`), what happened inside (`wa`)."""
        return self._native.runs

    @property
    def figures(self) -> _ftlab.Table:
        """Published figures beside what the model gives, a row each."""
        return self._native.figures

    @property
    def devices(self) -> _ftlab.Table:
        """Each drive of runs that had several."""
        return self._native.devices

    @property
    def series(self) -> _ftlab.Table:
        """Runs over time, a row an interval: `from_s`, `interval_s`, `ios`, `bytes`, `wa`, `watts`, `celsius`, `throttle`."""
        return self._native.series

    @property
    def percentiles(self) -> _ftlab.Table:
        """Percentiles of latency: `direction`, `percent` and `lat_ns`, in nanoseconds, at most 0.1 % above the true one."""
        return self._native.percentiles

    @property
    def histogram(self) -> _ftlab.Table:
        """The distribution of latency in ten buckets a decade: `direction`, `lat_ns_upto`, `ios`."""
        return self._native.histogram

    @property
    def per_second(self) -> _ftlab.Table:
        """How rates went over the whole seconds of runs: least, mean, most and standard deviation of I/Os and bytes."""
        return self._native.per_second

    @property
    def warnings(self) -> list[str]:
        """What a reader of the figures has to know."""
        return self._native.warnings

    def json(self) -> str:
        """The results as the command line writes them to results.json."""
        return self._native.json()

    def to_dict(self) -> dict[str, Any]:
        """The content of results.json."""
        import json

        content: dict[str, Any] = json.loads(self.json())
        return content

    def to_html(self) -> str:
        """The report: a page that works without a network."""
        return self._native.html()

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes results.json and the report, index.html, to a folder that is made."""
        import os

        self._native.save(os.fspath(folder))

    def to_pandas(self) -> pandas.DataFrame:
        """The table of runs as a pandas DataFrame."""
        return to_pandas(self.runs)

    def to_polars(self) -> polars.DataFrame:
        """The table of runs as a Polars DataFrame."""
        return to_polars(self.runs)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.runs.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_json, (type(self), self.json())

    def _repr_html_(self) -> str:
        import html

        # A page of its own: neither its styles nor its scripts meet those of the notebook.
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {_HEIGHT_PX}px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<ftlab.{type(self).__name__} of {len(self.runs)} runs>"


class Result(Results):
    """What one run came to.

    Every column of `runs` is an attribute: `result.wa` (write amplification), `result.seconds` (virtual seconds),
    `result.metric_iops`, `result.write_iops`, `result.write_lat_ns_p99` (nanoseconds), `result.read_bytes_per_s`, …;
    `dir(result)` lists them. One that does not apply is None. With repeats, metrics are means, and
    `metric_iops_ci95_half_width` and the like say how they spread.
    """

    def __init__(self, native: _ftlab.Results) -> None:
        super().__init__(native)
        self._scalars: dict[str, Any] = {name: cells[0] for name, cells in native.runs.to_pydict().items()}

    def __getattr__(self, name: str) -> Any:
        # Asked for before there is any, when a copy is made.
        scalars = self.__dict__.get("_scalars", {})
        if name in scalars:
            return scalars[name]
        raise AttributeError(f"a run has no figure `{name}`; there are {', '.join(scalars)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._scalars]

    def __repr__(self) -> str:
        return f"<ftlab.Result {self.run}>"


class Plans(Results):
    """What drives come to for years under a load."""

    @property
    def plans(self) -> list[dict[str, Any]]:
        """A plan a drive, as results.json has it: `now`, `curve`, `goals`, `highest_rate`, `notes`."""
        plans: list[dict[str, Any]] = self.to_dict().get("plans", [])
        return plans


def _of_json(kind: type[Results], text: str) -> Results:
    """The results that were pickled."""
    return kind(_ftlab.results_of_json(text))
