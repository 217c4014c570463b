//! Bit errors: how many bits of a page are read wrong, and what ECC and retries make of them.
//!
//! The raw bit error rate is a sum of power laws, as measured parts follow it (Mielke et al., IRPS
//! 2008; Kim, Choi and Min, FAST 2019, eq. 1; Hetzler 2012 for age and reads):
//!
//! ```text
//! RBER(c, t, r) = new + wear · (c/rated)^k + retention · (c/rated)^m · (t/year)^n + disturb · (c/rated)^p · r/10^6
//! ```
//!
//! with c P/E cycles, t the age of the data at the reference temperature and r reads of the block
//! since its erase. Age at another temperature counts by Arrhenius' law. A codeword with more
//! wrong bits than ECC corrects is read again with shifted thresholds, which takes a share of the
//! retention errors away each time; if that does not help either, the data are lost.

use statrs::distribution::{DiscreteCDF, Poisson};

/// Boltzmann's constant in electronvolts a kelvin.
const BOLTZMANN_EV_K: f64 = 8.617_333e-5;

/// Degrees Celsius as kelvins.
const ZERO_CELSIUS_K: f64 = 273.15;

/// Hours of a year.
pub const HOURS_A_YEAR: f64 = 8766.0;

/// The temperature that ages are counted at: JEDEC JESD218's for a client drive in use.
pub const REFERENCE_CELSIUS: f64 = 40.0;

/// Steps of the table of failing codewords for a factor of ten in errors a codeword.
const STEPS_A_DECADE: f64 = 64.0;

/// Errors a codeword at which the table begins; below, none fails.
const LEAST_ERRORS: f64 = 1e-4;

/// Bit errors as a drive file describes them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorParams {
    /// P/E cycles that the rates below are given at.
    pub rated_cycles: u32,
    /// RBER of an unworn block, just written.
    pub rber_new: f64,
    /// RBER that the rated cycles add.
    pub rber_wear: f64,
    /// Power of the cycles in it.
    pub wear_power: f64,
    /// RBER that a year at the reference temperature adds after the rated cycles.
    pub rber_retention: f64,
    /// Power of the cycles in it, and of the time: with the same power for both, time to the same
    /// rate falls as one over the cycles, as JESD218 has it (ten years at a tenth of the rating, one
    /// at all of it).
    pub retention_power: f64,
    /// RBER that a million reads of a block add after the rated cycles.
    pub rber_disturb: f64,
    /// Power of the cycles in it.
    pub disturb_power: f64,
    /// Activation energy of the loss of charge, in electronvolts.
    pub activation_ev: f64,
    /// User bytes of a codeword.
    pub codeword_bytes: u32,
    /// Wrong bits of a codeword that ECC corrects.
    pub correctable_bits: u32,
    /// Times a page is read again at most.
    pub retries_max: u32,
    /// Share of the retention errors that every retry takes away.
    pub retry_gain: f64,
}

/// Bit errors of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct BitErrors {
    params: ErrorParams,
    /// Share of codewords that ECC cannot correct, by the logarithm of the errors expected in one.
    failing: Vec<f64>,
}

/// State of a block that its bit errors depend on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stress {
    /// Erases of the block.
    pub cycles: u32,
    /// Hours at the reference temperature since the data were written.
    pub hours: f64,
    /// Reads since the erase.
    pub reads: u32,
}

impl Stress {
    /// Returns true if a block has been through no more of anything than one in another state: its bits fail no more often.
    #[must_use]
    pub fn is_within(&self, other: &Stress) -> bool {
        self.cycles <= other.cycles && self.hours <= other.hours && self.reads <= other.reads
    }
}

/// Result of a read, after correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrected {
    /// Times the page was read again.
    pub retries: u32,
    /// True if the data were had in the end.
    pub readable: bool,
}

impl BitErrors {
    /// Bit errors by these parameters.
    #[must_use]
    pub fn new(params: ErrorParams) -> BitErrors {
        let bits = f64::from(params.codeword_bytes) * 8.0;
        let steps = ((bits / LEAST_ERRORS).log10() * STEPS_A_DECADE).ceil() as u32 + 1;
        let failing = |n: u32| {
            let errors = LEAST_ERRORS * 10_f64.powf(f64::from(n) / STEPS_A_DECADE);
            // Few of many bits are wrong, each by itself: their number is Poisson's.
            let poisson = Poisson::new(errors).expect("the rate is above 0");
            poisson.sf(u64::from(params.correctable_bits))
        };
        BitErrors {
            params,
            failing: (0..steps).map(failing).collect(),
        }
    }

    /// Returns the parameters of the model.
    #[must_use]
    pub fn params(&self) -> &ErrorParams {
        &self.params
    }

    /// The raw bit error rate after `retries` retries, at most a half.
    #[must_use]
    pub fn rber(&self, stress: Stress, retries: u32) -> f64 {
        let p = &self.params;
        let worn = f64::from(stress.cycles) / f64::from(p.rated_cycles);
        let mut rate = p.rber_new + p.rber_wear * worn.powf(p.wear_power);
        if stress.hours > 0.0 {
            let years = stress.hours / HOURS_A_YEAR;
            let kept = (1.0 - p.retry_gain).powi(retries as i32);
            rate += p.rber_retention * (worn * years).powf(p.retention_power) * kept;
        }
        rate += p.rber_disturb * worn.powf(p.disturb_power) * f64::from(stress.reads) / 1e6;
        rate.min(0.5)
    }

    /// The share of codewords that ECC cannot correct at a raw bit error rate.
    #[must_use]
    pub fn failing_codewords(&self, rber: f64) -> f64 {
        let errors = rber * f64::from(self.params.codeword_bytes) * 8.0;
        if errors <= LEAST_ERRORS {
            return 0.0;
        }
        let at = (errors / LEAST_ERRORS).log10() * STEPS_A_DECADE;
        let (low, part) = (at.floor(), at.fract());
        let last = self.failing.len() - 1;
        let value = |n: usize| self.failing[n.min(last)];
        let (low, high) = (value(low as usize), value(low as usize + 1));
        if low <= 0.0 {
            return high * part;
        }
        // Straight in the logarithm: the share rises by powers.
        low * (high / low).powf(part)
    }

    /// The share of pages of `codewords` codewords that ECC cannot correct after `retries` retries.
    pub(crate) fn failing_pages(&self, stress: Stress, retries: u32, codewords: u32) -> f64 {
        let share = self.failing_codewords(self.rber(stress, retries));
        // One bad codeword is enough. For small shares 1 − (1 − x)^n loses its digits.
        -(f64::from(codewords) * (-share).ln_1p()).exp_m1()
    }

    /// Reads a page of `codewords` codewords that is weaker than the share `1 − weakness` of all pages, as often as it
    /// takes, and returns the result.
    pub(crate) fn correct(&self, stress: Stress, codewords: u32, weakness: f64) -> Corrected {
        let fails = |retries| weakness < self.failing_pages(stress, retries, codewords);
        let retries = (0..=self.params.retries_max).find(|&retries| !fails(retries));
        Corrected {
            retries: retries.unwrap_or(self.params.retries_max),
            readable: retries.is_some(),
        }
    }

    /// Hours at the reference temperature that age data as one hour at `celsius` does.
    #[must_use]
    pub fn acceleration(&self, celsius: f64) -> f64 {
        let inverse = |c: f64| 1.0 / (c + ZERO_CELSIUS_K);
        let ev = self.params.activation_ev / BOLTZMANN_EV_K;
        (ev * (inverse(REFERENCE_CELSIUS) - inverse(celsius))).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mlc() -> BitErrors {
        BitErrors::new(ErrorParams {
            rated_cycles: 3000,
            rber_new: 1e-6,
            rber_wear: 5e-5,
            wear_power: 2.0,
            rber_retention: 2.5e-4,
            retention_power: 1.2,
            rber_disturb: 1e-4,
            disturb_power: 1.0,
            activation_ev: 1.1,
            codeword_bytes: 512,
            correctable_bits: 15,
            retries_max: 4,
            retry_gain: 0.3,
        })
    }

    fn stress(cycles: u32, years: f64) -> Stress {
        Stress {
            cycles,
            hours: years * HOURS_A_YEAR,
            reads: 0,
        }
    }

    #[test]
    fn a_tenth_of_the_cycles_keeps_data_ten_times_as_long() {
        let errors = mlc();
        let retention = |cycles, years| {
            errors.rber(stress(cycles, years), 0) - errors.rber(stress(cycles, 0.0), 0)
        };
        let (worn, young) = (retention(3000, 1.0), retention(300, 10.0));
        assert!((worn / young - 1.0).abs() < 1e-9, "{worn} {young}");
        assert!(retention(300, 1.0) < worn);
    }

    #[test]
    fn heat_ages_and_cold_keeps() {
        let errors = mlc();
        assert_eq!(errors.acceleration(REFERENCE_CELSIUS), 1.0);
        // Arrhenius at 1.1 eV between 40 and 55 °C, by hand: exp(1.1/k · (1/313.15 − 1/328.15)).
        assert!((errors.acceleration(55.0) - 6.446).abs() < 0.01);
        assert!(errors.acceleration(30.0) < 0.3);
    }

    #[test]
    fn the_share_of_lost_codewords_is_that_of_the_binomial() {
        // 15 of 4096 bits: the tail summed term by term, in logarithms.
        let tail = |p: f64| {
            let (n, mut log_term, mut sum) = (4096.0_f64, 4096.0 * (-p).ln_1p(), 0.0);
            for k in 0..200 {
                if k > 15 {
                    sum += f64::exp(log_term);
                }
                let k = f64::from(k);
                log_term += ((n - k) / (k + 1.0)).ln() + (p / (1.0 - p)).ln();
            }
            sum
        };
        for rber in [2e-4, 3.4e-4, 1e-3, 3e-3] {
            let (table, exact) = (mlc().failing_codewords(rber), tail(rber));
            assert!((table / exact - 1.0).abs() < 0.1, "{rber}: {table} {exact}");
        }
    }

    #[test]
    fn retries_help_until_they_do_not() {
        let errors = mlc();
        let middle = |years| errors.correct(stress(3000, years), 8, 0.5);
        assert_eq!(
            middle(1.0),
            Corrected {
                retries: 0,
                readable: true
            }
        );
        let helped = middle(12.0);
        assert!(helped.readable && helped.retries > 0, "{helped:?}");
        assert!(!middle(1000.0).readable);
        // A weak page gives up sooner than a strong one.
        let weak = errors.correct(stress(3000, 6.0), 8, 1e-6);
        let strong = errors.correct(stress(3000, 6.0), 8, 0.999);
        assert!(weak.retries > strong.retries);
    }

    #[test]
    fn reading_disturbs() {
        let errors = mlc();
        let read = |reads| {
            let stress = Stress {
                reads,
                ..stress(3000, 0.0)
            };
            errors.rber(stress, 0)
        };
        assert!((read(1_000_000) - read(0) - 1e-4).abs() < 1e-12);
    }
}
