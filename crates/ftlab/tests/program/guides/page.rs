//! A page of documentation: its fenced blocks, and what their marks say.
//!
//! The first word after a fence is the language; the others are for the test, and no reader sees them:
//!
//! | block | marks |
//! |---|---|
//! | `sh` | `root`: needs root; `slow`: takes minutes, or builds the program; `name=N`: what an output names |
//! | `text` | `exact`, `pattern` (numbers may differ), or `clock` (an example, as it depends on the clock); with `exact`, `but=W`: in lines that begin with the word W numbers may differ; `of=N`: the output of the block called N, not of the last one |
//! | `python` | none here: tests of the Python package run it |
//! | `sh`, `text` | `python`: tests of the Python package run that, too, and compare |
//! | `ini`, `toml`, `xml` | after a line with ``this as `FILE` ``: a file that the reader is to keep |

use std::ops::Range;

/// How what is shown compares with what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison<'a> {
    /// To the letter, but for numbers in lines that begin with a word.
    Exact { but: Option<&'a str> },
    /// Numbers may differ.
    Pattern,
    /// Not at all: when and how much is printed depends on the clock.
    Clock,
}

/// What a block is for.
#[derive(Debug, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// To be typed.
    Commands { needs_root: bool, is_slow: bool },
    /// What the block of commands with that number prints.
    Output { of: usize, how: Comparison<'a> },
    /// To be kept as a file.
    File(&'a str),
    /// To be read.
    Text,
}

/// A fenced block.
#[derive(Debug)]
pub struct Block<'a> {
    pub purpose: Purpose<'a>,
    /// The numbers of its lines in the page, from 0.
    pub range: Range<usize>,
    pub lines: Vec<&'a str>,
}

/// The blocks of a page, in order.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut named: Vec<(&str, usize)> = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut before = "";
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => open = Some((info, number + 1)),
            (Some(_), Some((info, first))) => {
                let last = blocks.iter().rposition(Block::is_commands);
                let purpose = purpose(info, before, last, &named);
                if let Some(name) = marks(info).find_map(|mark| mark.strip_prefix("name=")) {
                    named.push((name, blocks.len()));
                }
                blocks.push(Block {
                    purpose,
                    range: first..number,
                    lines: lines[first..number].to_vec(),
                });
            }
            (None, inside) => {
                open = inside;
                if open.is_none() && !line.trim().is_empty() {
                    before = line;
                }
            }
        }
    }
    blocks
}

impl Block<'_> {
    pub fn is_commands(&self) -> bool {
        matches!(self.purpose, Purpose::Commands { .. })
    }
}

fn marks(info: &str) -> impl Iterator<Item = &str> {
    info.split_whitespace().skip(1)
}

fn purpose<'a>(
    info: &'a str,
    before: &'a str,
    last: Option<usize>,
    named: &[(&str, usize)],
) -> Purpose<'a> {
    if marks(info).any(|mark| mark == "python") {
        return Purpose::Text;
    }
    match info.split_whitespace().next() {
        Some("sh") => {
            let (mut needs_root, mut is_slow) = (false, false);
            for mark in marks(info) {
                match mark {
                    "root" => needs_root = true,
                    "slow" => is_slow = true,
                    mark => assert!(
                        mark.starts_with("name="),
                        "a mark that nobody knows: {info}"
                    ),
                }
            }
            Purpose::Commands {
                needs_root,
                is_slow,
            }
        }
        Some("text") => output(info, last, named),
        Some("ini" | "toml" | "xml") => file_name(before).map_or(Purpose::Text, Purpose::File),
        // The crate's own tests look at it.
        Some("rust" | "python" | "c") => Purpose::Text,
        _ => panic!("a block that nobody checks: ```{info}"),
    }
}

fn output<'a>(info: &'a str, last: Option<usize>, named: &[(&str, usize)]) -> Purpose<'a> {
    let mut of = last;
    let mut how = None;
    for mark in marks(info) {
        match (mark.split_once('='), mark) {
            (Some(("of", name)), _) => {
                let found = named.iter().find(|(other, _)| *other == name);
                of = Some(
                    found
                        .unwrap_or_else(|| panic!("no block is called {name}"))
                        .1,
                );
            }
            (Some(("but", word)), _) if how == Some(Comparison::Exact { but: None }) => {
                how = Some(Comparison::Exact { but: Some(word) });
            }
            (None, "exact") => how = Some(Comparison::Exact { but: None }),
            (None, "pattern") => how = Some(Comparison::Pattern),
            (None, "clock") => how = Some(Comparison::Clock),
            _ => panic!("a mark that nobody knows: {info}"),
        }
    }
    Purpose::Output {
        of: of.unwrap_or_else(|| panic!("the output of nothing: {info}")),
        how: how.unwrap_or_else(|| panic!("say how it compares: {info}")),
    }
}

/// "Save this as `mine.fio`:".
fn file_name(before: &str) -> Option<&str> {
    let (_, rest) = before.split_once("this as `")?;
    Some(rest.split_once('`')?.0)
}

#[test]
fn blocks_know_what_they_are_for() {
    let page = "\
Save this as `a.fio`:

```ini
[a]
```

```sh name=first root
one
```

```sh
two
```

```text exact but=speed
2
```

```sh python
three
```

```text python
3
```

```text pattern of=first
1
```
";
    let found = blocks(page);
    let purposes: Vec<&Purpose<'_>> = found.iter().map(|block| &block.purpose).collect();
    let commands = |needs_root| Purpose::Commands {
        needs_root,
        is_slow: false,
    };
    let output = |of, how| Purpose::Output { of, how };
    assert_eq!(
        purposes,
        [
            &Purpose::File("a.fio"),
            &commands(true),
            &commands(false),
            &output(2, Comparison::Exact { but: Some("speed") }),
            &Purpose::Text,
            &Purpose::Text,
            &output(1, Comparison::Pattern),
        ]
    );
    assert_eq!(
        (found[3].range.clone(), &found[3].lines[..]),
        (15..16, &["2"][..])
    );
}

#[test]
#[should_panic(expected = "say how it compares")]
fn an_output_that_says_not_how_it_compares_is_found() {
    blocks("```sh\na\n```\n```text\n1\n```\n");
}

#[test]
#[should_panic(expected = "nobody checks")]
fn commands_that_no_test_would_run_are_found() {
    blocks("```bash\nrm -rf out\n```\n");
}
