//! NVMeVirt: a drive as a conventional one of its `ssd_config.h`. The way back of `ftlab import nvmevirt`.

use crate::draft::Draft;
use crate::geometry::{Geometry, refuse_what_has_no_pages};
use crate::numbers::Numbers;
use crate::reread::{Only, REREAD, commented, head};
use crate::{Asked, Card, CardError, Planes, Target, Unit, Way};
use ftlab_drive::{DriveFile, Flash};
use ftlab_import::{Nvmevirt, Text};

pub const TARGET: Target = Target {
    name: "nvmevirt",
    program: PROGRAM,
    about: "a drive for ssd_config.h, and the memory that its module takes",
    way: Way::Drive {
        write,
        back: Some(back),
    },
};

const PROGRAM: &str = "NVMeVirt";
const FILE: &str = "ssd_config.h";
/// The one list that the definitions stand in.
const HEADER: &str = "header";
const MIB: f64 = 1_048_576.0;
const GIB: f64 = MIB * 1024.0;
/// Times to read a page of each type, whole and a part of 4 KiB.
const READS: [[&str; 2]; 3] = [
    ["NAND_READ_LATENCY_LSB", "NAND_4KB_READ_LATENCY_LSB"],
    ["NAND_READ_LATENCY_MSB", "NAND_4KB_READ_LATENCY_MSB"],
    ["NAND_READ_LATENCY_CSB", "NAND_4KB_READ_LATENCY_CSB"],
];
/// Words before the memory that the module takes.
const CAPACITY: &str = "--capacity ";

/// Reasons why keys, or whole sections, have no counterpart.
const REASONS: &[(&str, &str)] = &[
    ("nand.page_spare", "pages have no spare bytes"),
    (
        "nand.channel_command",
        "commands take no time on the channel",
    ),
    ("map.slot", "4 KiB are mapped"),
    ("map.dram", "the whole table is in memory"),
    ("map.entry", "the whole table is in memory"),
    ("map.run", "the whole table is in memory"),
    ("map.parity", "there is no parity"),
    (
        "gc.",
        "the line with the fewest valid pages is collected when two are left",
    ),
    ("wear.", "nothing is levelled"),
    ("slc.", "all blocks hold the same number of bits a cell"),
    ("checkpoint.", "the mapping table is not saved"),
    ("buffer.", "the write buffer has a size alone"),
    ("firmware.", "firmware adds to latencies alone"),
    ("scheduling.", "operations of a die take their turn"),
    ("link.", "the link has a rate alone"),
    ("queue.", "queues are the host's"),
    ("limit.", "there is no limit at the port"),
    ("reliability.", "no block wears out"),
    ("ecc.", "no read is repeated"),
    ("faults.", "nothing fails"),
    ("power.", "energy is not counted"),
    ("thermal.", "nothing warms up"),
    ("power_loss.", "power is never lost"),
    ("smart.", "there are no attributes"),
];

fn write(asked: &Asked<'_>) -> Result<Card, CardError> {
    let drive = asked.drive;
    let mut numbers = Numbers::of(drive);
    refuse_what_has_no_pages(drive, PROGRAM, &mut numbers)?;
    let mut draft = Draft::default();
    // A program takes pages of all planes at once there: they are one, whose page is theirs together.
    let geometry = Geometry::of(
        &Asked {
            unit: Unit::Page,
            planes: Planes::Apart,
            ..*asked
        },
        &mut numbers,
    );
    draft.written(HEADER, ("NS_SSD_TYPE_0", "SSD_TYPE_CONV"), &["kind"], "");
    draft.assumed(HEADER, ("NR_NAMESPACES", 1), "there is one");
    draft.assumed(HEADER, ("NS_CAPACITY_0", 0), "all of the memory");
    draft.assumed(
        HEADER,
        ("MDTS", 6),
        "as its other drives: requests of 256 KiB at most",
    );
    partitions(&geometry, &mut numbers, &mut draft);
    let page = pages(&geometry, &mut draft);
    times(drive, &mut numbers, &mut draft);
    let capacity = capacity(drive, &geometry, &mut numbers, &mut draft);
    controller(drive, page, &mut numbers, &mut draft);
    draft.drop_rest(numbers, REASONS, "there is no definition for it");
    let text = header(asked, &draft, capacity);
    Ok(draft.card(vec![(FILE.to_owned(), text)]))
}

fn partitions(geometry: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let stripe = numbers.number("map.stripe_dies");
    let dies = geometry.dies();
    let stripe = stripe.map_or(dies, |stripe| stripe as u32).clamp(1, dies);
    draft.written(
        HEADER,
        ("SSD_PARTITIONS", (dies / stripe).max(1)),
        &["map.stripe_dies"],
        "the dies of a partition make a line",
    );
    draft.written(
        HEADER,
        ("NAND_CHANNELS", geometry.channels),
        &["nand.channels"],
        "",
    );
    draft.written(
        HEADER,
        ("LUNS_PER_NAND_CH", geometry.dies_per_channel),
        &["nand.dies_per_channel"],
        "",
    );
}

/// Planes, blocks and pages. Returns the bytes of a program.
fn pages(geometry: &Geometry, draft: &mut Draft) -> u64 {
    let page = geometry.page_bytes * u64::from(geometry.planes);
    draft.written(
        HEADER,
        ("PLNS_PER_LUN", 1),
        &["nand.planes_per_die"],
        "planes are one, whose page is theirs together",
    );
    draft.written(
        HEADER,
        ("BLKS_PER_PLN", geometry.blocks_per_plane),
        &["nand.blocks_per_die", "nand.planes_per_die"],
        "blocks of a die, over its planes",
    );
    draft.assumed(HEADER, ("BLK_SIZE", 0), "worked out from the capacity");
    draft.written(
        HEADER,
        ("FLASH_PAGE_SIZE", geometry.page_bytes),
        &["nand.page"],
        "",
    );
    draft.written(
        HEADER,
        ("ONESHOT_PAGE_SIZE", page),
        &["nand.page", "nand.planes_per_die"],
        "a page of each plane, programmed at once",
    );
    page
}

/// Bits of a cell, times of the flash, and the rate of a channel.
fn times(drive: &DriveFile, numbers: &mut Numbers, draft: &mut Draft) {
    let (bits, types) = match drive.flash() {
        Some(Flash::Slc) => (1, 1),
        Some(Flash::Mlc) | None => (2, 2),
        Some(Flash::Tlc) => (3, 3),
        Some(Flash::Qlc) => (4, 3),
    };
    match drive.flash() {
        Some(_) => draft.written(HEADER, ("CELL_MODE", bits), &["flash"], "bits a cell"),
        None => draft.assumed(HEADER, ("CELL_MODE", bits), "the drive file does not say"),
    }
    let read = numbers.given("nand.t_read").round();
    for (n, keys) in READS.into_iter().enumerate() {
        let time = if n < types { read } else { 0.0 };
        for key in keys {
            draft.written(HEADER, (key, time), &["nand.t_read"], "ns");
        }
    }
    let together = numbers.number("nand.pages_per_program").unwrap_or(1.0);
    let program = numbers.given("nand.t_program") / together;
    let note = match together > 1.0 {
        false => "ns".to_owned(),
        true => format!("ns; of {together} that are programmed together, each its part"),
    };
    draft.written(
        HEADER,
        ("NAND_PROG_LATENCY", program.round()),
        &["nand.t_program", "nand.pages_per_program"],
        note,
    );
    let erase = numbers.given("nand.t_erase").round();
    draft.written(
        HEADER,
        ("NAND_ERASE_LATENCY", erase),
        &["nand.t_erase"],
        "ns",
    );
    let rate = numbers.given("nand.channel_rate") / MIB;
    draft.written(
        HEADER,
        ("NAND_CHANNEL_BANDWIDTH", rate.round().max(1.0)),
        &["nand.channel_rate"],
        "MiB/s",
    );
    draft.assumed(HEADER, ("MAX_CH_XFER_SIZE", 16_384), "as its other drives");
    draft.assumed(HEADER, ("WRITE_UNIT_SIZE", 512), "a sector");
}

/// The share of spare area, and the memory that the module takes, in bytes.
fn capacity(
    drive: &DriveFile,
    geometry: &Geometry,
    numbers: &mut Numbers,
    draft: &mut Draft,
) -> f64 {
    for key in ["spare.op", "spare.user_capacity"] {
        numbers.number(key);
    }
    let raw = geometry.pages() * geometry.page_bytes as f64;
    let share = raw / drive.capacity_bytes() as f64 - 1.0;
    // The module works with whole percent, rounded down.
    let percent = (100.0 * share).round().max(1.0);
    draft.written(
        HEADER,
        ("OP_AREA_PERCENT", format!("{:.3}", percent / 100.0 + 1e-3)),
        &["spare.user_capacity", "nand"],
        format!(
            "{:.2} % of the host's bytes, as whole percent",
            100.0 * share
        ),
    );
    let memory = drive.capacity_bytes() as f64 * (100.0 + percent) / 100.0;
    (memory / GIB * 1000.0).ceil() / 1000.0
}

/// The buffer, the firmware and the link.
fn controller(drive: &DriveFile, page: u64, numbers: &mut Numbers, draft: &mut Draft) {
    let buffer = numbers.given("buffer.size");
    draft.written(
        HEADER,
        ("GLOBAL_WB_SIZE", buffer.max(page as f64)),
        &["buffer.size"],
        "bytes, of one program at least",
    );
    draft.written(
        HEADER,
        ("WRITE_EARLY_COMPLETION", 1),
        &["buffer.size"],
        "a write is answered from the buffer",
    );
    let mut sum = |keys: [&str; 2]| {
        let parts = keys.map(|key| numbers.number(key).unwrap_or(0.0));
        parts.iter().sum::<f64>().round()
    };
    let reads = ["firmware.read_command", "firmware.read_pipeline"];
    let read = sum(reads);
    draft.written(HEADER, ("FW_READ_LATENCY", read), &reads, "ns, their sum");
    draft.written(
        HEADER,
        ("FW_4KB_READ_LATENCY", read),
        &reads,
        "ns, their sum",
    );
    let writes = ["firmware.write_command", "firmware.write_pipeline"];
    let write = sum(writes);
    draft.written(
        HEADER,
        ("FW_WBUF_LATENCY0", write),
        &writes,
        "ns, their sum",
    );
    let slot = numbers.number("firmware.per_slot").unwrap_or(0.0).round();
    draft.written(
        HEADER,
        ("FW_WBUF_LATENCY1", slot),
        &["firmware.per_slot"],
        "ns",
    );
    draft.assumed(
        HEADER,
        ("FW_CH_XFER_LATENCY", 0),
        "the channel has a rate alone",
    );
    for key in ["link.rate", "link.port"] {
        numbers.word(key);
    }
    let rate = drive.link_bytes_s().map(|rate| rate as f64 / MIB);
    let bandwidth = rate.map(|rate| rate.round().max(1.0));
    match bandwidth {
        Some(rate) => draft.written(
            HEADER,
            ("PCIE_BANDWIDTH", rate),
            &["link.rate", "link.port"],
            "MiB/s: the slower of the lanes and the drive's own rate",
        ),
        None => draft.assumed(HEADER, ("PCIE_BANDWIDTH", 1_000_000), "there is no link"),
    }
}

/// The name of the drive in the header.
fn base(drive: &DriveFile) -> String {
    let slug = drive.slug().to_uppercase();
    let name: String = slug
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("FTLAB_{name}")
}

fn header(asked: &Asked<'_>, draft: &Draft, capacity_gib: f64) -> String {
    let base = base(asked.drive);
    let comment = head(asked, REREAD)
        + &format!(
            "\nPut this into NVMeVirt's ssd_config.h, define {base} as a number of its own beside the other drives, and build the \
             module with it as BASE_SSD.\nThe module needs {capacity_gib:.3} GiB of memory for all of the flash \
             (memmap_size), which ftlab reads as {CAPACITY}{capacity_gib:.3}\n"
        )
        + &draft.notes(PROGRAM);
    let definitions: String = draft
        .keys(HEADER)
        .map(|(key, value)| match value {
            "SSD_TYPE_CONV" => format!("#define {key} {value}\n"),
            _ => format!("#define {key} ({value})\n"),
        })
        .collect();
    // The end of a comment within it would be its own.
    let comment = commented(&comment.replace("*/", "* /"), " * ");
    format!("/*\n{comment} */\n#if (BASE_SSD == {base})\n{definitions}#endif\n")
}

/// The drive that `ftlab import nvmevirt` makes of the header.
fn back(card: &Card) -> Result<DriveFile, CardError> {
    let Only { name, text } = Only::of(card);
    let (_, capacity) = text
        .split_once(CAPACITY)
        .expect("the header says what memory it needs");
    let gib: f64 = capacity
        .lines()
        .next()
        .and_then(|line| line.trim().parse().ok())
        .expect("the header says it as a number");
    let asked = Nvmevirt {
        base: None,
        capacity_bytes: (gib * GIB) as u64,
    };
    let imported = ftlab_import::nvmevirt(&Text { name, text }, asked);
    Only::drive(name, imported)
}
