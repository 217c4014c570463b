"""Tables for pandas, Polars, NumPy and notebooks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    import numpy
    import pandas
    import polars

    from ftlab import _ftlab

    class Stream(Protocol):
        def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


#: The most rows of a table that a notebook shows.
_ROWS_SHOWN = 20


def to_pandas(table: Stream) -> pandas.DataFrame:
    """A table as a pandas DataFrame."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("DataFrames need pandas and pyarrow: pip install 'ftlab[pandas]'") from error
    frame: pandas.DataFrame = pyarrow.table(table).to_pandas()
    return frame


def to_polars(table: Stream) -> polars.DataFrame:
    """A table as a Polars DataFrame, without a copy."""
    try:
        import polars
    except ImportError as error:
        raise ImportError("these DataFrames need Polars: pip install polars") from error
    return polars.DataFrame(table)


def to_numpy(table: _ftlab.Table) -> numpy.ndarray[Any, Any]:
    """A table as an array of records."""
    import numpy

    columns = {name: table[name].to_numpy() for name in table.column_names}
    records = numpy.empty(len(table), dtype=[(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        records[name] = column
    return records


def interchange(table: Stream, nan_as_null: bool = False, allow_copy: bool = True) -> object:
    """A table in the interchange protocol of DataFrames."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("the interchange of DataFrames needs pyarrow: pip install 'ftlab[pandas]'") from error
    return pyarrow.table(table).__dataframe__(nan_as_null=nan_as_null, allow_copy=allow_copy)


class Tabular:
    """Something that one table represents, so that pandas, Polars and all that read Arrow take it as it is."""

    @property
    def _as_table(self) -> _ftlab.Table:
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
        """
        return to_pandas(self._as_table)

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars DataFrame.

        Returns
        -------
        polars.DataFrame
        """
        return to_polars(self._as_table)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._as_table.__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        return interchange(self._as_table, nan_as_null, allow_copy)


def shown(value: object) -> str:
    """A cell for people."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)


def rows_of_html(heads: list[str], rows: list[list[object]]) -> str:
    """A table for a notebook."""
    import html

    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    head = line(heads, "th") if heads else ""
    body = "".join(line([shown(cell) for cell in row], "td") for row in rows)
    return f"<table>{head}{body}</table>"


def html(table: _ftlab.Table) -> str:
    """A table for a notebook: its first rows."""
    columns = table.to_pydict()
    count = min(len(table), _ROWS_SHOWN)
    rows = [[cells[n] for cells in columns.values()] for n in range(count)]
    more = "" if count == len(table) else f"<p>{count} of {len(table)} rows</p>"
    return rows_of_html(list(columns), rows) + more
