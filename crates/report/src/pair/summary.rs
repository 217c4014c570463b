//! How far a model is off, over all figures of a kind.

use ftlab_result::median;

use super::{Figure, Kind, Match, Pair};

/// The errors of all figures of a kind.
#[derive(Debug)]
pub struct Summary<'p, 'a> {
    /// The kind.
    pub kind: Kind,
    /// The number of figures that are compared.
    pub figures: usize,
    /// Figures that are zero on one side alone, and have no error.
    pub without_error: usize,
    /// The median of the errors, each |ln(simulated ÷ measured)|; none without a figure.
    pub median: Option<f64>,
    /// The figure that is furthest off, with its run; the first of equals.
    pub worst: Option<(&'p Match<'a>, &'p Figure<'a>)>,
}

impl Pair<'_> {
    /// Sums up the errors by kind: rates, latencies and amplification always, other kinds where there are figures.
    #[must_use]
    pub fn summaries(&self) -> Vec<Summary<'_, '_>> {
        let asked = [Kind::Rate, Kind::Latency, Kind::Amplification];
        let all = Kind::ALL.into_iter().map(|kind| self.summary(kind));
        all.filter(|of| asked.contains(&of.kind) || of.figures + of.without_error > 0)
            .collect()
    }

    fn summary(&self, kind: Kind) -> Summary<'_, '_> {
        let figures = self.matches.iter().flat_map(|matched| {
            let figures = matched.compared().filter(move |figure| figure.kind == kind);
            figures.map(move |figure| (matched, figure))
        });
        let (with, without): (Vec<_>, Vec<_>) =
            figures.partition(|(_, figure)| figure.distance().is_some());
        let mut errors: Vec<f64> = with.iter().filter_map(|(_, of)| of.distance()).collect();
        errors.sort_by(f64::total_cmp);
        let distance = |of: &Figure<'_>| of.distance().unwrap_or(0.0);
        // The first of equals, as the last of the reversed.
        let worst = with
            .iter()
            .rev()
            .max_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        Summary {
            kind,
            figures: with.len(),
            without_error: without.len(),
            median: median(&errors),
            worst: worst.copied(),
        }
    }
}
