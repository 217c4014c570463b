//! Numbers of bursts of each length that give a distribution of queue depths.
//!
//! A burst of *n* requests meets the queue depths 1 to *n*: each of its requests counts itself and
//! those of the burst before it. So with as many bursts of length *n* as there are more requests at
//! depth *n* than at depth *n* + 1, every depth has exactly its requests.

use super::apportion::apportion;

/// Known figures of the queue depths that requests are issued at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Depths {
    /// Share of the requests at depth 1.
    pub one: f64,
    /// Mean over all requests.
    pub mean: f64,
    /// The deepest of them.
    pub most: u32,
}

/// Halvings of the interval in which a ratio is sought: more than its 53 bits need.
const HALVINGS: u32 = 100;

/// The error of a few operations on numbers below 100.
const ROUNDING: f64 = 1e-12;

impl Depths {
    /// Bursts of one request, of two, up to the deepest, of N requests. The depths above 1
    /// fall off geometrically, as steeply as the mean asks for.
    ///
    /// # Errors
    /// When no distribution has this share, mean and depth.
    pub fn bursts(self, operations: u64) -> Result<Vec<u64>, String> {
        let mut requests = apportion(operations, &self.shares()?);
        requests.push(0);
        Ok(requests.windows(2).map(|pair| pair[0] - pair[1]).collect())
    }

    /// Shares of the depths from 1 on, of 1 together; they never rise.
    fn shares(self) -> Result<Vec<f64>, String> {
        let Depths { one, mean, most } = self;
        if !(0.0..1.0).contains(&one) || most < 2 {
            return Err("one must be below 100 %, and most at least 2".to_owned());
        }
        let above = (mean - one) / (1.0 - one);
        let (least, greatest) = (2.0, f64::from(2 + most) / 2.0);
        // A mean at either end is one, whatever its last bits.
        if !(least - ROUNDING..=greatest + ROUNDING).contains(&above) {
            let of = |above: f64| one + (1.0 - one) * above;
            return Err(format!(
                "a mean of {mean} cannot be with that share at depth 1 and depths to {most}: from \
                 {:.3} to {:.3}",
                of(least),
                of(greatest)
            ));
        }
        let deep = geometric(above, most);
        if (1.0 - one) * deep[0] > one {
            let why = "more requests would be at depth 2 than at depth 1, where every burst begins; \
                       raise one or mean";
            return Err(why.to_owned());
        }
        let deep = deep.into_iter().map(|share| (1.0 - one) * share);
        Ok(std::iter::once(one).chain(deep).collect())
    }
}

/// Shares of the depths 2 to `most`, each the same part of the one before, with that mean.
fn geometric(mean: f64, most: u32) -> Vec<f64> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let ratio = f64::midpoint(low, high);
        let of_ratio = (2..).zip(weights(ratio, most));
        let (sum, total) = of_ratio.fold((0.0, 0.0), |(sum, total), (depth, weight)| {
            (sum + f64::from(depth) * weight, total + weight)
        });
        // The mean rises with the ratio.
        if sum / total < mean {
            low = ratio;
        } else {
            high = ratio;
        }
    }
    let weights: Vec<f64> = weights(high, most).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

fn weights(ratio: f64, most: u32) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(1.0), move |weight| Some(weight * ratio)).take(most as usize - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAVY: Depths = Depths {
        one: 0.59,
        mean: 4.625,
        most: 32,
    };

    /// Requests at each depth, from 1 on.
    fn requests(bursts: &[u64]) -> Vec<u64> {
        (0..bursts.len())
            .map(|n| bursts[n..].iter().sum())
            .collect()
    }

    #[test]
    fn bursts_give_the_share_at_one_and_the_mean() {
        let operations = 3_952_340;
        let requests = requests(&HEAVY.bursts(operations).unwrap());
        assert_eq!(requests.iter().sum::<u64>(), operations);
        assert_eq!(requests[0], (0.59 * operations as f64).round() as u64);
        let weighted = (1..).zip(&requests).map(|(depth, count)| depth * count);
        let mean = weighted.sum::<u64>() as f64 / operations as f64;
        assert!((mean - 4.625).abs() < 1e-4, "{mean}");
        assert!(requests.is_sorted_by(|a, b| a >= b));
        // Geometric: each depth above 1 has the same part of the one before.
        let ratios: Vec<f64> = (1..31)
            .map(|n| requests[n + 1] as f64 / requests[n] as f64)
            .collect();
        assert!(ratios.iter().all(|r| (r / ratios[0] - 1.0).abs() < 1e-3));
    }

    #[test]
    fn the_extremes_are_only_depth_two_and_all_depths_alike() {
        let with = |mean| Depths { mean, ..HEAVY }.bursts(10_000);
        let shallow = with(0.59 + 0.41 * 2.0).unwrap();
        assert_eq!((shallow[0], shallow[1]), (1_800, 4_100));
        let deep = requests(&with(0.59 + 0.41 * 17.0).unwrap());
        assert!(deep[1..].iter().all(|&count| (132..=133).contains(&count)));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_can() {
        let error = |depths: Depths| depths.bursts(1_000).unwrap_err();
        let mean = error(Depths { mean: 8.0, ..HEAVY });
        assert!(mean.contains("from 1.410 to 7.560"), "{mean}");
        let crowded = error(Depths {
            one: 0.1,
            mean: 1.95,
            most: 32,
        });
        assert!(crowded.contains("every burst begins"), "{crowded}");
        assert!(error(Depths { most: 1, ..HEAVY }).contains("at least 2"));
        assert!(error(Depths { one: 1.0, ..HEAVY }).contains("below 100 %"));
    }
}
