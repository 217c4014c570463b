//! The requests of small jobs are those that fio makes of them: as many, as large, of the same kinds. fio runs each on
//! a sparse file of the drive's size and logs what it asks of it.

use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::{JobFile, JobStream};
use rand::Rng;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const DEVICE_BYTES: u64 = 2 << 20;

/// Jobs that are compared, and how many fio runs at a time.
const JOBS: usize = 240;
const BATCH: usize = 20;

/// More requests than any of them makes: a stream without an end is a difference.
const REQUESTS_MAX: usize = 50_000;

/// Requests by kind and bytes.
type Counts = BTreeMap<(&'static str, u64), u64>;

/// Words whose requests depend on random numbers in number or size, and so are compared by their shares.
fn is_random(options: &str) -> bool {
    let has = |word: &str| options.contains(word);
    let mixes = has("rw=rw") || has("rw=randrw");
    let overlaps = has("verify=") && has("rand") && has("norandommap");
    mixes || overlaps || has("bsrange") || has("bssplit") || has("zipf") && has("verify")
}

/// One of several texts.
fn pick<'a>(of: &[&'a str], rng: &mut Stream) -> &'a str {
    of[(rng.next_u64() % of.len() as u64) as usize]
}

/// A small job.
fn job(rng: &mut Stream) -> String {
    let mut lines = Vec::new();
    let rw = pick(
        &["read", "write", "randread", "randwrite", "rw", "randrw"],
        rng,
    );
    let is_random = rw.starts_with("rand");
    let writes = rw != "read" && rw != "randread";
    let special = pick(
        &[
            "", "", "stride", "zones", "sizes", "sizes", "verify", "verify", "flush", "law",
        ],
        rng,
    );
    let size = match special {
        // fio ends a job that draws a place beyond its size, which a zone may have.
        "zones" => pick(&["", "512k", "513k", "1000k", "2m"], rng),
        _ => pick(&["", "100k", "512k", "513k", "1000k", "50%", "33%"], rng),
    };
    let bs = pick(&["512", "1k", "4k", "12k", "32k"], rng);
    lines.push(match (special, is_random) {
        ("stride", false) => format!("rw={rw}:{}", pick(&["8k", "64k", "-8k"], rng)),
        _ => format!("rw={rw}"),
    });
    match special {
        "sizes" => lines.push(
            pick(
                &[
                    "bsrange=4k-16k",
                    "bsrange=1k-64k",
                    "bssplit=4k/50:8k/50",
                    "bssplit=1k/10:16k/90",
                    "bssplit=4k/70:12k/:32k/",
                ],
                rng,
            )
            .into(),
        ),
        "stride" => lines.push("bs=4k".into()),
        _ => lines.push(format!("bs={bs}")),
    }
    if !size.is_empty() {
        lines.push(format!("size={size}"));
    }
    match special {
        "zones" => lines.push(
            pick(
                &[
                    "zonemode=strided\nzonesize=96k\nzonerange=192k\nzoneskip=64k",
                    "zonemode=strided\nzonesize=192k\nzonerange=96k",
                ],
                rng,
            )
            .into(),
        ),
        // fio counts what it reads back among the reads of a mix, and shifts that.
        "verify" if writes && rw.ends_with("rw") => lines.push("verify=crc32c".into()),
        "verify" if writes => lines.push(
            pick(
                &[
                    "verify=crc32c",
                    "verify=md5\ndo_verify=0",
                    "verify=crc32c\nverify_backlog=8",
                    "verify=crc32c\nverify_backlog=16\nverify_backlog_batch=4",
                ],
                rng,
            )
            .into(),
        ),
        // fio flushes again behind each read of a mix, and once more where a pass leaves something over.
        "flush" if writes && !rw.ends_with("rw") && size.is_empty() && bs != "12k" => {
            lines.push(pick(&["fsync=1", "fsync=7", "fdatasync=4"], rng).into())
        }
        "law" if is_random => lines.push(
            pick(
                &[
                    "random_distribution=zipf:0.9",
                    "random_distribution=pareto",
                    "random_distribution=normal:20",
                    "random_distribution=zoned:60/10:40/90",
                    "norandommap",
                    "norandommap\nba=512",
                ],
                rng,
            )
            .into(),
        ),
        _ => {}
    }
    // fio flushes once more where it begins a pass anew.
    let plain = matches!(special, "" | "law");
    match pick(
        &[
            "",
            "",
            "",
            "loops=2",
            "loops=3",
            "io_size=777k",
            "io_size=3m",
            "number_ios=20",
            "offset=64k",
        ],
        rng,
    ) {
        "" => {}
        more if plain || more == "offset=64k" && special != "zones" => lines.push(more.into()),
        _ => {}
    }
    lines.join("\n")
}

/// What the job asks of a drive here.
fn ours(options: &str) -> Counts {
    let file = JobFile::parse(&format!("[job]\nfilename=device\n{options}\n"), "job");
    let file = file.expect("parses");
    let job = file.jobs[0].resolve(DEVICE_BYTES).expect("fits");
    let mut counts = Counts::new();
    for request in JobStream::new(&job, RootSeed(1)).take(REQUESTS_MAX) {
        let kind = match request.kind {
            CommandKind::Read => "read",
            CommandKind::Write => "write",
            CommandKind::Trim => "trim",
            CommandKind::Flush => "flush",
        };
        *counts
            .entry((kind, u64::from(request.sectors) * 512))
            .or_default() += 1;
    }
    counts
}

/// What fio asks of a file in each of these jobs.
fn theirs(jobs: &[String], folder: &Path) -> Vec<Counts> {
    std::fs::create_dir_all(folder).expect("a folder");
    let device = folder.join("device");
    std::fs::File::create(&device)
        .and_then(|file| file.set_len(DEVICE_BYTES))
        .expect("a sparse file");
    let log = |n: usize| folder.join(format!("{n}.log"));
    let mut text = format!(
        "[global]\nfilename={}\nioengine=sync\nthread\nstonewall\n",
        device.display()
    );
    for (n, options) in jobs.iter().enumerate() {
        // fio draws sizes and places from one number where it is given none.
        text += &format!(
            "[{n}]\nwrite_iolog={}\nrandseed={}\n{options}\n",
            log(n).display(),
            1000 + n
        );
    }
    let file = folder.join("jobs.fio");
    std::fs::write(&file, text).expect("a job file");
    let fio = Command::new("fio")
        .arg(&file)
        .arg("--output-format=json")
        .current_dir(folder)
        .output();
    let fio = fio.expect("fio, which `make setup` installs");
    let said = String::from_utf8_lossy(&fio.stderr);
    assert!(fio.status.success(), "{said}");
    (0..jobs.len()).map(|n| of_log(&log(n))).collect()
}

/// Counts the requests of a log of fio's: version 2 names a file first, version 3 the time before it.
fn of_log(path: &PathBuf) -> Counts {
    let mut counts = Counts::new();
    for line in std::fs::read_to_string(path).expect("a log").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words
            .iter()
            .position(|word| ["read", "write", "trim", "sync", "datasync"].contains(word))
        else {
            continue;
        };
        let kind = match words[at] {
            "read" => "read",
            "write" => "write",
            "trim" => "trim",
            _ => "flush",
        };
        let bytes = match kind {
            "flush" => 0,
            _ => words
                .get(at + 2)
                .and_then(|word| word.parse().ok())
                .expect("a length"),
        };
        *counts.entry((kind, bytes)).or_default() += 1;
    }
    counts
}

/// Whether two shares may be of one law: they lie within five standard deviations of their difference, and two counts.
fn is_near((one, of): (u64, u64), (other, all): (u64, u64)) -> bool {
    let [one, of, other, all] = [one, of.max(1), other, all.max(1)].map(|count| count as f64);
    let share = (one + other) / (of + all);
    let sigma = (share * (1.0 - share) * (1.0 / of + 1.0 / all)).sqrt();
    (one / of - other / all).abs() <= 5.0 * sigma + 2.0 / of.min(all)
}

/// Where they differ, in words.
fn difference(options: &str, ours: &Counts, theirs: &Counts) -> Option<String> {
    if !is_random(options) {
        return (ours != theirs).then(|| "requests differ".to_owned());
    }
    let requests = |counts: &Counts| counts.values().sum::<u64>();
    let moved =
        |counts: &Counts| -> u64 { counts.iter().map(|((_, bytes), count)| bytes * count).sum() };
    let (mine, fios) = (requests(ours), requests(theirs));
    let has_stride = options.lines().next().is_some_and(|rw| rw.contains(':'));
    let keys = || ours.keys().chain(theirs.keys());
    if !has_stride && !options.contains("verify=") {
        // Both make up the amount, by whole requests.
        let largest = keys().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        if moved(ours).abs_diff(moved(theirs)) >= largest {
            return Some(format!(
                "{} bytes, and fio moves {}",
                moved(ours),
                moved(theirs)
            ));
        }
    } else if !is_near((mine, mine + fios), (fios, mine + fios)) {
        return Some(format!("{mine} requests, and fio makes {fios}"));
    }
    let count = |counts: &Counts, key| counts.get(key).copied().unwrap_or(0);
    keys().find_map(|key| {
        let (one, other) = (count(ours, key), count(theirs, key));
        let is_near = is_near((one, mine), (other, fios));
        (!is_near).then(|| format!("{one} of {key:?}, and fio makes {other}"))
    })
}

#[test]
fn small_jobs_make_the_requests_that_fio_makes() {
    let mut rng = RootSeed(33).stream("jobs of fio");
    let jobs: Vec<String> = (0..JOBS).map(|_| job(&mut rng)).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fio-jobs");
    // fio waits between jobs more than it works: all batches run at a time.
    let run = &|(n, batch): (usize, &[String])| theirs(batch, &folder.join(n.to_string()));
    let fios: Vec<Counts> = std::thread::scope(|scope| {
        let batches = jobs.chunks(BATCH).enumerate();
        let running: Vec<_> = batches
            .map(|batch| scope.spawn(move || run(batch)))
            .collect();
        let ended = running
            .into_iter()
            .map(|batch| batch.join().expect("a batch"));
        ended.flatten().collect()
    });
    let mut wrong = Vec::new();
    for (options, theirs) in jobs.iter().zip(&fios) {
        let ours = ours(options);
        if let Some(why) = difference(options, &ours, theirs) {
            wrong.push(format!(
                "{options}\n  -> {why}\n  ours {ours:?}\n  fio  {theirs:?}"
            ));
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    assert!(
        wrong.is_empty(),
        "{} of {JOBS} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
