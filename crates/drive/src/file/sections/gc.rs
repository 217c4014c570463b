//! `[gc]`: garbage collection of page and packed mapping. What it may say depends on the mapping.

use crate::file::own::{IN_STEP, OwnPolicies};
use crate::file::section::{section, together, words};
use ftlab_base::{Layout, Nanos, RootSeed};
use ftlab_ftl::page::{Isolation, Pace, Separation, VictimPolicy};
use ftlab_sheet::quantity::{Count, Quantity, Ratio, Share, Time};
use std::collections::BTreeMap;

words! {
    /// Rules by which hot data are told from cold ones.
    enum Streams {
        /// All data are alike.
        None = "none",
        /// By where they lie.
        ByAddress = "by-address",
        /// By how soon they are written again.
        ByAge = "by-age",
        /// By the placement handle that the host names with each write (NVMe FDP).
        ByHost = "by-host",
    }
}

impl Streams {
    const fn name(self) -> &'static str {
        match self {
            Streams::None => "none",
            Streams::ByAddress => "by-address",
            Streams::ByAge => "by-age",
            Streams::ByHost => "by-host",
        }
    }
}

words! {
    /// Destinations of the data of a placement handle when they are collected.
    enum Isolates {
        /// They lie with what is collected of others.
        Initially = "initially",
        /// They stay with the handle's.
        Persistently = "persistently",
    }
}

section! {
    "gc" of "page"
    /// Garbage collection of page mapping.
    struct PageGc {
        /// Victim policy: `greedy`, `fifo`, `random`, `d-choices` (needs `choices`), `cost-benefit` or
        /// `windowed-greedy` (needs `window`); see [victim policies](write-a-policy.md).
        policy: String,
        /// Superblocks that each group of dies keeps erased on average; the least is 2, with two streams 4. With placement
        /// handles it is one more than there are, or two for each that is isolated persistently.
        reserve: Quantity<Count>,
        /// Superblocks, or what part of one, that each group of dies makes writable in one go once it is low, while
        /// host writes wait; in step with them if left out. The same mean rate comes in rushes and pauses, the
        /// longer the larger the batch ([decision 0002](../decisions/0002-collection-in-step.md)); the spare area
        /// must hold the batch beside the reserve.
        batch: Option<Quantity<Ratio>>,
        /// Rows that the host writes to a group of dies before collection copies what they have earned of a victim, while
        /// host writes wait; in step with them if left out. A row is a program unit on each die of a stripe. A turn takes
        /// the same time whatever the size of the blocks; a batch does not.
        turn: Option<Quantity<Count>>,
        /// With `turn`: writes that may wait for room in the buffer while collection takes its turn. When as many wait,
        /// the host writes on, and collection copies what that earns, until fewer wait. If left out, a turn is copied in
        /// one go.
        waiting_max: Option<Quantity<Count>>,
        /// In place of `batch` and `turn`: `in-step` with the host's writes, which collection is if all three are left out, or a
        /// pacing policy of the program that reads this; [Python](python.md#policies-of-your-own) brings its own.
        pacing: Option<String>,
        /// Whether collected data have a superblock of their own, apart from what the host writes, as they do if this
        /// is left out. In one log hot and cold data mix again: under skewed writes more is copied.
        separate: Option<bool>,
        /// With `idle_after`: superblocks that each group of dies makes writable ahead; if left out, the drive works
        /// only while the host does.
        ahead: Option<Quantity<Count>>,
        /// With `ahead`: how long the host must pause before the drive works ahead.
        idle_after: Option<Quantity<Time>>,
        /// For policies that draw: full superblocks drawn for a choice.
        choices: Option<Quantity<Count>>,
        /// For policies that look at the oldest full superblocks only: how many.
        window: Option<Quantity<Count>>,
        /// How the drive separates hot from cold data; `none` if left out. Each kind has its share of the spare area,
        /// √(share of writes · share of data). With `by-host` the host says it, by
        /// placement handles as of NVMe FDP: fio's `fdp` and `plids`.
        streams: Option<Streams>,
        /// For `by-address`: hot data are the first of the user capacity, this share of it.
        hot_share: Option<Quantity<Ratio>>,
        /// For `by-age`: hot is what is written again before N superblocks were closed, of all superblocks.
        hot_age: Option<Quantity<Ratio>>,
        /// For `by-host`: placement handles, 1 to 255.
        handles: Option<Quantity<Count>>,
        /// For `by-host`: `initially`, where the collected data of all handles lie together and the emptiest superblock
        /// is collected, or `persistently`, where they stay with their handle's and each handle has its share of the
        /// spare area, as streams do.
        isolation: Option<Isolates>,
    }
}

words! {
    /// Parts of a superblock that collection reads.
    enum CollectionReads {
        /// The valid data: a table says which these are.
        Valid = "valid",
        /// Everything, to find out.
        All = "all",
    }
}

section! {
    "gc" of "packed"
    /// Garbage collection of packed mapping.
    struct PackedGc {
        /// Victim policy: `greedy`, `fifo`, `random`, `d-choices` (needs `choices`), `cost-benefit` or
        /// `windowed-greedy` (needs `window`); see [victim policies](write-a-policy.md).
        policy: String,
        /// Superblocks kept erased on average; the least is 2.
        reserve: Quantity<Count>,
        /// What collection reads: `valid`, which it is if left out, or `all` for a controller that must read a
        /// superblock to know what it holds.
        reads: Option<CollectionReads>,
        /// Share of a superblock that may be valid for it to be collected before room runs out; none is if left out.
        early_valid: Option<Quantity<Share>>,
        /// For policies that draw: full superblocks drawn for a choice.
        choices: Option<Quantity<Count>>,
        /// For policies that look at the oldest full superblocks only: how many.
        window: Option<Quantity<Count>>,
    }
}

/// Victim policy of a section: its name, and the parameters that are given.
#[derive(Debug, Clone)]
pub(in crate::file) struct Victim<'a> {
    policy: &'a str,
    parameters: BTreeMap<&'static str, u32>,
}

impl Victim<'_> {
    /// The policy; what it draws at random depends on the seed.
    pub(in crate::file) fn policy(
        &self,
        own: &OwnPolicies,
        seed: RootSeed,
    ) -> Result<Box<dyn VictimPolicy>, String> {
        let made = own.victim(self.policy, &self.parameters, seed.stream("victim"));
        made.map_err(|why| format!("[gc]: {why}"))
    }
}

fn victim<'a>(
    policy: &'a str,
    choices: Option<&Quantity<Count>>,
    window: Option<&Quantity<Count>>,
) -> Victim<'a> {
    let given = [("choices", choices), ("window", window)].into_iter();
    Victim {
        policy,
        parameters: given
            .filter_map(|(key, value)| Some((key, value?.get())))
            .collect(),
    }
}

impl PackedGc {
    pub(in crate::file) fn victim(&self) -> Victim<'_> {
        victim(&self.policy, self.choices.as_ref(), self.window.as_ref())
    }
}

impl PageGc {
    pub(in crate::file) fn victim(&self) -> Victim<'_> {
        victim(&self.policy, self.choices.as_ref(), self.window.as_ref())
    }

    /// Time that the host must pause before the drive works ahead, if it does.
    pub(in crate::file) fn idle_after(&self) -> Option<Nanos> {
        self.idle_after.as_ref().map(|time| time.get())
    }

    /// Writes that may wait while collection takes its turn, if it gives way to more.
    pub(in crate::file) fn waiting_max(&self) -> Option<u32> {
        self.waiting_max.as_ref().map(|most| most.get())
    }

    /// Makes the rule by which victims are copied; an error says which keys do not fit.
    pub(in crate::file) fn pace(&self, layout: &Layout, own: &OwnPolicies) -> Result<Pace, String> {
        let slots = self.slots_of_pace(layout);
        if self.waiting_max.is_some() && self.turn.is_none() {
            return Err("gc.waiting_max has no meaning without gc.turn; leave it out".to_owned());
        }
        match (&self.batch, &self.turn, &self.pacing) {
            (None, None, None) => Ok(Pace::InStep),
            (Some(_), None, None) => Ok(Pace::InBatches { slots }),
            (None, Some(_), None) => Ok(Pace::InTurns {
                slots,
                gives_way: self.waiting_max.is_some(),
            }),
            (None, None, Some(name)) if name == IN_STEP => Ok(Pace::InStep),
            (None, None, Some(name)) => match own.pacing(name) {
                Some(policy) => Ok(Pace::By(policy)),
                None => Err(format!(
                    "gc.pacing: there is no policy `{name}` here; give {}, or leave it out",
                    own.pacing_names().join(" or ")
                )),
            },
            _ => Err(
                "[gc]: collection in batches, in turns and at a pace of its own exclude each other: leave all of \
                 `batch`, `turn` and `pacing` but one out"
                    .to_owned(),
            ),
        }
    }

    /// Slots that a group of dies collects in one go, or that the host writes before they are; 0 for neither.
    fn slots_of_pace(&self, layout: &Layout) -> u32 {
        let superblocks = self.batch.as_ref().map_or(0.0, |batch| batch.base);
        let rows = self.turn.as_ref().map_or(0, |turn| turn.get());
        let batch = superblocks * f64::from(layout.slots_per_superblock);
        (batch.ceil() as u32).max(rows.saturating_mul(layout.slots_per_row()))
    }

    /// Slots that data may take: what never holds data is, in each group of dies and on average, the reserve and
    /// the half of the superblock under collection that has been copied already; where superblocks are collected in
    /// batches or turns, half a superblock and half a batch or turn. The closed forms for write amplification then hold for
    /// `spare.op` as it stands.
    pub(in crate::file) fn usable_slots(&self, layout: &Layout) -> u32 {
        let slots = u64::from(layout.slots_per_superblock);
        let pace = u64::from(self.slots_of_pace(layout));
        let kept = u64::from(self.reserve.get()) * slots + (slots + pace) / 2;
        let reserve = kept * u64::from(layout.groups);
        u64::from(layout.slots()).saturating_sub(reserve) as u32
    }

    /// Superblocks made writable ahead; it takes a number and a span.
    pub(in crate::file) fn ahead_superblocks(&self) -> Result<u32, String> {
        let given = together(["gc.ahead", "gc.idle_after"], self.ahead, self.idle_after)?;
        Ok(given.map_or(0, |(ahead, _)| ahead.get()))
    }

    /// Placement handles that a host may write to; 0 without any.
    pub(in crate::file) fn placement_handles(&self) -> Result<u8, String> {
        if self.streams != Some(Streams::ByHost) {
            return Ok(0);
        }
        let handles = self.handles.as_ref().map_or(0, |handles| handles.get());
        match u8::try_from(handles) {
            Ok(handles) if handles > 0 => Ok(handles),
            _ => Err(format!("gc.handles of {handles}; give 1 to 255")),
        }
    }

    /// Makes the rule that separates hot from cold data; an error says which keys do not fit.
    pub(in crate::file) fn separation(
        &self,
        layout: &Layout,
        user_slots: u32,
    ) -> Result<Separation, String> {
        let streams = self.streams.unwrap_or(Streams::None);
        let name = streams.name();
        let keys = [
            ("hot_share", &self.hot_share, streams == Streams::ByAddress),
            ("hot_age", &self.hot_age, streams == Streams::ByAge),
        ];
        for (key, value, is_used) in keys {
            if value.is_some() && !is_used {
                return Err(format!(
                    "gc.{key} has no meaning with gc.streams `{name}`; leave it out"
                ));
            }
        }
        let is_by_host = streams == Streams::ByHost;
        for (key, is_given) in [
            ("handles", self.handles.is_some()),
            ("isolation", self.isolation.is_some()),
        ] {
            if is_given && !is_by_host {
                return Err(format!(
                    "gc.{key} has no meaning with gc.streams `{name}`; leave it out"
                ));
            }
            if is_by_host && !is_given {
                return Err(format!("gc.streams `{name}` needs gc.{key}"));
            }
        }
        let needed = |key: &str, value: &Option<Quantity<Ratio>>| match value {
            Some(share) => Ok(share.base),
            None => Err(format!("gc.streams `{name}` needs gc.{key}")),
        };
        Ok(match streams {
            Streams::ByAddress => Separation::ByAddress {
                ends: vec![(needed("hot_share", &self.hot_share)? * f64::from(user_slots)) as u32],
            },
            Streams::ByAge => Separation::ByAge {
                closings: vec![
                    (needed("hot_age", &self.hot_age)? * f64::from(layout.superblocks())) as u64,
                ],
            },
            Streams::ByHost => Separation::ByHost {
                handles: self.placement_handles()?,
                isolation: match self.isolation {
                    Some(Isolates::Persistently) => Isolation::Persistent,
                    _ => Isolation::Initial,
                },
            },
            Streams::None => Separation::None,
        })
    }
}
