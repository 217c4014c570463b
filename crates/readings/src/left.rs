//! The list of what files say and results have no place for.

use serde::Serialize;

/// Things that were left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Names of the keys, columns or files, each once.
    pub what: Vec<String>,
    /// Number of times that any of them stands in the files.
    pub times: u64,
    /// The first place.
    pub place: String,
    /// Reason why they were left out.
    pub why: String,
}

/// What was left out so far, by reason.
#[derive(Debug, Default)]
pub struct Ledger {
    rows: Vec<Left>,
}

impl Ledger {
    /// Notes something that was left out.
    pub fn note(&mut self, what: &str, place: &str, why: &str) {
        let found = self.rows.iter_mut().find(|row| row.why == why);
        let Some(row) = found else {
            self.rows.push(Left {
                what: vec![what.to_owned()],
                times: 1,
                place: place.to_owned(),
                why: why.to_owned(),
            });
            return;
        };
        row.times += 1;
        if !row.what.iter().any(|known| known == what) {
            row.what.push(what.to_owned());
        }
    }

    /// Returns all that was left out, in the order in which the reasons came up.
    #[must_use]
    pub fn rows(self) -> Vec<Left> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_row_that_counts() {
        let mut ledger = Ledger::default();
        ledger.note("ctx", "a.json", "the host's");
        ledger.note("eta", "a.json", "a time");
        ledger.note("majf", "b.json", "the host's");
        ledger.note("ctx", "b.json", "the host's");
        let rows = ledger.rows();
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (rows[0].times, rows[0].place.as_str(), &rows[0].what[..]),
            (3, "a.json", &["ctx".to_owned(), "majf".to_owned()][..])
        );
    }
}
