//! What the container runs is what the program takes: the words of the Containerfile, in folders of a test.

use super::server::{Serve, said};
use crate::place::program;
use std::path::Path;

#[test]
fn the_container_serves_a_disk_at_a_socket() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Containerfile");
    let text = std::fs::read_to_string(file).unwrap();
    let words = text.lines().find_map(|line| line.strip_prefix("CMD "));
    let words: Vec<String> = serde_json::from_str(words.expect("it says what to run")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let here = |word: &String| {
        let folders = ["/var/lib/ftlab", "/run/ftlab"];
        let below = folders.iter().find_map(|folder| word.strip_prefix(folder));
        match below {
            Some(below) => format!("{}{below}", folder.path().display()),
            None => word.clone(),
        }
    };
    let words: Vec<String> = words.iter().map(here).collect();
    let (command, arguments) = words.split_first().unwrap();
    assert_eq!(command, "serve");
    assert!(text.contains("STOPSIGNAL SIGTERM"));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let serve = Serve::start(folder.path(), &arguments);
    said("nbdinfo", &[serve.uri()]);
    let control = folder.path().join("disk.control");
    said(program(), &["smart", control.to_str().unwrap()]);
    serve.stop();
}
