//! Ranges: of members of a class, and what they are widened by.

/// The share of members that lie below a range, and above it.
const OUTSIDE: f64 = 0.1;

/// The share of figures that the model misses by no more than what a range is widened by.
const RESIDUAL_SHARE: f64 = 0.8;

/// The lower end, the median, the upper end.
pub type Range = [f64; 3];

/// The range of the middle four fifths of members; none of none.
#[must_use]
pub fn middle(mut values: Vec<f64>) -> Option<Range> {
    values.sort_by(f64::total_cmp);
    let out = (OUTSIDE * values.len() as f64) as usize;
    let (least, most) = (values.get(out)?, values.iter().rev().nth(out)?);
    Some([*least, values[values.len() / 2], *most])
}

/// What four of five known figures are missed by at most, as a logarithm; 0 where none is known.
#[must_use]
pub fn residual(mut errors: Vec<f64>) -> f64 {
    errors.sort_by(f64::total_cmp);
    let at = (RESIDUAL_SHARE * errors.len() as f64) as usize;
    errors
        .get(at.min(errors.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}

/// A range that is wider by a residual on both sides.
#[must_use]
pub fn widened([least, middle, most]: Range, residual: f64) -> Range {
    let wider = residual.exp();
    [least / wider, middle, most * wider]
}

/// How far a value lies outside a range, as a logarithm; 0 within.
#[must_use]
pub fn outside([least, _, most]: Range, value: f64) -> f64 {
    (least / value).ln().max((value / most).ln()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_that_of_the_middle_members_and_grows_by_what_is_missed() {
        let members: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(middle(members), Some([3.0, 11.0, 18.0]));
        assert_eq!(middle(vec![5.0]), Some([5.0, 5.0, 5.0]));
        assert_eq!(middle(Vec::new()), None);
        let [least, at, most] = widened([3.0, 11.0, 18.0], 2.0_f64.ln());
        assert!((least - 1.5).abs() < 1e-9 && at == 11.0 && (most - 36.0).abs() < 1e-9);
    }

    #[test]
    fn a_residual_covers_four_of_five() {
        let errors: Vec<f64> = (0..10).map(|n| f64::from(n) / 10.0).collect();
        assert_eq!(residual(errors), 0.8);
        assert_eq!(residual(vec![0.3]), 0.3);
        assert_eq!(residual(Vec::new()), 0.0);
        let range = [10.0, 20.0, 40.0];
        assert_eq!(outside(range, 15.0), 0.0);
        assert!((outside(range, 80.0) - 2.0_f64.ln()).abs() < 1e-9);
        assert!((outside(range, 5.0) - 2.0_f64.ln()).abs() < 1e-9);
    }
}
