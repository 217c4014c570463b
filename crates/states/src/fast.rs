//! A short cut to the steady state of random writes.
//!
//! At steady state the superblocks of a page-mapped drive hold 0, 1, … valid slots in shares that
//! closed forms give for some victim policies. A new drive can be brought there with writes alone,
//! about as many as it has physical slots: while it fills superblock after superblock, each write is
//! either the last one of its logical slot, and stays valid, or one of many, and is invalid in the
//! end. How many of a superblock are last ones is up to us.
//!
//! Which logical slots lie together makes no difference to random writes; they are in random order,
//! as random writes would leave them. The order among superblocks does: under FIFO
//! the first one filled is the first one collected, so each gets what its age makes of it; under
//! greedy collection the fullest come last, as they do when they are filled at random.
//!
//! Groups take turns with the host's writes, so a fill leaves all of them at the same place of a
//! superblock: from then on all would open, and erase, their next ones within a few writes, and a write
//! would wait for all of these erases. Random writes part them in time, as a group that holds too much
//! is passed over now and then. Here a flush passes a group over: it ends its turn.

use super::PrepareError;
use super::writes::Writer;
use ftlab_base::SECTOR_BYTES;
use ftlab_base::rng::Stream;
use ftlab_ftl::page::PageMapping;
use ftlab_theory::{OutOfDomain, fifo, greedy_occupancy};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{Binomial, Distribution};
use thiserror::Error;

pub const STEP: &str = "A new drive written as often as it has slots for data, spare area \
                        included, in whole slots, so that its superblocks end up as full as the \
                        closed form of its victim policy says for the steady state of random \
                        writes.";

/// Writes between two looks at how far it is.
const WRITES_A_LOOK: usize = 1 << 16;

/// Slots whose last writes come next, among which the other writes choose.
const NEAR: usize = 64;

/// Reason why a drive cannot be brought to the steady state by a short cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FastRefused {
    /// It has no superblocks of slots that lie anywhere.
    #[error("it needs a drive with page mapping")]
    NotPageMapped,
    /// Streams fill superblocks of their own.
    #[error("hot and cold data are kept apart, and the short cut writes all alike")]
    SeparateStreams,
    /// Host data go elsewhere first.
    #[error(
        "a cache of SLC takes data first, and the short cut counts the slots of the superblocks behind it"
    )]
    Cache,
    /// Nobody knows how full its superblocks will be.
    #[error("there is no closed form for the superblocks of policy `{policy}`")]
    NoClosedForm {
        /// Name of the policy.
        policy: &'static str,
    },
    /// The closed form is not for this drive.
    #[error("{0}")]
    OutOfDomain(String),
}

impl From<OutOfDomain> for FastRefused {
    fn from(error: OutOfDomain) -> Self {
        FastRefused::OutOfDomain(error.to_string())
    }
}

/// Brings a new drive to the steady state.
pub fn start(writer: &mut Writer<'_>, stream: &mut Stream) -> Result<(), PrepareError> {
    let layer = writer.device.page_layer();
    let mapping = layer.ok_or(FastRefused::NotPageMapped)?.mapping();
    if mapping.streams > 1 {
        return Err(FastRefused::SeparateStreams.into());
    }
    if mapping.has_slc {
        return Err(FastRefused::Cache.into());
    }
    let shape = Shape::of(&mapping)?;
    let groups = 0..mapping.groups;
    let mut groups: Vec<Group> = groups
        .map(|g| Group::new(&mapping, &shape, g, stream))
        .collect();
    let slot_sectors = (u64::from(mapping.slot_bytes) / SECTOR_BYTES) as u32;
    // Logical slots in the order of their last writes, and how many have had theirs.
    let mut order: Vec<u32> = (0..mapping.user_slots).collect();
    order.shuffle(stream);
    let (mut done, mut others) = (0, 0);
    let mut last = None;
    while done < order.len() {
        if (done + others).is_multiple_of(WRITES_A_LOOK) {
            writer.tell(done as u64, order.len() as u64)?;
        }
        let layer = writer.device.page_layer().expect("it was there before");
        let place = layer.host_place();
        let group = &mut groups[place.group as usize];
        // A turn begins: nothing is open that a flush would have to fill up.
        if last.replace(place.group) != Some(place.group) && group.behind > 0 {
            group.behind -= 1;
            last = None;
            writer.flush()?;
            continue;
        }
        if place.filled == 0 {
            group.open_next();
        }
        let lpn = if group.next_is_last(stream) {
            done += 1;
            order[done - 1]
        } else {
            // One of those whose last writes come next: what is known of them is in a cache then.
            others += 1;
            let near = NEAR.min(order.len() - done);
            order[done + others % near]
        };
        if let Some(&soon) = order.get(done + NEAR) {
            writer.expect(u64::from(soon) * u64::from(slot_sectors), slot_sectors);
        }
        writer.write(u64::from(lpn) * u64::from(slot_sectors), slot_sectors)?;
    }
    // Until the last group has begun to collect.
    for _ in 0..mapping.slots_per_superblock * mapping.groups {
        let lpn = stream.random_range(0..mapping.user_slots);
        writer.write(u64::from(lpn) * u64::from(slot_sectors), slot_sectors)?;
    }
    Ok(())
}

/// Fill of superblocks, by their place in the order in which a group fills them.
enum Shape {
    /// The first ones hold least: for each number of valid slots, the share that holds no more.
    Ascending(Vec<f64>),
    /// A slot of age a, from 0 to 1 when its superblock is collected, is valid with chance e^(−xa).
    ByAge { x: f64 },
}

impl Shape {
    fn of(mapping: &PageMapping) -> Result<Shape, FastRefused> {
        let alpha = mapping.alpha();
        match mapping.policy {
            "greedy" => {
                let mut share = 0.0;
                let mut up_to = greedy_occupancy(alpha, mapping.slots_per_superblock)?;
                for valid in &mut up_to {
                    share += *valid;
                    *valid = share;
                }
                Ok(Shape::Ascending(up_to))
            }
            "fifo" => Ok(Shape::ByAge {
                x: alpha / fifo(alpha)?,
            }),
            policy => Err(FastRefused::NoClosedForm { policy }),
        }
    }

    /// Valid slots of a superblock of N slots, at a place in the order from 0 to 1.
    fn valid(&self, slots: u32, place: f64, stream: &mut Stream) -> u32 {
        match self {
            Shape::Ascending(up_to) => {
                let whole = up_to.len() - 1;
                let valid = up_to.partition_point(|&share| share < place).min(whole);
                (valid as f64 / whole as f64 * f64::from(slots)).round() as u32
            }
            Shape::ByAge { x } => {
                let chance = (-x * (1.0 - place)).exp();
                let drawn = Binomial::new(u64::from(slots), chance);
                drawn.expect("a chance lies between 0 and 1").sample(stream) as u32
            }
        }
    }
}

/// Plan of a group of dies, and the progress of its host frontier.
struct Group {
    /// Slots planned, and those that stay valid, by superblock in the order of filling.
    plan: std::vec::IntoIter<(u32, u32)>,
    /// Slots of the open superblock that are left of the plan, and those among them that stay valid.
    left: u32,
    stay: u32,
    /// Turns that it is passed over, to be behind the others.
    behind: u32,
}

impl Group {
    fn new(mapping: &PageMapping, shape: &Shape, group: u32, stream: &mut Stream) -> Group {
        let slots = mapping.slots_per_superblock;
        let behind = match mapping.groups {
            1 => 0,
            _ => stream.random_range(0..slots / mapping.slots_per_turn),
        };
        let all = mapping.data_slots_per_group - behind * mapping.slots_per_turn;
        // The last one is filled in part when collection begins.
        let sizes: Vec<u32> = (0..all)
            .step_by(slots as usize)
            .map(|first| slots.min(all - first))
            .collect();
        let of_all = f64::from(all) / f64::from(slots);
        // The groups' superblocks lie between each other's, not on the same points.
        let within = (f64::from(group) + 0.5) / f64::from(mapping.groups);
        let place = |n: usize| ((n as f64 + within) / of_all).min(1.0);
        let drawn = sizes.iter().enumerate();
        let mut plan: Vec<u32> = drawn
            .map(|(n, &size)| shape.valid(size, place(n), stream))
            .collect();
        let share = mapping.user_slots / mapping.groups
            + u32::from(group < mapping.user_slots % mapping.groups);
        add_up(&mut plan, &sizes, share);
        Group {
            plan: std::iter::zip(sizes, plan).collect::<Vec<_>>().into_iter(),
            left: 0,
            stay: 0,
            behind,
        }
    }

    /// The group opens its next superblock.
    fn open_next(&mut self) {
        (self.left, self.stay) = self.plan.next().unwrap_or_default();
    }

    /// Returns true if the next slot stays valid. Those beyond the plan do: their group was ahead of the others in the
    /// end.
    fn next_is_last(&mut self, stream: &mut Stream) -> bool {
        if self.left == 0 {
            return true;
        }
        let last = stream.random_range(0..self.left) < self.stay;
        self.left -= 1;
        self.stay -= u32::from(last);
        last
    }
}

/// Changes a plan evenly until its sum is `total`, as far as the sizes allow: draws have that sum only on average.
fn add_up(plan: &mut [u32], sizes: &[u32], total: u32) {
    let mut missing = i64::from(total) - plan.iter().map(|&n| i64::from(n)).sum::<i64>();
    let mut left = plan.len() as i64;
    for (valid, &size) in plan.iter_mut().zip(sizes) {
        let step = missing / left;
        let new = (i64::from(*valid) + step).clamp(0, i64::from(size));
        missing -= new - i64::from(*valid);
        left -= 1;
        *valid = new as u32;
    }
    // What division and clamping left over goes where there is room.
    for (valid, &size) in plan.iter_mut().zip(sizes) {
        let new = (i64::from(*valid) + missing).clamp(0, i64::from(size));
        missing -= new - i64::from(*valid);
        *valid = new as u32;
    }
}
