//! What a page shows of a command's output, drawn anew from what the command prints now.
//!
//! A test asks whether that changes anything; `make guides` writes it. So there is one rule for both.

use super::page::Comparison;

/// A line in a guide for any number of lines that are left out.
const ELISION: &str = "…";

/// Units that a number may change to when it changes.
const UNITS: [&str; 12] = [
    "ns", "µs", "ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "k", "M",
];

/// What a page should show, given what it shows and what is printed.
///
/// # Errors
/// When nothing of what is printed is like what is shown: then a person must look.
pub fn drawn(shown: &[&str], printed: &[&str], how: Comparison<'_>) -> Result<Vec<String>, String> {
    if how == Comparison::Clock {
        return Ok(shown.iter().map(|&line| line.to_owned()).collect());
    }
    let parts: Vec<&[&str]> = shown.split(|line| *line == ELISION).collect();
    let mut drawn: Vec<String> = Vec::new();
    let mut from = 0;
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            drawn.push(ELISION.to_owned());
        }
        let (is_first, is_last) = (number == 0, number + 1 == parts.len());
        let range = match (is_first, is_last) {
            (true, true) => 0..printed.len(),
            (true, false) => 0..part.len().min(printed.len()),
            (false, true) => printed.len().saturating_sub(part.len()).max(from)..printed.len(),
            (false, false) => find(part, printed, from)?,
        };
        from = range.end;
        for (at, line) in printed[range].iter().enumerate() {
            // What may differ stays as it is, so that drawing again changes no more than it must.
            let old = part.get(at).filter(|old| may_stay(old, line, how));
            drawn.push((*old.unwrap_or(line)).to_owned());
        }
    }
    Ok(drawn)
}

fn may_stay(old: &str, new: &str, how: Comparison<'_>) -> bool {
    let is_loose = match how {
        Comparison::Exact { but } => but.is_some_and(|word| new.trim_start().starts_with(word)),
        Comparison::Pattern | Comparison::Clock => true,
    };
    is_loose && without_numbers(old) == without_numbers(new)
}

/// The words of a line; a number, with its unit, is one that all numbers are.
fn without_numbers(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let mut kept = String::new();
        for c in word.trim_end_matches(['k', 'M']).chars() {
            match (c, kept.ends_with('0')) {
                ('0'..='9', true) | ('.' | ',', true) => {}
                ('0'..='9', false) => kept.push('0'),
                (c, _) => kept.push(c),
            }
        }
        let is_unit = UNITS.contains(&word.trim_end_matches([',', ')', ']']));
        if !is_unit || words.last().is_none_or(|last| !last.contains('0')) {
            words.push(kept);
        }
    }
    words
}

/// Where, behind a line, the lines are that are most like some.
fn find(part: &[&str], printed: &[&str], from: usize) -> Result<std::ops::Range<usize>, String> {
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let likeness = |at: usize| -> usize {
        let pairs = part.iter().zip(&printed[at..]);
        let alike = |(old, new): (&&str, &&str)| {
            let new = words(new);
            words(old).iter().filter(|word| new.contains(word)).count()
        };
        pairs.map(alike).sum()
    };
    let total: usize = part.iter().map(|line| words(line).len()).sum();
    let starts = from..(printed.len() + 1).saturating_sub(part.len());
    // The first of equals.
    let best = starts.rev().max_by_key(|&at| likeness(at));
    match best {
        Some(at) if 2 * likeness(at) >= total => Ok(at..at + part.len()),
        _ => Err(format!(
            "nothing is printed that is like: {}",
            part.join("\n")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Comparison<'_> = Comparison::Exact { but: None };
    const PRINTED: [&str; 5] = [
        "head",
        "a  1.50  pass",
        "b  2  pass",
        "c  3  fail",
        "speed 7 ms, 3 times",
    ];

    fn is_drawn(shown: &[&str], how: Comparison<'_>, expected: &[&str]) {
        assert_eq!(drawn(shown, &PRINTED, how).unwrap(), expected);
    }

    #[test]
    fn what_is_not_elided_is_all_of_it() {
        is_drawn(&["head"], EXACT, &PRINTED);
        is_drawn(&PRINTED, EXACT, &PRINTED);
        is_drawn(&["…"], EXACT, &["…"]);
    }

    #[test]
    fn parts_are_found_by_their_words() {
        let shown = [
            "head",
            "…",
            "b  9  pass",
            "…",
            "c  3  fail",
            "speed 7 ms, 3 times",
        ];
        let drawn = [
            "head",
            "…",
            "b  2  pass",
            "…",
            "c  3  fail",
            "speed 7 ms, 3 times",
        ];
        is_drawn(&shown, EXACT, &drawn);
        let error = drawn_of_strangers();
        assert!(error.contains("x  2"), "{error}");
    }

    fn drawn_of_strangers() -> String {
        drawn(&["…", "x  2  fell", "…"], &PRINTED, EXACT).unwrap_err()
    }

    #[test]
    fn numbers_stay_where_they_may_differ_and_words_do_not() {
        let shown = [
            "head",
            "a  1.49  pass",
            "b  2  pass",
            "c  3  pass",
            "speed 1.2 s, 30 times",
        ];
        let pattern = [
            "head",
            "a  1.49  pass",
            "b  2  pass",
            "c  3  fail",
            "speed 1.2 s, 30 times",
        ];
        is_drawn(&shown, Comparison::Pattern, &pattern);
        let exact = [
            "head",
            "a  1.50  pass",
            "b  2  pass",
            "c  3  fail",
            "speed 1.2 s, 30 times",
        ];
        is_drawn(&shown, Comparison::Exact { but: Some("speed") }, &exact);
        is_drawn(&shown, Comparison::Clock, &shown);
    }
}
