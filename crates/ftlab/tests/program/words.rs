//! Words that plain English does without, looked for in everything that a user reads.

use super::help::of_all_commands;
use super::place::Place;
use std::path::{Path, PathBuf};

/// Not used where a user reads.
const AVOIDED: [&str; 11] = [
    "a rest",
    "come along",
    "comes along",
    "keep this as",
    "one's own",
    "stand for",
    "stands for",
    "told",
    "take over drives",
    "was got",
    "were got",
];

/// Pages that are made of what sources say, or of figures.
const OF_SOURCES: [&str; 3] = ["accuracy.md", "claims.md", "cross-validation.md"];

/// Small words, each between two spaces.
fn words(text: &str) -> String {
    let text = text.to_lowercase().replace('’', "'");
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let words = words.filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// The avoided words of a text, each with the words around it.
fn avoided(text: &str) -> Vec<String> {
    let text = words(text);
    let mut found = Vec::new();
    for phrase in AVOIDED {
        let phrase = format!(" {phrase} ");
        found.extend(text.match_indices(&phrase).map(|(at, _)| around(&text, at)));
    }
    for phrase in [" comes to ", " came to "] {
        for (at, _) in text.match_indices(phrase) {
            let before = text[..at].rsplit(' ').take(6);
            if before.into_iter().any(|word| word == "what") {
                found.push(around(&text, at));
            }
        }
    }
    found
}

fn around(text: &str, at: usize) -> String {
    let before: Vec<&str> = text[..at].rsplit(' ').take(6).collect();
    let before: Vec<&str> = before.into_iter().rev().collect();
    let after: Vec<&str> = text[at..].split(' ').take(7).collect();
    format!("{}{}", before.join(" "), after.join(" "))
}

/// The pages of a directory, without those made of sources.
fn pages(directory: &Path) -> Vec<PathBuf> {
    let entries = directory
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_own = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.ends_with(".md") && !OF_SOURCES.contains(&&*name)
    };
    let mut pages: Vec<PathBuf> = entries.filter(is_own).collect();
    pages.sort();
    pages
}

/// A page of HTML without its scripts, styles and tags.
fn text_of(html: &str) -> String {
    let mut rest = html.to_owned();
    for element in ["script", "style"] {
        let (begin, end) = (format!("<{element}"), format!("</{element}>"));
        while let Some(from) = rest.find(&begin) {
            let until = rest[from..]
                .find(&end)
                .map_or(rest.len(), |n| from + n + end.len());
            rest.replace_range(from..until, " ");
        }
    }
    let parts = rest
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect::<Vec<_>>().join(" ")
}

#[test]
fn avoided_words_are_found_between_others() {
    assert_eq!(avoided("Nobody was\ntold. A job of one’s own").len(), 2);
    assert_eq!(avoided("what one run came to").len(), 1);
    assert!(avoided("a restart, untold, the model came to rest").is_empty());
    assert_eq!(
        text_of("<p>a<script>told</script><b>b</b>")
            .split_whitespace()
            .count(),
        2
    );
}

#[test]
fn help_pages_and_reports_use_plain_words() {
    let place = Place::new();
    let mut wrong = Vec::new();
    let mut look = |of: &str, text: &str| {
        wrong.extend(
            avoided(text)
                .into_iter()
                .map(|words| format!("{of}: {words}")),
        );
    };
    for (call, [_, long]) in of_all_commands(&place) {
        look(&format!("{call} --help"), &long);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut read = vec![root.join("README.md")];
    read.extend(pages(&root.join("docs")));
    read.extend(pages(&root.join("docs/guides")));
    let labs = root.join("crates/python/python/ftlab/labs");
    let labs = labs.read_dir().unwrap().map(|entry| entry.unwrap().path());
    read.extend(
        labs.filter(|path| path.is_dir())
            .flat_map(|path| pages(&path)),
    );
    assert!(read.len() > 30, "{} pages", read.len());
    for page in read {
        let text = std::fs::read_to_string(&page).unwrap();
        look(&page.file_name().unwrap().to_string_lossy(), &text);
    }
    let run = place.out("run random.fio --drive generic-mlc-8 --state new --out out --quiet");
    look("run", &run);
    look("report", &text_of(&place.read("out/index.html")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
