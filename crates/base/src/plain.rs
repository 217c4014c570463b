//! Messages of file parsers, without the names of this program's types.

/// Pairs of a name that serde uses and the word that somebody who wrote a file knows.
const WORDS: [(&str, &str); 4] = [
    ("f64", "a number"),
    ("a map", "a section"),
    ("a sequence", "a list"),
    ("an array", "a list"),
];

/// Types whose own name follows, and what a value of such a type is.
const NAMED: [(&str, &str); 3] = [
    ("tuple struct ", "a value"),
    ("struct ", "a section"),
    ("enum ", "a name"),
];

/// Widths of whole numbers.
const WHOLE: [&str; 10] = [
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
];

/// The message of a parser in a reader's words: "expected u32" becomes "expected a whole number".
#[must_use]
pub fn without_types(message: &str) -> String {
    let Some((before, expected)) = message.split_once(", expected ") else {
        return message.to_owned();
    };
    let before = before.replace("floating point ", "").replace("NaN", "nan");
    format!("{before}, expected {}", expectation(expected))
}

fn expectation(text: &str) -> String {
    for (kind, words) in NAMED {
        if let Some(rest) = text.strip_prefix(kind) {
            let after = rest.find(' ').map_or("", |end| &rest[end..]);
            return format!("{words}{after}");
        }
    }
    let whole = WHOLE.map(|width| (width, "a whole number"));
    for (kind, words) in WORDS.into_iter().chain(whole) {
        if let Some(rest) = text.strip_prefix(kind)
            && !rest.starts_with(|c: char| c.is_alphanumeric())
        {
            return format!("{words}{rest}");
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::without_types;

    #[test]
    fn a_reader_sees_no_type_of_the_program() {
        for (message, words) in [
            (
                "invalid type: floating point `NaN`, expected u32 in `schema`",
                "invalid type: `nan`, expected a whole number in `schema`",
            ),
            (
                "invalid type: string \"nan\", expected f64 in `a.value`",
                "invalid type: string \"nan\", expected a number in `a.value`",
            ),
            (
                "invalid type: integer `5`, expected struct Nand in `nand`",
                "invalid type: integer `5`, expected a section in `nand`",
            ),
            (
                "unknown field `a`, expected one of `b`, `c`",
                "unknown field `a`, expected one of `b`, `c`",
            ),
            ("missing field `u8`", "missing field `u8`"),
        ] {
            assert_eq!(without_types(message), words);
        }
    }
}
