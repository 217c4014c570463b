"""Tables: taken over by others without a copy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import SMALL, WRITES

import ftlab


def address(array: numpy.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_numpy_and_arrow_see_the_same_memory(result: ftlab.Result) -> None:
    histogram = result.histogram
    counts = numpy.asarray(histogram["ios"])
    assert counts.dtype == numpy.int64 and counts.sum() == 20_000
    assert not counts.flags.writeable and not counts.flags.owndata
    table = pyarrow.table(histogram)
    assert table.column("ios").chunk(0).buffers()[1].address == address(counts)
    assert pyarrow.array(histogram["ios"]).buffers()[1].address == address(counts)
    assert address(histogram["ios"].to_numpy()) == address(counts)
    # Who holds an array holds the memory.
    expected = counts.copy()
    del histogram, table
    assert (counts == expected).all()


def test_tables_of_a_result(result: ftlab.Result) -> None:
    run = result.to_dict()["runs"][0]
    percentiles = result.percentiles.to_pydict()
    pairs = list(zip(percentiles["percent"], percentiles["lat_ns"], strict=True))
    assert pairs == list(map(tuple, run["write"]["lat_ns_percentiles"]))
    assert set(percentiles["direction"]) == {"write"}
    series = result.series
    assert series["ios"].to_list() == run["series_ios"]
    assert series["bytes"].to_list() == run["series_bytes"]
    per_second = result.per_second.to_pydict()
    assert per_second["ios_mean"] == [run["write"]["per_second"]["ios"]["mean"]]
    assert result.figures.num_rows == 0 and result.devices.num_rows == 0


def test_frames(result: ftlab.Result) -> None:
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["wa"][0] == result.wa
    assert isinstance(result.to_polars(), polars.DataFrame) and result.to_polars()["wa"][0] == result.wa
    assert polars.DataFrame(result.percentiles).shape == (18, 4)
    assert pandas.DataFrame(pyarrow.table(result)["wa"].to_pandas()).shape == (1, 1)


def test_columns(result: ftlab.Result) -> None:
    table = result.runs
    assert len(table) == table.num_rows == 1 and "wa" in table and "none" not in table
    with pytest.raises(KeyError, match="there is no column `none`; there are run, drive"):
        table["none"]
    words, gaps = table["drive"], table["wa_steady"]
    assert words.to_numpy().tolist() == ["generic-mlc-8"] and words[0] == words[-1] == "generic-mlc-8"
    assert not hasattr(words, "__array_interface__")
    assert gaps.to_list() == [None] and numpy.isnan(gaps.to_numpy()).all()
    with pytest.raises(IndexError):
        words[1]
    with pytest.raises(IndexError):
        words[-2]


def test_results_are_shown_and_pickled(result: ftlab.Result) -> None:
    shown = result._repr_html_()
    assert shown.startswith("<table>") and 5 <= shown.count("<tr>") <= 10 and "write amplification" in shown
    page = result.page()._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "&lt;html" in page and "echarts" in page
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is ftlab.Result and again.to_dict() == result.to_dict() and again.wa == result.wa
    assert repr(result) == "<ftlab.Result generic-mlc-8/job/used>"
    assert any("percentile" in warning for warning in result.warnings)


def test_a_table_becomes_a_frame_by_itself_in_pandas_polars_and_the_interchange(result: ftlab.Result) -> None:
    table = result.percentiles
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == table.column_names
    assert pandas.DataFrame(table).equals(frame)
    assert table.to_polars().shape == polars.DataFrame(table).shape == frame.shape
    assert table.__dataframe__().num_rows() == len(table)
    records = table.to_numpy()
    assert records.dtype.names == tuple(table.column_names) and records["lat_ns"].tolist() == table["lat_ns"].to_list()
    assert next(iter(table)) == {name: table[name][0] for name in table.column_names}
    assert numpy.asarray(result.runs["wa_steady"]).dtype == float and numpy.asarray(table["direction"])[0] == "write"
    assert result.__dataframe__().num_rows() == 1


def test_differences_of_whole_numbers_have_a_sign(result: ftlab.Result) -> None:
    frame = result.percentiles.to_pandas()
    assert (frame["lat_ns"] - frame["lat_ns"].max()).min() < 0
    unsigned = [name for name, kind in result.to_pandas().dtypes.items() if kind.kind == "u"]
    assert not unsigned
    largest = (1 << 64) - 1
    sweep = ftlab.sweep(WRITES, "generic-mlc-8", SMALL | {"spare.op": 0.28}, seeds=[1, largest], untimed=True)
    assert sweep.table["seed"].to_list() == [1, largest]


def test_drives_are_a_table_and_still_names() -> None:
    drives = ftlab.drives()
    names = list(drives)
    assert "intel-320-120" in drives and names[0] == drives[0] and drives[:2] == names[:2] and drives == names
    frame = drives.to_pandas()
    assert frame["drive"].tolist() == sorted(names) == drives["drive"].to_list()
    row = frame.set_index("drive").loc["samsung-pm9a3-960"]
    assert (row["year"], row["port"], row["capacity_bytes"]) == (2021, "pcie4x4", 960_197_124_096)
    assert row["rated_bytes"] == 1_752e12 and frame["rated_cycles"].max() > 1000
    assert polars.DataFrame(drives).height == len(drives) and drives._repr_html_().startswith("<table>")


@pytest.mark.parametrize("name", ["read_lat_ns_p99", "flush_lat_ns_p99_9", "trim_lat_ns_mean"])
def test_a_figure_that_a_run_does_not_have_is_none(result: ftlab.Result, name: str) -> None:
    assert getattr(result, name) is None
    other = next(name for name in ftlab._ftlab.quantities() if f"metric_{name}" not in result.runs)
    assert getattr(result, f"metric_{other}") is None


@pytest.mark.parametrize("name", ["read_lat_ns_p101", "read_lat_p99", "metric_none", "wb"])
def test_a_name_of_no_figure_is_an_error(result: ftlab.Result, name: str) -> None:
    with pytest.raises(AttributeError, match=f"no figure `{name}`"):
        getattr(result, name)


def test_results_and_tables_are_drawn(result: ftlab.Result, small: ftlab.Drive) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    sweep = ftlab.sweep(WRITES, "generic-mlc-8", SMALL | {"spare.op": [0.07, 0.28], "gc.policy": ["greedy", "fifo"]}, untimed=True)
    plans = ftlab.plan(WRITES, small, spares=[0.14, 0.28], quick=True)
    comparison = ftlab.compare(WRITES, small, {"spare.op": [0.07, 0.28]}, state="filled")
    drawn: list[tuple[Any, str, str]] = [
        (result.plot(), "percentile", "latency in ms"),
        (result.plot("course"), "seconds", "requests per second"),
        (result.percentiles.plot("percent", "lat_ns", by="direction"), "percent", "lat_ns"),
        (sweep.plot(), "spare.op", "wa"),
        (plans.plot(), "spare", "wa"),
        (comparison.plot("wa"), "wa", ""),
        (ftlab.drives().plot(), "year", "capacity_bytes"),
    ]
    for axes, x, y in drawn:
        assert (axes.get_xlabel(), axes.get_ylabel()) == (x, y)
        assert axes.lines or axes.patches
        pyplot.close(axes.figure)
    own = pyplot.subplots()[1]
    assert sweep.plot(ax=own) is own and len(own.lines) == 2
    for call in (lambda: result.plot("wa"), lambda: sweep.plot("spare"), lambda: comparison.plot("none")):
        with pytest.raises(ftlab.InputError):
            call()
    pyplot.close("all")
