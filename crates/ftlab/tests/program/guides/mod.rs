//! The README and the guides: a shell runs every block of commands exactly as it is printed, and what they show of
//! the commands' output is what the commands print now.
//!
//! `make guides` draws the outputs again. [`page`] says how a block is marked.

mod output;
mod page;
mod shell;

use crate::place::Place;
use page::{Block, Purpose};
use shell::{Followed, Reader, follow};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Set by `make guides`: pages are written and not compared.
const REDRAW: &str = "FTLAB_REDRAW_GUIDES";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize()
        .expect("the workspace is two folders up")
}

/// The pages, and how many blocks of commands each has at least.
const PAGES: [(&str, usize); 29] = [
    ("README.md", 5),
    ("docs/guides/add-a-drive.md", 1),
    ("docs/guides/application-scripts.md", 2),
    ("docs/guides/attach.md", 12),
    ("docs/guides/bring-your-results.md", 4),
    ("docs/guides/come-from-another-simulator.md", 2),
    ("docs/guides/compare-settings.md", 3),
    ("docs/guides/does-my-database-flush.md", 6),
    ("docs/guides/drive-cards.md", 7),
    // Its programs are tests of their crates.
    ("docs/guides/embed-a-drive.md", 1),
    ("docs/guides/find-the-missing-flush.md", 8),
    ("docs/guides/first-review.md", 4),
    ("docs/guides/fit-a-model.md", 3),
    ("docs/guides/keep-data-apart.md", 4),
    ("docs/guides/measure-my-drive.md", 4),
    ("docs/guides/model-my-nvme.md", 3),
    ("docs/guides/plan-a-purchase.md", 5),
    ("docs/guides/pts.md", 2),
    // Its blocks are Python's.
    ("docs/guides/python.md", 0),
    ("docs/guides/read-the-report.md", 1),
    ("docs/guides/replay-a-trace.md", 5),
    ("docs/guides/run-a-job.md", 5),
    ("docs/guides/run-my-own-suite.md", 3),
    ("docs/guides/slow-disk-in-ci.md", 6),
    ("docs/guides/sweep.md", 3),
    // Tests of the Python package run its blocks.
    ("docs/guides/teach-with-ftlab.md", 0),
    ("docs/guides/what-when-the-disk-stalls.md", 5),
    ("docs/guides/write-a-policy.md", 4),
    ("docs/how-accurate.md", 1),
];

/// Pages that mount drives do so in the same places: one at a time.
static MOUNTS: Mutex<()> = Mutex::new(());

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A word that no test runner swallows.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "\n{text}\n");
}

/// Runs the commands of a page, and compares what it shows of their output or draws it again.
#[track_caller]
fn holds(page: &str, with_slow: bool) -> Followed {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let blocks = page::blocks(&text);
    let calls = text.contains("target/release/ftlab");
    assert!(
        !calls || text.contains("make build"),
        "{page}: what builds it?"
    );
    let (_, least) = PAGES.iter().find(|(name, _)| *name == page).unwrap();
    let count = blocks.iter().filter(|block| block.is_commands()).count();
    assert!(count >= *least, "only {count} blocks seen in {page}");
    if !is_root() {
        say(&format!(
            "NOT TESTED: what needs root in {page}: this is not root"
        ));
    }
    let wanted = |block: &Block<'_>| match block.purpose {
        Purpose::Commands {
            needs_root,
            is_slow,
        } => (is_root() || !needs_root) && (with_slow || !is_slow),
        _ => false,
    };
    let followed = follow(&blocks, wanted, Reader::Careful, |_| String::new());
    if let Some(failed) = &followed.failed {
        panic!("{page}: {failed}");
    }
    let drawn = draw(page, &text, &blocks, &followed);
    if std::env::var_os(REDRAW).is_some() {
        std::fs::write(root().join(page), drawn).unwrap();
    } else if drawn != text {
        let differs = text.lines().zip(drawn.lines()).enumerate();
        let (number, (old, new)) = differs.clone().find(|(_, (old, new))| old != new).unwrap();
        panic!(
            "{page}:{}: shown is\n{old}\nand printed is\n{new}\n`make guides` draws all of it again",
            number + 1
        );
    }
    followed
}

/// The page with what its commands print now.
fn draw(page: &str, text: &str, blocks: &[Block<'_>], followed: &Followed) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // From the end, as what is drawn may have another length.
    for block in blocks.iter().rev() {
        let Purpose::Output { of, how } = block.purpose else {
            continue;
        };
        let Some(printed) = followed.printed(of) else {
            continue;
        };
        let at = format!("{page}:{}", block.range.start);
        assert!(!printed.is_empty(), "{at}: nothing is printed");
        let printed: Vec<&str> = printed.lines().collect();
        let drawn = output::drawn(&block.lines, &printed, how);
        let drawn = drawn.unwrap_or_else(|error| panic!("{at}: {error}"));
        lines.splice(block.range.clone(), drawn);
    }
    lines.join("\n") + "\n"
}

#[test]
fn the_readme_says_what_can_be_asked() {
    let followed = holds("README.md", false);
    let made = followed.place.read("out/example/index.html");
    let printed = (0..).find_map(|block| {
        followed
            .printed(block)
            .filter(|text| text.contains("F0170"))
    });
    let printed = printed.expect("the review prints figures");
    std::fs::write(EXAMPLE, &made).unwrap();
    example_is_of_now(&made, &printed);
    let of_today = followed.place.read("out/today/index.html");
    std::fs::write(OF_TODAY, &of_today).unwrap();
    // What stands above and below its pictures is of these pages.
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for (page, figures) in [
        (&made, &["18.7 MB", "33.5 s"][..]),
        (&of_today, &["3,280", "1,700", "1,800", "140 GB", "42"]),
    ] {
        for figure in figures {
            let page = page.replace('\u{a0}', " ");
            assert!(page.contains(figure), "no page says {figure}");
            assert!(readme.contains(figure), "the README does not say {figure}");
        }
    }
    if std::env::var_os(REDRAW).is_none() {
        let kept = |name: &str| {
            let path = root().join("docs/example-report").join(name);
            let page = std::fs::read_to_string(path).unwrap();
            assert!(page.len() < 1_500_000, "{name}: {} bytes", page.len());
            page
        };
        example_is_of_now(&kept("index.html"), &printed);
        let plateaus = |page: &str| -> Vec<String> {
            let rows = page.split("<tr id=\"M0").skip(1);
            rows.map(|row| row.split("</tr>").next().unwrap().to_owned())
                .collect()
        };
        assert!(plateaus(&of_today).len() > 5);
        assert_eq!(
            plateaus(&kept("today.html")),
            plateaus(&of_today),
            "`make guides` makes it again"
        );
    }
}

/// The reports that the README shows, for `make guides` to put into their place.
const EXAMPLE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/example-report.html");
const OF_TODAY: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/example-report-today.html");

/// The figures of the report in the repository are those that the README's review prints.
fn example_is_of_now(page: &str, printed: &str) {
    let rows = printed.lines().filter(|line| line.starts_with("F0"));
    let mut count = 0;
    for row in rows {
        // That the review was a quick one stands behind the verdict.
        let words: Vec<&str> = row.trim_end_matches(", quick").split_whitespace().collect();
        let (id, verdict) = (words[0], words[words.len() - 1]);
        let (_, shown) = page
            .split_once(&format!("<tr id=\"{id}\">"))
            .unwrap_or_else(|| {
                panic!("no {id} in the example report; `make guides` makes it again")
            });
        let shown = shown.split("</tr>").next().unwrap();
        // In a row of a table the simulated figure is followed by its error, of one word or two.
        let error = if words[words.len() - 2] == "%" { 3 } else { 2 };
        let simulated = words[words.len() - 1 - error];
        let cell = format!("<td class=\"num\">{simulated} ");
        let is_there = shown.contains(&cell) || shown.contains(&format!(">{simulated}<"));
        assert!(
            is_there && shown.contains(&verdict.to_lowercase()),
            "{row}\n{shown}\n`make guides` makes it again"
        );
        count += 1;
    }
    assert!(count > 30, "only {count} figures");
}

#[test]
fn the_readme_says_how_accurate_the_last_whole_review_was() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
    let (readme, accuracy) = (read("README.md"), read("docs/accuracy.md"));
    let summary = accuracy.lines().find(|line| line.starts_with("ftlab 0"));
    let summary = summary.expect("a line that sums up").replace(',', "");
    let numbers = summary
        .split_whitespace()
        .filter(|word| word.parse::<f64>().is_ok());
    // Figures, drives, scored, half, nearly all, near, judged, pass.
    let numbers: Vec<&str> = numbers.collect();
    let [figures, drives, _, half, _, _, judged, pass, ..] = numbers[..] else {
        panic!("another summary: {summary}");
    };
    let readme = readme.replace('\n', " ");
    for said in [
        format!("asks {drives} drives for {figures} published figures"),
        format!("{pass} of the {judged} that are judged pass"),
        format!("are no more than {half} %"),
    ] {
        assert!(readme.contains(&said), "the README does not say: {said}");
    }
    let modern = read("docs/cross-validation-modern.md");
    let tails = modern
        .lines()
        .find(|row| row.starts_with("| `read_lat_p99_us` |"));
    let median = tails.and_then(|row| row.split(" | ").nth(2));
    let said = format!("percentiles of reads within {} in the", median.unwrap());
    assert!(readme.contains(&said), "the README does not say: {said}");
}

/// What the README says in figures of other pages, these pages say, and a command draws or prints those.
#[test]
fn the_readme_quotes_its_pages() {
    let read = |name: &str| {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let readme = read("README.md");
    let peers = read("docs/peers.md");
    let both = peers.split("| median error of these |").nth(1).unwrap();
    let cells: Vec<&str> = both.split('|').map(str::trim).collect();
    let speed = read("docs/speed.md");
    let row = |name: &str| -> String {
        let row = speed
            .split(name)
            .nth(1)
            .unwrap_or_else(|| panic!("no row {name}"));
        row.split('|').nth(1).unwrap().trim().to_owned()
    };
    let times = speed
        .split("with the program of `make build-fast`, ")
        .nth(1)
        .unwrap();
    let times = times.split(' ').next().unwrap();
    let drives = ftlab_drive::Catalog::drives().len();
    for said in [
        format!(
            "MQSim is off by {} in the median, ftlab by {}",
            cells[1], cells[0]
        ),
        format!(
            "{} million timed random writes",
            row("| timed random writes, at a write amplification of 3.3 ")
        ),
        format!(
            "steady state in {} s",
            row("| 64 GiB to its steady state by `--state steady-fast` ")
        ),
        format!("That is {times} times as fast as MQSim"),
        format!("{drives} drives from 2006 to 2022"),
    ] {
        assert!(readme.contains(&said), "the README does not say: {said}");
    }
}

#[test]
fn the_guides_policies_are_those_of_the_template() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
    let guide = read("docs/guides/write-a-policy.md");
    for name in ["src/lib.rs", "src/main.rs", "tests/known.rs"] {
        let text = read(&format!("templates/my-policy/{name}"));
        let is_shown = guide.contains(&format!("```rust\n{text}```\n"));
        assert!(is_shown, "the guide shows another {name}");
    }
}

#[test]
fn the_programs_that_embed_a_drive_are_those_that_are_tested() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
    let guide = read("docs/guides/embed-a-drive.md");
    for (language, name) in [
        ("rust", "crates/device/tests/event_loop.rs"),
        ("rust", "crates/device/tests/dropped_flush.rs"),
        ("c", "crates/capi/examples/load.c"),
        ("ini", "crates/capi/examples/load.fio"),
        ("python", "crates/python/examples/simpy_queue.py"),
    ] {
        let text = read(name);
        let is_shown = guide.contains(&format!("```{language}\n{text}```\n"));
        assert!(is_shown, "the guide shows another {name}");
    }
}

#[test]
fn a_run_ends_where_an_embedded_drive_does_as_the_guide_says() {
    holds("docs/guides/embed-a-drive.md", false);
}

#[test]
fn a_drive_can_be_added_as_its_guide_says() {
    holds("docs/guides/add-a-drive.md", false);
}

#[test]
fn a_drive_is_fitted_to_its_measurements_as_its_guide_says() {
    holds("docs/guides/model-my-nvme.md", false);
}

#[test]
fn the_guide_to_fits_holds() {
    holds("docs/guides/fit-a-model.md", false);
}

#[test]
fn application_scripts_run_as_their_guide_says() {
    holds("docs/guides/application-scripts.md", false);
}

#[test]
fn a_drive_is_attached_as_its_guide_says() {
    let _one = MOUNTS.lock();
    holds("docs/guides/attach.md", false);
}

#[test]
fn a_database_that_does_not_flush_is_found_out_as_the_guide_says() {
    let _one = MOUNTS.lock();
    holds("docs/guides/does-my-database-flush.md", false);
}

#[test]
fn a_slow_disk_is_made_shipped_and_used_as_its_guide_says() {
    holds("docs/guides/slow-disk-in-ci.md", false);
}

#[test]
fn a_service_meets_a_disk_that_stalls_as_the_guide_says() {
    holds("docs/guides/what-when-the-disk-stalls.md", false);
}

#[test]
fn a_missing_flush_is_found_as_the_guide_says() {
    let _one = MOUNTS.lock();
    holds("docs/guides/find-the-missing-flush.md", false);
}

#[test]
fn settings_can_be_compared_as_their_guide_says() {
    holds("docs/guides/compare-settings.md", false);
}

#[test]
fn results_are_brought_as_their_guide_says() {
    holds("docs/guides/bring-your-results.md", false);
}

#[test]
fn other_programs_get_a_drive_as_their_guide_says() {
    holds("docs/guides/drive-cards.md", false);
}

#[test]
fn data_are_kept_apart_as_their_guide_says() {
    holds("docs/guides/keep-data-apart.md", false);
}

#[test]
fn a_first_review_goes_as_its_guide_says() {
    holds("docs/guides/first-review.md", false);
}

#[test]
fn the_specification_runs_as_its_guide_says() {
    holds("docs/guides/pts.md", false);
}

#[test]
fn a_purchase_is_planned_as_its_guide_says() {
    holds("docs/guides/plan-a-purchase.md", false);
}

#[test]
fn a_report_is_made_as_its_guide_says() {
    holds("docs/guides/read-the-report.md", false);
}

#[test]
fn the_guide_for_those_who_come_from_another_simulator_holds() {
    holds("docs/guides/come-from-another-simulator.md", false);
}

#[test]
fn a_trace_is_replayed_as_its_guide_says() {
    holds("docs/guides/replay-a-trace.md", false);
}

#[test]
fn a_job_runs_as_its_guide_says() {
    holds("docs/guides/run-a-job.md", false);
}

#[test]
fn a_file_is_measured_as_its_guide_says() {
    holds("docs/guides/measure-my-drive.md", false);
}

#[test]
fn a_suite_of_one_s_own_runs_as_its_guide_says() {
    holds("docs/guides/run-my-own-suite.md", false);
}

#[test]
fn a_sweep_goes_as_its_guide_says() {
    holds("docs/guides/sweep.md", false);
}

#[test]
fn a_policy_is_chosen_as_its_guide_says() {
    let built = Path::new(env!("CARGO_BIN_EXE_ftlab")).with_file_name("my-ftlab");
    assert!(built.exists(), "first: cargo build -p my-policy");
    holds("docs/guides/write-a-policy.md", false);
}

#[test]
#[ignore = "takes minutes: it builds the release binary, reviews all that is reviewed and calibrates"]
fn what_is_slow_goes_as_pages_say() {
    for (page, _) in PAGES {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let is_slow =
            |block: &Block<'_>| matches!(block.purpose, Purpose::Commands { is_slow: true, .. });
        if page::blocks(&text).iter().any(is_slow) {
            holds(page, true);
        }
    }
}

#[test]
fn no_page_is_left_out() {
    let folder = std::fs::read_dir(root().join("docs/guides")).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        format!("docs/guides/{name}")
    };
    let others = ["README.md", "docs/how-accurate.md"].map(str::to_owned);
    let mut names: Vec<String> = folder.map(name).chain(others).collect();
    // Beside the pages lie the files that they use.
    names.retain(|name| name.ends_with(".md"));
    names.sort();
    assert_eq!(names, PAGES.map(|(name, _)| name.to_owned()));
}

/// Nothing that a page's commands put on a drive lands on the reader's own disk when the drive cannot be mounted,
/// even if the reader does not look.
#[test]
fn what_belongs_on_a_drive_is_not_written_when_it_cannot_be_mounted() {
    if !is_root() {
        return say("NOT TESTED: guides where mount fails: this is not root");
    }
    let _one = MOUNTS.lock();
    let text = std::fs::read_to_string(root().join("docs/guides/attach.md")).unwrap();
    let blocks = page::blocks(&text);
    let without_mount = |place: &Place| {
        place.write(
            "bin-mount",
            "#!/bin/sh\necho 'mount: refused' >&2\nexit 32\n",
        );
        "mkdir bin && mv bin-mount bin/mount && chmod +x bin/mount && PATH=$PWD/bin:$PATH\n"
            .to_owned()
    };
    let needs_root = |block: &Block<'_>| {
        matches!(
            block.purpose,
            Purpose::Commands {
                needs_root: true,
                ..
            }
        )
    };
    let followed = follow(&blocks, needs_root, Reader::Careless, without_mount);
    let attempts = std::fs::read_to_string(followed.place.path(".blocks/failed"));
    assert!(attempts.is_ok(), "a mount that fails was not seen");
    for folder in [followed.place.path("mnt"), "/mnt/ftlab".into()] {
        let left = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        // The next test finds nothing of it.
        let _ = std::fs::remove_dir_all(folder.join("data"));
        assert_eq!(
            left,
            0,
            "{} has files on the reader's disk",
            folder.display()
        );
    }
}

#[test]
fn a_page_that_fails_or_shows_something_else_is_found() {
    let run = |text: &str| {
        let blocks = page::blocks(text);
        let followed = follow(
            &blocks,
            |block| block.is_commands(),
            Reader::Careful,
            |_| String::new(),
        );
        let drawn = draw("a page", text, &blocks, &followed);
        (followed.failed, drawn)
    };
    let good = "```sh\nA=1\n```\n```sh\necho $A &&\necho two\n```\n```text exact\n1\ntwo\n```\n";
    assert_eq!(run(good), (None, good.to_owned()));
    let (failed, drawn) = run(&good.replace("\n1\n", "\n3\n"));
    assert_eq!((failed, drawn.as_str()), (None, good));
    // A line that fails in the middle, and a chain.
    for fails in ["false\ntrue", "false &&\ntrue", "f() { false; }\nf\ntrue"] {
        let (failed, _) = run(&good.replace("A=1", fails));
        assert!(
            failed.is_some_and(|failed| failed.contains("line 2")),
            "{fails}"
        );
    }
}
