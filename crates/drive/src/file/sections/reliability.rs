//! `[reliability]`, `[ecc]` and `[smart]`: how long blocks last, bit errors, and what the drive reports of them.

use super::faults::FaultKeys;
use crate::file::section::{Takes, section};
use crate::smart::Vendor;
use ftlab_base::{RootSeed, SECTOR_BYTES};
use ftlab_nand::{BitErrors, Endurance, ErrorParams, Reliability};
use ftlab_sheet::quantity::{
    ActivationEnergy, Amount, Bytes, Count, CountOrNone, Quantity, Ratio, Share,
};

section! {
    "reliability"
    /// How long the drive lasts ([endurance](../endurance.md)): the amount that its maker announces, the lives of its
    /// blocks, or both. Lives of blocks take `rated_cycles`, `median_cycles` and `life_shape` together; without them blocks
    /// last for ever.
    struct ReliabilityKeys {
        /// Bytes that the maker lets the host write (TBW), whatever the write amplification.
        rated_bytes: Option<Quantity<Amount>>,
        /// P/E cycles that the maker guarantees.
        rated_cycles: Option<Quantity<Count>>,
        /// P/E cycles that half of the blocks survive.
        median_cycles: Option<Quantity<Count>>,
        /// Shape of the Weibull distribution of block lives.
        life_shape: Option<Quantity<Ratio>>,
        /// Share of worn-out blocks whose end an erase shows; of the others a program fails. Left out, no block fails in a
        /// run: what is said of cycles is known of the flash, and the drive has no part of its spare area to replace blocks with.
        erase_share: Option<Quantity<Ratio>>,
        /// Share of blocks that are bad when the drive is made; none if left out.
        factory_bad: Option<Quantity<Ratio>>,
    }
}

section! {
    "ecc"
    /// Bit errors and what corrects them; without the section, no bit is read wrong. It needs `[reliability]`.
    struct EccKeys {
        /// User bytes of a codeword. With `firmware.overlap`, data of a read cross the link as soon as a codeword of them is
        /// corrected.
        codeword: Quantity<Bytes>,
        /// Wrong bits of a codeword that are corrected.
        correctable_bits: Quantity<Count>,
        /// Times that a page is read again at most, with shifted thresholds.
        retries: Quantity<CountOrNone>,
        /// Share of the retention errors that every retry takes away.
        retry_gain: Quantity<Ratio>,
        /// RBER of an unworn block, just written.
        rber_new: Quantity<Share>,
        /// RBER that the rated cycles add.
        rber_wear: Quantity<Share>,
        /// The power of the cycles in that.
        wear_power: Quantity<Ratio>,
        /// RBER that a year at 40 °C adds after the rated cycles.
        rber_retention: Quantity<Share>,
        /// The power of cycles and time in that.
        retention_power: Quantity<Ratio>,
        /// RBER that a million reads of a block add after the rated cycles.
        rber_disturb: Quantity<Share>,
        /// The power of the cycles in that.
        disturb_power: Quantity<Ratio>,
        /// Activation energy of the loss of charge.
        activation: Quantity<ActivationEnergy>,
    }
}

section! {
    "smart"
    /// Which attributes the drive reports, and how it scales them; none without the section.
    struct SmartKeys {
        /// Whose table of attributes.
        vendor: Vendor,
    }
}

impl Takes for Vendor {
    const WHAT: &'static str = "`intel`, `indilinx`, `sandforce`, `micron`, `samsung`";
}

/// The most that a share may be and leave a drive at all.
const FACTORY_BAD_MAX: f64 = 1.0;

/// The least and the most shape of the distribution of block lives: from lives that forget how worn
/// a block is to lives that are all but equal.
const SHAPES: [f64; 2] = [1.0, 1000.0];

/// More retries than any firmware's table has.
const RETRIES_MAX: f64 = 64.0;

/// The most a power law may rise with.
const POWER_MAX: f64 = 20.0;

/// Failures of the drive's array, if the file has any; the error says what is wrong. A page has `page_bytes`.
pub(in crate::file) fn reliability(
    keys: Option<&ReliabilityKeys>,
    ecc: Option<&EccKeys>,
    faults: Option<&FaultKeys>,
    page_bytes: u64,
    seed: RootSeed,
) -> Result<Option<Reliability>, String> {
    let rated = keys.and_then(|keys| keys.rated_cycles.as_ref());
    let bit_errors = match (ecc, rated) {
        (None, _) => None,
        (Some(ecc), Some(rated)) => Some(bit_errors(ecc, rated.get(), page_bytes)),
        (Some(_), None) => {
            return Err(
                "[ecc] gives its rates at the rated cycles, and no reliability.rated_cycles says \
                 how many those are"
                    .into(),
            );
        }
    };
    let factory_bad = keys.and_then(|keys| keys.factory_bad.as_ref());
    let factory_bad = factory_bad.map_or(0.0, |share| share.base);
    if factory_bad >= FACTORY_BAD_MAX {
        return Err(format!(
            "reliability.factory_bad is {factory_bad}: all blocks are bad; it must be below 1"
        ));
    }
    let lives = keys.map(endurance).transpose()?.flatten();
    let endurance = lives.filter(|_| keys.is_some_and(|keys| keys.erase_share.is_some()));
    let share = |share: Option<&Quantity<Share>>| share.map_or(0.0, |share| share.base);
    let grown_bad = share(faults.and_then(|faults| faults.bad_blocks.as_ref()));
    let unreadable_pages = share(faults.and_then(|faults| faults.unreadable_pages.as_ref()));
    let shares = factory_bad + grown_bad + unreadable_pages;
    if endurance.is_none() && ecc.is_none() && shares <= 0.0 {
        return Ok(None);
    }
    Ok(Some(Reliability {
        seed: seed.derive("reliability").0,
        factory_bad,
        grown_bad,
        unreadable_pages,
        endurance,
        bit_errors: bit_errors.transpose()?,
    }))
}

fn at_most(key: &str, value: f64, most: f64) -> Result<(), String> {
    match value <= most {
        true => Ok(()),
        false => Err(format!("{key} is {value}; the most is {most}")),
    }
}

/// Makes the distribution of block lives, if the section has one; the error says what is wrong.
pub(in crate::file) fn endurance(keys: &ReliabilityKeys) -> Result<Option<Endurance>, String> {
    let erase_share = keys.erase_share.as_ref().map_or(0.0, |share| share.base);
    let lives = (&keys.rated_cycles, &keys.median_cycles, &keys.life_shape);
    let (rated_cycles, median_cycles, shape) = match lives {
        (Some(rated), Some(median), Some(shape)) => (rated.get(), median.get(), shape.base),
        (None, None, None) if keys.erase_share.is_none() => return Ok(None),
        _ => {
            return Err(
                "reliability.rated_cycles, median_cycles and life_shape say together how long blocks last, and one of them \
                 is missing"
                    .into(),
            );
        }
    };
    let [least, most] = SHAPES;
    if !(least..=most).contains(&shape) {
        return Err(format!(
            "reliability.life_shape is {shape}; it must lie between {least} and {most}"
        ));
    }
    at_most("reliability.erase_share", erase_share, 1.0)?;
    Ok(Some(Endurance {
        rated_cycles,
        median_cycles,
        shape,
        erase_share,
    }))
}

impl EccKeys {
    /// Sectors that are corrected together.
    pub(in crate::file) fn sectors(&self) -> u32 {
        self.codeword.get().div_ceil(SECTOR_BYTES) as u32
    }
}

fn bit_errors(keys: &EccKeys, rated_cycles: u32, page_bytes: u64) -> Result<BitErrors, String> {
    let codeword = keys.codeword.get();
    if codeword > page_bytes {
        return Err(format!(
            "ecc.codeword: {codeword} bytes on pages of {page_bytes}; a codeword lies in one page"
        ));
    }
    let bits = codeword * 8;
    let correctable_bits = keys.correctable_bits.get();
    // Nothing would be left to correct them by.
    if u64::from(correctable_bits) >= bits {
        return Err(format!(
            "ecc.correctable_bits is {correctable_bits} of the {bits} bits of a codeword"
        ));
    }
    at_most("ecc.wear_power", keys.wear_power.base, POWER_MAX)?;
    at_most("ecc.retention_power", keys.retention_power.base, POWER_MAX)?;
    at_most("ecc.disturb_power", keys.disturb_power.base, POWER_MAX)?;
    at_most("ecc.retry_gain", keys.retry_gain.base, 1.0)?;
    at_most("ecc.retries", keys.retries.base, RETRIES_MAX)?;
    Ok(BitErrors::new(ErrorParams {
        rated_cycles,
        rber_new: keys.rber_new.base,
        rber_wear: keys.rber_wear.base,
        wear_power: keys.wear_power.base,
        rber_retention: keys.rber_retention.base,
        retention_power: keys.retention_power.base,
        rber_disturb: keys.rber_disturb.base,
        disturb_power: keys.disturb_power.base,
        activation_ev: keys.activation.base,
        codeword_bytes: codeword as u32,
        correctable_bits,
        retries_max: keys.retries.get(),
        retry_gain: keys.retry_gain.base,
    }))
}
