//! A colour for every drive, the same in every chart, so that drives drawn together differ.

/// Colours of the page's palette, `--drive-0` and on in `tokens.css`.
pub const COLOURS_COUNT: usize = 12;

/// The colour of each of `drives` drives, given which of them charts draw together.
///
/// Greedy: the drive that meets most others chooses first, and takes the colour that those it
/// meets have least.
pub fn assign(drives: usize, together: &[Vec<usize>]) -> Vec<usize> {
    let mut meets = vec![vec![0u32; drives]; drives];
    for chart in together {
        for &one in chart {
            for &other in chart.iter().filter(|&&other| other != one) {
                meets[one][other] += 1;
            }
        }
    }
    let mut order: Vec<usize> = (0..drives).collect();
    order.sort_by_key(|&drive| std::cmp::Reverse(meets[drive].iter().sum::<u32>()));
    let mut colours: Vec<Option<usize>> = vec![None; drives];
    for drive in order {
        let clashes = |colour: usize| -> u32 {
            let same = (0..drives).filter(|&other| colours[other] == Some(colour));
            same.map(|other| meets[drive][other]).sum()
        };
        let used = |colour: usize| colours.iter().filter(|c| **c == Some(colour)).count();
        colours[drive] = (0..COLOURS_COUNT).min_by_key(|&colour| (clashes(colour), used(colour)));
    }
    colours.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_drawn_together_have_different_colours() {
        let charts: Vec<Vec<usize>> = (0..8)
            .map(|n| (n..n + 12).map(|d| d * 7 % 45).collect())
            .collect();
        let colours = assign(45, &charts[..1]);
        let of_chart: std::collections::BTreeSet<usize> =
            charts[0].iter().map(|&drive| colours[drive]).collect();
        assert_eq!(of_chart.len(), 12);
    }

    #[test]
    fn all_colours_are_in_use_before_one_comes_again() {
        let mut colours = assign(COLOURS_COUNT, &[]);
        colours.sort_unstable();
        assert_eq!(colours, (0..COLOURS_COUNT).collect::<Vec<_>>());
    }
}
