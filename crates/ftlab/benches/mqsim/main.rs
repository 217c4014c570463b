//! Speed beside MQSim, of requests as users of each make them: `MQSIM=path cargo bench -p ftlab --bench mqsim`, where the
//! path is that of a program that you built from its source, <https://github.com/CMU-SAFARI/MQSim>. `FTLAB=path` measures
//! another program than the one that cargo built.
//!
//! Both simulate the same drive, 8 channels × 2 dies × 512 blocks × 256 pages of 4 KiB, by 32 random requests of 4 KiB at a
//! time, at the same write amplification. What counts is user time a request, the slope of a short run and a long one, which
//! differ in their number of requests alone. Runs of one stand between those of the other, so that what slows the machine
//! slows both.

mod programs;

use comfy_table::{Table, presets};
use programs::{Load, Ran, Slope, mqsim, own};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const PAIRS: usize = 5;
/// Write amplifications may differ by so much.
const APART_MAX: f64 = 0.1;

/// A load, with the numbers of requests of a short run and a long one of each program.
struct Row {
    load: Load,
    name: &'static str,
    own: [u64; 2],
    theirs: [u64; 2],
    /// How many times as fast as MQSim this wants to be.
    goal: f64,
}

const ROWS: [Row; 2] = [
    Row {
        load: Load::Writes,
        name: "random writes",
        own: [500_000, 4_500_000],
        theirs: [10_000, 90_000],
        goal: 50.0,
    },
    Row {
        load: Load::Reads,
        name: "random reads",
        own: [1_000_000, 13_000_000],
        // It fails beyond some 550,000: it unlocks a page that it has not locked.
        theirs: [20_000, 500_000],
        goal: 25.0,
    },
];

/// A short run and a long one of a program.
type Side = [Ran; 2];

/// ftlab and MQSim, in one pair.
type Pair = [Side; 2];

/// What a request more costs one of them. MQSim fills its drive for longer than it then works, which takes a little more or less
/// each time, so that a pair by itself says little: the median of all short runs stands beside that of all long ones.
fn slope(pairs: &[Pair], side: usize) -> Result<Slope, String> {
    let run = |length: usize| {
        let of = |what: fn(&Ran) -> f64| median(pairs, |pair| what(&pair[side][length]));
        Ran {
            served: of(|run| run.served as f64) as u64,
            programs: of(|run| run.programs as f64) as u64,
            user: Duration::from_secs_f64(of(|run| run.user.as_secs_f64())),
            memory: of(|run| run.memory as f64) as u64,
        }
    };
    Slope::between(&run(0), &run(1))
}

/// How many times as fast as MQSim ftlab is.
fn ratio(pairs: &[Pair]) -> Result<f64, String> {
    Ok(slope(pairs, 1)?.seconds / slope(pairs, 0)?.seconds)
}

fn main() -> ExitCode {
    let Some(theirs) = std::env::var_os("MQSIM") else {
        println!("no ratio: MQSIM=path of a program that you built from MQSim's source gives one");
        return ExitCode::SUCCESS;
    };
    let own = std::env::var_os("FTLAB").unwrap_or_else(|| env!("CARGO_BIN_EXE_ftlab").into());
    match compared(Path::new(&own), Path::new(&theirs)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// The path from the root: cargo runs this in the folder of its crate, and programs run in folders of their own.
fn whole(variable: &str, path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| {
        let path = path.display();
        format!("{variable}={path}: {error}; give the path of a program, from the root on")
    })
}

fn compared(own: &Path, theirs: &Path) -> Result<(), String> {
    let (own, theirs) = (whole("FTLAB", own)?, whole("MQSIM", theirs)?);
    println!("ftlab: {}", own.display());
    let commit = mqsim::commit(&theirs);
    let commit = commit.unwrap_or_else(|| "unknown, it is in no tree of git".to_owned());
    println!("MQSim: {}, commit {commit}", theirs.display());
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "load",
        "program",
        "requests/s of user time",
        "programs a request",
        "resident at most",
        "served, of",
    ]);
    let mut ratios = String::new();
    for row in &ROWS {
        let pairs = (0..PAIRS).map(|_| row.pair(&own, &theirs));
        let pairs = pairs.collect::<Result<Vec<Pair>, String>>()?;
        table.add_rows(row.cells(&pairs)?);
        ratios += &row.ratios(&pairs)?;
    }
    print!("{table}\nOf medians of {PAIRS} runs.\n{ratios}");
    Ok(())
}

fn median(pairs: &[Pair], of: impl Fn(&Pair) -> f64) -> f64 {
    let mut values: Vec<f64> = pairs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Row {
    fn pair(&self, own: &Path, theirs: &Path) -> Result<Pair, String> {
        let run_own = |requests| own::run(own, self.load, requests);
        let run_theirs = |requests| mqsim::run(theirs, self.load, requests);
        // MQSim's are the long ones: in a row, they see the least change of the machine.
        let own_few = run_own(self.own[0])?;
        let theirs = [run_theirs(self.theirs[0])?, run_theirs(self.theirs[1])?];
        let own_many = run_own(self.own[1])?;
        let pair = [[own_few, own_many], theirs];
        let [own, theirs] = (pair.each_ref()).map(|side| side.each_ref().map(|run| run.user));
        println!(
            "{}: ftlab {own:.2?}, MQSim {theirs:.2?} of user time",
            self.name
        );
        Ok(pair)
    }

    /// A row of the table for each of the two programs.
    fn cells(&self, pairs: &[Pair]) -> Result<[[String; 6]; 2], String> {
        let slopes = [slope(pairs, 0)?, slope(pairs, 1)?];
        let [own, theirs] = slopes.map(|slope| slope.programs);
        if (own - theirs).abs() > APART_MAX * theirs {
            return Err(format!(
                "{}: ftlab makes {own:.2} programs a request and MQSim {theirs:.2}, so their times do not compare",
                self.name
            ));
        }
        let cells = |side: usize, program: &str, asked: u64| {
            let speed = 1.0 / slopes[side].seconds;
            let memory = median(pairs, |pair| pair[side][1].memory as f64);
            let served = median(pairs, |pair| pair[side][1].served as f64);
            [
                self.name.to_owned(),
                program.to_owned(),
                format!("{speed:.0}"),
                format!("{:.2}", slopes[side].programs),
                format!("{:.0} MB", memory / 1e6),
                format!("{served} of {asked}"),
            ]
        };
        Ok([
            cells(0, "ftlab", self.own[1]),
            cells(1, "MQSim", self.theirs[1]),
        ])
    }

    /// The ratio, and those without one of the pairs each, which say how much one of them decides.
    fn ratios(&self, pairs: &[Pair]) -> Result<String, String> {
        let without = |n: usize| {
            let others = pairs.iter().enumerate().filter(|&(other, _)| other != n);
            ratio(&others.map(|(_, &pair)| pair).collect::<Vec<_>>())
        };
        let mut others = (0..pairs.len())
            .map(without)
            .collect::<Result<Vec<f64>, String>>()?;
        others.sort_by(f64::total_cmp);
        let (least, most) = (others[0], others[others.len() - 1]);
        let Row { name, goal, .. } = self;
        Ok(format!(
            "{name}: ftlab is {:.1} times as fast, {least:.1} to {most:.1} without one of the pairs; the goal is {goal} times\n",
            ratio(pairs)?
        ))
    }
}
