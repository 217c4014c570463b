//! Text for people: what a terminal, or whoever lays the text out, would act on is shown, and not sent.
//!
//! Names come from files of anybody: drives, jobs, traces, tables.

/// Characters that turn the direction of the text around them.
const TURNS: [std::ops::RangeInclusive<char>; 2] =
    ['\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}'];

/// Beginning of an escape sequence that sets a colour, or does much else.
const COLOUR: &str = "\u{1b}[";

fn is_plain(c: char) -> bool {
    !c.is_control() && !TURNS.iter().any(|turns| turns.contains(&c))
}

/// A text as one line.
#[must_use]
pub fn line(text: &str) -> String {
    shown(text, |_| false)
}

/// A text of lines and columns.
#[must_use]
pub fn lines(text: &str) -> String {
    shown(text, |c| matches!(c, '\n' | '\t'))
}

/// Makes text printable but keeps its colours, which hide and move nothing.
#[must_use]
pub fn lines_in_colours(text: &str) -> String {
    let mut parts = text.split(COLOUR);
    let mut shown = lines(parts.next().unwrap_or_default());
    for part in parts {
        let numbers = part.find(|c: char| !c.is_ascii_digit() && c != ';');
        match numbers.filter(|at| part[*at..].starts_with('m')) {
            Some(_) => shown += COLOUR,
            None => shown += &lines(COLOUR),
        }
        shown += &lines(part);
    }
    shown
}

fn shown(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_plain(c) || is_kept(c) {
            true => shown.push(c),
            false if c.is_control() => shown.extend(c.escape_default()),
            false => shown.extend(c.escape_unicode()),
        }
    }
    shown
}

/// Makes JSON printable, in which such a character stands in a text between quotation marks.
#[must_use]
pub fn json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_plain(c) || c == '\n' {
            true => shown.push(c),
            false => shown += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_shown() {
        let evil = "a\u{1b}]0;title\u{7}\n\u{9b}2J\u{202e}ä\t→";
        assert_eq!(
            lines(evil),
            "a\\u{1b}]0;title\\u{7}\n\\u{9b}2J\\u{202e}ä\t→"
        );
        assert_eq!(line("a\r\nb"), "a\\r\\nb");
        assert_eq!(lines("a\rb"), "a\\rb");
    }

    #[test]
    fn colours_are_kept_and_nothing_else_that_begins_like_them() {
        let text = "\u{1b}[38;5;10mpass\u{1b}[0m \u{1b}[2J\u{1b}[1;1H\u{1b}]0;x\u{1b}[";
        assert_eq!(
            lines_in_colours(text),
            "\u{1b}[38;5;10mpass\u{1b}[0m \\u{1b}[2J\\u{1b}[1;1H\\u{1b}]0;x\\u{1b}["
        );
    }

    #[test]
    fn json_says_the_same_afterwards() {
        let text = "\u{9b}2J \u{7f} \u{202e}ä\n\"";
        let written = json(&serde_json::to_string_pretty(&[text]).unwrap());
        assert!(
            written.chars().all(|c| is_plain(c) || c == '\n'),
            "{written}"
        );
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&written).unwrap(),
            [text]
        );
    }
}
