//! A shell that is given the blocks of a page as they are printed, as a reader pastes them.
//!
//! Nothing is put between their lines. What the shell sees of a failing command it writes down, and what the page's
//! commands leave running or mounted is taken down in the end.

use super::page::{Block, Purpose};
use super::root;
use crate::place::{Place, program};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// `make`, `cargo` and `git` are for the repository; all else happens in the reader's place.
const PRELUDE: &str = r#"
set -E
trap 'echo "$BASH_COMMAND" >> .blocks/failed' ERR
for tool in make cargo git; do eval "$tool() { ( cd \"$REPOSITORY\" && command $tool \"\$@\" ); }"; done
take_down() {
    trap - ERR
    # Pages are followed side by side: only what is on a drive of this place.
    losetup --list --noheadings --output NAME,BACK-FILE | grep -F "$PWD/" | while read -r device _; do
        findmnt --noheadings --output TARGET --source "$device" | while read -r folder; do
            test ! -e "$folder/data/postmaster.pid" || kill -QUIT "$(head -1 "$folder/data/postmaster.pid")"
            umount -l "$folder"
        done
        losetup -d "$device"
    done
    for file in *.pid; do test -e "$file" && kill -KILL "$(cat "$file")"; done
    mountpoint -q fuse && umount -l fuse
}
trap 'take_down 2> .blocks/taken_down' EXIT
"#;

/// Longer than any page takes.
const SECONDS_MAX: &str = "1800";

/// How a shell goes through a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Stops at the first block that fails.
    Careful,
    /// Pastes the next block whatever came of the last one.
    Careless,
}

/// What came of the blocks of a page, each by its number.
pub struct Followed {
    pub place: Place,
    /// What was said on the way, if a block failed.
    pub failed: Option<String>,
}

impl Followed {
    /// What a block printed; nothing if it was left out.
    pub fn printed(&self, block: usize) -> Option<String> {
        std::fs::read_to_string(self.place.path(&format!(".blocks/{block}.out"))).ok()
    }
}

/// Has a shell run the blocks of a page that are `wanted`, in a directory like a clone's.
pub fn follow(
    blocks: &[Block<'_>],
    wanted: impl Fn(&Block<'_>) -> bool,
    reader: Reader,
    setting: impl Fn(&Place) -> String,
) -> Followed {
    let place = Place::new();
    prepare(&place);
    let mut script = PRELUDE.to_owned() + &setting(&place);
    for (number, block) in blocks.iter().enumerate() {
        let text = block.lines.join("\n") + "\n";
        match block.purpose {
            Purpose::File(name) => {
                place.write(&format!(".blocks/{number}.file"), &text);
                writeln!(script, "cp .blocks/{number}.file {name}").unwrap();
            }
            Purpose::Commands { .. } if wanted(block) => {
                place.write(&format!(".blocks/{number}.sh"), &text);
                let run = format!(
                    "{{ . .blocks/{number}.sh; }} > .blocks/{number}.out 2> .blocks/{number}.err"
                );
                writeln!(script, "at={number}\n{run}").unwrap();
                if reader == Reader::Careful {
                    script += "test $? = 0 -a ! -e .blocks/failed || { echo $at > .blocks/at; exit 1; }\n";
                }
            }
            _ => {}
        }
    }
    script += "exit 0\n";
    place.write(".blocks/page.sh", &script);
    run(&place);
    let failed = failure(&place, blocks);
    Followed { place, failed }
}

/// What a clone has that commands use.
fn prepare(place: &Place) {
    for folder in ["jobs", "scripts", "traces", "docs/guides/model-my-nvme"] {
        copy(&root().join(folder), &place.path(folder));
    }
    std::fs::create_dir_all(place.path(".blocks")).unwrap();
    let program = Path::new(program());
    // That of the template is built by whatever builds the workspace.
    let own = Path::new(env!("CARGO_BIN_EXE_ftlab")).with_file_name("my-ftlab");
    for folder in ["target/release", "target/review"] {
        let folder = place.path(folder);
        std::fs::create_dir_all(&folder).unwrap();
        for program in [program, &own] {
            let name = program.file_name().unwrap();
            std::os::unix::fs::symlink(program, folder.join(name)).unwrap();
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn run(place: &Place) {
    let mut shell = Command::new("timeout");
    shell.args(["--kill-after=5", SECONDS_MAX, "bash", ".blocks/page.sh"]);
    let status = shell
        .current_dir(&place.0)
        .env("REPOSITORY", root())
        .status()
        .unwrap();
    assert_ne!(
        status.code(),
        Some(124),
        "it takes more than {SECONDS_MAX} s"
    );
}

/// The block that failed, and what it said.
fn failure(place: &Place, blocks: &[Block<'_>]) -> Option<String> {
    let read = |name: String| std::fs::read_to_string(place.path(&name)).unwrap_or_default();
    let at: usize = read(".blocks/at".into()).trim().parse().ok()?;
    let [failed, out, err] = [
        "failed".to_owned(),
        format!("{at}.out"),
        format!("{at}.err"),
    ]
    .map(|name| read(format!(".blocks/{name}")));
    Some(format!(
        "the block at line {} fails at: {failed}{out}{err}",
        blocks[at].range.start + 1
    ))
}
