//! Tested states in groups: failures by reason, and all by the last mark before the cut.

use super::states::TestedState;
use ftlab_base::amount::grouped;
use serde::Serialize;
use std::fmt::Write;

/// Reasons, and rows of marks, that are shown; JSON has all.
const SHOWN_MAX: usize = 8;

/// Failures that say the same but for numbers.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What the checker said, with `#` for each number in which the failures differ.
    why: String,
    states: usize,
}

/// States with the same last mark before the cut.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Mark<'a> {
    mark: &'a str,
    states: usize,
    failed: usize,
}

/// Failures by what the checker said, the commonest first.
pub fn reasons(tried: &[TestedState]) -> Vec<Reason> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for why in tried.iter().filter_map(|tried| tried.why.as_deref()) {
        let words = without_numbers(why);
        match reasons.iter_mut().find(|(other, _)| *other == words) {
            Some((_, all)) => all.push(why),
            None => reasons.push((words, vec![why])),
        }
    }
    let mut reasons: Vec<Reason> = reasons
        .into_iter()
        .map(|(words, all)| Reason {
            states: all.len(),
            // Words that are always the same need no `#`: an exit code, say.
            why: match all.iter().all(|why| *why == all[0]) {
                true => all[0].to_owned(),
                false => words,
            },
        })
        .collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.states));
    reasons
}

/// States by their mark, in the order of the cuts.
pub fn marks(tried: &[TestedState]) -> Vec<Mark<'_>> {
    let mut in_order: Vec<&TestedState> = tried.iter().collect();
    in_order.sort_by_key(|tried| tried.name.point);
    let mut marks: Vec<Mark<'_>> = Vec::new();
    for tried in in_order {
        let failed = usize::from(!tried.passes());
        match marks.iter_mut().find(|mark| mark.mark == tried.mark) {
            Some(mark) => {
                mark.states += 1;
                mark.failed += failed;
            }
            None => marks.push(Mark {
                mark: &tried.mark,
                states: 1,
                failed,
            }),
        }
    }
    marks
}

/// Both as lines of a report.
pub fn in_words(tried: &[TestedState]) -> String {
    let reasons = reasons(tried);
    let reasons = reasons
        .iter()
        .map(|reason| format!("{} × {}", grouped(reason.states as u64), reason.why));
    let mut text = lines("reasons", &reasons.collect::<Vec<_>>());
    let marks = marks(tried);
    // Where no program marks anything there is one group, and it is that of all.
    if marks.len() > 1 {
        let rows = SHOWN_MAX.min(marks.len());
        let row =
            |number: usize| &marks[number * marks.len() / rows..(number + 1) * marks.len() / rows];
        text += &lines(
            "marks",
            &(0..rows)
                .map(|number| behind(row(number)))
                .collect::<Vec<_>>(),
        );
    }
    text
}

/// What came of the states behind marks that follow one another.
fn behind(marks: &[Mark<'_>]) -> String {
    let name = |mark: &Mark<'_>| match mark.mark {
        "" => "before the first".to_owned(),
        mark => format!("{mark:?}"),
    };
    let names = match marks {
        [first, .., last] => format!("{} to {}", name(first), name(last)),
        marks => marks.iter().map(name).collect(),
    };
    let sum = |of: fn(&Mark<'_>) -> usize| grouped(marks.iter().map(of).sum::<usize>() as u64);
    format!(
        "{names}: {} of {} fail",
        sum(|mark| mark.failed),
        sum(|mark| mark.states)
    )
}

fn lines(heading: &str, rows: &[String]) -> String {
    let mut text = String::new();
    for (number, row) in rows.iter().take(SHOWN_MAX).enumerate() {
        let heading = if number == 0 { heading } else { "" };
        let _ = writeln!(text, "{heading:<9}{row}");
    }
    if let Some(more @ 1..) = rows.len().checked_sub(SHOWN_MAX) {
        let _ = writeln!(text, "         and {more} more");
    }
    text
}

/// The words with `#` for each number, but for the exit code in front.
fn without_numbers(why: &str) -> String {
    let (code, said) = why.split_once(": ").unwrap_or((why, ""));
    let mut words = String::new();
    for letter in said.chars() {
        match letter.is_ascii_digit() {
            true if words.ends_with('#') => {}
            true => words.push('#'),
            false => words.push(letter),
        }
    }
    match said {
        "" => code.to_owned(),
        _ => format!("{code}: {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::states::Name;
    use super::*;

    fn state(point: u64, mark: &str, why: &str) -> TestedState {
        TestedState {
            name: Name { seed: 1, point },
            at_ns: point,
            mark: mark.to_owned(),
            lost_slots: 0,
            why: (!why.is_empty()).then(|| why.to_owned()),
        }
    }

    #[test]
    fn failures_are_counted_by_reason_and_states_by_mark() {
        let tried = [
            state(9, "2", "exit code 1: k17 is missing"),
            state(3, "1", "exit code 1: the head is torn"),
            state(4, "1", ""),
            state(1, "", ""),
            state(8, "2", "exit code 1: k8 is missing"),
        ];
        assert_eq!(
            in_words(&tried),
            "reasons  2 × exit code 1: k# is missing\n         1 × exit code 1: the head is torn\n\
             marks    before the first: 0 of 1 fail\n         \"1\": 1 of 2 fail\n         \"2\": 2 of 2 fail\n"
        );
        let same = [
            state(1, "", "exit code 1: k17 is gone"),
            state(2, "", "exit code 1: k17 is gone"),
        ];
        assert_eq!(in_words(&same), "reasons  2 × exit code 1: k17 is gone\n");
    }

    #[test]
    fn many_marks_are_put_together_and_many_reasons_counted() {
        let many: Vec<TestedState> = (0..20)
            .map(|n| {
                state(
                    n,
                    &n.to_string(),
                    if n % 2 == 0 { "exit code 1" } else { "" },
                )
            })
            .collect();
        let text = in_words(&many);
        assert_eq!(text.lines().count(), 1 + SHOWN_MAX, "{text}");
        assert!(
            text.ends_with("         \"17\" to \"19\": 1 of 3 fail\n"),
            "{text}"
        );
        let many: Vec<TestedState> = (b'a'..=b't')
            .map(|letter| state(1, "", &format!("exit code 1: {}", letter as char)))
            .collect();
        assert!(in_words(&many).ends_with("         and 12 more\n"));
    }
}
