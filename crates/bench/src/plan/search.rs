//! The least x at which a measured value that falls with x keeps a goal.

/// A search for the least place that keeps a goal.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// The most that the value may be.
    pub goal: f64,
    /// The share of the goal by which it may be missed: the precision of the measurement.
    pub value_share: f64,
    /// The ratio of two places up to which they are one.
    pub place_ratio: f64,
    /// The least and the largest place to look at; above 0.
    pub bounds: [f64; 2],
}

/// A place and the value there.
pub type Seen = (f64, f64);

/// The end of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    /// The goal is kept here, and not below.
    At(Seen),
    /// It is kept at the least place there is to look at.
    Everywhere(Seen),
    /// It is kept nowhere; the largest place, which comes nearest.
    Nowhere(Seen),
}

/// Places that are measured at most: each halves what is open at worst, but for the last digits.
const LOOKS_MAX: u32 = 14;

/// The factor by which the next place lies outside of all that were seen.
const STEP: f64 = 2.0;

/// The least distance of the next place from an end of the bracket, as a share of it.
const END_SHARE: f64 = 0.05;

/// A curve of about the same shape as the value.
pub type Guide<'a> = &'a dyn Fn(f64) -> Option<f64>;

impl Search {
    /// Searches from the places in `seen` on, by measuring at others. The shape of the `guide`, if there is one, gives
    /// the next place; else a power law between the two nearest places does.
    pub fn least<E>(
        &self,
        seen: &[Seen],
        guide: Guide<'_>,
        measure: &mut dyn FnMut(f64) -> Result<f64, E>,
    ) -> Result<Found, E> {
        let mut seen = seen.to_vec();
        if seen.is_empty() {
            let middle = (self.bounds[0] * self.bounds[1]).sqrt();
            seen.push((middle, measure(middle)?));
        }
        for _ in 0..LOOKS_MAX {
            seen.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A value that once came out too small by chance is no end of the bracket.
            let kept = seen.iter().rposition(|at| !self.keeps(at.1));
            let next = match kept {
                None => {
                    let first = seen[0];
                    if self.is_bound(first) {
                        return Ok(Found::Everywhere(first));
                    }
                    self.guided(first, guide)
                        .filter(|x| *x < first.0)
                        .unwrap_or(first.0 / STEP)
                }
                Some(last) if last + 1 == seen.len() => {
                    let last = seen[last];
                    if last.0 >= self.bounds[1] {
                        return Ok(Found::Nowhere(last));
                    }
                    self.guided(last, guide)
                        .filter(|x| *x > last.0)
                        .unwrap_or(last.0 * STEP)
                }
                Some(misses) => {
                    let (misses, keeps) = (seen[misses], seen[misses + 1]);
                    let is_exact = (keeps.1 / self.goal - 1.0).abs() <= self.value_share;
                    if is_exact || keeps.0 / misses.0 <= self.place_ratio {
                        return Ok(Found::At(keeps));
                    }
                    self.between(misses, keeps, guide)
                }
            };
            let next = next.clamp(self.bounds[0], self.bounds[1]);
            seen.push((next, measure(next)?));
        }
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(match self.least_kept(&seen) {
            Some(keeps) => Found::At(keeps),
            None => Found::Nowhere(seen[seen.len() - 1]),
        })
    }

    /// The least of the places that were seen from which on all keep the goal.
    pub fn least_kept(&self, seen: &[Seen]) -> Option<Seen> {
        let mut seen = seen.to_vec();
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        let misses = seen.iter().rposition(|at| !self.keeps(at.1));
        seen.get(misses.map_or(0, |misses| misses + 1)).copied()
    }

    fn keeps(&self, value: f64) -> bool {
        value <= self.goal * (1.0 + self.value_share)
    }

    /// Returns true if no place below this one can be looked at.
    fn is_bound(&self, at: Seen) -> bool {
        at.0 <= self.bounds[0]
    }

    /// The place at which the guide, moved to go through a place that was seen, reaches the goal.
    fn guided(&self, near: Seen, guide: Guide<'_>) -> Option<f64> {
        let factor = near.1 / guide(near.0)?;
        let misses = |x: f64| guide(x).is_some_and(|value| factor * value > self.goal);
        let [mut low, mut high] = self.bounds;
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            match misses(middle) {
                true => low = middle,
                false => high = middle,
            }
        }
        Some(high)
    }

    /// The next place between one that misses the goal and one that keeps it.
    fn between(&self, misses: Seen, keeps: Seen, guide: Guide<'_>) -> f64 {
        let off = |at: &Seen| (at.1 / self.goal).ln().abs();
        let nearer = if off(&misses) < off(&keeps) {
            misses
        } else {
            keeps
        };
        let width = (keeps.0 / misses.0).ln();
        let share = match self.guided(nearer, guide) {
            Some(x) => (x / misses.0).ln() / width,
            None => {
                let [above, below] = [misses.1, keeps.1].map(|value| (value / self.goal).ln());
                above / (above - below)
            }
        };
        let share = if share.is_finite() { share } else { 0.5 };
        misses.0 * (width * share.clamp(END_SHARE, 1.0 - END_SHARE)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: Search = Search {
        goal: 2.0,
        value_share: 1e-3,
        place_ratio: 1.001,
        bounds: [0.01, 100.0],
    };

    fn unguided(_: f64) -> Option<f64> {
        None
    }

    fn least(
        search: Search,
        seen: &[Seen],
        guide: Guide<'_>,
        value: impl Fn(f64) -> f64,
    ) -> (Found, Vec<f64>) {
        let mut looks = Vec::new();
        let found = search.least(seen, guide, &mut |x| {
            looks.push(x);
            Ok::<f64, ()>(value(x))
        });
        (found.unwrap(), looks)
    }

    #[test]
    fn a_root_is_bracketed_from_either_side_and_found() {
        // 1 + 1/x is 2 at 1.
        for seen in [vec![], vec![(0.02, 51.0)], vec![(60.0, 1.0 + 1.0 / 60.0)]] {
            let (found, looks) = least(SEARCH, &seen, &unguided, |x| 1.0 + 1.0 / x);
            let Found::At((x, value)) = found else {
                panic!("{found:?}");
            };
            assert!((x - 1.0).abs() < 5e-3 && value <= 2.002, "{x}: {value}");
            assert!(looks.len() <= LOOKS_MAX as usize, "{looks:?}");
        }
    }

    #[test]
    fn a_guide_of_the_right_shape_needs_two_looks() {
        let guide = |x: f64| Some(1.0 + 0.9 / x);
        let (found, looks) = least(SEARCH, &[(0.5, 3.0)], &guide, |x| 1.0 + 1.0 / x);
        assert!(
            matches!(found, Found::At((x, _)) if (x - 1.0).abs() < 5e-3),
            "{found:?}"
        );
        assert!(looks.len() <= 4, "{looks:?}");
    }

    #[test]
    fn a_step_is_found_as_exactly_as_places_are_told_apart() {
        let (found, _) = least(SEARCH, &[(0.7, 9.0), (1.4, 1.0)], &unguided, |x| {
            if x < 0.9 { 9.0 } else { 1.0 }
        });
        assert!(
            matches!(found, Found::At((x, _)) if (0.9..0.95).contains(&x)),
            "{found:?}"
        );
    }

    #[test]
    fn what_is_kept_nowhere_or_everywhere_says_so_at_the_bound() {
        let (found, _) = least(SEARCH, &[(1.0, 9.0)], &unguided, |_| 3.0);
        assert_eq!(found, Found::Nowhere((100.0, 3.0)));
        let (found, _) = least(SEARCH, &[(1.0, 1.0)], &unguided, |_| 1.0);
        assert_eq!(found, Found::Everywhere((0.01, 1.0)));
    }

    #[test]
    fn a_value_that_came_out_small_by_chance_is_no_end_of_the_bracket() {
        let seen = [(0.1, 1.5), (0.5, 3.0), (4.0, 1.25)];
        let (found, _) = least(SEARCH, &seen, &unguided, |x| 1.0 + 1.0 / x);
        assert!(
            matches!(found, Found::At((x, _)) if (x - 1.0).abs() < 5e-3),
            "{found:?}"
        );
    }
}
