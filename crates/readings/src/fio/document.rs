//! The documents in a text that fio wrote: JSON, with remarks before, between and behind.

use serde_json::{Deserializer, Value};

/// The documents of a text, in their order.
///
/// # Errors
/// When there is none, or one is cut off or broken: where, and what to do.
pub fn documents(text: &str) -> Result<Vec<Value>, String> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = begin(text, from, found.is_empty()) {
        let mut values = Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => found.push(value),
            Some(Err(why)) => return Err(broken(text, begin, found.len(), &why)),
            None => break,
        }
        from = begin + values.byte_offset();
    }
    match found.is_empty() {
        true => Err(
            "there is no JSON in it; give what `fio --output-format=json` or `json+` writes"
                .to_owned(),
        ),
        false => Ok(found),
    }
}

/// The place of the next brace that begins a line; of the first document also of one within a line.
fn begin(text: &str, from: usize, is_first: bool) -> Option<usize> {
    let rest = &text[from..];
    let at_line = rest.match_indices('{').find(|(at, _)| {
        let line = text[..from + at].rfind('\n').map_or(0, |end| end + 1);
        text[line.max(from)..from + at].trim().is_empty()
    });
    let anywhere = || rest.find('{').filter(|_| is_first);
    at_line
        .map(|(at, _)| at)
        .or_else(anywhere)
        .map(|at| from + at)
}

fn broken(text: &str, begin: usize, before: usize, why: &serde_json::Error) -> String {
    let line = text[..begin].matches('\n').count() + why.line();
    let whole = match before {
        0 => String::new(),
        1 => " behind one whole document".to_owned(),
        n => format!(" behind {n} whole documents"),
    };
    match why.is_eof() {
        true => format!(
            "it is cut off in line {line}{whole}: fio did not end, or the file was not copied whole; give the whole file"
        ),
        false => format!(
            "line {line}{whole} is no JSON ({why}); give what `fio --output-format=json` writes"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_around_documents_are_left_out() {
        let text = "fio: note {a}\n{\n \"a\": 1}\nbetween {\"no\"}\n {\"a\": 2}\nat the end\n";
        let found = documents(text).unwrap();
        let values: Vec<u64> = found.iter().filter_map(|of| of["a"].as_u64()).collect();
        assert_eq!(values, [1, 2]);
        assert_eq!(documents("warning: x{\"a\": 3}").unwrap().len(), 1);
    }

    #[test]
    fn what_is_cut_off_or_broken_is_said_with_its_line() {
        let cut = documents("note\n{\"a\": 1}\n{\"a\":\n [1,").unwrap_err();
        assert!(
            cut.contains("cut off in line 4 behind one whole document"),
            "{cut}"
        );
        let broken = documents("{\n\"a\": nan}").unwrap_err();
        assert!(broken.contains("line 2 is no JSON"), "{broken}");
        assert!(documents("bw=3MiB/s\n").unwrap_err().contains("no JSON"));
    }
}
