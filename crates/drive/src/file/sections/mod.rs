//! The sections of drive files, each a room: its keys, what they must be, and what they become.

pub(super) mod checkpoint;
pub(super) mod disk;
pub(super) mod faults;
pub(super) mod firmware;
pub(super) mod gc;
pub(super) mod head;
pub(super) mod limit;
pub(super) mod link;
pub(super) mod map;
pub(super) mod nand;
pub(super) mod packed;
mod page_types;
pub(super) mod power;
pub(super) mod ram;
pub(super) mod reliability;
pub(super) mod scheduling;
pub(super) mod slc;
pub(super) mod spare;
pub(super) mod thermal;
pub(super) mod wear;
