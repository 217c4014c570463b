//! SNIA's rule of the steady state, wherever rounds are judged by it.
//!
//! A load is repeated in rounds. The measured quantity is steady when over the last [`WINDOW`] of them
//! its values lie within [`EXCURSION_MAX`] of their mean, and the line through them by least squares
//! moves by [`SLOPE_MAX`] of it at most. After [`ROUNDS_MAX`] rounds it counts as one that does not
//! settle (SNIA SSS PTS 2.0.2).

/// Rounds that are looked at together.
pub const WINDOW: usize = 5;

/// Rounds after which a drive counts as one that does not settle.
pub const ROUNDS_MAX: usize = 25;

/// The most that the largest and the smallest value of a window may differ, of its mean.
pub const EXCURSION_MAX: f64 = 0.20;

/// The most that the line fitted to a window may rise or fall over it, of its mean.
pub const SLOPE_MAX: f64 = 0.10;

/// Figures that the rule looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Mean of the values.
    pub mean: f64,
    /// Distance of the largest value from the smallest, as a share of the mean.
    pub excursion: f64,
    /// Movement of the fitted line over the window, as a share of the mean.
    pub slope: f64,
    /// The fitted line at the first round of the window and at the last.
    pub line: [f64; 2],
}

impl Window {
    /// The last window of a series; `None` while there are too few rounds for one.
    #[must_use]
    pub fn last(rounds: &[f64]) -> Option<Window> {
        let first = rounds.len().checked_sub(WINDOW)?;
        Some(Window::of(&rounds[first..]))
    }

    fn of(values: &[f64]) -> Window {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        let least = values.iter().copied().fold(f64::MAX, f64::min);
        let middle = (values.len() - 1) as f64 / 2.0;
        let along = |n: usize| n as f64 - middle;
        let with: f64 = (0..).zip(values).map(|(n, y)| along(n) * (y - mean)).sum();
        let square: f64 = (0..values.len()).map(|n| along(n) * along(n)).sum();
        let half = with / square * middle;
        // Amounts that are all nothing do not differ.
        let of_mean = |amount: f64| if mean == 0.0 { 0.0 } else { amount / mean };
        Window {
            mean,
            excursion: of_mean(most - least),
            slope: of_mean(2.0 * half).abs(),
            line: [mean - half, mean + half],
        }
    }

    /// Returns true if the rule holds.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.excursion <= EXCURSION_MAX && self.slope <= SLOPE_MAX
    }
}

/// Returns true if the rule holds for the last rounds of a series.
#[must_use]
pub fn is_steady(rounds: &[f64]) -> bool {
    Window::last(rounds).is_some_and(|window| window.is_steady())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_steady_within_both_bounds() {
        assert!(!is_steady(&[1.0; 4]), "four rounds are no window");
        assert!(is_steady(&[9.0, 1.0, 1.0, 1.0, 1.0, 1.0]));
        // Up and down, without a trend: by just under 20 % and just over.
        assert!(is_steady(&[1.0, 1.099, 0.901, 1.099, 0.901]));
        assert!(!is_steady(&[1.0, 1.101, 0.899, 1.101, 0.899]));
        // A trend of just under 10 % and just over.
        assert!(is_steady(&[0.951, 0.975, 1.0, 1.025, 1.049]));
        assert!(!is_steady(&[0.949, 0.975, 1.0, 1.025, 1.051]));
        assert!(!is_steady(&[1.051, 1.025, 1.0, 0.975, 0.949]));
    }

    #[test]
    fn the_figures_of_a_window_are_those_of_its_values() {
        // By hand: the sum of (n − 2)(y − 100), over that of (n − 2)².
        let window = Window::last(&[7.0, 100.0, 104.0, 96.0, 110.0, 90.0]).unwrap();
        assert_eq!(window.mean, 100.0);
        assert!((window.excursion - 0.20).abs() < 1e-12);
        let by_hand = (-2.0 * 0.0 - 4.0 + 10.0 - 2.0 * 10.0) / 10.0;
        assert!((window.slope - f64::abs(by_hand * 4.0) / 100.0).abs() < 1e-12);
        let [first, last] = window.line;
        assert!((first - (100.0 - 2.0 * by_hand)).abs() < 1e-9);
        assert!((last - (100.0 + 2.0 * by_hand)).abs() < 1e-9);
    }

    #[test]
    fn nothing_at_all_is_steady() {
        let window = Window::last(&[0.0; 5]).unwrap();
        assert!(window.is_steady() && window.excursion == 0.0 && window.slope == 0.0);
    }
}
