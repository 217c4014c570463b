//! Files of others: names in them do nothing to a terminal, and what a file holds takes no more memory than it must.

use crate::place::{Place, holds, program};

/// A name that would clear a terminal, and rename it.
const EVIL: &str = "Ev\\u001b[2Jil\\u009b1m\\u0007";

fn plain(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || c == '\n')
}

#[test]
fn names_from_files_are_printed_without_what_a_terminal_acts_on() {
    let place = Place::new();
    let drive = place.root("drives/generic-mlc-8.toml");
    let named = |line: &str| match line.starts_with("name = ") {
        true => format!("name = \"{EVIL}\"\n"),
        false => format!("{line}\n"),
    };
    place.write("ev.toml", &drive.lines().map(named).collect::<String>());
    place.write(
        "ev.fio",
        "[j\u{1b}[2Jb]\nrw=randwrite\nbs=4k\nnumber_ios=50\nunk\u{1b}[1mnown=1\n",
    );
    let trace = "time_ns,op,offset_bytes,bytes,device,x\u{1b}[7my\n0,W,0,4096,sd\u{1b}[2Ja,1\n";
    place.write("ev.csv", trace);
    for line in [
        "run random.fio --drive ev.toml",
        "show ev.toml",
        "trace info ev.csv",
        "trace info ev.csv --output-format json",
        "run random.fio --drive ev.toml --output-format json",
        "run random.fio --drive ev.toml --out out",
        "report out",
    ] {
        let out = place.out(line);
        assert!(plain(&out), "{line}: {out:?}");
    }
    // What is JSON means the same afterwards.
    let json = place.json("run random.fio --drive ev.toml --output-format json");
    assert!(json.to_string().len() > 100);
    let output = place
        .ftlab("run ev.fio --drive generic-mlc-8")
        .output()
        .unwrap();
    for said in [output.stdout, output.stderr] {
        let said = String::from_utf8(said).unwrap();
        assert!(plain(&said), "{said:?}");
    }
    holds(
        &place.out("show ev.toml"),
        &["Ev\\u{1b}[2Jil\\u{9b}1m\\u{7}"],
    );
}

#[test]
fn a_damaged_table_of_a_sweep_is_an_error() {
    let place = Place::new();
    std::fs::create_dir(place.path("out")).unwrap();
    // A footer of nothing, as long as it says.
    let mut bytes = b"PAR1".to_vec();
    bytes.extend([0x15, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0]);
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend(b"PAR1");
    std::fs::write(place.path("out/sweep.parquet"), &bytes).unwrap();
    place.write(
        "grid.toml",
        "drives = ['generic-mlc-8']\nloads = ['random.fio']\nuntimed = true\n",
    );
    let refused = place.ftlab("sweep grid.toml --out out").output().unwrap();
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(
        matches!(refused.status.code(), Some(1 | 2)) && error.starts_with("error: "),
        "{:?} {error}",
        refused.status
    );
}

/// What a run takes of the machine's memory at most.
#[cfg(target_os = "linux")]
fn memory_kib(place: &Place, words: &str) -> u64 {
    let program = program();
    let script = format!(
        "/usr/bin/env python3 - <<'END'\nimport resource, subprocess\n\
         subprocess.run(['{program}', 'run', *'{words}'.split(), '--quiet'], check=True, stdout=subprocess.DEVNULL)\n\
         print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\nEND\n"
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(&place.0)
        .output()
        .unwrap();
    let kib = String::from_utf8(output.stdout).unwrap();
    kib.trim().parse().unwrap()
}

/// Reads of a drive of 3.84 TB, whose tables would take 7.5 GiB if they were written to.
#[test]
#[cfg(target_os = "linux")]
fn a_small_load_on_a_large_drive_takes_memory_for_what_it_touches() {
    let place = Place::new();
    place.write("few.fio", "[r]\nrw=randread\nbs=4k\nnumber_ios=300\n");
    let kib = memory_kib(&place, "few.fio --drive kioxia-cm7-r-3840 --state new");
    assert!(kib < 2_000_000, "{kib} KiB");
}

/// A trace that was written as sections of one request each.
#[test]
#[cfg(target_os = "linux")]
fn jobs_take_memory_for_what_they_do() {
    let place = Place::new();
    let section = |n: u64| format!("[r{n}]\nstartdelay={}us\noffset={}\n", n * 100, n * 4096);
    let sections: String = (0..3000).map(section).collect();
    place.write(
        "n.fio",
        &format!("[global]\nrw=read\nbs=4k\nsize=4k\n{sections}"),
    );
    let kib = memory_kib(&place, "n.fio --drive generic-mlc-8");
    assert!(kib < 200_000, "{kib} KiB");
}
