//! Instructions of a request, counted by callgrind, which any machine counts alike: of six short loads the slope of two
//! runs that differ in their number of requests alone, so that building and preparing drives do not count.
//!
//! `cargo bench -p ftlab-lab --bench instructions` prints them beside those that are kept in `kept.csv`. With `-- --gate`
//! it fails where one is more than 2 % above what is kept, and with `-- --keep` it writes the file anew. `make test` counts
//! with what it has built, with its checks of arithmetic, and keeps those counts in `kept-dev.csv`, to 10 %: a release build
//! would take six minutes of a core. With `-- --program PATH` it counts longer loads of that program instead.

mod loads;
mod program;

use loads::{LOADS, Load};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Asks for one of the runs that are counted.
const RUN: &str = "--run";
/// Asks for the counts of a program.
const PROGRAM: &str = "--program";
const KEPT: &str = match cfg!(debug_assertions) {
    false => concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions/kept.csv"),
    true => concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/benches/instructions/kept-dev.csv"
    ),
};
const HEAD: &str = "load,instructions";

/// A count may be so much above what is kept. What a development build inlines differs from one folder to the next.
const TOLERANCE: f64 = match cfg!(debug_assertions) {
    false => 0.02,
    true => 0.10,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [run, name, requests] = &arguments[..]
        && run == RUN
    {
        let load = LOADS.iter().find(|load| load.name == name);
        let requests = requests.parse().expect("a number of requests");
        println!("{}", load.expect("a load's name").play(requests));
        return ExitCode::SUCCESS;
    }
    if let Some(at) = arguments.iter().position(|argument| argument == PROGRAM) {
        let program = arguments.get(at + 1).expect("the path of a program");
        return match program::count(Path::new(program)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("error: {why}");
                ExitCode::FAILURE
            }
        };
    }
    let wants = |word: &str| arguments.iter().any(|argument| argument == word);
    let (mut now, mut failed) = (format!("{HEAD}\n"), false);
    let kept = std::fs::read_to_string(KEPT).unwrap_or_default();
    for load in &LOADS {
        let count = match instructions(load) {
            Ok(count) => count,
            Err(why) => {
                eprintln!("error: {}: {why}", load.name);
                return ExitCode::FAILURE;
            }
        };
        let before = kept_of(&kept, load.name);
        let differs = before.map_or(String::new(), |before| {
            failed |= count > before * (1.0 + TOLERANCE);
            let percent = 100.0 * (count / before - 1.0);
            format!(", {percent:+.1} % of the {before} that are kept")
        });
        println!(
            "{}: {count:.0} instructions a {}{differs}",
            load.name,
            load.per()
        );
        failed |= before.is_none();
        let _ = writeln!(now, "{},{count:.0}", load.name);
    }
    if wants("--keep") {
        std::fs::write(KEPT, now).expect("the file can be written");
    } else if wants("--gate") && failed {
        eprintln!(
            "error: more instructions than are kept in {KEPT}; make the model as fast as it was, or keep what it takes now: \
             cargo bench --workspace --bench instructions -- --keep, with --profile dev behind `bench` for the counts of tests"
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The count that is kept of a load.
fn kept_of(kept: &str, name: &str) -> Option<f64> {
    let mut rows = kept.lines().filter_map(|row| row.split_once(','));
    rows.find(|(of, _)| *of == name)?.1.parse().ok()
}

/// The slope between a short run and a longer one.
fn instructions(load: &Load) -> Result<f64, String> {
    let [few, many] = load.requests.map(|requests| counted(load, requests));
    let ((few, work), (many, more)) = (few?, many?);
    Ok((many - few) / (more - work))
}

/// Instructions of a whole run, and the requests or programs of its load.
fn counted(load: &Load, requests: u64) -> Result<(f64, f64), String> {
    let mut run = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    run.args([RUN, load.name, &requests.to_string()]);
    let (total, work) = valgrind(&run)?;
    let work = work.trim().parse();
    Ok((
        total,
        work.map_err(|error| format!("the run said nothing of its work: {error}"))?,
    ))
}

/// Makes a call under callgrind: its instructions, and what it printed.
fn valgrind(call: &Command) -> Result<(f64, String), String> {
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(call.get_program())
        .args(call.get_args())
        .envs(
            call.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind cannot be started ({error}); install it"))?;
    let told = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(format!("the run that valgrind counts failed: {told}"));
    }
    let total = told
        .lines()
        .find_map(|line| line.split("Collected :").nth(1));
    let total = total.and_then(|count| count.trim().parse().ok());
    let total = total.ok_or_else(|| format!("valgrind counted nothing: {told}"))?;
    Ok((total, String::from_utf8_lossy(&done.stdout).into_owned()))
}
