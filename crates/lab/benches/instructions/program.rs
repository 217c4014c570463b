//! Instructions of the program itself: what a request of a longer load costs whoever calls `ftlab run`, on drives of the
//! size that people simulate. The state of each drive is made and saved before, outside the count.

use crate::valgrind;
use std::path::Path;
use std::process::Command;

/// A load as the program is given it.
struct Load {
    name: &'static str,
    drive: &'static [&'static str],
    state: &'static str,
    /// The ending of its file.
    kind: &'static str,
    text: fn(u64) -> String,
    /// Requests of the two runs, or for the offered rate their milliseconds.
    sizes: [u64; 2],
    untimed: bool,
}

const SMALL: &[&str] = &[
    "generic-mlc-8",
    "--set",
    "spare.op=0.195",
    "--set",
    "nand.blocks_per_die=64",
];

/// Random writes of 4 KiB on a small drive in its steady state: what the others differ from.
const WRITES: Load = Load {
    name: "",
    drive: SMALL,
    state: "steady-fast",
    kind: "fio",
    text: |n| random("randwrite", n),
    sizes: [50_000, 150_000],
    untimed: false,
};

const LOADS: [Load; 5] = [
    Load {
        name: "reads at queue depth 32",
        text: |n| random("randread", n),
        ..WRITES
    },
    Load {
        name: "writes at queue depth 32 on 8 GiB",
        drive: &["generic-mlc-8", "--set", "spare.op=0.195"],
        ..WRITES
    },
    Load {
        name: "writes without a clock",
        sizes: [200_000, 600_000],
        untimed: true,
        ..WRITES
    },
    Load {
        name: "an offered rate on a data-centre drive",
        drive: &[
            "micron-7450-max-800",
            "--set",
            "nand.pages_per_block=48",
            "--set",
            "spare.user_capacity=16GB",
        ],
        state: "steady",
        text: |ms| {
            format!(
                "[global]\nbs=4k\niodepth=64\nnorandommap\nsize=100%\ntime_based\nruntime={ms}ms\nramp_time=500ms\n\
                 rate_process=poisson\n[load]\nrw=randwrite\nnumjobs=6\ngroup_reporting\nrate_iops=16k\n\
                 [reads]\nrw=randread\nrate_iops=1k\n[probe]\nrw=randrw\nrate_iops=5k,5k\nrate_process=linear\n"
            )
        },
        sizes: [1_000, 2_000],
        ..WRITES
    },
    Load {
        name: "the heavy mix of a desktop on an old drive",
        drive: &[
            "intel-x25-m-g2-160",
            "--set",
            "nand.blocks_per_die=512",
            "--set",
            "spare.user_capacity=20005191680B",
        ],
        state: "used",
        kind: "toml",
        text: |n| crate::loads::heavy(n, "16 GiB"),
        sizes: [5_000, 10_000],
        ..WRITES
    },
];

fn random(rw: &str, requests: u64) -> String {
    let bytes = 4096 * requests;
    format!("[j]\nrw={rw}\nbs=4k\niodepth=32\nnorandommap\nio_size={bytes}\n")
}

/// Prints the counts of a program.
pub fn count(program: &Path) -> Result<(), String> {
    for load in &LOADS {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (count, wa) = load.counted(program, folder.path())?;
        let per = if load.untimed { "program" } else { "request" };
        let wa = wa.map_or(String::new(), |wa| {
            format!(" (write amplification {wa:.2})")
        });
        println!("{}: {count:.0} instructions a {per}{wa}", load.name);
    }
    Ok(())
}

impl Load {
    fn counted(&self, program: &Path, folder: &Path) -> Result<(f64, Option<f64>), String> {
        let (state, job) = (
            folder.join("state"),
            folder.join(format!("load.{}", self.kind)),
        );
        let write = |text: &str| std::fs::write(&job, text).map_err(|error| error.to_string());
        let call = || {
            let mut call = Command::new(program);
            call.env("RAYON_NUM_THREADS", "1").arg("run");
            call
        };
        let first = folder.join("first.fio");
        std::fs::write(&first, "[j]\nrw=randwrite\nbs=4k\nnumber_ios=1\n")
            .map_err(|error| error.to_string())?;
        let mut prepare = call();
        prepare.arg(&first).arg("--drive").args(self.drive);
        prepare
            .args(["--quiet", "--state", self.state, "--save-state"])
            .arg(&state);
        let done = prepare.output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
        let mut seen = Vec::new();
        for size in self.sizes {
            write(&(self.text)(size))?;
            let mut run = call();
            run.arg(&job)
                .arg("--drive")
                .args(self.drive)
                .arg("--from-state")
                .arg(&state);
            run.args(["--quiet", "--output-format", "json"]);
            run.args(self.untimed.then_some("--untimed"));
            let (instructions, out) = valgrind(&run)?;
            let out: serde_json::Value =
                serde_json::from_str(&out).map_err(|error| error.to_string())?;
            let of = |name: &str| out["ftlab"][name].as_f64();
            let work = of(if self.untimed {
                "nand_programs"
            } else {
                "submitted"
            });
            let work = work.ok_or("the run does not say what it did")?;
            seen.push((instructions, work, of("wa")));
        }
        let [(few, work, _), (many, more, wa)] = seen[..] else {
            unreachable!("two runs");
        };
        Ok(((many - few) / (more - work), wa))
    }
}
