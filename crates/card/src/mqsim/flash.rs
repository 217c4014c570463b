//! MQSim's flash: how many of what, how long they take, and how fast a channel is.

use super::{DEVICE, FLASH};
use crate::draft::Draft;
use crate::geometry::{Geometry, count};
use crate::numbers::Numbers;
use crate::{Asked, CardError};
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::{DriveFile, Flash};

/// Nanoseconds a transfer of a channel takes at most here: the whole numbers up to it give 1 to 1000 MT/s well.
const TRANSFER_NS_MAX: u32 = 25;
/// A page's sectors are bits of a word of 64.
const PAGE_SECTORS_MAX: u64 = 64;

/// How many of what; other keys are worked out from it.
pub fn geometry(
    asked: &Asked<'_>,
    numbers: &mut Numbers,
    draft: &mut Draft,
) -> Result<Geometry, CardError> {
    let drive = asked.drive;
    let shape = Geometry::of(asked, numbers);
    if shape.page_bytes > PAGE_SECTORS_MAX * SECTOR_BYTES {
        return Err(CardError::new(
            format!("{}: nand.page", drive.slug()),
            format!(
                "{} bytes, and a page of MQSim's has {PAGE_SECTORS_MAX} sectors at most; give --unit slot, or --set nand.page=32KiB",
                shape.page_bytes
            ),
        ));
    }
    sizes(&shape, numbers, draft);
    draft.remarks.extend(shape.remarks("MQSim", numbers));
    Ok(shape)
}

/// The keys of a shape.
fn sizes(shape: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let of_slots = match shape.split {
        1 => "",
        _ => "slots, as --unit slot says",
    };
    draft.written(
        DEVICE,
        ("Flash_Channel_Count", shape.channels),
        &["nand.channels"],
        "",
    );
    draft.written(
        DEVICE,
        ("Chip_No_Per_Channel", shape.dies_per_channel),
        &["nand.dies_per_channel"],
        "a die a chip",
    );
    draft.assumed(
        FLASH,
        ("Die_No_Per_Chip", 1),
        "drive files have no chips: each die is one",
    );
    draft.written(
        FLASH,
        ("Plane_No_Per_Die", shape.planes),
        &["nand.planes_per_die"],
        "",
    );
    draft.written(
        FLASH,
        ("Block_No_Per_Plane", shape.blocks_per_plane),
        &["nand.blocks_per_die", "nand.planes_per_die"],
        "blocks of a die, over its planes",
    );
    draft.written(
        FLASH,
        ("Page_No_Per_Block", shape.pages_per_block),
        &["nand.pages_per_block"],
        of_slots,
    );
    draft.written(
        FLASH,
        ("Page_Capacity", shape.page_bytes),
        &["nand.page"],
        of_slots,
    );
    let spare = count(numbers.given("nand.page_spare")) / shape.split;
    draft.written(
        FLASH,
        ("Page_Metadat_Capacity", spare),
        &["nand.page_spare"],
        "it does not cross the channel with the page there, as it does here",
    );
}

/// Times of the flash. A page has that of its type, and of the pages of a word line that are programmed together each
/// has its part.
pub fn times(drive: &DriveFile, shape: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let technology = match drive.flash() {
        Some(Flash::Slc) => "SLC",
        Some(Flash::Tlc | Flash::Qlc) => "TLC",
        Some(Flash::Mlc) | None => "MLC",
    };
    match drive.flash() {
        Some(flash) => {
            draft.written(FLASH, ("Flash_Technology", technology), &["flash"], "");
            if flash == Flash::Qlc {
                draft.remarks.push("QLC: MQSim has cells of at most three bits; it is TLC there, with the times of QLC".to_owned());
            }
        }
        None => draft.assumed(
            FLASH,
            ("Flash_Technology", technology),
            "the drive file does not say",
        ),
    }
    let reads = read_times(technology, numbers);
    let read_keys = ["nand.t_read"];
    let each = shape.pages_per_program(numbers);
    let program = numbers.given("nand.t_program") / each;
    let note = match each > 1.0 {
        false => String::new(),
        true => format!("of {each} that are programmed together, each its part"),
    };
    let latencies = [
        (
            ["Page_Read_Latency_LSB", "Page_Program_Latency_LSB"],
            reads[0],
        ),
        (
            ["Page_Read_Latency_CSB", "Page_Program_Latency_CSB"],
            reads[1],
        ),
        (
            ["Page_Read_Latency_MSB", "Page_Program_Latency_MSB"],
            reads[2],
        ),
    ];
    for ([read_key, program_key], read) in latencies {
        draft.written(FLASH, (read_key, read.round()), &read_keys, "");
        draft.written(
            FLASH,
            (program_key, program.round()),
            &["nand.t_program"],
            note.clone(),
        );
    }
    draft.written(
        FLASH,
        ("Block_Erase_Latency", numbers.given("nand.t_erase").round()),
        &["nand.t_erase"],
        "",
    );
    draft.assumed(
        FLASH,
        ("Block_PE_Cycles_Limit", 1_000_000),
        "no block wears out there, whatever it says",
    );
}

/// Reading a page of each of three types: of those that the drive states, or spread about the mean.
fn read_times(technology: &str, numbers: &mut Numbers) -> [f64; 3] {
    let mean = numbers.given("nand.t_read");
    if numbers.has("nand.t_read_tsb") {
        // Four types are more than there are keys for; what is not asked for is told as dropped.
        return [mean; 3];
    }
    let spread = numbers.number("nand.t_read_spread").unwrap_or(0.0);
    let mut of = |key: &str, otherwise: f64| numbers.number(key).unwrap_or(otherwise);
    let types = [
        of("nand.t_read_lsb", mean * (1.0 - spread)),
        of("nand.t_read_csb", mean),
        of("nand.t_read_msb", mean * (1.0 + spread)),
    ];
    match technology {
        "SLC" => [mean; 3],
        _ => types,
    }
}

/// The width of a channel in bytes, and the nanoseconds of a transfer, that come nearest to a rate in bytes a microsecond. MQSim
/// rounds the time of a transfer down to whole nanoseconds, whatever it is told.
fn width_and_time(bytes_us: f64) -> (u32, u32) {
    let width = |ns: u32| (bytes_us * f64::from(ns) / 1e3).round().max(1.0) as u32;
    let off = |ns: &u32| {
        let error = rate_of(width(*ns), *ns) / bytes_us - 1.0;
        // Errors below a thousandth are alike: then the shortest transfer is taken.
        (error.abs() * 1e3) as u64
    };
    let ns = (1..=TRANSFER_NS_MAX).min_by_key(off);
    let ns = ns.expect("there are some");
    (width(ns), ns)
}

/// Bytes a microsecond.
fn rate_of(width: u32, ns: u32) -> f64 {
    f64::from(width) * 1e3 / f64::from(ns)
}

/// The rate of a channel.
pub fn channel(numbers: &mut Numbers, draft: &mut Draft) {
    let bytes_us = numbers.given("nand.channel_rate") / 1e6;
    let (width, ns) = width_and_time(bytes_us);
    let key = ["nand.channel_rate"];
    let note = "a transfer takes whole nanoseconds there, so that rates above 1000 MT/s would take none: the width carries the rest";
    draft.written(DEVICE, ("Flash_Channel_Width", width), &key, note);
    draft.written(DEVICE, ("Channel_Transfer_Rate", 1000 / ns), &key, "");
    let nearest = rate_of(width, ns);
    if (nearest / bytes_us - 1.0).abs() > 1e-3 {
        draft.remarks.push(format!(
            "nand.channel_rate {bytes_us} MB/s: {nearest:.1} MB/s is the nearest that MQSim can have"
        ));
    }
    draft.assumed(
        DEVICE,
        ("Flash_Comm_Protocol", "NVDDR2"),
        "the only one there is",
    );
}
