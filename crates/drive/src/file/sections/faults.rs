//! `[faults]`: what is to go wrong.

use crate::faults::Rule;
use crate::file::section::{Takes, section};
use crate::ssd::{DieFailure, LostWaking};
use ftlab_base::{DieId, RootSeed};
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Share};

section! {
    "faults"
    /// What is to go wrong, each by itself; the seed says where. Nothing without the section.
    struct FaultKeys {
        /// One in how many awakenings from sleep takes the drive off its bus; commands then end as *gone* after 30 s.
        /// It needs `[power]`, whose `sleep_after` says when the drive sleeps. None if left out.
        lost_waking: Option<Quantity<Count>>,
        /// What the host has written when a die dies. None does if left out.
        die_fails_after: Option<Quantity<Bytes>>,
        /// Share of blocks whose first erase fails, or a program after it, beside those that wear out.
        bad_blocks: Option<Quantity<Share>>,
        /// Share of pages that ECC cannot correct, each time they are programmed, beside those that age.
        unreadable_pages: Option<Quantity<Share>>,
        /// What goes wrong with requests, as `POST /fault-rule` of an attached drive takes it, with `at_ms` after the run or the
        /// server began. Nothing if left out.
        #[serde(default)]
        script: Vec<Rule>,
    }
}

section! {
    "faults"
    /// What is to go wrong with a drive that has no flash. Nothing without the section.
    struct FlashlessFaultKeys {
        /// What goes wrong with requests, as in an SSD.
        #[serde(default)]
        script: Vec<Rule>,
    }
}

impl Takes for Vec<Rule> {
    const WHAT: &'static str = "tables";
}

/// Parts of a drive that faults lean on.
#[derive(Debug, Clone, Copy)]
pub(in crate::file) struct Has {
    pub(in crate::file) power: bool,
}

impl FaultKeys {
    /// Checks that everything is there that a fault needs; the error says what is missing.
    pub(in crate::file) fn check(&self, has: Has) -> Result<(), String> {
        if self.lost_waking.is_some() && !has.power {
            return Err(
                "faults.lost_waking needs [power], which says when the drive sleeps".into(),
            );
        }
        Ok(())
    }

    pub(in crate::file) fn lost_waking(&self, seed: RootSeed) -> Option<LostWaking> {
        let one_in = self.lost_waking.as_ref()?.get();
        Some(LostWaking {
            one_in,
            seed: seed.derive("waking"),
        })
    }

    /// The seed says which of the dies it is.
    pub(in crate::file) fn die_failure(&self, dies: u32, seed: RootSeed) -> Option<DieFailure> {
        let after_host_bytes = self.die_fails_after.as_ref()?.get();
        let RootSeed(draw) = seed.derive("dead die");
        Some(DieFailure {
            die: DieId((draw % u64::from(dies)) as u16),
            after_host_bytes,
        })
    }
}
