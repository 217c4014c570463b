//! The flash of a drive as other simulators count it: channels, dies, planes, blocks and pages, and which drives have none.

use crate::numbers::Numbers;
use crate::{Asked, CardError, Planes, Unit};
use ftlab_drive::{DriveFile, Kind};

/// How many of what, and what that does to times.
#[derive(Debug, Clone, Copy)]
pub struct Geometry {
    pub channels: u32,
    pub dies_per_channel: u32,
    pub planes: u32,
    pub blocks_per_plane: u32,
    pub pages_per_block: u32,
    pub page_bytes: u64,
    /// Pages that one of the flash becomes.
    pub split: u32,
    /// Planes of the die that are one here.
    pub joined: u32,
}

impl Geometry {
    /// That of a drive, in the pages and planes that were asked for.
    pub fn of(asked: &Asked<'_>, numbers: &mut Numbers) -> Geometry {
        let page = numbers.given("nand.page") as u64;
        let slot = numbers.given("map.slot") as u64;
        let split = match asked.unit {
            Unit::Page => 1,
            Unit::Slot => (page / slot).max(1) as u32,
        };
        let planes = count(numbers.given("nand.planes_per_die"));
        let joined = match asked.planes {
            Planes::Apart => 1,
            Planes::Joined => planes,
        };
        Geometry {
            channels: count(numbers.given("nand.channels")),
            dies_per_channel: count(numbers.given("nand.dies_per_channel")),
            planes: planes / joined,
            joined,
            blocks_per_plane: count(numbers.given("nand.blocks_per_die")) / planes,
            pages_per_block: count(numbers.given("nand.pages_per_block")) * split * joined,
            page_bytes: page / u64::from(split),
            split,
        }
    }

    /// Dies of all channels.
    pub fn dies(&self) -> u32 {
        self.channels * self.dies_per_channel
    }

    /// Pages of all the flash.
    pub fn pages(&self) -> f64 {
        f64::from(self.dies())
            * f64::from(self.planes)
            * f64::from(self.blocks_per_plane)
            * f64::from(self.pages_per_block)
    }

    /// Pages that are programmed together, and share the time of a program.
    pub fn pages_per_program(&self, numbers: &mut Numbers) -> f64 {
        let together = numbers.number("nand.pages_per_program").unwrap_or(1.0);
        together * f64::from(self.split * self.joined)
    }

    /// What is to be said of pages and planes that are other than the drive's, or that writes do not fill.
    pub fn remarks(&self, program: &str, numbers: &mut Numbers) -> Vec<String> {
        let mut remarks = Vec::new();
        let planes = self.planes * self.joined;
        if self.joined > 1 {
            remarks.push(format!(
                "nand.planes_per_die {planes}: joined to one, whose blocks have the pages of {planes} and whose programs take a part of the time; \
                 a die reads one page at a time"
            ));
        }
        let slot = numbers.given("map.slot") as u64;
        if self.split == 1 && slot < self.page_bytes {
            remarks.push(format!(
                "map.slot {slot}: {program} maps pages of {} bytes, so that a write of less programs all of one, and reads the rest \
                 of it first; --unit slot makes each slot a page",
                self.page_bytes
            ));
        }
        remarks
    }
}

/// A count as its keys have it.
pub fn count(value: f64) -> u32 {
    value as u32
}

/// Refuses a drive of which not even the main things can be said to a simulator of pages.
pub fn refuse_what_has_no_pages(
    drive: &DriveFile,
    program: &str,
    numbers: &mut Numbers,
) -> Result<(), CardError> {
    let refused = |why: String| Err(CardError::new(drive.slug(), why));
    if drive.kind() != Kind::Ssd {
        let what = match drive.kind() {
            Kind::Disk => "a hard disk",
            _ => "a RAM disk or a volume without flash",
        };
        return refused(format!(
            "it is {what}, and {program} simulates flash alone; `ftlab drives` lists drives with flash"
        ));
    }
    let scheme = numbers.word("map.scheme").unwrap_or_default();
    if scheme != "page" {
        return refused(format!(
            "map.scheme is `{scheme}`, and {program} maps pages alone; take a drive whose map.scheme is `page`, as `ftlab show DRIVE` says"
        ));
    }
    let (channels, each) = (
        numbers.given("nand.channels"),
        numbers.given("nand.dies_per_channel"),
    );
    match numbers.number("nand.dies") {
        Some(dies) if dies != channels * each => refused(format!(
            "nand.dies: {dies} dies on {channels} channels, and {program} has as many on each; \
             set --set nand.dies={} or --set nand.channels to a divisor",
            channels * each
        )),
        _ => Ok(()),
    }
}

/// Whether a drive holds its whole mapping table in memory, and the bytes of that memory.
pub fn table_in_memory(drive: &DriveFile, numbers: &mut Numbers) -> (bool, Option<f64>) {
    let dram = numbers.number("map.dram");
    let entry = numbers
        .number("map.entry")
        .or_else(|| numbers.number("map.run"));
    let slot = drive.slot_bytes().unwrap_or(ftlab_base::SECTOR_BYTES);
    let slots = drive.capacity_bytes() as f64 / slot as f64;
    let fits = match (dram, entry) {
        (Some(dram), Some(entry)) => dram >= entry * slots,
        _ => true,
    };
    (fits, dram)
}
