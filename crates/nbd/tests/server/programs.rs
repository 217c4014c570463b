//! The clients that people use, as programs. Tests of `ftlab serve` run the same.

use serde_json::Value;
use std::process::{Command, Output};

/// Runs a client.
pub fn run(program: &str, arguments: &[&str]) -> Output {
    let output = Command::new(program).args(arguments).output();
    output.unwrap_or_else(|error| panic!("{program}: {error}; `make setup` installs it"))
}

/// Runs a client that must succeed, and gives what it says.
pub fn said(program: &str, arguments: &[&str]) -> String {
    let output = run(program, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {text}{errors}"
    );
    text
}

/// The object in what a client says; fio's notes precede it.
pub fn json(text: &str) -> Value {
    let object = text.find(['{', '[']).map(|at| &text[at..]);
    serde_json::from_str(object.unwrap_or_default()).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Checks that what nbdinfo says of an export lists everything that a server can do.
pub fn check_offers(export: &Value) {
    for what in [
        "flush",
        "fua",
        "trim",
        "zero",
        "fast_zero",
        "cache",
        "df",
        "multi_conn",
    ] {
        assert_eq!(export[format!("can_{what}")], true, "{what}");
    }
    assert_eq!(export["block_size_minimum"], 512);
    assert_eq!(export["contexts"][0], "base:allocation");
}
