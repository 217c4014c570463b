//! FEMU: a drive as the properties of its black-box SSD, in a script that starts QEMU with them. The way back of
//! `ftlab import femu`.

use crate::draft::Draft;
use crate::geometry::{Geometry, refuse_what_has_no_pages, table_in_memory};
use crate::numbers::Numbers;
use crate::reread::{Only, REREAD, commented, head};
use crate::{Asked, Card, CardError, Target, Way};
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::DriveFile;
use ftlab_import::Text;

pub const TARGET: Target = Target {
    name: "femu",
    program: PROGRAM,
    about: "a script that starts QEMU with the drive as a black-box SSD",
    way: Way::Drive {
        write,
        back: Some(back),
    },
};

const PROGRAM: &str = "FEMU";
const FILE: &str = "femu.sh";
/// The one list that the properties stand in.
const DEVICE: &str = "device";
/// Entries of a queue at most.
const ENTRIES_MAX: f64 = 2047.0;
const MIB: u64 = 1 << 20;

/// Reasons why keys, or whole sections, have no counterpart.
const REASONS: &[(&str, &str)] = &[
    ("nand.page_spare", "pages have no spare bytes"),
    ("nand.t_read_spread", "pages of a block have one time"),
    ("nand.t_read_lsb", "pages of a block have one time"),
    ("nand.t_read_csb", "pages of a block have one time"),
    ("nand.t_read_msb", "pages of a block have one time"),
    ("nand.t_read_tsb", "pages of a block have one time"),
    ("map.slot", "pages are mapped"),
    ("map.stripe_dies", "a line has a block of every die"),
    ("map.entry", "the size of an entry is built in"),
    ("map.parity", "there is no parity"),
    ("gc.", "a line is collected whole, once few are free"),
    ("wear.", "nothing is levelled"),
    ("slc.", "all blocks hold the same number of bits a cell"),
    ("checkpoint.", "the mapping table is not saved"),
    ("buffer.", "the write buffer has a size alone"),
    ("firmware.die_queue", "queues of dies have no end"),
    (
        "firmware.",
        "firmware takes one time of each command, fw_cpu_ns",
    ),
    (
        "scheduling.",
        "reads pass writes only where pe_suspend says so",
    ),
    ("link.", "the link has a rate alone"),
    ("queue.transfer_max", "mdts says it in other units"),
    ("limit.", "there is no limit at the port"),
    ("reliability.", "errors have properties with other numbers"),
    ("ecc.", "errors have properties with other numbers"),
    ("faults.", "faults have properties with other numbers"),
    ("power.", "energy is not counted"),
    ("thermal.", "nothing warms up"),
    ("power_loss.", "power is never lost"),
    ("smart.", "SMART is QEMU's"),
];

fn write(asked: &Asked<'_>) -> Result<Card, CardError> {
    let mut numbers = Numbers::of(asked.drive);
    refuse_what_has_no_pages(asked.drive, PROGRAM, &mut numbers)?;
    let mut draft = Draft::default();
    let geometry = Geometry::of(asked, &mut numbers);
    draft.written(DEVICE, ("femu_mode", 1), &["kind"], "the black-box SSD");
    flash(&geometry, &mut numbers, &mut draft);
    mapping(asked.drive, &geometry, &mut numbers, &mut draft);
    collection(&geometry, &mut numbers, &mut draft);
    controller(asked.drive, &geometry, &mut numbers, &mut draft);
    draft
        .remarks
        .extend(geometry.remarks(PROGRAM, &mut numbers));
    draft.drop_rest(numbers, REASONS, "there is no property for it");
    let text = script(asked, &draft);
    Ok(draft.card(vec![(FILE.to_owned(), text)]))
}

/// How many of what, and how long they take.
fn flash(geometry: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let counts = [
        ("nchs", geometry.channels, "nand.channels"),
        (
            "luns_per_ch",
            geometry.dies_per_channel,
            "nand.dies_per_channel",
        ),
        ("pls_per_lun", geometry.planes, "nand.planes_per_die"),
        (
            "blks_per_pl",
            geometry.blocks_per_plane,
            "nand.blocks_per_die",
        ),
        (
            "pgs_per_blk",
            geometry.pages_per_block,
            "nand.pages_per_block",
        ),
    ];
    for (key, count, from) in counts {
        draft.written(DEVICE, (key, count), &[from], "");
    }
    let sectors = geometry.page_bytes / SECTOR_BYTES;
    draft.written(DEVICE, ("secsz", SECTOR_BYTES), &["nand.page"], "");
    draft.written(DEVICE, ("secs_per_pg", sectors), &["nand.page"], "");
    let together = geometry.pages_per_program(numbers);
    let note = match together > 1.0 {
        false => String::new(),
        true => format!("of {together} pages that are programmed together, each its part"),
    };
    let program = numbers.given("nand.t_program") / together;
    let read = numbers.given("nand.t_read");
    draft.written(DEVICE, ("pg_rd_lat", read.round()), &["nand.t_read"], "ns");
    draft.written(
        DEVICE,
        ("pg_wr_lat", program.round()),
        &["nand.t_program"],
        note,
    );
    let erase = numbers.given("nand.t_erase");
    draft.written(
        DEVICE,
        ("blk_er_lat", erase.round()),
        &["nand.t_erase"],
        "ns",
    );
    channel(geometry, numbers, draft);
}

/// The channel, and planes that work together.
fn channel(geometry: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let rate = numbers.given("nand.channel_rate");
    let transfer = geometry.page_bytes as f64 / rate * 1e9;
    draft.written(
        DEVICE,
        ("ch_xfer_lat", transfer.round()),
        &["nand.channel_rate"],
        "ns of a page",
    );
    let command = numbers.number("nand.channel_command").unwrap_or(0.0);
    draft.written(
        DEVICE,
        ("cmd_addr_lat", command.round()),
        &["nand.channel_command"],
        "ns",
    );
    for (key, from) in [
        ("mp_program", "scheduling.multi_plane"),
        ("mp_read", "scheduling.plane_reads"),
    ] {
        let on = if numbers.flag(from) { "on" } else { "off" };
        draft.written(DEVICE, (key, on), &[from], "");
    }
}

fn mapping(drive: &DriveFile, geometry: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let (fits, dram) = table_in_memory(drive, numbers);
    let scheme = if fits { "page" } else { "dftl" };
    let note = match fits {
        true => "the whole table is in memory",
        false => "a part of the table is in memory",
    };
    draft.written(
        DEVICE,
        ("mapping", scheme),
        &["map.scheme", "map.dram"],
        note,
    );
    if let Some(dram) = dram.filter(|_| !fits) {
        let mib = (dram / MIB as f64).round().max(1.0);
        draft.written(DEVICE, ("mapping_cache_mb", mib), &["map.dram"], "");
    }
    for key in ["spare.op", "spare.user_capacity"] {
        numbers.number(key);
    }
    let pages = drive.capacity_bytes() / geometry.page_bytes * geometry.page_bytes;
    let mib = pages / MIB;
    draft.written(DEVICE, ("devsz_mb", mib), &["spare.user_capacity"], "");
    let left = drive.capacity_bytes() - mib * MIB;
    if left > 0 {
        draft.remarks.push(format!(
            "capacity: {PROGRAM}'s drive is {left} bytes smaller, as devsz_mb is whole MiB"
        ));
    }
}

fn collection(geometry: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let policy = numbers.word("gc.policy").unwrap_or_default();
    let theirs = match policy.as_str() {
        "d-choices" => "d-choice",
        known @ ("greedy" | "random" | "cost-benefit" | "fifo") => known,
        _ => "greedy",
    };
    draft.written(DEVICE, ("gc_policy", theirs), &["gc.policy"], "");
    if theirs == "greedy" && policy != "greedy" {
        draft.remarks.push(format!(
            "gc.policy {policy}: {PROGRAM} does not have it; the nearest is greedy"
        ));
    }
    let reserve = numbers.given("gc.reserve");
    let blocks = f64::from(geometry.blocks_per_plane);
    let percent = (100.0 * (1.0 - reserve / blocks)).floor().clamp(1.0, 99.0);
    let kept = ((1.0 - percent / 100.0) * blocks).round().max(2.0);
    draft.written(
        DEVICE,
        ("gc_thres_pcent_high", percent),
        &["gc.reserve", "nand.blocks_per_die"],
        format!("whole percent: {kept} of {blocks} lines are kept free"),
    );
    if kept != reserve {
        draft.remarks.push(format!(
            "gc.reserve {reserve}: {PROGRAM} keeps whole percent of its lines free, here {kept}, which changes what collection costs"
        ));
    }
}

/// The buffer, the firmware, suspension and the link.
fn controller(drive: &DriveFile, geometry: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    let buffer = numbers.given("buffer.size") / geometry.page_bytes as f64;
    draft.written(
        DEVICE,
        ("buffer_size", buffer.floor().max(1.0)),
        &["buffer.size"],
        "in pages",
    );
    let command = |numbers: &mut Numbers, key: &str| numbers.number(key).unwrap_or(0.0);
    let (read, write) = (
        command(numbers, "firmware.read_command"),
        command(numbers, "firmware.write_command"),
    );
    draft.written(
        DEVICE,
        ("fw_cpu_ns", f64::midpoint(read, write).round()),
        &["firmware.read_command", "firmware.write_command"],
        "the mean of both",
    );
    let trim = command(numbers, "firmware.trim_command");
    draft.written(
        DEVICE,
        ("trim_lat_ns", trim.round()),
        &["firmware.trim_command"],
        "of a range there, of a command here",
    );
    let suspends = numbers.word("scheduling.suspend");
    let suspends = suspends.is_some_and(|suspend| suspend != "none");
    draft.written(
        DEVICE,
        ("pe_suspend", u8::from(suspends)),
        &["scheduling.suspend"],
        "",
    );
    if suspends {
        let time = command(numbers, "scheduling.suspend_time");
        let key = ("tsusp_ns", time.round());
        draft.written(DEVICE, key, &["scheduling.suspend_time"], "");
    }
    for key in ["link.rate", "link.port"] {
        numbers.word(key);
    }
    if let Some(rate) = drive.link_bytes_s() {
        draft.written(
            DEVICE,
            ("pcie_bandwidth_mbps", rate / 1_000_000),
            &["link.rate", "link.port"],
            "MB/s: the slower of the lanes and the drive's own rate",
        );
    }
    let depth = numbers.given("queue.depth");
    draft.written(
        DEVICE,
        ("entries", depth.min(ENTRIES_MAX)),
        &["queue.depth"],
        "",
    );
}

fn script(asked: &Asked<'_>, draft: &Draft) -> String {
    let properties: Vec<String> = draft
        .keys(DEVICE)
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let comment = head(asked, REREAD)
        + "\nStarts QEMU with the drive as FEMU's black-box SSD; the rest of QEMU's words follow:\n  \
           QEMU=./qemu-system-x86_64 sh FILE -m 4G -smp 4 -drive …\n"
        + &draft.notes(PROGRAM);
    format!(
        "#!/bin/sh\n{}set -eu\nexec \"${{QEMU:-qemu-system-x86_64}}\" \"$@\" -device femu,{}\n",
        commented(&comment, "# "),
        properties.join(",")
    )
}

/// The drive that `ftlab import femu` makes of the script.
fn back(card: &Card) -> Result<DriveFile, CardError> {
    let Only { name, text } = Only::of(card);
    let imported = ftlab_import::femu(&Text { name, text });
    Only::drive(name, imported)
}
