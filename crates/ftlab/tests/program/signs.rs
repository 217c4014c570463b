//! Signs of life outside a terminal: a line every ten seconds, and none with `--quiet`.

use crate::place::{Place, holds, program};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// How long processes stand still between two lines, which are ten seconds apart: the clock goes on, and what they
/// compute meanwhile is not needed.
const STAND_STILL: Duration = Duration::from_secs(8);

/// Many times what it takes, of lines ten seconds apart: a run that says nothing must not hold up the others.
const LINES_MAX: usize = 60;

/// A run that goes on until it is ended, which it is with the test, whatever became of that.
struct Endless(Child);

impl Endless {
    fn pass(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.end();
    }
}

fn endless(place: &Place, more: &[&str]) -> Endless {
    place.write(
        "endless.fio",
        "[w]\nrw=randwrite\nbs=4k\ntime_based\nruntime=1000000\n",
    );
    let mut command = Command::new(program());
    command.args(["run", "endless.fio", "--drive", "intel-x25-m-g2-160"]);
    command.args(["--state", "steady"]).args(more);
    command.current_dir(&place.0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Endless(command.spawn().unwrap())
}

#[test]
fn long_work_says_outside_a_terminal_how_far_it_is_and_nothing_when_it_is_to_be_quiet() {
    let place = Place::new();
    let mut loud = endless(&place, &[]);
    let mut quiet = endless(&place, &["--quiet"]);
    let mut lines = BufReader::new(loud.0.stderr.take().unwrap()).lines();
    let mut next = |idle: &[&Endless]| {
        // They begin, or say something that is due.
        sleep(Duration::from_secs(1));
        idle.iter().for_each(|run| run.pass(Signal::STOP));
        sleep(STAND_STILL);
        idle.iter().for_each(|run| run.pass(Signal::CONT));
        lines.next().expect("it goes on").unwrap()
    };
    // What it says is how far it came meanwhile. How soon the preparation knows that, and what would be quicker, is for the
    // machine; it gives the advice once.
    let advice =
        |line: &String| line.contains("--state steady-fast") && line.contains("--save-state");
    let mut lines_said = vec![next(&[&quiet])];
    let share = |line: &String| line.contains(" %");
    while !(lines_said.iter().any(advice) && lines_said.iter().any(share)) {
        assert!(
            lines_said.len() < LINES_MAX,
            "no advice, or no share: {lines_said:?}"
        );
        lines_said.push(next(&[&quiet]));
    }
    lines_said.push(next(&[&loud, &quiet]));
    for line in &lines_said {
        holds(line, &["at work for "]);
        assert!(
            line.contains("preparing") || line.contains("running"),
            "{line}"
        );
    }
    assert_eq!(lines_said.iter().filter(|line| advice(line)).count(), 1);
    // By now the other has had as long.
    quiet.end();
    loud.end();
    let mut said = String::new();
    quiet
        .0
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(said, "");
    let mut told = String::new();
    loud.0
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut told)
        .unwrap();
    assert_eq!(told, "", "standard output is for results");
}
