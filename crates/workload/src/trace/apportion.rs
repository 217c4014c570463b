//! Whole numbers in given proportions.

/// Divides `total` as the `shares` say, which are of 1 together: each part is its share rounded
/// down, or up where rounding takes most away, the earlier one of equals. So equal or falling shares
/// give parts that do not rise.
pub(super) fn apportion(total: u64, shares: &[f64]) -> Vec<u64> {
    let exact: Vec<f64> = shares.iter().map(|share| share * total as f64).collect();
    let mut parts: Vec<u64> = exact.iter().map(|part| part.floor() as u64).collect();
    let mut by_rest: Vec<usize> = (0..parts.len()).collect();
    let rest = |n: usize| exact[n] - exact[n].floor();
    by_rest.sort_by(|&a, &b| rest(b).total_cmp(&rest(a)));
    let given: u64 = parts.iter().sum();
    let missing = total.saturating_sub(given) as usize;
    for &n in by_rest.iter().cycle().take(missing) {
        parts[n] += 1;
    }
    // Sums of shares that are 1 but for the last bits may have given one too many.
    if let Some(last) = parts.iter_mut().rev().find(|part| **part > 0) {
        *last -= given.saturating_sub(total).min(*last);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_are_within_one_of_their_shares() {
        let shares = [0.28, 0.10, 0.10, 0.04, 0.48];
        for total in [0, 1, 7, 99, 1_783_447] {
            let parts = apportion(total, &shares);
            assert_eq!(parts.iter().sum::<u64>(), total);
            for (part, share) in parts.iter().zip(shares) {
                assert!((*part as f64 - share * total as f64).abs() < 1.0);
            }
        }
    }

    #[test]
    fn what_is_missing_goes_where_rounding_took_most() {
        assert_eq!(apportion(10, &[0.26, 0.26, 0.48]), [3, 2, 5]);
        assert_eq!(apportion(1, &[0.5, 0.5]), [1, 0]);
    }
}
