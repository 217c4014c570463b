//! Ranges: of members of a class, and what they are widened by.

/// The share of further members that may lie below a range, and above it.
const OUTSIDE: f64 = 0.1;

/// The share of further figures that the model misses by no more than what a range is widened by.
const RESIDUAL_SHARE: f64 = 0.8;

/// The lower end, the median, the upper end.
pub type Range = [f64; 3];

/// The range that holds one more member in four cases of five: of `n` drawn, the next is as likely to lie in each of the `n + 1`
/// gaps that they leave. The least and the most of a few; none of none.
#[must_use]
pub fn middle(mut values: Vec<f64>) -> Option<Range> {
    values.sort_by(f64::total_cmp);
    let below = (OUTSIDE * (values.len() + 1) as f64) as usize;
    let out = below.saturating_sub(1);
    let (least, most) = (values.get(out)?, values.iter().rev().nth(out)?);
    Some([*least, values[values.len() / 2], *most])
}

/// What one more figure is missed by at most in four cases of five, as a logarithm: of `n` errors that of rank `0.8 (n + 1)`,
/// rounded up, or the largest. 0 where none is known.
#[must_use]
pub fn residual(mut errors: Vec<f64>) -> f64 {
    errors.sort_by(f64::total_cmp);
    let rank = (RESIDUAL_SHARE * (errors.len() + 1) as f64).ceil() as usize;
    let at = rank.min(errors.len()).checked_sub(1);
    at.map_or(0.0, |at| errors[at])
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
    fn a_range_holds_one_more_member_and_grows_by_what_is_missed() {
        let members: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(middle(members), Some([2.0, 11.0, 19.0]));
        assert_eq!(middle(vec![5.0]), Some([5.0, 5.0, 5.0]));
        assert_eq!(middle(vec![5.0, 7.0, 6.0]), Some([5.0, 6.0, 7.0]));
        assert_eq!(middle(Vec::new()), None);
        let [least, at, most] = widened([3.0, 11.0, 18.0], 2.0_f64.ln());
        assert!((least - 1.5).abs() < 1e-9 && at == 11.0 && (most - 36.0).abs() < 1e-9);
    }

    #[test]
    fn a_residual_covers_one_more_figure_in_four_cases_of_five() {
        let errors = |n: u32| (1..=n).map(f64::from).collect();
        // Nine errors and the next have ten ranks, of which eight are its own or below.
        assert_eq!(residual(errors(9)), 8.0);
        assert_eq!(residual(errors(11)), 10.0);
        assert_eq!(residual(errors(3)), 3.0);
        assert_eq!(residual(vec![0.3]), 0.3);
        assert_eq!(residual(Vec::new()), 0.0);
        let range = [10.0, 20.0, 40.0];
        assert_eq!(outside(range, 15.0), 0.0);
        assert!((outside(range, 80.0) - 2.0_f64.ln()).abs() < 1e-9);
        assert!((outside(range, 5.0) - 2.0_f64.ln()).abs() < 1e-9);
    }
}
