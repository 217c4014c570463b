//! A case of the comparison: one policy under one load with one spare area and block size.

use ftlab_states::State;
use ftlab_theory::{
    Class, OutOfDomain, Policy, alpha_in_use, fifo_mixed, in_use_after_trims_of_used,
    spare_by_root, split,
};
use std::fmt;

/// The drive of all cases.
pub const DRIVE: &str = "generic-mlc-8";

/// Its pages, unless fewer will do. Closed forms hold for infinitely many blocks; with this many, chance and
/// the few blocks under way move write amplification by about a thousandth.
pub const PAGES: u32 = 1 << 20;

/// Channels, and dies on each. Each die collects for itself, so few dies with many blocks come closer
/// to the closed forms than many dies with few.
const CHANNELS: u32 = 2;
const DIES_PER_CHANNEL: u32 = 2;

/// Blocks that a die with two streams keeps erased: the least. `spare.op` does not count them.
const RESERVE_OF_STREAMS: u32 = 4;

/// The load of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Load {
    /// Writes to any address, all equally likely.
    Uniform,
    /// A part of the addresses gets more than its part of the writes.
    HotCold {
        /// Share of the addresses that are hot.
        addresses_percent: u8,
        /// Share of the writes that they get.
        writes_percent: u8,
    },
    /// So many requests in a hundred trim an address in use, the others write anywhere.
    Trim {
        /// Share of the requests.
        percent: u8,
    },
}

/// One comparison of a closed form with a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// Policy that chooses victims.
    pub policy: Policy,
    /// The load of the host.
    pub load: Load,
    /// True if hot and cold addresses have logs and spare area of their own.
    pub separate: bool,
    /// Physical pages over logical ones, minus 1.
    pub op: f64,
    /// Pages of a block.
    pub pages_per_block: u32,
}

/// Over-provisioning: as sold to consumers and to enterprises, in 2008 and later.
const OPS: [f64; 4] = [0.07, 0.127, 0.25, 0.28];
const BLOCKS: [u32; 3] = [64, 128, 256];
/// The block size of cases that vary something else.
const BLOCK: u32 = 128;
const POLICIES_OF_UNIFORM: [Policy; 5] = [
    Policy::Fifo,
    Policy::Greedy,
    Policy::Choices(10),
    Policy::Choices(2),
    Policy::Random,
];
/// Shares of addresses and writes, in percent.
const HOT: [(u8, u8); 3] = [(10, 90), (20, 80), (50, 90)];
const TRIMS_PERCENT: [u8; 4] = [5, 10, 20, 30];

/// Every case that has a closed form and a job file: the rows of `reference/theory-values.csv`, and
/// hot and cold addresses in separate logs.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    // Every case is made at each spare area: the charts draw lines over them.
    let mut add = |policy, load, separate, blocks: &[u32]| {
        for op in OPS {
            for &pages_per_block in blocks {
                cases.push(Case {
                    policy,
                    load,
                    separate,
                    op,
                    pages_per_block,
                });
            }
        }
    };
    for policy in POLICIES_OF_UNIFORM {
        add(policy, Load::Uniform, false, &BLOCKS);
    }
    for separate in [false, true] {
        for (addresses_percent, writes_percent) in HOT {
            let load = Load::HotCold {
                addresses_percent,
                writes_percent,
            };
            add(Policy::Fifo, load, separate, &[BLOCK]);
        }
    }
    for policy in [Policy::Fifo, Policy::Greedy] {
        for percent in TRIMS_PERCENT {
            add(policy, Load::Trim { percent }, false, &[BLOCK]);
        }
    }
    cases
}

impl Load {
    /// The job file that makes it: its name in `jobs/`, without `.fio`.
    pub fn job(self) -> String {
        match self {
            Load::Uniform => "uniform-random-4k".to_owned(),
            Load::HotCold {
                addresses_percent,
                writes_percent,
            } => format!("hot-cold-{addresses_percent}-{writes_percent}"),
            Load::Trim { percent } => format!("trim-{percent:02}"),
        }
    }

    /// The state that the job file asks for.
    pub fn state(self) -> State {
        match self {
            Load::HotCold { .. } => State::New,
            Load::Uniform | Load::Trim { .. } => State::Filled,
        }
    }

    /// Hot addresses and cold ones, or all alike.
    pub fn classes(self) -> Vec<Class> {
        let share = |percent: u8| f64::from(percent) / 100.0;
        match self {
            Load::HotCold {
                addresses_percent,
                writes_percent,
            } => Class::hot_and_cold(share(addresses_percent), share(writes_percent)).to_vec(),
            Load::Uniform | Load::Trim { .. } => vec![Class::ALL],
        }
    }
}

/// The name of a policy in a drive file.
pub fn name(policy: Policy) -> &'static str {
    match policy {
        Policy::Fifo => "fifo",
        Policy::Greedy => "greedy",
        Policy::Choices(_) => "d-choices",
        Policy::Random => "random",
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Load::Uniform => f.write_str("uniform"),
            Load::HotCold {
                addresses_percent,
                writes_percent,
            } => write!(f, "hot/cold {addresses_percent}/{writes_percent}"),
            Load::Trim { percent } => write!(f, "TRIM {percent} %"),
        }
    }
}

impl Case {
    /// Write amplification by the closed form.
    ///
    /// # Panics
    /// If the case is out of the formula's domain; no case of [`cases`] is.
    pub fn theory(&self) -> f64 {
        self.closed_form()
            .unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    fn closed_form(&self) -> Result<f64, OutOfDomain> {
        let alpha = 1.0 + self.op;
        match self.load {
            Load::Uniform => self.policy.uniform(alpha, self.pages_per_block),
            Load::HotCold { .. } if self.separate => {
                let classes = self.load.classes();
                let one = |alpha| self.policy.uniform(alpha, self.pages_per_block);
                split(alpha, &classes, &spare_by_root(&classes)?, one)
            }
            Load::HotCold { .. } => fifo_mixed(alpha, &self.load.classes()),
            Load::Trim { percent } => {
                let in_use = in_use_after_trims_of_used(f64::from(percent) / 100.0)?;
                let alpha = alpha_in_use(alpha, in_use)?;
                self.policy.uniform(alpha, self.pages_per_block)
            }
        }
    }

    /// Settings of the drive file, for a drive of `pages` pages.
    pub fn settings(&self, pages: u32) -> Vec<String> {
        let blocks_per_die = pages / (CHANNELS * DIES_PER_CHANNEL) / self.pages_per_block;
        let mut settings = vec![
            format!("nand.channels={CHANNELS}"),
            format!("nand.dies_per_channel={DIES_PER_CHANNEL}"),
            format!("nand.blocks_per_die={blocks_per_die}"),
            format!("nand.pages_per_block={}", self.pages_per_block),
            format!("spare.op={}", self.op),
            format!("gc.policy={}", name(self.policy)),
        ];
        if let Policy::Choices(draws) = self.policy {
            settings.push(format!("gc.choices={draws}"));
        }
        if let Load::HotCold {
            addresses_percent, ..
        } = self.load
            && self.separate
        {
            settings.push("gc.streams=by-address".to_owned());
            settings.push(format!("gc.reserve={RESERVE_OF_STREAMS}"));
            settings.push(format!("gc.hot_share={addresses_percent}%"));
        }
        settings
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case {
            policy,
            load,
            separate,
            op,
            pages_per_block,
        } = self;
        let apart = if *separate { " in separate logs" } else { "" };
        let op_percent = (op * 1000.0).round() / 10.0;
        write!(
            f,
            "{policy}, {load}{apart}, OP {op_percent} %, {pages_per_block} pages a block"
        )
    }
}
