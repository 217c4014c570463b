//! What is asked for by name and by number: found and done, or refused with what would do.

mod place;

use assert_cmd::Command;
use place::{Place, holds};

/// Small and quick to fill.
const SSD: &str = "generic-mlc-8";

#[test]
fn three_thousand_jobs_of_a_request_each_take_little_memory() {
    let place = Place::new();
    let mut jobs = "[global]\nrw=read\nbs=4k\nsize=4k\n".to_owned();
    for n in 0..3_000 {
        let (delay_us, offset) = (n * 100, n * 4_096);
        jobs += &format!("[r{n}]\nstartdelay={delay_us}us\noffset={offset}\n");
    }
    place.write("many.fio", &jobs);
    // Half a megabyte a job took 1.6 GB. Address space, of which threads and the program itself take
    // a part, is what a shell can bound.
    let program = env!("CARGO_BIN_EXE_ftlab");
    for format in ["normal", "json"] {
        let line = format!(
            "ulimit -v 400000; exec {program} run many.fio --drive {SSD} --state new --output-format {format}"
        );
        let mut shell = Command::new("sh");
        let assert = shell.args(["-c", &line]).current_dir(&place.0).assert();
        let output = assert.success();
        holds(
            &String::from_utf8_lossy(&output.get_output().stdout),
            &["r2999"],
        );
    }
}
