//! Scripts and scenarios: what they may say, and the steps they come to.

use ftlab_base::RootSeed;
use ftlab_workload::script::{Scenario, Script, Step, StepStream};

const HEAD: &str = "schema = 1\nname = \"n\"\nsummary = \"s\"\ntestbed = \"anandtech-2008\"\n";
const FILES: &str = "[files.in]\nat = \"1 GiB\"\nsize = \"100 MB\"\n\
    [files.out]\nat = \"2 GiB\"\nsize = \"30 MB\"\ncount = 7\n";
const PHASE: &str = "[[phase]]\nname = \"p\"\ncpu = \"1 s\"\n\
    read = { files = \"in\", amount = \"10 MB\", blocks = { \"64 KiB\" = 1 } }\n\
    write = { files = \"out\", amount = \"25 MB\", blocks = { \"4 KiB\" = 2, \"32 KiB\" = 1 } }\n";

fn text() -> String {
    format!("{HEAD}{FILES}{PHASE}")
}

fn error(text: &str) -> String {
    Script::parse(text, "x.toml").unwrap_err().to_string()
}

fn steps(text: &str, seed: u64) -> Vec<Step> {
    let script = Script::parse(text, "x.toml").unwrap();
    let mut stream = StepStream::new(&script, 10 << 30, RootSeed(seed)).unwrap();
    let mut steps = Vec::new();
    while stream.next_phase().is_some() {
        steps.extend(std::iter::from_fn(|| stream.next_step()));
    }
    steps
}

#[test]
fn steps_add_up_to_what_the_script_says() {
    let steps = steps(&text(), 1);
    let read: u64 = steps
        .iter()
        .filter_map(|s| s.read)
        .map(|r| u64::from(r.sectors))
        .sum();
    let writes = steps.iter().flat_map(|s| &s.writes);
    let written: u64 = writes.map(|w| u64::from(w.sectors)).sum();
    let cpu: u64 = steps.iter().map(|s| s.cpu.0).sum();
    let files: u64 = steps.iter().map(|s| s.files_begun).sum();
    assert_eq!(read * 512, 10_000_384, "10 MB in whole sectors");
    assert_eq!(written * 512, 25_000_448);
    assert_eq!((cpu, files), (1_000_000_000, 7));
}

#[test]
fn checks_follow_what_was_written_and_stay_in_the_file_it_is_in() {
    let check =
        "check = { amount = \"12 MB\", blocks = { \"16 KiB\" = 1 }, sequential = \"40 %\" }\n";
    let steps = steps(&format!("{}{check}", text()), 1);
    let file = 30_000_128 / 7 / 512;
    let (mut written, mut end, mut checked) = (0, 0, 0);
    for step in &steps {
        for run in &step.writes {
            written += u64::from(run.sectors);
            end = run.lba + u64::from(run.sectors);
        }
        for run in &step.checks {
            checked += u64::from(run.sectors);
            assert!(run.lba + u64::from(run.sectors) <= end);
            assert!(run.lba + file + 8 >= end, "{run:?} of what ends at {end}");
        }
        assert!(checked * 25 <= (written + 1) * 12, "{checked} of {written}");
    }
    assert_eq!(checked * 512, 12_000_256, "12 MB in whole sectors");
    let alone = text().replace(PHASE, "[[phase]]\nname = \"p\"\ncpu = \"1 s\"\n") + check;
    assert!(error(&alone).contains("give it write"), "{}", error(&alone));
}

#[test]
fn writes_follow_what_was_read() {
    let mut read = 0.0;
    let mut written = 0.0;
    for step in steps(&text(), 1) {
        read += step.read.map_or(0.0, |run| f64::from(run.sectors));
        written += step
            .writes
            .iter()
            .map(|run| f64::from(run.sectors))
            .sum::<f64>();
        let due = 2.5 * read;
        assert!(
            written <= due + 1.0 && written > due - 2.0 * 64.0,
            "{written} of {due}"
        );
    }
}

#[test]
fn requests_stay_within_their_files_and_begin_at_clusters_when_they_jump() {
    let text = text().replace("= 1 } }\nwrite", "= 1 }, sequential = \"30 %\" }\nwrite");
    let steps = steps(&text, 1);
    let reads: Vec<_> = steps.iter().filter_map(|step| step.read).collect();
    let (first, end) = (2_097_152, 2_097_152 + 195_313);
    assert!(
        reads
            .iter()
            .all(|r| r.lba >= first && r.lba + u64::from(r.sectors) <= end)
    );
    let follow = reads
        .windows(2)
        .filter(|w| w[1].lba == w[0].lba + u64::from(w[0].sectors));
    let share = follow.count() as f64 / (reads.len() - 1) as f64;
    assert!((0.2..0.4).contains(&share), "{share}");
    assert!(reads.iter().all(|r| r.lba % 8 == 0), "clusters of 4 KiB");
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let text = text().replace("= 1 } }\n", "= 1 }, sequential = \"50 %\" }\n");
    assert_eq!(steps(&text, 1), steps(&text, 1));
    assert_ne!(steps(&text, 1), steps(&text, 2));
}

#[test]
fn what_a_script_may_not_say_is_answered_with_its_line() {
    let with = |from: &str, to: &str| {
        let changed = text().replace(from, to);
        assert_ne!(changed, text(), "{from}");
        error(&changed)
    };
    let holds = |error: String, parts: &[&str]| {
        for part in parts {
            assert!(error.contains(part), "`{part}` is not in: {error}");
        }
    };
    holds(
        with("schema = 1", "schema = 2"),
        &["x.toml:1:", "schema = 1"],
    );
    holds(with("cpu = ", "cpu_time = "), &["x.toml:14:", "cpu_time"]);
    holds(
        with("\"10 MB\"", "\"10 MBit\""),
        &["x.toml:15:", "10 MBit", "GiB"],
    );
    holds(
        with("files = \"in\"", "files = \"inn\""),
        &["x.toml:15:", "`inn`", "in, out"],
    );
    holds(
        with("\"64 KiB\" = 1", "\"64 KiB\" = 0"),
        &["x.toml:15:", "weight"],
    );
    holds(
        with("\"64 KiB\" = 1", "\"64 MiB\" = 1"),
        &["x.toml:15:", "16 MiB"],
    );
    for count in ["0", "1000000000000000000"] {
        holds(
            with("count = 7", &format!("count = {count}")),
            &["x.toml:11:", count, "from 1 to 10,000,000"],
        );
    }
    holds(
        with("count = 7", "count = nan"),
        &["x.toml:11:", "`nan`, expected a whole number"],
    );
    holds(
        with("\"25 MB\"", "\"25000000000000000000 MB\""),
        &["x.toml:16:", "at most 1,000,000 GB"],
    );
    // It lies within that, and on 30 MB, and would write round and round for days.
    holds(
        with("\"25 MB\"", "\"999999 GB\""),
        &["x.toml:16:", "requests", "at most 1,000,000,000"],
    );
    holds(with("\"25 MB\"", "\"0 MB\""), &["x.toml:16:", "above 0"]);
    holds(
        with("cpu = \"1 s\"", "depth = 33"),
        &["x.toml:14:", "1 to 32"],
    );
    holds(
        with("cpu = \"1 s\"", "depth = 3\nahead = 1"),
        &["x.toml:15:", "ahead must be 2 to 32"],
    );
    holds(
        with("cpu = \"1 s\"", "ahead = 33"),
        &["x.toml:14:", "ahead must be 0 to 32"],
    );
    holds(with("2 GiB", "2.1 GB"), &["x.toml:9:", "4 KiB"]);
    let (head, files) = (HEAD, FILES);
    holds(error(&format!("{head}{files}")), &["phase"]);
    holds(
        error(&format!("{head}[[phase]]\nname = \"p\"\n")),
        &["x.toml:5:", "cpu or think"],
    );
    holds(error("schema = "), &["x.toml:1:"]);
    let percent = text().replace(
        "\"32 KiB\" = 1 }",
        "\"32 KiB\" = 1 }, buffer_compress_percentage = 101",
    );
    holds(error(&percent), &["x.toml:16:", "0 to 100"]);
}

fn scenario(processes: &str) -> Result<Scenario, String> {
    let library = |name: &str| (name == "a").then(|| ("a.toml".to_owned(), text()));
    let text = format!("{HEAD}{processes}");
    Scenario::parse(&text, "s.toml", &library).map_err(|error| error.to_string())
}

#[test]
fn a_scenario_is_several_scripts() {
    let two = "[[process]]\nname = \"one\"\nscript = \"a\"\n\
        [[process]]\nname = \"two\"\nscript = \"a\"\nstart = \"30 s\"\nbackground = true\n";
    let parsed = scenario(two).unwrap();
    assert_eq!(parsed.processes.len(), 2);
    assert_eq!(parsed.processes[1].start.as_secs(), 30.0);
    assert_eq!(parsed.pause.as_secs(), 1.0);

    let refused = |from: &str, to: &str, why: &str| {
        let error = scenario(&two.replace(from, to)).unwrap_err();
        assert!(
            error.starts_with("s.toml:") && error.contains(why),
            "{error}"
        );
    };
    refused("\"two\"", "\"one\"", "two processes");
    refused("\"two\"", "\"Two\"", "small letters");
    refused(
        "script = \"a\"\nstart",
        "script = \"b\"\nstart",
        "no script `b`",
    );
    refused(
        "script = \"a\"\n[",
        "script = \"a\"\nbackground = true\n[",
        "waited for",
    );
    refused("start", "begin", "begin");
}

#[test]
fn a_script_alone_is_a_scenario_of_one() {
    let parsed = Scenario::parse(&text(), "x.toml", &|_| None).unwrap();
    assert_eq!(parsed.processes.len(), 1);
    assert!(!parsed.processes[0].background);
}
