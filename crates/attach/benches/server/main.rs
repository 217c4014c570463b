//! What a 4 KiB read costs the server, and how late answers are, beside other NBD servers in the same run.
//!
//! fio is the client, on one core; where the server runs is said in each row, since a wake-up across
//! cores takes several microseconds, whoever the server is. A row is the median of some rounds, and in
//! a round every server has its turn.

mod fio;
mod servers;

use comfy_table::{CellAlignment, Table, presets};
use fio::Run;
use servers::{Kind, Running};

/// Rounds, and seconds of each measurement.
const ROUNDS: usize = 3;
const SECONDS: u32 = 2;

/// Bytes of the device that are read. They were written before.
const AREA_BYTES: u64 = 256 << 20;

/// The core of the client.
const CLIENT_CORE: u32 = 0;

/// What is measured: the server's core, and the queue depth.
const CASES: [(&str, u32, u32); 4] = [
    ("QD 1, one core", CLIENT_CORE, 1),
    ("QD 1, two cores", 1, 1),
    ("QD 32, one core", CLIENT_CORE, 32),
    ("QD 32, two cores", 1, 32),
];

/// What a delayed answer is asked to take.
const DELAY_US: u64 = 100;

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments
        .iter()
        .position(|argument| argument == servers::SERVE)
    {
        servers::serve(&arguments[at + 1..]);
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for sockets");
    // As of every benchmark, a word after `--` chooses among the tables.
    let word = arguments[1..].iter().find(|word| !word.starts_with('-'));
    let is_asked = |name: &str| word.is_none_or(|word| name.contains(word.as_str()));
    if is_asked("costs") {
        println!("{}", costs(folder.path()));
    }
    if is_asked("lateness") {
        println!("{}", lateness(folder.path()));
    }
}

/// Server CPU and latency of reads, server by server.
fn costs(folder: &std::path::Path) -> Table {
    let mut kinds = vec![Kind::Memory, Kind::DriveOff];
    for other in [Kind::NbdkitMemory, Kind::QemuNull] {
        match other.is_installed() {
            true => kinds.push(other),
            false => println!("{} is left out: it is not installed", other.name()),
        }
    }
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); CASES.len() * kinds.len()];
    for round in 0..ROUNDS {
        for (c, (_, core, depth)) in CASES.into_iter().enumerate() {
            for (k, &kind) in kinds.iter().enumerate() {
                let socket = folder.join(format!("{round}-{c}-{k}"));
                let server = Running::start(kind, &socket, core);
                if matches!(kind, Kind::Memory | Kind::NbdkitMemory) {
                    fio::fill(&socket);
                }
                runs[c * kinds.len() + k].push(fio::reads(&server, &socket, depth));
            }
        }
    }
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "4 KiB reads",
        "server",
        "server CPU, µs",
        "IOPS",
        "p50, µs",
        "p99, µs",
    ]);
    for (row, runs) in runs.iter().enumerate() {
        let figure = |of: fn(&Run) -> f64| median(runs.iter().map(of));
        table.add_row([
            CASES[row / kinds.len()].0.to_owned(),
            kinds[row % kinds.len()].name().to_owned(),
            format!("{:.2}", figure(|run| run.server_cpu_us)),
            format!("{:.0}", figure(|run| run.iops)),
            format!("{:.1}", figure(|run| run.p50_us)),
            format!("{:.1}", figure(|run| run.p99_us)),
        ]);
    }
    align(&mut table, 2..6);
    table
}

/// How late answers are that were asked to take their time, beside how late the kernel wakes a thread
/// on this machine, at present.
fn lateness(folder: &std::path::Path) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "4 KiB reads, or bare waits of 100 µs",
        "lateness p50, µs",
        "p99, µs",
        "p99.9, µs",
        "client's p50, µs",
        "p99, µs",
    ]);
    let bare = servers::bare_waits_us(DELAY_US);
    let bare: Vec<String> = bare.iter().map(|us| format!("{us:.1}")).collect();
    let row = [
        "the kernel's, without a server",
        &bare[0],
        &bare[1],
        &bare[2],
        "–",
        "–",
    ];
    table.add_row(row);
    let kinds = [Kind::Delayed(DELAY_US), Kind::DriveModel];
    let rows = kinds
        .into_iter()
        .flat_map(|kind| CASES.map(|case| (kind, case)));
    for (row, (kind, (name, core, depth))) in rows.enumerate() {
        let rounds: Vec<_> = (0..ROUNDS)
            .map(|round| {
                let socket = folder.join(format!("late-{row}-{round}"));
                let server = Running::start(kind, &socket, core);
                let run = fio::reads(&server, &socket, depth);
                (run, server.lateness_us())
            })
            .collect();
        let late = |i: usize| format!("{:.1}", median(rounds.iter().map(|(_, late)| late[i])));
        let seen =
            |of: fn(&Run) -> f64| format!("{:.1}", median(rounds.iter().map(|(run, _)| of(run))));
        table.add_row([
            format!("{}, {name}", kind.name()),
            late(0),
            late(1),
            late(2),
            seen(|run| run.p50_us),
            seen(|run| run.p99_us),
        ]);
    }
    align(&mut table, 1..6);
    table
}

fn align(table: &mut Table, columns: std::ops::Range<usize>) {
    for column in columns {
        let column = table.column_mut(column).expect("a column of the header");
        column.set_cell_alignment(CellAlignment::Right);
    }
}
