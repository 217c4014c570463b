//! Wrong inputs, as tables: a command line, the exit code, and a part of what is said. Nothing is left behind by any.
//!
//! A row belongs to the table of the command that it calls. What a row says of a file is the file of that name among
//! [`FILES`].

mod drives;
mod images;
mod loads;
mod studies;

use crate::place::{Place, without_signs_of_life};
use std::path::{Path, PathBuf};

/// A command line, the exit code, and a part of the message.
type Row = (&'static str, i32, &'static str);

/// Files that the rows name, and what is in them.
const FILES: &[(&str, &str)] = &[
    ("typo.fio", "[a]\nrw=randwrte\nbs=4k\nsize=4m\n"),
    ("word.fio", "[a]\nrw=randwrite\niodpeth=4\nsize=4m\n"),
    ("unit.fio", "[a]\nrw=randwrite\nbs=4x\nsize=4m\n"),
    ("odd.fio", "[a]\nrw=write\nbs=100\ndirect=1\nsize=4m\n"),
    ("negative.fio", "[a]\nrw=write\nbs=4k\nsize=-4m\n"),
    ("nosection.fio", "rw=write\nbs=4k\n"),
    ("empty.fio", ""),
    ("binary.fio", "\0\u{1}\u{2}\n"),
    ("empty.toml", ""),
    ("broken.toml", "schema = 1\nkind = \n"),
    (
        "bare.toml",
        "schema = 1\nkind = \"ssd\"\nname = \"n\"\nsummary = \"s\"\n\n[map]\nhost_memory_latency = 49\nscheme = \"page\"\nslot = \"4 KiB\"\nstripe_dies = 2\n",
    ),
    (
        "unit.toml",
        "schema = 1\nkind = \"ssd\"\nname = \"n\"\nsummary = \"s\"\n[map]\nscheme = \"page\"\nslot = \"4 kg\"\nstripe_dies = 2\n",
    ),
    (
        "kind.toml",
        "schema = 1\nkind = \"tape\"\nname = \"n\"\nsummary = \"s\"\n",
    ),
    (
        "year.toml",
        "schema = 1\nkind = \"ssd\"\nname = \"n\"\nsummary = \"s\"\nyear = \"old\"\n",
    ),
    (
        "schema.toml",
        "schema = 7\nkind = \"ssd\"\nname = \"n\"\nsummary = \"s\"\n",
    ),
    (
        "base.toml",
        "schema = 1\nkind = \"ssd\"\nname = \"n\"\nsummary = \"s\"\nbase = \"dc-tcl\"\n",
    ),
    ("testbed.toml", "schema = 1\n"),
    (
        "host.toml",
        "schema = 1\nname = \"n\"\nsummary = \"s\"\nbase = \"windows\"\n[host]\ncommand = 5\n",
    ),
    (
        "seeds.toml",
        "drives = [\"generic-mlc-8\"]\nloads = [\"random.fio\"]\nseeds = -3\n",
    ),
    (
        "zero.toml",
        "drives = [\"generic-mlc-8\"]\nloads = [\"random.fio\"]\nseeds = 0\n",
    ),
    ("nodrives.toml", "drives = []\nloads = [\"random.fio\"]\n"),
    (
        "key.toml",
        "drives = [\"generic-mlc-8\"]\nload = \"random.fio\"\n",
    ),
    (
        "set.toml",
        "drives = [\"generic-mlc-8\"]\nloads = [\"random.fio\"]\n[set]\nspare.opp = [0.1]\n",
    ),
    (
        "state.toml",
        "drives = [\"generic-mlc-8\"]\nloads = [\"random.fio\"]\nstate = \"uesd\"\n",
    ),
    (
        "grid.toml",
        "drives = [\"generic-mlc-8\"]\nloads = [\"random.fio\"]\n",
    ),
    ("cut.csv.gz", "\u{1f}"),
    ("old.json", "{}"),
];

/// Everything below a folder.
fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut all_in(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// Calls the program with the lines of a table, all of which it must refuse, and says of all that are not as they should be.
fn try_all(rows: &[Row]) {
    let place = Place::new();
    for (name, text) in FILES {
        place.write(name, text);
    }
    std::fs::create_dir(place.path("folder")).unwrap();
    let before = all_in(place.0.path());
    let mut wrong = Vec::new();
    for (line, code, says) in rows {
        let output = place.ftlab(line).write_stdin("").output().unwrap();
        let said = without_signs_of_life(&output.stderr);
        let after = all_in(place.0.path());
        let is_right = output.status.code() == Some(*code)
            && said.contains(says)
            && said.starts_with("error: ")
            && output.stdout.is_empty()
            && after == before;
        if !is_right {
            let status = output.status;
            wrong.push(format!(
                "{line}\n  {status}, wanted {code} and `{says}`\n  {said}"
            ));
        }
        for left in after.iter().filter(|path| !before.contains(path)) {
            wrong.push(format!("{line}\n  left {}", left.display()));
            let _ = std::fs::remove_file(left).or_else(|_| std::fs::remove_dir_all(left));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
