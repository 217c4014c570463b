//! Configuration of a scheduler.

use crate::nand_timing::NandTiming;
use crate::policy::Scheduling;

/// Dispatch of operations to the queues of their dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// From one list, as issued: a die whose queue is full holds up what was issued behind.
    InOrder,
    /// From a list for each die: the queues share their room.
    ByDie,
}

/// Dies and channels: the times of their operations, and the order of these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SchedulerConfig {
    /// Phases of the NAND's operations.
    pub timing: NandTiming,
    /// The order in which a die works off its queue.
    pub order: Scheduling,
    /// Operations that the queue of a die has room for, the one at work included.
    pub die_queue: u32,
    /// Dispatch of operations to those queues.
    pub dispatch: Dispatch,
    /// True if a program for the host tells its fences when its data are in the page register of its die, rather than
    /// when they are in the cells.
    pub register_frees: bool,
    /// Dies that may program at a time, if not all.
    pub programs_max: Option<u32>,
    /// True if a die that has a page's data programs those of the next plane with them, if they are next in its queue.
    /// Not with programs that may be suspended: what else is programmed would not be known.
    pub joins_planes: bool,
    /// Neighbouring planes of a die that sense together what is issued for them together; 1 where each senses alone.
    pub planes_read: u32,
    /// Planes that one read of collection senses together, at most.
    pub planes_collected: u32,
    /// Planes of a die that sense by themselves, each a page of its own; 1 where a die does one thing at a time.
    pub planes_apart: u32,
}

impl SchedulerConfig {
    /// Dies that work off what is issued by themselves, page by page.
    #[must_use]
    pub fn plain(timing: NandTiming, order: Scheduling, die_queue: u32) -> SchedulerConfig {
        SchedulerConfig {
            timing,
            order,
            die_queue,
            dispatch: Dispatch::ByDie,
            register_frees: false,
            programs_max: None,
            joins_planes: false,
            planes_read: 1,
            planes_collected: 1,
            planes_apart: 1,
        }
    }
}
