//! A directory in which tests call the program.

use assert_cmd::Command;
use serde_json::Value;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Path of the program to test: the one that cargo has built, or another that `FTLAB` names, such as the script of the
/// package for Python.
pub fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let named = std::env::var("FTLAB").unwrap_or_else(|_| env!("CARGO_BIN_EXE_ftlab").into());
        // Tests call it in folders of their own.
        assert!(
            named.starts_with('/'),
            "FTLAB is {named}: give its path from the root"
        );
        named
    });
    &PROGRAM
}

/// A script that reads 4 MiB.
pub const SCRIPT: &str = include_str!("copy.toml");

/// A trace of 300 reads and 200 writes.
pub const TRACE: &str = include_str!("little.toml");

const RANDOM: &str = "[w]\nthread\nrw=randwrite\nbs=4k\nnumber_ios=500\niodepth=4\n";

/// A directory with a job file in it, where the program runs.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Place {
        let place = Place(TempDir::new().unwrap());
        place.write("random.fio", RANDOM);
        place
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A file of the repository.
    pub fn root(&self, name: &str) -> String {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::read_to_string(root.join(name)).unwrap()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn ftlab(&self, line: &str) -> Command {
        let mut command = Command::new(program());
        command.args(line.split_whitespace()).current_dir(&self.0);
        command
    }

    /// Standard output of a call that succeeds and says nothing else.
    pub fn out(&self, line: &str) -> String {
        let assert = self.ftlab(line).assert().success();
        let output = assert.get_output();
        let said = without_signs_of_life(&output.stderr);
        assert_eq!(said, "", "{line}");
        String::from_utf8(output.stdout.clone()).unwrap()
    }

    /// Standard output of a comparison that succeeds and says nothing else but which variants are done.
    pub fn compares(&self, line: &str) -> String {
        let assert = self.ftlab(line).assert().success();
        let output = assert.get_output();
        let told = without_signs_of_life(&output.stderr);
        for (n, variant) in told.lines().enumerate() {
            let begins = format!("{} of ", n + 1);
            let is_progress = variant.starts_with(&begins) && variant.contains(" variants: ");
            assert!(is_progress, "{line}: {told}");
        }
        String::from_utf8(output.stdout.clone()).unwrap()
    }

    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.out(line)).unwrap()
    }

    /// Standard output, and the one line on standard error, of a call that finds something wrong.
    pub fn finds(&self, line: &str) -> (String, String) {
        let assert = self.ftlab(line).assert().code(1);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let output = assert.get_output();
        let error = text(&output.stderr);
        assert_eq!(error.lines().count(), 1, "{line}: {error}");
        (text(&output.stdout), error)
    }

    /// The one line on standard error of a call with wrong input.
    pub fn refused(&self, line: &str) -> String {
        let assert = self.ftlab(line).assert().code(2).stdout("");
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(error.starts_with("error: "), "{line}: {error}");
        assert_eq!(error.lines().count(), 1, "{line}: {error}");
        error
    }
}

/// What was said on standard error beside that the work goes on, which depends on how fast the machine is.
pub fn without_signs_of_life(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.split_inclusive('\n');
    lines
        .filter(|line| !line.starts_with("at work for "))
        .collect()
}

#[track_caller]
pub fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}
