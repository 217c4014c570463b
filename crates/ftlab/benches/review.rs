//! Wall time of the default review: five drives, every test, on all cores. Criterion would take
//! ten samples of half a minute; this takes three and prints the median.

use std::process::Command;
use std::time::Instant;

const SAMPLES: usize = 3;

fn main() {
    let out = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-review");
    let mut seconds: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            let run = Command::new(env!("CARGO_BIN_EXE_ftlab"))
                .arg("review")
                .arg("--out")
                .arg(&out)
                .output()
                .expect("the review starts");
            assert!(
                run.status.success(),
                "{}",
                String::from_utf8_lossy(&run.stderr)
            );
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let (least, most) = (seconds[0], seconds[SAMPLES - 1]);
    println!(
        "review wall time        time:   [{least:.1} s {:.1} s {most:.1} s]  target: 60 s",
        seconds[SAMPLES / 2]
    );
}
