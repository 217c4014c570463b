//! What the model is off by on drives that are known, when their sheets alone make them.

use super::kind::Kind;
use super::range::residual;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The table that comes with ftlab; `cargo run -p xtask -- residuals` makes it.
const TABLE: &str = include_str!("../../reference/residuals.csv");

const HEADER: &str = "class,kind,figures,residual";

/// Figures of a class and a kind, and what four of five of them are missed by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Figures that are known.
    pub figures: usize,
    /// The logarithm of what ranges of members are widened by.
    pub residual: f64,
}

/// What is known of each class and kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Residuals(BTreeMap<(String, String), Known>);

impl Residuals {
    /// The table that comes with ftlab.
    ///
    /// # Panics
    /// Never: a test reads it.
    #[must_use]
    pub fn shipped() -> Residuals {
        Residuals::parse(TABLE).expect("a test reads it")
    }

    /// Reads a table.
    ///
    /// # Errors
    /// The line that is none of it.
    pub fn parse(text: &str) -> Result<Residuals, String> {
        let mut lines = text.lines();
        if lines.next() != Some(HEADER) {
            return Err(format!("it does not begin with {HEADER}"));
        }
        let row = |line: &str| {
            let [class, kind, figures, residual] = line.split(',').collect::<Vec<_>>()[..] else {
                return None;
            };
            let known = Known {
                figures: figures.parse().ok()?,
                residual: residual.parse().ok()?,
            };
            Some(((class.to_owned(), kind.to_owned()), known))
        };
        let rows = lines.map(|line| row(line).ok_or_else(|| format!("`{line}` is no row of it")));
        Ok(Residuals(rows.collect::<Result<_, _>>()?))
    }

    /// Takes what figures of classes and kinds lie outside the ranges of members by.
    pub fn of(errors: impl IntoIterator<Item = (String, Kind, f64)>) -> Residuals {
        let mut all: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        for (class, kind, error) in errors {
            let key = (class, kind.name().to_owned());
            all.entry(key).or_default().push(error);
        }
        let known = |errors: Vec<f64>| Known {
            figures: errors.len(),
            residual: residual(errors),
        };
        Residuals(
            all.into_iter()
                .map(|(key, errors)| (key, known(errors)))
                .collect(),
        )
    }

    /// The table as a file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for ((class, kind), known) in &self.0 {
            let Known { figures, residual } = known;
            writeln!(text, "{class},{kind},{figures},{residual:.3}").expect("it is a string");
        }
        text
    }

    /// What figures of a kind are missed by on drives of the class. Where none is known they are taken for as uncertain as the
    /// class's worst kind, and without a figure of the class as the worst of all: what nobody has checked is not narrow.
    #[must_use]
    pub fn at(&self, class: &str, kind: Kind) -> f64 {
        let known = |class: &str| self.0.get(&(class.to_owned(), kind.name().to_owned()));
        let worst = |class: Option<&str>| {
            let rows = (self.0.iter()).filter(|((of, _), _)| class.is_none_or(|class| class == of));
            rows.map(|(_, known)| known.residual).reduce(f64::max)
        };
        let own = known(class).map(|known| known.residual);
        own.or_else(|| worst(Some(class)))
            .or_else(|| worst(None))
            .unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_that_is_shipped_can_be_read() {
        let shipped = Residuals::parse(TABLE).expect("it is a table");
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        assert!(!shipped.0.is_empty());
        for ((class, kind), known) in &shipped.0 {
            assert!(names.contains(&kind.as_str()), "{class} {kind}");
            assert!(known.figures > 0 && known.residual >= 0.0);
        }
        assert_eq!(shipped.text(), TABLE);
        assert!(Residuals::parse("a,b\n").is_err());
        assert!(Residuals::parse(&format!("{HEADER}\nclient,mixed,many,0.1\n")).is_err());
    }

    #[test]
    fn what_no_drive_of_the_class_tells_is_as_uncertain_as_its_worst_kind() {
        let row = |class: &str, kind, error| (class.to_owned(), kind, error);
        let of = Residuals::of([
            row("client", Kind::CacheSize, 1.0),
            row("client", Kind::RandomReads, 0.2),
            row("data-centre", Kind::SteadyWrites, 0.4),
        ]);
        assert_eq!(of.at("client", Kind::RandomReads), 0.2);
        assert_eq!(of.at("client", Kind::SteadyWrites), 1.0);
        assert_eq!(of.at("data-centre", Kind::CacheSize), 0.4);
        assert_eq!(of.at("", Kind::Mixed), 1.0);
        assert_eq!(Residuals::default().at("client", Kind::Mixed), 0.0);
    }
}
