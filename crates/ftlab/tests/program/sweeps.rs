//! `ftlab sweep` as job arrays call it.

use crate::place::{self, Place, holds, program};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A grid of eight rows on a small drive, of which two have a policy that there is not.
const GRID: &str = "drives = ['generic-mlc-8']\nloads = ['random.fio']\nseeds = 2\n\
    [set]\nnand.blocks_per_die = 64\nspare.op = [0.2, 0.4]\ngc.policy = ['greedy', 'fifo']\n";

fn grid() -> Place {
    let place = Place::new();
    place.write("grid.toml", GRID);
    place
}

#[test]
fn shards_are_merged_to_what_one_sweep_gives() {
    let place = grid();
    let said = place.out("sweep grid.toml --out all --jobs 1 --quiet");
    holds(&said, &["8 rows are done: all/sweep.parquet"]);
    for shard in ["1/2", "2/2"] {
        place.out(&format!(
            "sweep grid.toml --shard {shard} --out shards --quiet"
        ));
    }
    holds(
        &place.out("sweep --merge shards --out merged"),
        &["8 rows are done"],
    );
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert_eq!(bytes("all/sweep.parquet"), bytes("merged/sweep.parquet"));
    holds(
        &place.out("sweep grid.toml --out all"),
        &["Every row is there already"],
    );

    let few = place.out("sweep grid.toml --shard 1/2 --out few --quiet");
    holds(&few, &["few/sweep-1-of-2.parquet"]);
    let error = place
        .ftlab("sweep --merge few --out whole")
        .assert()
        .code(1);
    let error = String::from_utf8(error.get_output().stderr.clone()).unwrap();
    holds(
        &error,
        &["4 of 8 rows are missing, the first of them row 1"],
    );
    assert!(!place.path("whole").exists());
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let place = grid();
    for (line, why) in [
        ("sweep grid.toml --out o --shard 3/2", "`3/2` is no share"),
        ("sweep none.toml --out o", "no such file"),
        ("sweep grid.toml --out grid.toml", "name the same file"),
        ("sweep grid.toml --out random.fio", "it is a file"),
        ("sweep --merge . --out o", "no table of a sweep"),
    ] {
        holds(&place.refused(line), &[why]);
    }
    place.write("bad.toml", &GRID.replace("'greedy', 'fifo'", "'gready'"));
    holds(
        &place.refused("sweep bad.toml --out o"),
        &["no row of the grid can run", "gready"],
    );
    place.write("some.toml", &GRID.replace("'fifo'", "'gready'"));
    let (said, why) = place.finds("sweep some.toml --out some --quiet");
    holds(&said, &["4 rows are done, 4 cannot be: some/sweep.parquet"]);
    let column = "4 of 8 rows have no figures; the column reason of some/sweep.parquet says why";
    holds(&why, &[column]);
}

#[test]
fn a_folder_is_the_table_of_its_last_grid_and_says_what_is_aside() {
    let place = Place::new();
    place.write("grid.toml", GRID);
    let line = "sweep grid.toml --out o --quiet";
    let all = place.out(line);
    assert!(!all.contains("aside"), "{all}");
    place.write(
        "grid.toml",
        &GRID.replace("'greedy', 'fifo'", "'fifo', 'random'"),
    );
    let said = place.out(line);
    holds(
        &said,
        &[
            "8 rows are done: o/sweep.parquet",
            "4 rows of other grids are set aside: o/_aside/earlier.parquet",
        ],
    );
    // Back again: nothing is to run, and the others are aside now.
    place.write("grid.toml", GRID);
    let again = place.ftlab("sweep grid.toml --out o").assert().success();
    let told = String::from_utf8(again.get_output().stderr.clone()).unwrap();
    holds(&told, &["8 rows are there already, 0 are to run"]);
    let said = String::from_utf8(again.get_output().stdout.clone()).unwrap();
    holds(&said, &["4 rows of other grids are set aside"]);
}

#[test]
fn ctrl_c_keeps_what_is_done() {
    let place = Place::new();
    let grid = GRID.replace("seeds = 2", "seeds = 60");
    place.write("grid.toml", &grid);
    let mut command = std::process::Command::new(program());
    command
        .args(["sweep", "grid.toml", "--out", "o"])
        .current_dir(&place.0);
    let child = command
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let files = |folder: &str| std::fs::read_dir(place.path(folder)).map_or(0, Iterator::count);
    while files("o/_aside") < 6 && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::INT,
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let error = place::without_signs_of_life(&output.stderr);
    if output.status.code() == Some(0) {
        panic!("240 rows were done before they could be interrupted");
    }
    assert_eq!(output.status.code(), Some(130), "{error}");
    let done = error.split_once("interrupted: ").expect("it says so").1;
    let done: usize = done.split(' ').next().unwrap().parse().unwrap();
    let again = place.ftlab("sweep grid.toml --out o").assert().success();
    let error = String::from_utf8(again.get_output().stderr.clone()).unwrap();
    holds(
        &error,
        &[&format!(
            "{done} rows are there already, {} are to run",
            240 - done
        )],
    );
    assert_eq!((files("o"), files("o/_aside")), (1, 0));
}

/// A hundred seeds by a hundred loads, each of few requests: what takes the time is the folder, which the benchmark
/// `resume` measures.
#[test]
fn ten_thousand_rows_are_taken_up_from_a_part_and_from_their_table() {
    let place = Place::new();
    let load = |n: usize| {
        let text = format!("[w]\\nrw=randwrite\\nbs=4k\\nnumber_ios={}\\n", n + 1);
        format!("{{ name = 'w{n}', text = \"{text}\" }}")
    };
    let loads: Vec<String> = (0..100).map(load).collect();
    let grid = format!(
        "drives = ['generic-mlc-8']\nstate = 'new'\nuntimed = true\nseeds = 100\nloads = [{}]\n[set]\nnand.blocks_per_die = 32\n",
        loads.join(", ")
    );
    place.write("grid.toml", &grid);
    let shard = "sweep grid.toml --out o --quiet --shard 1/2";
    place.out(shard);
    let whole = "sweep grid.toml --out o --quiet";
    place.out(whole);
    std::fs::rename(
        place.path("o/sweep.parquet"),
        place.path("o/part-all.parquet"),
    )
    .unwrap();
    let output = place.ftlab("sweep grid.toml --out o").assert().success();
    let said = place::without_signs_of_life(&output.get_output().stderr);
    holds(&said, &["10000 rows are there already, 0 are to run"]);
    holds(&place.out(whole), &["Every row is there already: "]);
}
