//! Instructions of one command, counted by valgrind: the difference of two runs that differ only in
//! their number of commands, so that building and filling the drive do not count.

use crate::load::{Load, Work};
use std::process::{Command, Stdio};

/// Commands of the two runs.
const COMMANDS: [u64; 2] = [50_000, 150_000];
/// Small, because a counted run is fifty times slower.
const BLOCKS_PER_DIE: u32 = 64;
/// Asks for the count, and for one of its runs.
const COUNT: &str = "--instructions";
const RUN: &str = "--run";

/// Prints a count of instructions if the arguments ask for one; returns true if it did.
pub fn asked_for() -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == RUN) {
        run(&arguments[1..]);
        return true;
    }
    if !arguments.iter().any(|a| a == COUNT) {
        return false;
    }
    for work in Work::ALL {
        match instructions(work) {
            Ok(count) => println!("{}: {count:.0} instructions each", work.name()),
            Err(why) => {
                eprintln!("error: {why}");
                std::process::exit(1);
            }
        }
    }
    true
}

/// Does some work: its number in the list, and how many commands.
fn run(arguments: &[String]) {
    let numbers: Vec<u64> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let [work, commands] = numbers[..] else {
        panic!("{RUN} takes the number of a work and a number of commands");
    };
    let mut load = Load::new(BLOCKS_PER_DIE);
    load.start_steady();
    load.work(Work::ALL[work as usize], commands);
}

fn instructions(work: Work) -> Result<f64, String> {
    let number = Work::ALL.iter().position(|&w| w == work).unwrap_or(0);
    let [few, many] = COMMANDS.map(|commands| counted(number, commands));
    Ok((many? - few?) / (COMMANDS[1] - COMMANDS[0]) as f64)
}

/// Instructions of a whole run.
fn counted(work: usize, commands: u64) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args([RUN, &work.to_string(), &commands.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind cannot be started ({error}); install it"))?;
    let text = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(format!("the run that valgrind counts failed: {text}"));
    }
    let total = text
        .lines()
        .find_map(|line| line.split("Collected :").nth(1));
    total
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| format!("valgrind counted nothing: {text}"))
}
