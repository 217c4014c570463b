//! Addresses that are written more often than others.

use crate::solve::root;
use crate::{OutOfDomain, alpha_fits, domain};

/// Addresses of one rate of writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    /// Their share of all addresses (f).
    pub addresses: f64,
    /// The share of the writes that they get (r); uniform within the class.
    pub writes: f64,
}

impl Class {
    /// The class of all addresses alike.
    pub const ALL: Class = Class {
        addresses: 1.0,
        writes: 1.0,
    };

    /// A hot part and the rest.
    #[must_use]
    pub fn hot_and_cold(addresses: f64, writes: f64) -> [Class; 2] {
        let hot = Class { addresses, writes };
        let cold = Class {
            addresses: 1.0 - addresses,
            writes: 1.0 - writes,
        };
        [hot, cold]
    }
}

/// Shares given as decimals add up to 1 only so far.
const ROUNDING: f64 = 1e-9;

fn classes_fit(classes: &[Class]) -> Result<(), OutOfDomain> {
    for class in classes {
        let share = class.addresses;
        let fits = share > 0.0 && share <= 1.0 + ROUNDING;
        domain("a share of addresses", share, fits, "above 0 and at most 1")?;
        let share = class.writes;
        let fits = (0.0..=1.0 + ROUNDING).contains(&share);
        domain("a share of writes", share, fits, "from 0 to 1")?;
    }
    adds_up(
        "the sum of the shares of addresses",
        classes.iter().map(|class| class.addresses),
    )?;
    adds_up(
        "the sum of the shares of writes",
        classes.iter().map(|class| class.writes),
    )
}

fn adds_up(name: &'static str, shares: impl Iterator<Item = f64>) -> Result<(), OutOfDomain> {
    let sum = shares.fold(0.0, |sum, share| sum + share);
    domain(name, sum, (sum - 1.0).abs() <= ROUNDING, "1").map(drop)
}

/// WA of one FIFO log that takes all classes, for any block size:
///
/// WA = Σ r_k / (1 − exp(−α r_k / (f_k WA))).
///
/// Desnoyers 2014 ("LRU, hot and cold"). Unequal rates make it worse than uniform writes: cold pages
/// are copied again and again.
///
/// # Errors
/// α is not above 1; shares are out of range or do not add up to 1.
pub fn fifo_mixed(alpha: f64, classes: &[Class]) -> Result<f64, OutOfDomain> {
    alpha_fits(alpha)?;
    classes_fit(classes)?;
    // With x = α/WA and both sides times x: Σ f_k φ(x r_k/f_k) = α, φ(y) = y/(1 − e^−y). φ rises, and
    // lies between y and 1 + y, so x between α − 1 and α.
    let excess = |x: f64| {
        let used = |class: &Class| class.addresses * turnover(x * class.writes / class.addresses);
        classes.iter().map(used).sum::<f64>() - alpha
    };
    Ok(alpha / root(alpha - 1.0, alpha, excess))
}

/// Returns y/(1 − e^−y), and 1 at y = 0.
fn turnover(y: f64) -> f64 {
    if y == 0.0 { 1.0 } else { -y / (-y).exp_m1() }
}

/// WA when each class has blocks and spare area of its own: Σ r_k WA₁(1 + op_k), Σ f_k op_k = OP.
///
/// `spare` holds the share of the spare area that each class has, so op_k = OP · spare_k / f_k;
/// `one` is the closed form for uniform writes, for example [`crate::fifo`]. Spare area by size
/// (spare_k = f_k) gives the WA of uniform writes: separation gains only by moving spare area to the hot class.
/// # Errors
/// α is not above 1; shares are out of range or do not add up to 1; what `one` says.
pub fn split(
    alpha: f64,
    classes: &[Class],
    spare: &[f64],
    one: impl Fn(f64) -> Result<f64, OutOfDomain>,
) -> Result<f64, OutOfDomain> {
    alpha_fits(alpha)?;
    classes_fit(classes)?;
    let (given, wanted) = (spare.len(), classes.len());
    domain(
        "the number of shares of spare area",
        given as f64,
        given == wanted,
        "that of the classes",
    )?;
    adds_up("the sum of the shares of spare area", spare.iter().copied())?;
    let mut total = 0.0;
    for (class, share) in classes.iter().zip(spare) {
        // What is never written needs no spare area.
        if class.writes > 0.0 {
            total += class.writes * one(1.0 + (alpha - 1.0) * share / class.addresses)?;
        }
    }
    Ok(total)
}

/// Shares of the spare area proportional to √(r_k f_k), which is very close to the best for
/// separate logs (Desnoyers 2014; R. Stoica and A. Ailamaki, VLDB 2013).
///
/// # Errors
/// Shares are out of range or do not add up to 1.
pub fn spare_by_root(classes: &[Class]) -> Result<Vec<f64>, OutOfDomain> {
    classes_fit(classes)?;
    let roots = classes
        .iter()
        .map(|class| (class.writes * class.addresses).sqrt());
    let sum: f64 = roots.clone().sum();
    Ok(roots.map(|root| root / sum).collect())
}
