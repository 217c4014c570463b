//! Lines and columns of a file's keys, for errors that name a key.

use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// Where keys stand in a text; `None` for a key whose value is from elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Places(BTreeMap<String, Option<(usize, usize)>>);

impl Places {
    /// The places of the sections and keys of a text; none if it is not TOML.
    #[must_use]
    pub fn of(text: &str) -> Places {
        let mut places = Places::default();
        if let Ok(table) = DeTable::parse(text) {
            places.add(text, "", table.get_ref());
        }
        places
    }

    /// The same without the places of keys whose values are from elsewhere.
    #[must_use]
    pub fn without(mut self, keys: &[String]) -> Places {
        self.0.extend(keys.iter().map(|key| (key.clone(), None)));
        self
    }

    fn add(&mut self, text: &str, section: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = match section {
                "" => key.get_ref().to_string(),
                section => format!("{section}.{}", key.get_ref()),
            };
            let before = &text[..key.span().start];
            let line = before.matches('\n').count() + 1;
            let of_line = before.rsplit('\n').next().unwrap_or_default();
            self.0
                .insert(name.clone(), Some((line, of_line.chars().count() + 1)));
            match value.get_ref() {
                DeValue::Table(inner) if section.is_empty() => self.add(text, &name, inner),
                _ => {}
            }
        }
    }

    /// A message with the place in front of the first key that it names, or else of the first section. A message that has a
    /// place, and one that names nothing of the text, stays as it is.
    #[must_use]
    pub fn put(&self, message: String) -> String {
        if message.starts_with("at line ") {
            return message;
        }
        match self.first_named(&message) {
            Some((line, column)) => format!("at line {line}, column {column}: {message}"),
            None => message,
        }
    }

    fn first_named(&self, message: &str) -> Option<(usize, usize)> {
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        let names = || {
            let words = message.split(move |c: char| !is_of_name(c));
            words.map(|word| word.trim_matches('.'))
        };
        let key = names().filter(|name| name.contains('.'));
        let key = key.filter_map(|name| self.0.get(name)).next();
        // `kind` and its like are words of English: in quotes they are keys. So is a section in brackets.
        let quoted = || {
            let parts = message.split('`').skip(1).step_by(2);
            let sections = message.split('[').skip(1);
            parts.chain(sections.filter_map(|rest| rest.split(']').next()))
        };
        let quoted = || quoted().filter_map(|name| self.0.get(name)).next();
        // A missing key has no place, but its section has one.
        let section = || {
            let named = names().filter_map(|name| name.split_once('.'));
            named.filter_map(|(section, _)| self.0.get(section)).next()
        };
        key.or_else(quoted).or_else(section).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "schema = 1\nkind = \"ssd\"\n\n[nand]\nt_read = 49\n  page = \"µ\"\n[gc]\n";

    #[test]
    fn an_error_says_where_the_key_is_that_it_names() {
        let places = Places::of(TEXT);
        for (message, at) in [
            ("49 has no unit in `nand.t_read`", "at line 5, column 1: "),
            (
                "nand.page must be more than nand.t_read.",
                "at line 6, column 3: ",
            ),
            (
                "nand.channels is missing: Channels",
                "at line 4, column 2: ",
            ),
            (
                "unknown section `gc`; such a drive",
                "at line 7, column 2: ",
            ),
            ("[gc] has neither", "at line 7, column 2: "),
            ("unknown variant `x` in `kind`", "at line 2, column 1: "),
            ("a drive of that kind has 1.5 GB", ""),
            ("at line 3, column 1: nand.t_read", ""),
        ] {
            assert_eq!(places.put(message.to_owned()), format!("{at}{message}"));
        }
    }

    #[test]
    fn a_key_that_was_set_has_no_line() {
        let places = Places::of(TEXT).without(&["nand.t_read".to_owned(), "nand".to_owned()]);
        let message = "49 has no unit in `nand.t_read`".to_owned();
        assert_eq!(places.put(message.clone()), message);
        assert_eq!(Places::of("[").put(message.clone()), message);
    }
}
