//! Sweeps as programs run them: into a folder, on threads, in shards, interrupted and taken up again.

use ftlab_base::{Blame, RootSeed};
use ftlab_bench::loads::OwnLoad;
use ftlab_bench::review::Review;
use ftlab_drive::Catalog;
use ftlab_export::{Cells, Table, read_parquet};
use ftlab_lab::Lab;
use ftlab_play::load::{Load, What};
use ftlab_states::State;
use ftlab_states::watch::Stopped;
use ftlab_sweep::{
    Row, Share, Status, Store, Sweep, SweepError, Unit, begin, merge, rows_as_parquet,
};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const WRITES: &str = "[w]\nrw=randwrite\nbs=4k\niodepth=4\nnumber_ios=3000\n";
const READS: &str = "[r]\nrw=randread\nbs=4k\nnumber_ios=500\n";

/// Four drives of which one cannot be, two loads and two seeds: sixteen rows.
fn grid() -> Sweep {
    let text = format!(
        "drives = ['generic-mlc-8']\nseeds = [1, 5]\nstate = 'used'\n\
         loads = [{{ name = 'writes', text = {WRITES:?} }}, {{ name = 'reads', text = {READS:?} }}]\n\
         [set]\nnand.blocks_per_die = 64\n[[list]]\nspare.op = 0.2\n[[list]]\nspare.op = 0.4\n\
         [[list]]\nspare.op = 0.2\ngc.policy = 'fifo'\n[[list]]\nspare.op = 0.2\ngc.policy = 'none-such'\n"
    );
    Sweep::parse(&text, Path::new("grid.toml"), &Catalog::default()).unwrap()
}

/// Runs what a folder lacks of a share, at most `most` rows. Gives the number of rows run, and the file if all are
/// there.
fn go_on(folder: &Path, share: Share, threads: usize, most: usize) -> (usize, Option<PathBuf>) {
    let sweep = grid();
    let store = Store::open(folder, &sweep).unwrap();
    let units = sweep.missing(share, &|id| store.has(id));
    let (store, taken) = (Mutex::new(store), AtomicUsize::new(0));
    let lab = Lab::new(threads, 1 << 30).unwrap();
    let ended = sweep.run(&units, None, &lab, &|row: Option<Row>| {
        if let Some(row) = row {
            taken.fetch_add(1, Ordering::SeqCst);
            store.lock().unwrap().add(row).unwrap();
        }
        match taken.load(Ordering::SeqCst) < most {
            true => Ok(()),
            false => Err(Stopped),
        }
    });
    let store = store.into_inner().unwrap();
    let whole = ended
        .is_ok()
        .then(|| store.finish(&sweep, share).unwrap().path);
    (taken.into_inner(), whole)
}

fn whole(threads: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (rows, file) = go_on(folder.path(), Share::ALL, threads, usize::MAX);
    assert_eq!(rows, 16);
    std::fs::read(file.unwrap()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn numbers(table: &Table, name: &str) -> Vec<Option<f64>> {
    match table.column(name) {
        Some(Cells::Number(cells)) => cells.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn threads_shards_and_interruptions_leave_the_same_bytes() {
    let one = whole(1);
    assert_eq!(whole(2), one, "two threads");

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("all");
    // Two shards in a folder of their own, and one in that of another.
    let shards = ["1/3", "2/3", "3/3"].map(|text| text.parse::<Share>().unwrap());
    let places = ["a", "b", "b"].map(|name| folder.path().join(name));
    let mut rows = 0;
    for (share, place) in shards.into_iter().zip(&places) {
        assert!(!Store::is_whole(place, &grid(), share).unwrap());
        rows += go_on(place, share, 1, usize::MAX).0;
        assert!(Store::is_whole(place, &grid(), share).unwrap());
    }
    assert_eq!(rows, 16);
    assert_eq!(
        names(&places[1]),
        ["_aside", "sweep-2-of-3.parquet", "sweep-3-of-3.parquet"]
    );
    let merged = merge(&places[..2], &out).unwrap();
    assert_eq!(std::fs::read(&merged.path).unwrap(), one, "three shards");
    assert_eq!(
        (merged.count(Status::Done), merged.count(Status::Refused)),
        (12, 4)
    );
    let some = merge(&places[..1], &out).unwrap_err();
    assert!(
        matches!(some, SweepError::Missing { all: 16, .. }),
        "{some}"
    );

    let folder = tempfile::tempdir().unwrap();
    let (first, none) = go_on(folder.path(), Share::ALL, 1, 5);
    assert!(first >= 5 && none.is_none());
    let (second, file) = go_on(folder.path(), Share::ALL, 2, usize::MAX);
    assert_eq!(first + second, 16, "a row is run once");
    assert_eq!(names(folder.path()), ["sweep.parquet"]);
    assert_eq!(std::fs::read(file.unwrap()).unwrap(), one, "interrupted");
    assert_eq!(go_on(folder.path(), Share::ALL, 1, usize::MAX).0, 0);
}

#[test]
fn rows_of_other_grids_stay() {
    let folder = tempfile::tempdir().unwrap();
    go_on(folder.path(), Share::ALL, 2, usize::MAX);
    let text = format!(
        "drives = ['generic-mlc-8']\nseeds = [5, 6]\nstate = 'used'\nloads = [{{ name = 'r', text = {READS:?} }}]\n\
         [set]\nnand.blocks_per_die = 64\nspare.op = 0.4\n"
    );
    let other = Sweep::parse(&text, Path::new("other.toml"), &Catalog::default()).unwrap();
    let store = Store::open(folder.path(), &other).unwrap();
    let units = other.missing(Share::ALL, &|id| store.has(id));
    assert_eq!(other.rows_in(&units), [1], "that of seed 5 is there");
    let store = Mutex::new(store);
    let lab = Lab::new(1, 1 << 30).unwrap();
    let kept = |row: Option<Row>| {
        let kept = row.map_or(Ok(()), |row| store.lock().unwrap().add(row));
        kept.unwrap();
        Ok(())
    };
    other.run(&units, None, &lab, &kept).unwrap();
    let store = store.into_inner().unwrap();
    let finished = store.finish(&other, Share::ALL).unwrap();
    assert_eq!(names(folder.path()), ["_aside", "sweep.parquet"]);
    // The table is of the last grid alone, and says how many rows are aside.
    let (table, _) = read_parquet("sweep", std::fs::read(&finished.path).unwrap()).unwrap();
    assert_eq!(table.rows(), 2);
    let (aside, rows) = finished.aside.unwrap();
    assert_eq!(
        (aside, rows),
        (folder.path().join("_aside/earlier.parquet"), 15)
    );
    assert_eq!(
        go_on(folder.path(), Share::ALL, 1, usize::MAX).0,
        0,
        "and the first grid's rows still are"
    );
}

/// What a review makes of a load on a drive is what the row has.
#[test]
fn a_row_has_the_figures_of_a_run_made_alone() {
    let bytes = whole(2);
    let (table, _) = read_parquet("sweep", bytes).unwrap();
    let settings = ["nand.blocks_per_die=64", "spare.op=0.4"].map(str::to_owned);
    let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
    let load = Load::of_text("reads", READS, 1, What::job(READS, "reads").unwrap());
    let name = "reads".to_owned();
    let review = Review {
        loads: vec![OwnLoad { name, load }],
        state: Some(State::Used),
        ..Review::of(vec![file.into()], Vec::new(), RootSeed(5))
    };
    let lab = Lab::new(1, 1 << 30).unwrap();
    let set = review.results(&lab, &|_, _| Ok(())).unwrap();
    let row = 4 + 2 + 1;
    assert_eq!(table.column("load").unwrap().word(row), Some("reads"));
    assert_eq!(numbers(&table, "spare.op")[row], Some(0.4));
    assert_eq!(numbers(&table, "seconds")[row], Some(set.runs[0].seconds));
    assert_eq!(
        numbers(&table, "metric_iops")[row],
        set.runs[0].metrics.get("iops").copied()
    );
    assert!(set.runs[0].metrics["iops"] > 0.0);
}

#[test]
fn a_run_that_cannot_be_is_a_row_with_a_reason() {
    let (table, _) = read_parquet("sweep", whole(2)).unwrap();
    let status = table.column("status").unwrap();
    let reason = table.column("reason").unwrap();
    for row in 0..12 {
        assert_eq!((status.word(row), reason.word(row)), (Some("done"), None));
    }
    for row in 12..16 {
        assert_eq!(status.word(row), Some("refused"));
        assert!(reason.word(row).unwrap().contains("none-such"));
        assert_eq!(numbers(&table, "seconds")[row], None);
    }
    // A grid of which no drive can be is a mistake.
    let text = "drives = ['generic-mlc-8']\nloads = ['randwrite-4k-qd1']\nset.gc.policy = ['none-such', 'no-such']\n";
    let error = Sweep::parse(text, Path::new("grid.toml"), &Catalog::default()).unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("none-such"),
        "{error}"
    );
}

/// The rows of units, in the order in which they ended, from a saved state if there is one.
fn rows_of(sweep: &Sweep, units: &[Unit], state: Option<&[u8]>) -> Vec<Row> {
    let (lab, rows) = (Lab::new(1, 1 << 30).unwrap(), Mutex::new(Vec::new()));
    let taken = |row: Option<Row>| {
        rows.lock().unwrap().extend(row);
        Ok(())
    };
    let from = state.map(begin);
    sweep.run(units, from.as_ref(), &lab, &taken).unwrap();
    rows.into_inner().unwrap()
}

#[test]
fn rows_may_be_run_elsewhere_in_any_pieces() {
    let sweep = grid();
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), &sweep).unwrap();
    for rows in [
        &[15, 3, 0][..],
        &[1, 2, 4, 5, 6, 7],
        &[8, 9, 10, 11],
        &[13, 12, 14, 8],
    ] {
        let mut taken = rows_of(&sweep, &sweep.units_of(rows), None);
        taken.reverse();
        store.add_parquet(rows_as_parquet(taken).unwrap()).unwrap();
    }
    assert_eq!(store.rows(), 16);
    let finished = store.finish(&sweep, Share::ALL).unwrap();
    assert_eq!(std::fs::read(finished.path).unwrap(), whole(1));
}

/// One drive and one seed under three loads, of which one has data that compress.
#[test]
fn a_state_that_was_saved_begins_the_same_rows() {
    let text = |name: &str, text: &str| format!("{{ name = '{name}', text = {text:?} }}");
    let easy = WRITES.replace("bs=4k", "bs=4k\nbuffer_compress_percentage=80");
    let loads = [text("r", READS), text("w", WRITES), text("e", &easy)].join(", ");
    let grid = |drive: &str, set: &str| {
        let text = format!("drives = ['{drive}']\nloads = [{loads}]\nstate = 'used'\n{set}");
        Sweep::parse(&text, Path::new("grid.toml"), &Catalog::default()).unwrap()
    };
    let lab = Lab::new(1, 1 << 30).unwrap();
    let sweep = grid("generic-mlc-8", "set.nand.blocks_per_die = 64\n");
    let units = sweep.units_of(&[0, 1, 2]);
    assert_eq!(units.len(), 1, "one state");
    assert_eq!(sweep.alike(&units[0]), Some(vec![vec![0, 1, 2]]));
    let together = rows_of(&sweep, &units, None);
    let state = sweep.save_state(0, &lab, &|_| Ok(())).unwrap();
    let mut apart = Vec::new();
    for rows in [[2], [0], [1]] {
        let (units, state) = (sweep.units_of(&rows), state.as_ref().unwrap());
        apart.extend(rows_of(&sweep, &units, Some(state)));
    }
    let bytes = |mut rows: Vec<Row>| {
        rows.sort_by(|a, b| a.id.cmp(&b.id));
        assert!(rows.iter().all(|row| row.status() == Status::Done));
        rows_as_parquet(rows).unwrap()
    };
    assert_eq!(bytes(apart), bytes(together));
    // A drive that compresses is filled with data like the load's.
    let packed = grid("intel-520-240", "");
    let alike = packed.alike(&packed.units_of(&[0, 1, 2])[0]);
    assert_eq!(alike, Some(vec![vec![0, 1], vec![2]]));
    let disk = grid("seagate-momentus-7200.2", "");
    assert_eq!(disk.alike(&disk.units_of(&[0, 1])[0]), None);
}

#[test]
fn what_is_damaged_is_named_and_what_is_of_others_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
    std::fs::write(folder.path().join("part-1.parquet"), "PAR1, cut off").unwrap();
    let error = Store::open(folder.path(), &grid()).unwrap_err().to_string();
    assert!(
        error.contains("part-1.parquet") && error.contains("remove it"),
        "{error}"
    );
    std::fs::remove_file(folder.path().join("part-1.parquet")).unwrap();
    let table = Table {
        name: "mine",
        columns: Vec::new(),
    };
    std::fs::write(
        folder.path().join("mine.parquet"),
        ftlab_export::parquet(&table).unwrap(),
    )
    .unwrap();
    Store::open(folder.path(), &grid()).unwrap();
    assert_eq!(names(folder.path()), ["mine.parquet", "notes.txt"]);
    let error = Store::open(&folder.path().join("notes.txt"), &grid())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("it is a file; give another directory"),
        "{error}"
    );
    let error = merge(&[folder.path().to_owned()], folder.path())
        .unwrap_err()
        .to_string();
    assert!(error.contains("no table of a sweep"), "{error}");
}

#[test]
fn a_recorded_trace_is_a_load_wherever_its_file_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let log = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda write 0 4096\n/dev/sda write 40960 8192\n\
               /dev/sda read 0 4096\n/dev/sda close\n";
    std::fs::write(folder.path().join("small.log"), log).unwrap();
    let grid = |pace: &str| {
        format!(
            "drives = ['generic-mlc-8']\nloads = ['small.log']\n[set]\nspare.op = [0.1, 0.3]\n[replay]\npace = '{pace}'\n"
        )
    };
    let read =
        |text: &str| Sweep::parse(text, &folder.path().join("grid.toml"), &Catalog::default());
    let (asap, closed) = (
        read(&grid("asap")).unwrap(),
        read(&grid("closed=4")).unwrap(),
    );
    assert_ne!(asap.id(0), closed.id(0));
    let units = asap.missing(Share::ALL, &|_| false);
    let rows = rows_of(&asap, &units, None);
    let ends: Vec<Status> = rows.iter().map(Row::status).collect();
    assert_eq!(ends, [Status::Done, Status::Done]);
    // Elsewhere it is read from the texts, which name the file and its bytes.
    let words: ftlab_sweep::Grid = toml::from_str(&grid("asap")).unwrap();
    let packed = asap.packed(&words);
    let again = Sweep::of(
        &packed,
        Path::new("/nowhere"),
        "elsewhere",
        &Catalog::default(),
    )
    .unwrap();
    assert_eq!(again.id(1), asap.id(1));
    std::fs::write(
        folder.path().join("small.log"),
        log.replace("40960", "81920"),
    )
    .unwrap();
    let error = Sweep::of(
        &packed,
        Path::new("/nowhere"),
        "elsewhere",
        &Catalog::default(),
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("its bytes are not those"),
        "{error}"
    );
    assert!(
        read(&grid("slowly"))
            .unwrap_err()
            .to_string()
            .contains("replay: pace")
    );
}
