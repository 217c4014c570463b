//! Tables as others read them: CSV and Parquet say the same, and what the results say.

use ftlab_export::{Cells, Table, csv, devices, figures, parquet, runs, series};
use ftlab_result::{ResultSet, Spread};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::json;

/// Two runs, one of them without writes and without watts, the other on two drives, and a published word.
fn set() -> ResultSet {
    let traffic = |ios: u64| {
        json!({
            "ios": ios, "bytes": ios * 4096, "iops": 0.1, "bytes_per_s": 1.0 / 3.0,
            "lat_ns_min": 5, "lat_ns_mean": 6.5, "lat_ns_stddev": 0.5, "lat_ns_max": 9,
            "lat_ns_percentiles": [[50.0, 6], [99.99, 9]], "lat_ns_histogram": [],
        })
    };
    let run = |id: &str, ios: u64, watts: &[f64]| {
        json!({
            "id": id, "drive": "d", "test": "t", "state": "new", "steps": [],
            "metrics": {"iops": 0.1, "mb_s": 1e300}, "read": traffic(0), "write": traffic(ios),
            "trim": traffic(0), "series_ios": [ios, 0], "series_interval_s": 1.0,
            "series_bytes": [ios * 4096, 0], "series_watts": watts,
            "at": [{
                "series_wa": [1.5, 0.0],
                "inside": {
                    "wa": 1.5, "host_ios": ios, "host_bytes_written": 8192, "nand_programs": u64::MAX,
                    "nand_reads": 0, "nand_erases": 0, "gc_share": 0.0, "buffer_stalls": 0,
                    "op_stream_hash": "a,\"b\"\nc",
                },
            }],
            "submitted": ios, "completed": ios, "completion_hash": "0123456789abcdef", "seconds": 2.0,
        })
    };
    let figure = |published: serde_json::Value, simulated: Option<f64>| {
        json!({
            "id": "F1", "drive": "D", "model": "d", "test": "t", "state": "", "data": "", "link": "",
            "metric": "iops", "unit": "IOPS", "published": published, "qualifier": "eq",
            "simulated": simulated, "error": null, "verdict": "shown", "run": "", "source": "S",
        })
    };
    let mut of_two = run("d/t/new", 7, &[1.25, 2.5]);
    let device = |name: &str, joules: serde_json::Value| {
        json!({
            "name": name, "drive": "d", "link": "sata3g", "joules": joules,
            "inside": of_two["at"][0]["inside"],
        })
    };
    let joules = json!({
        "nand": 1.0, "bus": 2.0, "controller": 4.0, "link": 8.0, "dram": 16.0, "mechanics": 32.0,
    });
    let at = json!([device("nvme0", joules), device("nvme1", json!(null))]);
    of_two["together"] = of_two["at"][0]["inside"].clone();
    of_two["at"] = at;
    serde_json::from_value(json!({
        "schema": ftlab_result::SCHEMA,
        "origin": {"version": "0", "way": "simulated", "seed": 1, "testbed": "x"},
        "drives": [],
        "tests": [{
            "test": "t", "method": "A1", "title": "", "text": "", "step": "", "chart": "bars",
            "chart_metric": "iops", "chart_unit": "IOPS",
        }],
        "figures": [figure(json!(4.06), Some(4.0)), figure(json!("lots"), None)],
        "runs": [of_two, run("d/t/used", 0, &[])],
    }))
    .unwrap()
}

fn tables() -> [Table; 4] {
    let set = set();
    let sets = [("one", &set), ("two", &set)];
    [figures(&sets), runs(&sets), devices(&sets), series(&sets)]
}

/// The cells of a table, row by row, as text.
fn text(table: &Table) -> Vec<Vec<String>> {
    let cell = |cells: &Cells, row: usize| match cells {
        Cells::Text(cells) => cells[row].clone(),
        Cells::Whole(cells) => cells[row].map(|count| count.to_string()),
        Cells::Number(cells) => cells[row].map(|value| value.to_string()),
    };
    let row = |row| {
        let cells = table.columns.iter().map(|column| cell(&column.cells, row));
        cells.map(Option::unwrap_or_default).collect()
    };
    (0..table.rows()).map(row).collect()
}

#[test]
fn a_csv_file_holds_every_cell() {
    for table in tables() {
        let written = csv(&table);
        let mut reader = csv::Reader::from_reader(written.as_bytes());
        let headings: Vec<String> = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let names: Vec<String> = table.columns.iter().map(|c| c.name.clone()).collect();
        assert_eq!(headings, names);
        let read: Vec<Vec<String>> = reader
            .records()
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .collect();
        assert_eq!(read, text(&table), "{}", table.name);
    }
}

#[test]
fn a_parquet_file_holds_every_cell() {
    for table in tables() {
        let bytes = parquet(&table).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let mut read = Vec::new();
        for row in reader.get_row_iter(None).unwrap() {
            let words = |(_, field): (&String, &Field)| match field {
                Field::Null => String::new(),
                Field::Str(text) => text.clone(),
                Field::ULong(count) => count.to_string(),
                Field::Double(value) => value.to_string(),
                other => panic!("{other:?}"),
            };
            read.push(
                row.unwrap()
                    .get_column_iter()
                    .map(words)
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(read, text(&table), "{}", table.name);
    }
}

#[test]
fn what_is_not_there_is_no_zero() {
    let [figures, runs, devices, series] = tables();
    let Some(Cells::Number(published)) = figures.column("published_number") else {
        panic!("no published_number");
    };
    assert_eq!(published[..2], [Some(4.06), None]);
    let Some(Cells::Whole(longest)) = runs.column("write_lat_ns_max") else {
        panic!("no write_lat_ns_max");
    };
    assert_eq!(longest[..2], [Some(9), None]);
    let Some(Cells::Whole(tail)) = runs.column("write_lat_ns_p99_99") else {
        panic!("no percentile");
    };
    assert_eq!(tail[0], Some(9));
    let Some(Cells::Number(watts)) = series.column("watts") else {
        panic!("no watts");
    };
    assert_eq!(watts[..4], [Some(1.25), Some(2.5), None, None]);
    let Some(Cells::Number(joules)) = devices.column("joules") else {
        panic!("no joules");
    };
    assert_eq!(*joules, [Some(63.0), None, Some(63.0), None]);
}

#[test]
fn tables_of_nothing_have_their_headings() {
    for table in [figures(&[]), runs(&[]), devices(&[]), series(&[])] {
        assert_eq!(table.rows(), 0);
        assert_eq!(csv(&table).lines().count(), 1);
        let bytes = parquet(&table).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}

#[test]
fn repeats_have_columns_beside_those_of_their_figures() {
    let mut set = set();
    let columns = |set: &ResultSet| {
        let sets = [("one", set)];
        let names = |table: Table| table.columns.into_iter().map(|column| column.name);
        names(runs(&sets)).collect::<Vec<_>>()
    };
    let once = columns(&set);
    assert!(!once.iter().any(|name| name.contains("ci95")), "{once:?}");
    let spread = Spread {
        values: vec![Some(3.0), None, Some(5.0)],
        stddev: Some(1.5),
        ci95_half_width: Some(12.5),
        depends_on_seed: true,
    };
    set.runs[0].spread.insert("iops".to_owned(), spread.clone());
    set.figures[0].spread = Some(spread);
    let repeated = columns(&set);
    assert_eq!(repeated.len(), once.len() + 4);
    let sets = [("one", &set)];
    for (table, of) in [(runs(&sets), "metric_iops"), (figures(&sets), "simulated")] {
        let cells = |what: &str| table.column(&format!("{of}_{what}")).unwrap().clone();
        assert_eq!(cells("repeats"), Cells::Whole(vec![Some(2), None]));
        assert_eq!(cells("stddev"), Cells::Number(vec![Some(1.5), None]));
        assert_eq!(
            cells("ci95_half_width"),
            Cells::Number(vec![Some(12.5), None])
        );
        let words = vec![Some("yes".to_owned()), None];
        assert_eq!(cells("depends_on_seed"), Cells::Text(words));
    }
}
