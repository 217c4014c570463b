"""Plots of results and tables, by Matplotlib."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from ftlab import _ftlab

from ftlab._ftlab import InputError


def axes(ax: Axes | None) -> Axes:
    """Axes to draw into: those that were given, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need Matplotlib: pip install 'ftlab[plot]'") from error
    made: Axes = pyplot.subplots()[1]
    return made


def _numbers(table: _ftlab.Table) -> list[str]:
    """The columns that hold numbers."""
    names = []
    for name in table.column_names:
        first = next((cell for cell in table[name].to_list() if cell is not None), None)
        if isinstance(first, (int, float)):
            names.append(name)
    return names


def _column(table: _ftlab.Table, name: str) -> list[Any]:
    if not isinstance(name, str) or name not in table:
        raise InputError(f"there is no column `{name}`; there are {', '.join(table.column_names)}")
    return table[name].to_list()


def lines(
    table: _ftlab.Table,
    x: str | None = None,
    y: str | Sequence[str] | None = None,
    by: str | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Columns over another one; the mean where several rows have the same place."""
    drawn = axes(ax)
    numbers = _numbers(table)
    x = x or table.column_names[0]
    if y is None:
        left = [name for name in numbers if name not in (x, by)]
        if not left:
            raise InputError(f"no column but `{x}` has numbers; there are {', '.join(table.column_names)}")
        y = left[-1]
    along = _column(table, x)
    groups = ["" for _ in along] if by is None else _column(table, by)
    for name in [y] if isinstance(y, str) else y:
        cells = _column(table, name)
        for group in dict.fromkeys(groups):
            places: dict[Any, list[float]] = {}
            for place, other, cell in zip(along, groups, cells):
                if other == group and cell is not None and place is not None:
                    places.setdefault(place, []).append(cell)
            points = sorted(places.items())
            label = ", ".join(part for part in (str(group), name if not isinstance(y, str) else "") if part)
            means = [sum(cells) / len(cells) for _, cells in points]
            kept = {"marker": "o", **options}
            drawn.plot([place for place, _ in points], means, label=label or name, **kept)
    drawn.set_xlabel(x)
    drawn.set_ylabel(y if isinstance(y, str) else ", ".join(y))
    if by is not None or not isinstance(y, str):
        drawn.legend(title=by)
    return drawn


def percentiles(table: _ftlab.Table, ax: Axes | None = None, **options: Any) -> Axes:
    """Latency over percentiles, a line for each direction: far percentiles have as much room as near ones."""
    drawn = axes(ax)
    cells = table.to_pydict()
    if not cells["percent"]:
        raise InputError("this run has no latencies to draw: it ran without a clock, or asked for nothing")
    for direction in dict.fromkeys(cells["direction"]):
        rows = [n for n, other in enumerate(cells["direction"]) if other == direction and cells["percent"][n] < 100]
        # What lies beyond a percentile, so that 99.9 is as far from 99 as 99 from 90.
        beyond = [1 / (1 - cells["percent"][n] / 100) for n in rows]
        drawn.plot(beyond, [cells["lat_ns"][n] / 1e6 for n in rows], label=direction, **{"marker": "o", **options})
    drawn.set_xscale("log")
    drawn.set_yscale("log")
    ticks = [(2, "50"), (10, "90"), (100, "99"), (1000, "99.9"), (10_000, "99.99")]
    drawn.set_xticks([place for place, _ in ticks], [label for _, label in ticks])
    drawn.set_xlabel("percentile")
    drawn.set_ylabel("latency in ms")
    drawn.legend()
    return drawn


def course(table: _ftlab.Table, ax: Axes | None = None, **options: Any) -> Axes:
    """Requests a second over time."""
    drawn = axes(ax)
    cells = table.to_pydict()
    if not cells["from_s"]:
        raise InputError("this run has no course to draw: it ran without a clock")
    rates = [ios / interval for ios, interval in zip(cells["ios"], cells["interval_s"])]
    drawn.step(cells["from_s"], rates, where="post", **options)
    drawn.set_xlabel("seconds")
    drawn.set_ylabel("requests per second")
    drawn.set_ylim(bottom=0)
    return drawn


def bars(table: _ftlab.Table, y: str, ax: Axes | None = None, **options: Any) -> Axes:
    """A figure of each run."""
    drawn = axes(ax)
    values = _column(table, y)
    names = _column(table, "run")
    pairs = [(name, value) for name, value in zip(names, values) if value is not None]
    if not pairs:
        raise InputError(f"no run has a figure `{y}`")
    drawn.barh([name for name, _ in pairs], [value for _, value in pairs], **options)
    drawn.invert_yaxis()
    drawn.set_xlabel(y)
    return drawn
