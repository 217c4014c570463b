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
        theirs: [50_000, 1_250_000],
        goal: 25.0,
    },
];

/// What a program comes to in one pair.
struct Side {
    slope: Slope,
    long: Ran,
}

impl Side {
    fn of([few, many]: [Ran; 2]) -> Result<Side, String> {
        let slope = Slope::between(&few, &many)?;
        Ok(Side { slope, long: many })
    }
}

/// ftlab and MQSim, in one pair.
type Pair = [Side; 2];

fn ratio([own, theirs]: &Pair) -> f64 {
    theirs.slope.seconds / own.slope.seconds
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
        ratios += &row.ratios(&pairs);
    }
    print!("{table}\nMedians of {PAIRS} pairs.\n{ratios}");
    Ok(())
}

/// Values of all pairs, the least first.
fn sorted(pairs: &[Pair], of: impl Fn(&Pair) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = pairs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(pairs: &[Pair], of: impl Fn(&Pair) -> f64) -> f64 {
    sorted(pairs, of)[pairs.len() / 2]
}

impl Row {
    fn pair(&self, own: &Path, theirs: &Path) -> Result<Pair, String> {
        let run_own = |requests| own::run(own, self.load, requests);
        let run_theirs = |requests| mqsim::run(theirs, self.load, requests);
        // MQSim's are the long ones: in a row, they see the least change of the machine.
        let own_few = run_own(self.own[0])?;
        let theirs = [run_theirs(self.theirs[0])?, run_theirs(self.theirs[1])?];
        let own_many = run_own(self.own[1])?;
        let pair = [Side::of([own_few, own_many])?, Side::of(theirs)?];
        println!("{}: {:.1} times as fast", self.name, ratio(&pair));
        Ok(pair)
    }

    /// A row of the table for each of the two programs.
    fn cells(&self, pairs: &[Pair]) -> Result<[[String; 6]; 2], String> {
        let programs = [0, 1].map(|side| median(pairs, |pair| pair[side].slope.programs));
        let [own, theirs] = programs;
        if (own - theirs).abs() > APART_MAX * theirs {
            return Err(format!(
                "{}: ftlab makes {own:.2} programs a request and MQSim {theirs:.2}, so their times do not compare",
                self.name
            ));
        }
        let cells = |side: usize, program: &str, asked: u64| {
            let speed = median(pairs, |pair| 1.0 / pair[side].slope.seconds);
            let memory = median(pairs, |pair| pair[side].long.memory as f64);
            let served = median(pairs, |pair| pair[side].long.served as f64);
            [
                self.name.to_owned(),
                program.to_owned(),
                format!("{speed:.0}"),
                format!("{:.2}", programs[side]),
                format!("{:.0} MB", memory / 1e6),
                format!("{served} of {asked}"),
            ]
        };
        Ok([
            cells(0, "ftlab", self.own[1]),
            cells(1, "MQSim", self.theirs[1]),
        ])
    }

    fn ratios(&self, pairs: &[Pair]) -> String {
        let ratios = sorted(pairs, ratio);
        let (least, most) = (ratios[0], ratios[pairs.len() - 1]);
        let median = median(pairs, ratio);
        let Row { name, goal, .. } = self;
        format!(
            "{name}: ftlab is {median:.1} times as fast, {least:.1} to {most:.1}; the goal is {goal} times\n"
        )
    }
}
