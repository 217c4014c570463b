"""Tables: taken over by others without a copy."""

from __future__ import annotations

import pickle

import numpy
import pandas
import polars
import pyarrow
import pytest

import ftlab


def address(array: numpy.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_numpy_and_arrow_see_the_same_memory(result: ftlab.Result) -> None:
    histogram = result.histogram
    counts = numpy.asarray(histogram["ios"])
    assert counts.dtype == numpy.uint64 and counts.sum() == 20_000
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
    assert shown.startswith("<iframe srcdoc=") and "&lt;html" in shown and "echarts" in shown
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is ftlab.Result and again.to_dict() == result.to_dict() and again.wa == result.wa
    assert repr(result) == "<ftlab.Result generic-mlc-8/job/used>"
    assert any("percentile" in warning for warning in result.warnings)
