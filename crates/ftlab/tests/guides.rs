//! Every command of the README and of a guide does what is said of it: it runs.
//!
//! A guide's commands run one after the other in a directory that has the repository's jobs and scripts, and
//! the files that the guide says to keep. Reviews run with `--quick`, and it is a small drive that is brought
//! to a steady state.

mod place;

use place::Place;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// The drive that is brought to a steady state in place of a larger one.
const SMALL: &str = "generic-mlc-8";

/// The guide whose commands a shell runs, as they go on in the background.
const ATTACH: &str = "attach.md";

/// How guides call the program, and the README.
const PROGRAM: [&str; 2] = ["target/release/ftlab", "ftlab"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A fenced block: its language, the line before it, and its lines.
struct Block<'a> {
    language: &'a str,
    before: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut is_inside = false;
    let mut before = "";
    for line in text.lines() {
        match (line.strip_prefix("```"), is_inside) {
            (Some(language), false) => {
                is_inside = true;
                blocks.push(Block {
                    language,
                    before,
                    lines: Vec::new(),
                });
            }
            (Some(_), true) => is_inside = false,
            (None, true) => blocks.last_mut().unwrap().lines.push(line),
            (None, false) if !line.trim().is_empty() => before = line,
            (None, false) => {}
        }
    }
    blocks
}

/// The file that a block is to be kept as: "Keep this as `mine.fio`:".
fn file_name<'a>(block: &Block<'a>) -> Option<&'a str> {
    let (_, rest) = block.before.split_once("this as `")?;
    let (name, _) = rest.split_once('`')?;
    ["ini", "toml"].contains(&block.language).then_some(name)
}

/// The arguments of a line that calls the program, made cheaper.
fn arguments(line: &str) -> Option<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("no shell reads: {line}"));
    let (program, arguments) = words.split_first()?;
    // What builds or tests the repository is run by whoever works on it.
    if ["make", "cargo", "git"].contains(&program.as_str()) {
        return None;
    }
    assert!(PROGRAM.contains(&program.as_str()), "{line}");
    let mut arguments = arguments.to_vec();
    let has = |arguments: &[String], word: &str| arguments.iter().any(|other| other == word);
    if ["review", "compare"].contains(&arguments[0].as_str()) && !has(&arguments, "--quick") {
        arguments.push("--quick".to_owned());
    }
    if has(&arguments, "steady") || has(&arguments, "--from-state") {
        let drive = arguments.iter().position(|word| word == "--drive");
        let drive = drive.unwrap_or_else(|| panic!("no --drive in: {line}"));
        arguments[drive + 1] = SMALL.to_owned();
    }
    Some(arguments)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Runs the commands of a guide; how many there were.
fn follow(guide: &str) -> usize {
    let text = std::fs::read_to_string(root().join(guide)).unwrap();
    let place = Place::new();
    for folder in ["jobs", "scripts", "traces"] {
        copy(&root().join(folder), &place.path(folder));
    }
    let mut commands = 0;
    for block in blocks(&text) {
        if let Some(name) = file_name(&block) {
            place.write(name, &(block.lines.join("\n") + "\n"));
        }
        if block.language != "sh" {
            continue;
        }
        for line in block.lines.iter().filter(|line| !line.trim().is_empty()) {
            let Some(arguments) = arguments(line) else {
                continue;
            };
            let output = place.ftlab("").args(&arguments).output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{guide}: {line}\n{error}");
            assert!(!output.stdout.is_empty(), "{guide}: {line}");
            commands += 1;
        }
    }
    commands
}

/// What is put before the commands of a guide that a shell runs: the first that fails ends it, and is
/// named; what it mounted is let go of.
const PRELUDE: &str = "\
set -eE
trap 'echo \"failed: $BASH_COMMAND\" >&2; umount -l $DEVICE fuse || true; losetup -d $DEVICE' ERR
";

/// What follows a command that serves a drive in the background: people wait until it is ready.
const READY: &str = "until grep -q '^ready' served.log; do kill -0 $!; sleep 0.1; done\n";

/// What follows a command that ends one: people see that it has ended.
const ENDED: &str = "wait $! || true\n";

/// The port that the guide listens at; the test takes one that is free, as others may listen there.
const PORT: &str = "10809";

/// A guide whose commands belong together, for a shell: those that need root if this is root.
fn script(guide: &str, is_root: bool) -> String {
    let text = std::fs::read_to_string(root().join("docs/guides").join(guide)).unwrap();
    let mut script = PRELUDE.to_owned();
    for block in blocks(&text).iter().filter(|block| block.language == "sh") {
        let of_root = |line: &&str| line.contains("losetup") || line.contains("as_postgres");
        let needs_root = block.lines.iter().any(of_root);
        if needs_root && !is_root {
            continue;
        }
        for line in &block.lines {
            match line.strip_suffix(" &") {
                Some(serves) => {
                    let to_log = format!("{serves} > served.log 2>&1 &\n");
                    script.extend(["rm -f served.log\n", &to_log, READY]);
                }
                None => script.extend([*line, "\n"]),
            }
            if ["kill %%", "kill -KILL %%"].contains(line) {
                script += ENDED;
            }
        }
    }
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let free = free.unwrap().port().to_string();
    assert!(script.contains(PORT), "the guide listens at another port");
    script.replace(PORT, &free)
}

/// Has a shell run a guide, with the program where the guide says it is.
fn follow_in_a_shell(guide: &str) -> usize {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        let mut stderr = std::io::stderr();
        let _ = writeln!(
            stderr,
            "\nNOT TESTED: what needs root in {guide}: this is not root\n"
        );
    }
    let place = Place::new();
    let folder = place.path("target/release");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ftlab"), folder.join("ftlab")).unwrap();
    place.write("guide.sh", &script(guide, is_root));
    // What is left in the background is ended with the group.
    let mut shell = std::process::Command::new("setsid");
    shell.args([
        "--wait",
        "timeout",
        "--kill-after=1",
        "300",
        "bash",
        "guide.sh",
    ]);
    let output = shell.current_dir(&place.0).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{guide}: {said}\n{error}");
    place.read("guide.sh").lines().count()
}

/// The guides, and how many commands each has at least.
const GUIDES: [(&str, usize); 9] = [
    ("add-a-drive.md", 3),
    ("application-scripts.md", 3),
    (ATTACH, 20),
    ("compare-settings.md", 5),
    ("first-review.md", 5),
    ("pts.md", 2),
    ("read-the-report.md", 1),
    ("run-a-job.md", 7),
    ("write-a-policy.md", 1),
];

#[track_caller]
fn is_followed(guide: &str) {
    let (_, least) = GUIDES.iter().find(|(name, _)| *name == guide).unwrap();
    let commands = match guide {
        ATTACH => follow_in_a_shell(guide),
        _ => follow(&format!("docs/guides/{guide}")),
    };
    assert!(
        commands >= *least,
        "only {commands} commands seen in {guide}"
    );
}

#[test]
fn the_readme_says_what_can_be_asked() {
    let commands = follow("README.md");
    assert!(commands >= 12, "only {commands} commands seen");
}

#[test]
fn a_drive_can_be_added_as_its_guide_says() {
    is_followed("add-a-drive.md");
}

#[test]
fn application_scripts_run_as_their_guide_says() {
    is_followed("application-scripts.md");
}

#[test]
fn a_drive_is_attached_as_its_guide_says() {
    is_followed(ATTACH);
}

#[test]
fn settings_can_be_compared_as_their_guide_says() {
    is_followed("compare-settings.md");
}

#[test]
fn a_first_review_goes_as_its_guide_says() {
    is_followed("first-review.md");
}

#[test]
fn the_specification_runs_as_its_guide_says() {
    is_followed("pts.md");
}

#[test]
fn a_report_is_made_as_its_guide_says() {
    is_followed("read-the-report.md");
}

#[test]
fn a_job_runs_as_its_guide_says() {
    is_followed("run-a-job.md");
}

#[test]
fn a_policy_is_chosen_as_its_guide_says() {
    is_followed("write-a-policy.md");
}

#[test]
fn no_guide_is_left_out() {
    let folder = std::fs::read_dir(root().join("docs/guides")).unwrap();
    let mut names: Vec<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, GUIDES.map(|(name, _)| name.to_owned()));
}

#[test]
#[should_panic(expected = "other/program")]
fn a_command_that_nobody_can_run_is_found() {
    arguments("other/program --help");
}
